#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reporters/reporter.h"
#include "tests/unit/sample_report.h"

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
	f->view = (struct bg_report_view){ .report = &f->sample.report };
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	bg_buffer_release(&f->out);
	sample_release(&f->sample);
	free(f);
	return 0;
}

static const char *finish(struct fixture *f)
{
	sample_finish(&f->sample);
	if (!f->view.fault)
		f->view.exit_code = f->sample.report.exit_code;
	bg_buffer_clear(&f->out);
	assert_int_equal(bg_reporter_find("github")->write(&f->out, &f->view, &f->err), BG_OK);
	return f->out.bytes ? f->out.bytes : "";
}

static size_t count(const struct fixture *f, const char *part)
{
	size_t found = 0;
	for (const char *at = f->out.bytes; (at = strstr(at, part)); at += strlen(part))
		found++;
	return found;
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

static void a_run_in_which_all_is_well_says_nothing(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, .001);
	assert_string_equal(finish(f), "");
}

static void a_regression_is_an_error_where_it_stands(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .05);
	finish(f);
	const char *start = "::error file=batchgate.yml,line=7,title=batchgate%3A a/x=1 time::"
			    "REGRESSED: time +5.0 %25 (";
	assert_memory_equal(f->out.bytes, start, strlen(start));
	has(f, "%0Arepeat: batchgate gate --only 'a/x=1'\n");
	assert_int_equal(count(f, "\n"), 1);
}

static void what_could_not_be_judged_is_a_warning(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_BROKEN, 0);
	sample_cell(&f->sample, "a/x=2", BG_SKIPPED, 0);
	finish(f);
	has(f, "::warning file=batchgate.yml,line=7,title=batchgate%3A a/x=1 time::BROKEN: ");
	has(f, "::notice file=batchgate.yml,title=batchgate::0 cells judged, 2 not judged: ");
	assert_int_equal(count(f, "\n"), 2);
}

static void the_worst_ten_are_told_and_the_rest_counted(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 37; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i),
			    BG_REGRESSED, .05 + .001 * i);
	finish(f);
	assert_int_equal(count(f, "::error "), 10);
	has(f, "::error file=batchgate.yml,title=batchgate::and 28 more: see the summary\n");
	const char *start = "::error file=batchgate.yml,line=7,title=batchgate%3A a/x=36 time::";
	assert_memory_equal(f->out.bytes, start, strlen(start));
	has(f, "a/x=28 time");
	has_not(f, "a/x=27 time");
}

static void ten_regressions_are_all_told(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 10; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i),
			    BG_REGRESSED, .05);
	finish(f);
	assert_int_equal(count(f, ",line=7,"), 10);
	has_not(f, "more: see");
}

static void a_fault_takes_one_of_the_ten(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 10; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i),
			    BG_REGRESSED, .05);
	f->view.fault = "disk full: 100%\n::error::x";
	f->view.exit_code = 4;
	finish(f);
	assert_int_equal(count(f, "\n"), 10);
	has(f, "::error file=batchgate.yml,title=batchgate::disk full: 100%25\\x0A::error::x "
	       "(exit 4)\n");
	has(f, "and 2 more: see the summary");
}

static void nothing_foreign_ends_a_property_or_a_line(void **state)
{
	struct fixture *f = *state;
	struct bg_cell *cell = sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .05);
	struct bg_case_result *of = bg_arena_alloc(&f->sample.arena, sizeof *of);
	*of = *cell->of;
	of->name = "a,b:c::d\r\n::set-output name=verdict::pass %0A";
	of->file = "a,b:c%.cu";
	cell->of = of;
	cell->sentence = "50%\nnext";
	finish(f);
	const char *start = "::error file=a%2Cb%3Ac%25.cu,line=7,title=batchgate%3A "
			    "a%2Cb%3Ac%3A%3Ad\\x0D\\x0A%3A%3Aset-output name=verdict%3A%3Apass "
			    "%250A time::REGRESSED: 50%25\\x0Anext%0A";
	assert_memory_equal(f->out.bytes, start, strlen(start));
	assert_int_equal(count(f, "\n"), 1);
}

static void only_a_path_that_a_diff_can_hold_is_given(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *file, *shown;
	} rows[] = {
		{ "./suites/a.yml", "::error file=suites/a.yml,line=7,title=" },
		{ ".github/a.yml", "::error file=.github/a.yml,line=7,title=" },
		{ "a..b/c", "::error file=a..b/c,line=7,title=" },
		{ "/etc/passwd", "::error title=" },
		{ "../a.yml", "::error title=" },
		{ "a/../b", "::error title=" },
		{ "a//b", "::error title=" },
		{ "a/./b", "::error title=" },
		{ "", "::error title=" },
		{ NULL, "::error title=" },
		{ "a\nb", "::error title=" },
		{ "a\xe2\x80\xae", "::error title=" },
	};
	struct bg_cell *cell = sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .05);
	struct bg_case_result *of = bg_arena_alloc(&f->sample.arena, sizeof *of);
	*of = *cell->of;
	cell->of = of;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		of->file = rows[i].file;
		finish(f);
		assert_memory_equal(f->out.bytes, rows[i].shown, strlen(rows[i].shown));
	}
	of->file = "a.yml";
	of->line = 0;
	finish(f);
	const char *start = "::error file=a.yml,title=";
	assert_memory_equal(f->out.bytes, start, strlen(start));
}

static void a_message_stays_within_what_github_keeps(void **state)
{
	struct fixture *f = *state;
	char name[10001];
	for (size_t i = 0; i + 1 < sizeof name; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	name[sizeof name - 1] = '\0';
	sample_cell(&f->sample, name, BG_REGRESSED, .05);
	finish(f);
	assert_true(f->out.size < 4096 + 3 * 600);
	const char *message = strstr(strstr(f->out.bytes, "title="), "::") + 2;
	assert_true(strlen(message) <= 4096 + 2 * 10); /* a few line ends, as %0A */
}

static void policy_changes_are_notices(void **state)
{
	struct fixture *f = *state;
	const char *changes[12];
	for (size_t i = 0; i < 12; i++)
		changes[i] = "margin of a: 2% -> 50%";
	f->sample.result.policy_changes = changes;
	f->sample.result.policy_change_count = 2;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, .001);
	finish(f);
	assert_int_equal(count(f, "::notice file=batchgate.yml,title=batchgate::margin of a: "
				  "2%25 -> 50%25\n"),
			 2);
	f->sample.result.policy_change_count = 12;
	finish(f);
	assert_int_equal(count(f, "::notice "), 9);
	has(f, "and 4 more policy changes: see the summary\n");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_run_in_which_all_is_well_says_nothing),
		T(a_regression_is_an_error_where_it_stands),
		T(what_could_not_be_judged_is_a_warning),
		T(the_worst_ten_are_told_and_the_rest_counted),
		T(ten_regressions_are_all_told),
		T(a_fault_takes_one_of_the_ten),
		T(nothing_foreign_ends_a_property_or_a_line),
		T(only_a_path_that_a_diff_can_hold_is_given),
		T(a_message_stays_within_what_github_keeps),
		T(policy_changes_are_notices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
