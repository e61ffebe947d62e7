#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/wire/json.h"
#include "reporters/reporter.h"
#include "tests/unit/comma_locale.h"
#include "tests/unit/sample_report.h"

struct fixture {
	struct sample sample;
	struct bg_report_view view;
	struct bg_buffer out;
	struct bg_error err;
	struct bg_json_document document;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	*state = f;
	sample_init(&f->sample);
	bg_buffer_init(&f->out, (size_t)1 << 30);
	f->view = (struct bg_report_view){ .report = &f->sample.report };
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	setlocale(LC_ALL, "C");
	bg_json_release(&f->document);
	bg_buffer_release(&f->out);
	sample_release(&f->sample);
	free(f);
	return 0;
}

static const struct bg_json *write_and_read(struct fixture *f)
{
	bg_buffer_clear(&f->out);
	bg_json_release(&f->document);
	assert_int_equal(bg_reporter_find("json")->write(&f->out, &f->view, &f->err), BG_OK);
	assert_int_equal(
		bg_json_read(&f->document, f->out.bytes, f->out.size, "report.json", &f->err),
		BG_OK);
	return f->document.root;
}

static const struct bg_json *finish(struct fixture *f)
{
	sample_finish(&f->sample);
	f->view.exit_code = f->sample.report.exit_code;
	return write_and_read(f);
}

static const struct bg_json *cell_at(const struct fixture *f, size_t index)
{
	return bg_json_at(bg_json_get(f->document.root, "cells"), index);
}

static void text(const struct bg_json *object, const char *key, const char *expected)
{
	const char *value = bg_json_text(bg_json_get(object, key));
	assert_non_null(value);
	assert_string_equal(value, expected);
}

static void number(const struct bg_json *object, const char *key, double expected)
{
	assert_true(bg_json_number(bg_json_get(object, key)) == expected);
}

static void null(const struct bg_json *object, const char *key)
{
	if (!bg_json_is_null(bg_json_get(object, key)))
		fail_msg("%s is not null", key);
}

static void a_cell_carries_its_numbers_bit_by_bit(void **state)
{
	struct fixture *f = *state;
	struct bg_axis_text axes[] = { { "batch", "16" }, { "dtype", "f32" } };
	struct bg_cell *cell = sample_cell(&f->sample, "tokenizer/batch=16", BG_REGRESSED, .1 / 3);
	struct bg_case_result of = *cell->of;
	of.axis_count = 2;
	of.axes = axes;
	cell->of = &of;
	cell->confirmed = BG_CONFIRMED;
	cell->confirm_launches = 10;
	finish(f);
	const struct bg_json *found = cell_at(f, 0);
	text(found, "suite", "smoke");
	text(found, "workload", "tokenizer");
	text(found, "case", "tokenizer/batch=16");
	text(bg_json_get(found, "axes"), "batch", "16");
	text(found, "metric", "time");
	text(found, "unit", "s");
	text(found, "better", "lower");
	text(found, "verdict", "REGRESSED");
	text(found, "outcome", "failure");
	number(found, "effect", .1 / 3);
	number(found, "low", .1 / 3 - .012);
	number(found, "high", .1 / 3 + .012);
	number(found, "margin", .02);
	number(found, "floor", 1e-6);
	number(found, "mde", .011);
	number(found, "launches", 10);
	number(found, "confirm_launches", 10);
	number(found, "base", .1012);
	number(found, "items_per_s", 158);
	assert_true(bg_json_bool(bg_json_get(found, "confirmed"), false));
	null(found, "reason");
	null(found, "null_reason");
}

static void what_is_unknown_is_null_with_a_reason(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_SKIPPED, 0)->launches = 0;
	struct bg_cell *zero = sample_cell(&f->sample, "a/x=2", BG_REGRESSED, 0);
	zero->measured = false;
	zero->base = 0;
	zero->head = 7;
	sample_cell(&f->sample, "a/x=3", BG_NOT_WORSE, 0)->mde = (double)NAN;
	sample_cell(&f->sample, "a/x=4", BG_INCONCLUSIVE, 0)->high = (double)INFINITY;
	finish(f);
	static const char *const keys[] = { "effect", "low", "high", "mde", "base", "head" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		null(cell_at(f, 0), keys[i]);
	text(cell_at(f, 0), "null_reason", "not measured");
	null(cell_at(f, 1), "effect");
	number(cell_at(f, 1), "head", 7);
	text(cell_at(f, 1), "null_reason", "a zero leaves no ratio");
	null(cell_at(f, 2), "mde");
	assert_non_null(bg_json_text(bg_json_get(cell_at(f, 2), "null_reason")));
	null(cell_at(f, 3), "high");
	assert_non_null(bg_json_text(bg_json_get(cell_at(f, 3), "null_reason")));
}

