#include "gate/cli/help.h"

#include "gate/core/text.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 80
#define COLUMN 26 /* where help texts begin */

/* Words of text from column on, broken before WIDTH, later lines indented to COLUMN. */
static void add_wrapped(struct bg_buffer *out, const char *text)
{
	size_t column = COLUMN;
	while (*text) {
		size_t length = strcspn(text, " ");
		if (column + length > WIDTH && column > COLUMN) {
			bg_buffer_format(out, "\n%*s", COLUMN, "");
			column = COLUMN;
		}
		bg_buffer_add(out, text, length);
		column += length;
		text += length;
		if (*text == ' ') {
			if (column + 1 + strcspn(text + 1, " ") <= WIDTH)
				bg_buffer_text(out, " ");
			column++;
			text++;
		}
	}
	bg_buffer_text(out, "\n");
}

static void add_entry(struct bg_buffer *out, const char *left, const char *text)
{
	if (strlen(left) > COLUMN - 4)
		bg_buffer_format(out, "  %s\n%*s", left, COLUMN, "");
	else
		bg_buffer_format(out, "  %-*s", COLUMN - 2, left);
	add_wrapped(out, text);
}

/* "--suite FILE" */
static char *left_of(const struct bg_option *option, struct bg_arena *arena)
{
	const char *value = bg_option_value(option, arena);
	return bg_arena_format(arena, "--%s%s%s", option->name, value ? " " : "",
			       value ? value : "");
}

void bg_help_command(struct bg_buffer *out, const struct bg_subcommand *command,
		     struct bg_arena *arena)
{
	const struct bg_option_table *table = command->table;
	bg_buffer_format(out, "usage: batchgate %s%s%s%s\n\n", command->name,
			 table->count > 0 ? " [options]" : "", table->operands ? " " : "",
			 table->operands ? table->operands : "");
	bg_buffer_format(out, "%s.\n", command->summary);
	if (command->details)
		bg_buffer_format(out, "\n%s", command->details);
	bg_buffer_text(out, "\noptions:\n");
	for (size_t i = 0; i < table->count; i++) {
		const struct bg_option *option = &table->options[i];
		const char *text = option->help;
		if (option->fallback)
			text = bg_arena_format(arena, "%s (default: %s)", text, option->fallback);
		add_entry(out, left_of(option, arena), text);
	}
	add_entry(out, "-h, --help", "print this help");
}

void bg_help_program(struct bg_buffer *out)
{
	bg_buffer_text(out, "usage: batchgate COMMAND [options]\n\ncommands:\n");
	for (size_t i = 0; i < bg_subcommand_count; i++)
		add_entry(out, bg_subcommands[i]->name, bg_subcommands[i]->summary);
	bg_buffer_text(out, "\n'batchgate COMMAND --help' lists a command's options,\n"
			    "'batchgate --version' prints the version.\n");
}

/* A table's cell: a '|' would end it. */
static void add_cell(struct bg_buffer *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			bg_buffer_text(out, "\\");
		bg_buffer_add(out, text, 1);
	}
}

void bg_help_markdown(struct bg_buffer *out, struct bg_arena *arena)
{
	const char *between = "";
	for (size_t i = 0; i < bg_subcommand_count; i++) {
		const struct bg_subcommand *command = bg_subcommands[i];
		if (command->table->count == 0)
			continue;
		bg_buffer_format(out, "%s`batchgate %s%s%s`: %s.\n\n", between, command->name,
				 command->table->operands ? " " : "",
				 command->table->operands ? command->table->operands : "",
				 command->summary);
		bg_buffer_text(out, "| option | default | meaning |\n|---|---|---|\n");
		for (size_t k = 0; k < command->table->count; k++) {
			const struct bg_option *option = &command->table->options[k];
			bg_buffer_text(out, "| `");
			add_cell(out, left_of(option, arena));
			bg_buffer_format(out, "` | %s | ",
					 option->fallback ? option->fallback : "");
			add_cell(out, option->help);
			bg_buffer_text(out, " |\n");
		}
		between = "\n";
	}
}

const struct bg_subcommand *bg_subcommand_find(const char *name)
{
	for (size_t i = 0; i < bg_subcommand_count; i++)
		if (strcmp(bg_subcommands[i]->name, name) == 0)
			return bg_subcommands[i];
	return NULL;
}

enum bg_status bg_subcommand_unknown(const char *name, struct bg_arena *arena, struct bg_error *err)
{
	const char **names = bg_arena_array(arena, bg_subcommand_count, sizeof *names);
	for (size_t i = 0; i < bg_subcommand_count; i++)
		names[i] = bg_subcommands[i]->name;
	const char *nearest = bg_text_nearest(name, names, bg_subcommand_count);
	if (nearest)
		return bg_fail(err, BG_E_USAGE, "unknown command '%s': did you mean '%s'?", name,
			       nearest);
	return bg_fail(err, BG_E_USAGE, "unknown command '%s': 'batchgate help' lists them", name);
}

struct options {
	bool markdown;
	struct bg_texts names;
};

static const struct bg_option option_list[] = {
	{ "markdown", BG_OPTION_FLAG, .offset = BG_TARGET_FLAG(struct options, markdown),
	  .help = "print the tables of options that the README holds" },
};
static const struct bg_option_table table = {
	.count = sizeof option_list / sizeof *option_list,
	.options = option_list,
	.operands = "[COMMAND]",
	.operand_max = 1,
	.operand_offset = BG_TARGET_TEXTS(struct options, names),
};

#define HELP_SIZE_MAX ((size_t)1 << 20)

static void buffer_release(struct bg_buffer *buffer)
{
	bg_buffer_release(buffer);
}

static enum bg_status run(int *ret, const void *target, struct bg_arena *arena,
			  struct bg_error *err)
{
	const struct options *options = target;
	BG_AUTO(buffer_release) struct bg_buffer out = { .size_max = HELP_SIZE_MAX };
	if (options->markdown) {
		bg_help_markdown(&out, arena);
	} else if (options->names.count > 0) {
		const char *name = options->names.values[0];
		const struct bg_subcommand *command = bg_subcommand_find(name);
		if (!command)
			return bg_subcommand_unknown(name, arena, err);
		bg_help_command(&out, command, arena);
	} else {
		bg_help_program(&out);
	}
	fwrite(out.bytes, 1, out.size, stdout);
	*ret = BG_EXIT_PASS;
	return BG_OK;
}

const struct bg_subcommand bg_subcommand_help = {
	.name = "help",
	.summary = "Explains the commands and their options",
	.table = &table,
	.options_size = sizeof(struct options),
	.run = run,
};
