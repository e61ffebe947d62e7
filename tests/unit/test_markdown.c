#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reporters/markdown_text.h"
#include "reporters/reporter.h"
#include "tests/unit/comma_locale.h"
#include "tests/unit/sample_report.h"

#include <stdio.h>

struct fixture {
	struct sample sample;
	struct bg_report_view view;
	struct bg_buffer out;
	struct bg_error err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	*state = f;
	sample_init(&f->sample);
	bg_buffer_init(&f->out, (size_t)1 << 30);
	f->view = (struct bg_report_view){ .report = &f->sample.report,
					   .command = "batchgate gate --seed 1" };
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	setlocale(LC_ALL, "C");
	bg_buffer_release(&f->out);
	sample_release(&f->sample);
	free(f);
	return 0;
}

static void write_again(struct fixture *f)
{
	bg_buffer_clear(&f->out);
	assert_int_equal(bg_reporter_find("markdown")->write(&f->out, &f->view, &f->err), BG_OK);
}

static void finish(struct fixture *f)
{
	sample_finish(&f->sample);
	f->view.exit_code = f->sample.report.exit_code;
	write_again(f);
}

static void has(const struct fixture *f, const char *part)
{
	if (!strstr(f->out.bytes, part))
		fail_msg("no \"%s\" in:\n%s", part, f->out.bytes);
}

static void has_not(const struct fixture *f, const char *part)
{
	if (strstr(f->out.bytes, part))
		fail_msg("\"%s\" in:\n%s", part, f->out.bytes);
}

static void in_this_order(const struct fixture *f, const char *first, const char *second)
{
	has(f, first);
	has(f, second);
	assert_true(strstr(f->out.bytes, first) < strstr(f->out.bytes, second));
}

static const char *prose(struct fixture *f, const char *text)
{
	bg_buffer_clear(&f->out);
	bg_markdown_prose(&f->out, text, 1000, BG_MARKDOWN_LINE);
	return f->out.bytes ? f->out.bytes : "";
}

static const char *cell(struct fixture *f, const char *text)
{
	bg_buffer_clear(&f->out);
	bg_markdown_code(&f->out, text, 200, BG_MARKDOWN_CELL);
	return f->out.bytes ? f->out.bytes : "";
}

static void plain_words_stay_prose(void **state)
{
	struct fixture *f = *state;
	assert_string_equal(prose(f, "regression: 2 of 14 cells worse, time +6.1 % (exact)"),
			    "regression: 2 of 14 cells worse, time +6.1 % (exact)");
	assert_string_equal(prose(f, "caf\xc3\xa9 don't \"stop\""), "caf\xc3\xa9 don't \"stop\"");
}

static void words_that_mean_something_become_code(void **state)
{
	struct fixture *f = *state;
	static const char *const live[] = {
		"@team",     "#12",	  "GH-12",     "abc-1",	    "a@b.c", "www.a.b",
		"(www.a.b)", "http://a",  "[a](b)",    "![a](b)",   "*a*",   "_a_",
		"~~a~~",     "<img>",	  "&amp;",     ":smile:",   "$x$",   "a|b",
		"0123abc",   "(0123abc)", "owner/r#1", "!12",	    "%12",   "%\"a",
		"WWW.a.b",   "&12",	  "~bug",      "https://a", "<!--",  "a\\b",
	};
	for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
		char text[64], expected[64];
		snprintf(text, sizeof text, "see %s now", live[i]);
		snprintf(expected, sizeof expected, "see `%s` now", live[i]);
		assert_string_equal(prose(f, text), expected);
	}
}

static void a_run_of_such_words_is_one_span(void **state)
{
	struct fixture *f = *state;
	assert_string_equal(prose(f, "by <img src=x> @team and so"),
			    "by `<img src=x> @team` and so");
	assert_string_equal(prose(f, "a #1  "), "a `#1  `");
	assert_string_equal(prose(f, ""), "");
}

static void no_first_word_opens_a_list(void **state)
{
	struct fixture *f = *state;
	assert_string_equal(prose(f, "1. a"), "`1.` a");
	assert_string_equal(prose(f, "- a"), "`-` a");
	assert_string_equal(prose(f, "+ - a"), "`+` - a");
}

