#ifndef BG_CLI_COMMAND_H
#define BG_CLI_COMMAND_H
/*
 * The commands: one file each, one line each in command.def, which makes the list below.
 * A command prints its results on stdout, its progress on stderr, and never exits by itself.
 */
#include "gate/cli/options.h"

/* The program's exit codes are part of the product; see README. */
enum bg_exit {
	BG_EXIT_PASS = 0,
	BG_EXIT_REGRESSION = 1,
	BG_EXIT_USAGE = 2,
	BG_EXIT_UNJUDGED = 3,
	BG_EXIT_ENVIRONMENT = 4,
	BG_EXIT_INTERNAL = 5,
	BG_EXIT_SIGNAL = 128, /* plus the signal's number */
};

struct bg_subcommand {
	const char *name;
	const char *summary; /* one line, no full stop */
	const char *details; /* paragraphs for --help, each a line; NULL: none */
	const struct bg_option_table *table;
	size_t options_size; /* of the struct that the table fills */
	/*
	 * options  the filled struct; it and everything it points to live until run returns
	 * ret      exit code, one of enum bg_exit; written on BG_OK only
	 * returns  any other status: the caller prints the error's line as "batchgate: ..." and
	 *          exits with bg_exit_of. A command that already has a verdict prints faults
	 *          itself (bg_complain) and joins the codes with bg_exit_worse.
	 */
	enum bg_status (*run)(int *ret, const void *options, struct bg_arena *arena,
			      struct bg_error *err);
};

extern const struct bg_subcommand *const bg_subcommands[];
extern const size_t bg_subcommand_count;

/* The exit code of a fault; err is not empty. An interruption gives 128 + signal. */
int bg_exit_of(const struct bg_error *err);
/* The one that counts: a signal, then 2 > 5 > 1 > 4 > 3 > 0. */
int bg_exit_worse(int a, int b);
/* "batchgate: text" on stderr, one line. */
void bg_complain(const struct bg_error *err);
/*
 * Sends what was printed on its way: the exit code, raised to 4 and said on stderr where that
 * fails. A gate that says "pass" to a full disk must not exit 0.
 */
int bg_stdout_close(int code);
#endif