static void no_zero_has_a_minus(void **state)
{
	struct fixture *f = *state;
	struct bg_cell *cell = sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	cell->effect = cell->low = -0.0;
	finish(f);
	assert_null(strstr(f->out.bytes, "-0,"));
}

static void the_verdict_is_the_exit_code_in_a_word(void **state)
{
	struct fixture *f = *state;
	static const struct {
		int exit_code;
		const char *word;
	} table[] = { { 0, "pass" },	      { 1, "regression" }, { 2, "error" },
		      { 3, "indeterminate" }, { 4, "error" },	   { 130, "error" } };
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	sample_finish(&f->sample);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		f->view.exit_code = table[i].exit_code;
		text(write_and_read(f), "verdict", table[i].word);
		number(f->document.root, "exit_code", table[i].exit_code);
	}
}

static void counts_say_what_was_not_judged(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	sample_cell(&f->sample, "a/x=2", BG_SKIPPED, 0);
	sample_cell(&f->sample, "a/x=3", BG_SKIPPED, 0);
	sample_cell(&f->sample, "a/x=4", BG_BROKEN, 0);
	const struct bg_json *root = finish(f);
	number(root, "judged", 1);
	number(root, "not_judged", 3);
	number(bg_json_get(root, "not_judged_by"), "SKIPPED", 2);
	number(bg_json_get(root, "not_judged_by"), "BROKEN", 1);
	assert_null(bg_json_get(bg_json_get(root, "not_judged_by"), "NOT_WORSE"));
	number(bg_json_get(root, "verdicts"), "NOT_WORSE", 1);
	text(bg_json_get(root, "base"), "how", "first parent of HEAD");
	assert_true(bg_json_bool(bg_json_get(bg_json_get(root, "head"), "dirty"), false));
}

static void hostile_names_come_back_as_they_were(void **state)
{
	struct fixture *f = *state;
	const char *names[] = { "a/\x1b[31m", "a/\x01", "a/\"<>&\\", "a/\n\r\t", "a/caf\xc3\xa9" };
	for (size_t i = 0; i < 5; i++)
		sample_cell(&f->sample, names[i], BG_FAILED, 0);
	sample_cell(&f->sample, "a/\xff", BG_FAILED, 0);
	finish(f);
	for (size_t i = 0; i < 5; i++)
		text(cell_at(f, i), "case", names[i]);
	text(cell_at(f, 5), "case", "a/\xef\xbf\xbd");
}

/* GitHub's and Azure's logs obey these wherever they stand in a line. */
static void no_name_is_a_command_of_a_log(void **state)
{
	struct fixture *f = *state;
	const char *names[] = { "a/##[error]x", "a/##vso[task.complete]", "a/#[", "a/##", "a/#1" };
	for (size_t i = 0; i < 5; i++)
		sample_cell(&f->sample, names[i], BG_FAILED, 0);
	finish(f);
	assert_null(strstr(f->out.bytes, "#["));
	assert_null(strstr(f->out.bytes, "#vso["));
	for (size_t i = 0; i < 5; i++)
		text(cell_at(f, i), "case", names[i]);
}

static void one_cell_is_one_line(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 3; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i),
			    BG_NOT_WORSE, 0);
	finish(f);
	size_t lines = 0;
	for (const char *at = f->out.bytes; (at = strstr(at, "\n    {\"suite\":")); at++)
		lines++;
	assert_int_equal(lines, 3);
}

static void a_comma_locale_changes_no_byte(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .061);
	finish(f);
	char *first = bg_arena_bytes(&f->sample.arena, f->out.bytes, f->out.size);
	if (!comma_locale_set())
		skip();
	write_and_read(f);
	assert_string_equal(first, f->out.bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_cell_carries_its_numbers_bit_by_bit),
		TEST(what_is_unknown_is_null_with_a_reason),
		TEST(no_zero_has_a_minus),
		TEST(the_verdict_is_the_exit_code_in_a_word),
		TEST(counts_say_what_was_not_judged),
		TEST(hostile_names_come_back_as_they_were),
		TEST(no_name_is_a_command_of_a_log),
		TEST(one_cell_is_one_line),
		TEST(a_comma_locale_changes_no_byte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