static void a_span_cannot_be_ended_from_within(void **state)
{
	struct fixture *f = *state;
	assert_string_equal(cell(f, "a`b``c"), "`a\\x60b\\x60\\x60c`");
	assert_string_equal(cell(f, "a|b"), "`a\\|b`");
	assert_string_equal(cell(f, "a\\|b"), "`a\\x5C\\|b`");
	assert_string_equal(cell(f, "a\nb\x1b[31mc\xe2\x80\xae"), "`a\\x0Abc\\u202E`");
	assert_string_equal(cell(f, ""), "");
}

static void a_long_name_is_cut(void **state)
{
	struct fixture *f = *state;
	char name[10001];
	memset(name, '`', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	assert_true(strlen(cell(f, name)) < 1000);
	assert_non_null(strstr(f->out.bytes, "..."));
}

static const char *marker(struct fixture *f, const char *name)
{
	bg_buffer_clear(&f->out);
	bg_markdown_marker(&f->out, name);
	return f->out.bytes;
}

static void the_marker_is_one_comment(void **state)
{
	struct fixture *f = *state;
	char name[10001];
	assert_string_equal(marker(f, "smoke-gpu.1"), "<!-- batchgate:smoke-gpu.1 -->");
	assert_string_equal(marker(f, "a --> b"), "<!-- batchgate:a%20-%2D%3E%20b -->");
	assert_string_equal(marker(f, "a--b"), "<!-- batchgate:a-%2Db -->");
	assert_string_equal(marker(f, "\n"), "<!-- batchgate:%0A -->");
	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	size_t size = strlen(marker(f, name));
	assert_true(size <= 300);
	char *first = bg_arena_text(&f->sample.arena, f->out.bytes);
	name[9999] = 'b';
	assert_string_not_equal(marker(f, name), first);
}

static void the_page_goes_from_the_verdict_to_the_details(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, .001);
	sample_cell(&f->sample, "a/x=2", BG_REGRESSED, .05);
	sample_cell(&f->sample, "a/x=3", BG_REGRESSED, .09);
	sample_cell(&f->sample, "a/x=4", BG_SKIPPED, 0);
	sample_cell(&f->sample, "a/x=5", BG_NEW, 0);
	const char *policy = "head raises the margin of a to 50%", *note = "the fan was loud";
	f->sample.result.policy_changes = &policy;
	f->sample.result.policy_change_count = 1;
	f->sample.result.conditions = &note;
	f->sample.result.condition_count = 1;
	finish(f);
	in_this_order(f, "<!-- batchgate:smoke -->\n\n## batchgate `smoke`: regression\n",
		      "at least one cell got worse\n");
	in_this_order(f, "at least one cell got worse\n",
		      "**4 cells judged, 1 not judged: 1 SKIPPED**");
	in_this_order(f, "**4 cells judged",
		      "- SKIPPED (1 cell): because the test says so: `a/x=4`");
	in_this_order(f, "- SKIPPED (1 cell)",
		      "| **REGRESSED** | `a/x=3` | time | +9.0 % (+7.8..+10.2) |"
		      " 2 % | 1.1 % | 10 | 101.2 -> 110.3 ms |");
	in_this_order(f, "| `a/x=3` |", "| `a/x=2` |");
	in_this_order(f, "| `a/x=2` |", "| NOT_WORSE | `a/x=1` |");
	in_this_order(f, "| `a/x=1` |", "- NEW (1 cell)");
	in_this_order(f, "- NEW (1 cell)", "- head raises the margin of a to 50%\n");
	in_this_order(f, "head raises", "- the fan was loud\n");
	in_this_order(f, "the fan was loud", "    batchgate gate --seed 1 --only 'a/x=3'\n");
	in_this_order(f, "--only 'a/x=3'", "    base     111111111111 (first parent of HEAD)");
}

static void many_good_cells_are_folded_away(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 21; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i),
			    BG_NOT_WORSE, .001);
	finish(f);
	has(f, "<details><summary>21 cells more, worst first</summary>\n\n| Verdict");
	has(f, "\n\n</details>\n");
	has_not(f, "Against the build");
}

static void a_fault_is_told_with_its_exit_code(void **state)
{
	struct fixture *f = *state;
	sample_finish(&f->sample);
	f->view.exit_code = 4;
	f->view.fault = "disk full at /tmp/x";
	write_again(f);
	has(f, ": error\n");
	has(f, "**Fault:** disk full at `/tmp/x` (exit 4)\n");
}

