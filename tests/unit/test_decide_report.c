#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/verdict/exit.h"
#include "tests/unit/decide_fixture.h"

/* The table of the design, section 2: lenient outcome, where doubtful, under --strict. */
struct row {
	enum bg_verdict verdict;
	enum bg_outcome outcome, doubtful, strict;
	bool judged;
};

#define PASS BG_OUTCOME_PASS
#define SKIP BG_OUTCOME_SKIPPED
#define ERROR BG_OUTCOME_ERROR
#define FAILURE BG_OUTCOME_FAILURE

static const struct row table[] = {
	{ BG_NOT_WORSE, PASS, PASS, PASS, true },
	{ BG_IMPROVED, PASS, PASS, PASS, true },
	{ BG_UNCHANGED_BY_IDENTITY, PASS, PASS, PASS, true },
	{ BG_NEW, PASS, PASS, PASS, true },
	{ BG_REMOVED, PASS, PASS, PASS, true },
	{ BG_SKIPPED, SKIP, SKIP, SKIP, false },
	{ BG_INCONCLUSIVE, SKIP, ERROR, ERROR, false },
	{ BG_UNSTABLE, SKIP, ERROR, ERROR, false },
	{ BG_MISTRUSTED, SKIP, ERROR, ERROR, false },
	{ BG_NO_BASELINE, ERROR, ERROR, ERROR, false },
	{ BG_BROKEN, ERROR, ERROR, ERROR, false },
	{ BG_REGRESSED, FAILURE, FAILURE, FAILURE, true },
	{ BG_INCORRECT, FAILURE, FAILURE, FAILURE, true },
	{ BG_FAILED, FAILURE, FAILURE, FAILURE, true },
	{ BG_SUSPICIOUS, FAILURE, FAILURE, FAILURE, true },
	{ BG_MISSING, FAILURE, FAILURE, FAILURE, true },
};

static void every_verdict_has_the_outcome_documented(void **state)
{
	(void)state;
	assert_int_equal(sizeof table / sizeof *table, BG_VERDICT_COUNT);
	for (size_t i = 0; i < BG_VERDICT_COUNT; i++) {
		const struct row *row = &table[i];
		assert_int_equal(bg_outcome_of(row->verdict, false, false), row->outcome);
		assert_int_equal(bg_outcome_of(row->verdict, false, true), row->doubtful);
		assert_int_equal(bg_outcome_of(row->verdict, true, false), row->strict);
		assert_int_equal(bg_verdict_is_judged(row->verdict), row->judged);
	}
}

/* A report of one passing cell and these, counted. */
static struct bg_report counted(struct bg_cell *cells, bool strict, const enum bg_verdict *verdict,
				size_t count)
{
	cells[0] = (struct bg_cell){ .verdict = BG_NOT_WORSE };
	for (size_t i = 0; i < count; i++)
		cells[i + 1] = (struct bg_cell){ .verdict = verdict[i] };
	for (size_t i = 0; i <= count; i++)
		cells[i].outcome = bg_outcome_of(cells[i].verdict, strict, false);
	struct bg_report report = { .strict = strict, .cells = cells, .cell_count = count + 1 };
	bg_report_count(&report);
	return report;
}

static void the_worst_outcome_makes_the_exit_code(void **state)
{
	(void)state;
	struct bg_cell cells[4];
	const enum bg_verdict all[] = { BG_INCONCLUSIVE, BG_BROKEN, BG_REGRESSED };
	struct bg_report report = counted(cells, false, all, 3);
	assert_int_equal(report.exit_code, 1);
	assert_string_equal(report.verdict, "regression");
	assert_int_equal(report.judged, 2);
	assert_int_equal(report.not_judged, 2);
	assert_int_equal(report.count[BG_BROKEN], 1);
	report = counted(cells, false, all, 2);
	assert_int_equal(report.exit_code, 3);
	assert_string_equal(report.verdict, "indeterminate");
	report = counted(cells, false, all, 1);
	assert_int_equal(report.exit_code, 0);
	assert_string_equal(report.verdict, "pass");
	assert_int_equal(counted(cells, true, all, 1).exit_code, 3);
}

