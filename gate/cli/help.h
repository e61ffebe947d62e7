#ifndef BG_CLI_HELP_H
#define BG_CLI_HELP_H
/* The texts of --help and of the README's tables, made from the option tables. */
#include "gate/cli/command.h"
#include "gate/core/buffer.h"

/* Usage, summary, details and every option with its default; at most 80 columns. */
void bg_help_command(struct bg_buffer *out, const struct bg_subcommand *command,
		     struct bg_arena *arena);
/* The program's usage and one line a command. */
void bg_help_program(struct bg_buffer *out);
/* A Markdown table of options for each command that has any. */
void bg_help_markdown(struct bg_buffer *out, struct bg_arena *arena);
/* The command of that name, or NULL. */
const struct bg_subcommand *bg_subcommand_find(const char *name);
/* BG_E_USAGE with the nearest name. */
enum bg_status bg_subcommand_unknown(const char *name, struct bg_arena *arena,
				     struct bg_error *err);
#endif
