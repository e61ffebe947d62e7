#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/comma_locale.h"
#include "tests/unit/decide_fixture.h"

#include "gate/verdict/sentence.h"

static const char *quantity(void **state, double value, const char *unit)
{
	struct fixture *fixture = *state;
	return bg_quantity_text(&fixture->arena, value, unit);
}

static void quantities_take_the_unit_they_have_one_of(void **state)
{
	assert_string_equal(quantity(state, 1048576, "bytes"), "1 MiB");
	assert_string_equal(quantity(state, 65536, "bytes"), "64 KiB");
	assert_string_equal(quantity(state, 1.5 * 1073741824, "bytes"), "1.5 GiB");
	assert_string_equal(quantity(state, 100, "bytes"), "100 B");
	assert_string_equal(quantity(state, 0, "bytes"), "0 B");
	assert_string_equal(quantity(state, 1e-6, "s"), "1 us");
	assert_string_equal(quantity(state, 1e-3, "s"), "1 ms");
	assert_string_equal(quantity(state, .0123456, "s"), "12.346 ms");
	assert_string_equal(quantity(state, 0, "s"), "0 s");
	assert_string_equal(quantity(state, 200, "s"), "200 s");
	assert_string_equal(quantity(state, .25, "J"), "250 mJ");
	assert_string_equal(quantity(state, 71.5, "W"), "71.5 W");
}

/* The example of the design, section 7. */
static void a_cell_reads_as_documented(void **state)
{
	struct fixture *fixture = *state;
	struct bg_cell cell = { .metric = BG_METRIC_TIME,
				.measured = true,
				.effect = .061,
				.low = .049,
				.high = .073,
				.margin = .02,
				.floor = 1e-6,
				.base = .01,
				.launches = 24,
				.confirmed = BG_CONFIRMED };
	assert_string_equal(bg_sentence_cell(&fixture->arena, &cell),
			    "time +6.1 % (+4.9..+7.3), limit 2 %, 24 launches, confirmed");
	cell.effect = -.0004;
	cell.low = -.0251;
	cell.margin = .025;
	cell.launches = 1;
	cell.confirmed = BG_NOT_CONFIRMED;
	cell.reason = "why";
	assert_string_equal(bg_sentence_cell(&fixture->arena, &cell),
			    "time +0.0 % (-2.5..+7.3), limit 2.5 %, 1 launch: why");
}

static void fill(struct fixture *fixture, size_t at, double x)
{
	struct bg_series *series =
		data_series(&fixture->result.cases[at], BG_METRIC_TIME, &fixture->arena);
	for (size_t i = 0; i < 6; i++)
		data_judge(series, data_ratio(.01, x));
	for (size_t i = 0; i < 10; i++)
		data_confirm(series, data_ratio(.01, x));
}

static const char *sentence(struct fixture *fixture, bool strict)
{
	bg_decide(&fixture->report, &fixture->result, strict, &fixture->arena);
	return fixture->report.sentence;
}

static void a_report_counts_what_was_not_judged_and_names_the_worst(void **state)
{
	struct fixture *fixture = *state;
	data_suite(&fixture->result, 4, &fixture->arena);
	fill(fixture, 0, 0);
	fill(fixture, 1, log(1.03));
	fill(fixture, 2, log(1.061));
	fixture->result.cases[3].state = BG_CASE_SKIPPED;
	assert_string_equal(sentence(fixture, false),
			    "regression: 2 of 4 cells worse, 1 not judged (1 SKIPPED); "
			    "worst work/n=2 time +6.1 %");
}

static void a_report_of_nothing_worse_says_so(void **state)
{
	struct fixture *fixture = *state;
	data_suite(&fixture->result, 1, &fixture->arena);
	fill(fixture, 0, 0);
	assert_string_equal(sentence(fixture, false),
			    "pass: 1 of 1 cell judged, none worse, 0 not judged");
	fixture->result.cases[0].state = BG_CASE_NEW;
	fixture->result.cases[0].series_count = 0;
	assert_string_equal(sentence(fixture, false),
			    "pass: 1 of 1 cell judged, none worse, 0 not judged; 1 of them new, "
			    "compared with nothing");
	assert_string_equal(sentence(fixture, true),
			    "indeterminate: 1 of 1 cell judged, none worse, 0 not judged; "
			    "1 new or removed, which --strict refuses");
	fixture->result.case_count = 0;
	assert_string_equal(sentence(fixture, false),
			    "indeterminate: there were no cells to judge");
}

static void an_indeterminate_report_names_its_reason(void **state)
{
	struct fixture *fixture = *state;
	data_suite(&fixture->result, 2, &fixture->arena);
	fill(fixture, 0, 0);
	fixture->result.cases[1].state = BG_CASE_BROKEN;
	fixture->result.cases[1].reason = "exit status 1";
	assert_string_equal(sentence(fixture, false),
			    "indeterminate: 1 of 2 cells judged, none worse, 1 not judged "
			    "(1 BROKEN); worst work/n=1 BROKEN: exit status 1");
}

static void the_words_do_not_depend_on_the_locale(void **state)
{
	struct fixture *fixture = *state;
	data_suite(&fixture->result, 1, &fixture->arena);
	struct bg_series *series =
		data_series(&fixture->result.cases[0], BG_METRIC_TIME, &fixture->arena);
	for (size_t i = 0; i < 24; i++)
		data_judge(series, data_ratio(.01, i % 2 ? .05 : -.05));
	fixture->result.cases[0].floor[BG_METRIC_TIME] = .0012345;
	sentence(fixture, false);
	const char *before = fixture->report.cells[0].sentence;
	assert_non_null(strstr(before, "1.234 ms"));
	if (!comma_locale_set())
		skip();
	sentence(fixture, false);
	setlocale(LC_ALL, "C");
	assert_string_equal(fixture->report.cells[0].sentence, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(quantities_take_the_unit_they_have_one_of),
		TEST(a_cell_reads_as_documented),
		TEST(a_report_counts_what_was_not_judged_and_names_the_worst),
		TEST(a_report_of_nothing_worse_says_so),
		TEST(an_indeterminate_report_names_its_reason),
		TEST(the_words_do_not_depend_on_the_locale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