/* gates.md D 13 */
static void strict_refuses_what_was_not_compared(void **state)
{
	(void)state;
	struct bg_cell cells[2];
	const enum bg_verdict verdicts[] = { BG_NEW, BG_REMOVED, BG_SKIPPED, BG_IMPROVED };
	const int strict[] = { 3, 3, 0, 0 };
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(counted(cells, false, &verdicts[i], 1).exit_code, 0);
		assert_int_equal(counted(cells, true, &verdicts[i], 1).exit_code, strict[i]);
	}
}

static void a_report_without_a_decided_cell_is_indeterminate(void **state)
{
	(void)state;
	struct bg_report report = { .cell_count = 0 };
	bg_report_count(&report);
	assert_int_equal(report.exit_code, 3);
	struct bg_cell cells[2] = { { .verdict = BG_SKIPPED, .outcome = SKIP },
				    { .verdict = BG_INCONCLUSIVE, .outcome = SKIP } };
	report = (struct bg_report){ .cells = cells, .cell_count = 2 };
	bg_report_count(&report);
	assert_int_equal(report.exit_code, 3);
	cells[0] = (struct bg_cell){ .verdict = BG_NEW, .outcome = PASS };
	report = (struct bg_report){ .cells = cells, .cell_count = 2 };
	bg_report_count(&report);
	assert_int_equal(report.exit_code, 0);
}

static const struct {
	enum bg_case_state state;
	enum bg_verdict verdict;
	int exit_code;
} states[] = {
	{ BG_CASE_MEASURED, BG_INCONCLUSIVE, 3 }, /* without any series */
	{ BG_CASE_IDENTICAL, BG_UNCHANGED_BY_IDENTITY, 0 },
	{ BG_CASE_NEW, BG_NEW, 0 },
	{ BG_CASE_REMOVED, BG_REMOVED, 0 },
	{ BG_CASE_MISSING, BG_MISSING, 1 },
	{ BG_CASE_SKIPPED, BG_SKIPPED, 3 },
	{ BG_CASE_FAILED, BG_FAILED, 1 },
	{ BG_CASE_INCORRECT, BG_INCORRECT, 1 },
	{ BG_CASE_BROKEN, BG_BROKEN, 3 },
	{ BG_CASE_NO_BASELINE, BG_NO_BASELINE, 3 },
	{ BG_CASE_MISTRUSTED, BG_MISTRUSTED, 3 },
	{ BG_CASE_UNMEASURED, BG_INCONCLUSIVE, 3 },
};

static void a_case_without_data_is_one_cell_with_its_reason(void **state)
{
	struct fixture *fixture = *state;
	for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
		data_suite(&fixture->result, 1, &fixture->arena);
		fixture->result.cases[0].state = states[i].state;
		const struct bg_cell *cell = decided(fixture);
		assert_verdict(cell, states[i].verdict);
		assert_int_equal(cell->metric, BG_METRIC_TIME);
		assert_int_equal(fixture->report.exit_code, states[i].exit_code);
		assert_true(cell->reason && *cell->reason && !cell->measured);
		fixture->result.cases[0].reason = "exit status 139";
		assert_string_equal(decided(fixture)->sentence,
				    "time not measured: exit status 139");
	}
}

/* A MISTRUSTED or unmeasured case beside a judged one leaves the exit code alone; the count says
 * it. */
static void one_case_without_an_estimate_does_not_stop_the_others(void **state)
{
	struct fixture *fixture = *state;
	const enum bg_case_state quiet[] = { BG_CASE_SKIPPED, BG_CASE_MISTRUSTED,
					     BG_CASE_UNMEASURED };
	for (size_t i = 0; i < 3; i++) {
		data_suite(&fixture->result, 2, &fixture->arena);
		fixture->result.cases[0].state = quiet[i];
		fixture->result.cases[1].state = BG_CASE_IDENTICAL;
		bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
		assert_int_equal(fixture->report.exit_code, 0);
		assert_int_equal(fixture->report.not_judged, 1);
		assert_non_null(strstr(fixture->report.sentence, "1 not judged"));
	}
}