static size_t count(const struct fixture *f, const char *part)
{
	size_t found = 0;
	for (const char *at = f->out.bytes; (at = strstr(at, part)); at += strlen(part))
		found++;
	return found;
}

static void a_page_keeps_its_bound_and_says_what_it_left_out(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 12000; i++)
		sample_cell(
			&f->sample,
			bg_arena_format(&f->sample.arena, "workload/axis=%d,other=abcdefghijkl", i),
			i < 6000 ? BG_REGRESSED : BG_NOT_WORSE, .001 * i);
	finish(f);
	assert_in_range(f->out.size, 800000, 900000);
	has(f, "more of these 6000 cells, each in report.json\n");
	has(f, "--seed 1 --only");
	size_t rows = count(f, "| time | ");
	char text[80];
	snprintf(text, sizeof text, "Left out for want of room: %zu more of these 6000 cells",
		 12000 - rows);
	has(f, text);
	f->view.size_max = 20000;
	write_again(f);
	assert_in_range(f->out.size, 10000, 20000);
	has(f, "Left out for want of room: 6000 more of these 6000 cells");
}

static void a_page_too_small_for_its_parts_says_so(void **state)
{
	struct fixture *f = *state;
	const char *notes[30];
	char note[500];
	memset(note, 'a', sizeof note - 1);
	note[sizeof note - 1] = '\0';
	for (size_t i = 0; i < 30; i++)
		notes[i] = note;
	f->sample.result.conditions = notes;
	f->sample.result.condition_count = 30;
	f->view.size_max = 8000;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, .001);
	finish(f);
	assert_true(f->out.size <= 8000);
	has(f, "Left out for want of room: policy changes, conditions, how to repeat, the run");
	has(f, "`a/x=1`");
}

static void further_notes_are_counted(void **state)
{
	struct fixture *f = *state;
	const char *notes[32];
	for (size_t i = 0; i < 32; i++)
		notes[i] = "it rained";
	f->sample.result.conditions = notes;
	f->sample.result.condition_count = 32;
	finish(f);
	has(f, "- and 2 more, each in report.json\n");
}

static void levels_of_head_alone_have_a_table(void **state)
{
	struct fixture *f = *state;
	struct bg_cell *added = sample_cell(&f->sample, "a/x=1", BG_NEW, 0);
	added->alone = 7;
	added->alone_low = .1;
	added->alone_high = .2;
	finish(f);
	has(f, "| `a/x=1` | time | 101.2 ms | 100.0 ms .. 200.0 ms | 7 |\n");
}

static void no_locale_changes_a_byte(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .05);
	finish(f);
	char *before = bg_arena_text(&f->sample.arena, f->out.bytes);
	if (!comma_locale_set())
		skip();
	write_again(f);
	assert_string_equal(f->out.bytes, before);
}

static void no_line_is_a_command_of_the_log(void **state)
{
	struct fixture *f = *state;
	f->view.command = "::error::x";
	f->sample.report.sentence = "::error::y";
	const char *note = "::error::z";
	f->sample.result.conditions = &note;
	f->sample.result.condition_count = 1;
	finish(f);
	f->sample.report.sentence = "::error::y";
	write_again(f);
	has(f, "    \\x3A:error::x");
	has(f, "\n`::error::y`\n");
	has(f, "\n- `::error::z`\n");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(plain_words_stay_prose),
		T(words_that_mean_something_become_code),
		T(a_run_of_such_words_is_one_span),
		T(no_first_word_opens_a_list),
		T(a_span_cannot_be_ended_from_within),
		T(a_long_name_is_cut),
		T(the_marker_is_one_comment),
		T(the_page_goes_from_the_verdict_to_the_details),
		T(many_good_cells_are_folded_away),
		T(a_fault_is_told_with_its_exit_code),
		T(a_page_keeps_its_bound_and_says_what_it_left_out),
		T(a_page_too_small_for_its_parts_says_so),
		T(further_notes_are_counted),
		T(levels_of_head_alone_have_a_table),
		T(no_locale_changes_a_byte),
		T(no_line_is_a_command_of_the_log),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
