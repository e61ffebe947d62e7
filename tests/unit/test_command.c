#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "gate/cli/command.h"
#include "gate/cli/help.h"

static void exit_codes_rank_as_documented(void **state)
{
	(void)state;
	static const int order[] = { 0, 3, 4, 1, 5, 2, 130 };
	for (size_t i = 0; i < 7; i++)
		for (size_t k = 0; k < 7; k++)
			assert_int_equal(bg_exit_worse(order[i], order[k]), order[i > k ? i : k]);
}

static void every_fault_has_its_code(void **state)
{
	(void)state;
	static const struct {
		enum bg_status status;
		int code;
	} rows[] = {
		{ BG_E_USAGE, 2 }, { BG_E_INPUT, 2 },	 { BG_E_UNJUDGED, 3 },
		{ BG_E_NOMEM, 4 }, { BG_E_INTERNAL, 5 }, { BG_E_SYSTEM, 4 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct bg_error err = { .status = rows[i].status };
		assert_int_equal(bg_exit_of(&err), rows[i].code);
	}
}

/* Tables are data: what a reader of help or a parser relies on holds for every command. */
static void every_command_and_option_is_complete_and_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < bg_subcommand_count; i++) {
		const struct bg_subcommand *command = bg_subcommands[i];
		assert_ptr_equal(bg_subcommand_find(command->name), command);
		assert_non_null(command->run);
		assert_true(command->summary[strlen(command->summary) - 1] != '.');
		for (size_t k = 0; k < command->table->count; k++) {
			const struct bg_option *option = &command->table->options[k];
			assert_non_null(option->help);
			assert_true(option->offset < command->options_size);
			assert_true((option->kind == BG_OPTION_CHOICE) == !!option->choices);
			for (size_t j = 0; j < k; j++)
				assert_string_not_equal(option->name,
							command->table->options[j].name);
		}
	}
}

static void help_fits_80_columns(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, (size_t)1 << 20);
	bg_help_program(&out);
	for (size_t i = 0; i < bg_subcommand_count; i++)
		bg_help_command(&out, bg_subcommands[i], &arena);
	for (char *line = out.bytes, *end; (end = strchr(line, '\n')); line = end + 1) {
		assert_true(end - line <= 80);
		assert_true(end == line || end[-1] != ' ');
	}
	bg_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_codes_rank_as_documented),
		cmocka_unit_test(every_fault_has_its_code),
		cmocka_unit_test(every_command_and_option_is_complete_and_unique),
		cmocka_unit_test(help_fits_80_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