static void steady(struct bg_series *series, double x)
{
	for (size_t i = 0; i < 6; i++)
		data_judge(series, data_ratio(.01, x + (i % 2 ? .001 : -.001)));
	for (size_t i = 0; i < 10; i++)
		data_confirm(series, data_ratio(.01, x + (i % 2 ? .001 : -.001)));
}

static void time_mean_is_reported_only_where_it_found_something(void **state)
{
	struct fixture *fixture = *state;
	data_suite(&fixture->result, 1, &fixture->arena);
	struct bg_case_result *of = fixture->result.cases;
	steady(data_series(of, BG_METRIC_TIME, &fixture->arena), 0);
	struct bg_series *mean = data_series(of, BG_METRIC_TIME_MEAN, &fixture->arena);
	steady(mean, 0);
	assert_int_equal(decided(fixture)->metric, BG_METRIC_TIME);
	assert_true(fabs(fixture->report.error_budget - .06) < 1e-12);
	mean->judge_count = mean->confirm_count = 0;
	steady(mean, log(1.2));
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	assert_int_equal(fixture->report.cell_count, 2);
	assert_verdict(&fixture->report.cells[1], BG_REGRESSED);
	assert_string_equal(bg_metric_info(fixture->report.cells[1].metric)->name, "time.mean");
	for (size_t i = 0; i < 10; i++)
		mean->confirm[i] = data_ratio(.01, 0);
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	assert_verdict(&fixture->report.cells[1], BG_UNSTABLE);
	mean->judge_count = 4; /* undecided: not a word about it */
	assert_int_equal(decided(fixture)->metric, BG_METRIC_TIME);
}

static void a_case_with_nothing_but_time_mean_does_not_vanish(void **state)
{
	struct fixture *fixture = *state;
	steady(one_series(fixture, BG_METRIC_TIME_MEAN), 0);
	const struct bg_cell *cell = decided(fixture);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(fixture->report.exit_code, 3);
}

/* Crashes, then regressions by size, then doubt, then the rest. */
static void the_worst_come_first(void **state)
{
	struct fixture *fixture = *state;
	static const double x[] = { 0, .05, .3, -.2, .001, .1 };
	data_suite(&fixture->result, 8, &fixture->arena);
	for (size_t i = 0; i < 6; i++)
		steady(data_series(&fixture->result.cases[i], BG_METRIC_TIME, &fixture->arena),
		       x[i]);
	fixture->result.cases[6].state = BG_CASE_FAILED;
	fixture->result.cases[7].state = BG_CASE_BROKEN;
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	static const size_t order[] = { 6, 2, 5, 1, 7, 4, 0, 3 };
	for (size_t i = 0; i < 8; i++)
		assert_ptr_equal(fixture->report.worst_first[i], &fixture->report.cells[order[i]]);
}

static void the_same_data_give_the_same_report(void **state)
{
	struct fixture *fixture = *state;
	struct bg_random random;
	bg_random_init(&random, 9, "same");
	data_suite(&fixture->result, 40, &fixture->arena);
	for (size_t i = 0; i < 40; i++)
		data_fill(data_series(&fixture->result.cases[i], BG_METRIC_TIME, &fixture->arena),
			  &random, DATA_T3, i % 5 ? 0 : .05, .015, 24);
	struct bg_report again;
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	bg_decide(&again, &fixture->result, false, &fixture->arena);
	assert_string_equal(again.sentence, fixture->report.sentence);
	for (size_t i = 0; i < again.cell_count; i++) {
		assert_string_equal(again.cells[i].sentence, fixture->report.cells[i].sentence);
		assert_memory_equal(&again.cells[i].effect, &fixture->report.cells[i].effect,
				    sizeof(double));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_verdict_has_the_outcome_documented),
		TEST(the_worst_outcome_makes_the_exit_code),
		TEST(strict_refuses_what_was_not_compared),
		TEST(a_report_without_a_decided_cell_is_indeterminate),
		TEST(a_case_without_data_is_one_cell_with_its_reason),
		TEST(one_case_without_an_estimate_does_not_stop_the_others),
		TEST(time_mean_is_reported_only_where_it_found_something),
		TEST(a_case_with_nothing_but_time_mean_does_not_vanish),
		TEST(the_worst_come_first),
		TEST(the_same_data_give_the_same_report),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
