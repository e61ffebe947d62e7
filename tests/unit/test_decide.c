#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/decide_fixture.h"

/* Launches that swing by sd about x, with a lag-1 correlation well below zero. */
static void swinging(struct bg_series *series, size_t count, double x, double sd)
{
	for (size_t i = 0; i < count; i++)
		data_judge(series, data_ratio(.01, x + (i % 2 ? sd : -sd)));
}

static void confirm(struct bg_series *series, size_t count, double x)
{
	for (size_t i = 0; i < count; i++)
		data_confirm(series, data_ratio(.01, x + (i % 2 ? .002 : -.002)));
}

static void an_unchanged_cell_is_proved_at_the_first_look(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, 0, .002);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	assert_int_equal(cell->launches, 6);
	assert_int_equal(cell->outcome, BG_OUTCOME_PASS);
	assert_true(cell->measured && cell->low < 0 && cell->high > 0 && cell->high < .02);
	assert_null(cell->reason);
}

static void a_slowdown_is_regressed_once_confirmed(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(1.05), .002);
	confirm(series, 10, log(1.05));
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_REGRESSED);
	assert_int_equal(cell->outcome, BG_OUTCOME_FAILURE);
	assert_int_equal(cell->confirmed, BG_CONFIRMED);
	assert_int_equal(cell->confirm_launches, 10);
	assert_true(fabs(cell->effect - .05) < 1e-9 && cell->low > .02);
}

static void a_speedup_is_improved_and_passes(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(.95), .002);
	assert_verdict(decided(*state), BG_IMPROVED);
	series->judge_count = 0;
	swinging(series, 6, log(.985), .001); /* less than the margin is no improvement */
	assert_verdict(decided(*state), BG_NOT_WORSE);
}

/* Proved not worse at the first look, too noisy there to be called better. */
static void a_likely_improvement_is_looked_at_again(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(.94), .017);
	assert_verdict(decided(*state), BG_NOT_WORSE);
	swinging(series, 3, log(.94), .002);
	assert_int_equal(decided(*state)->launches, 6);
	swinging(series, 1, log(.94), .002);
	assert_verdict(decided(*state), BG_IMPROVED);
	assert_int_equal(decided(*state)->launches, 10);
}

static void a_look_that_cannot_tell_leaves_the_proof_as_it_was(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(.95), .015);
	double high = decided(*state)->high;
	for (size_t i = 0; i < 4; i++)
		data_judge(series, data_ratio(.01, .3));
	assert_verdict(decided(*state), BG_NOT_WORSE);
	assert_true(decided(*state)->high == high);
}

/* gates.md D 41 */
static void what_does_not_reproduce_is_unstable_and_passes(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(1.05), .002);
	confirm(series, 10, 0);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_UNSTABLE);
	assert_int_equal(cell->outcome, BG_OUTCOME_SKIPPED);
	assert_int_equal(cell->confirmed, BG_NOT_CONFIRMED);
	assert_non_null(strstr(cell->reason, "10 fresh launches"));
}

/* Half the margin is the bar: 1.5 % again confirms a limit of 2 %, .9 % does not. */
static void confirmation_asks_for_half_the_margin(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(1.05), .002);
	confirm(series, 10, log(1.015));
	assert_verdict(decided(*state), BG_REGRESSED);
	series->confirm_count = 0;
	confirm(series, 10, log(1.009));
	assert_verdict(decided(*state), BG_UNSTABLE);
}

/* The fresh launches still say +4 %, and cannot exclude 5 %: nobody may call that fine. */
static void unstable_is_an_error_where_the_fresh_launches_still_look_worse(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(1.05), .002);
	for (size_t i = 0; i < 10; i++)
		data_confirm(series, data_ratio(.01, .04 + (i % 2 ? .06 : -.06)));
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_UNSTABLE);
	assert_int_equal(cell->outcome, BG_OUTCOME_ERROR);
}

static void without_its_ten_fresh_launches_a_regression_is_an_error(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(1.05), .002);
	confirm(series, 9, log(1.05));
	((struct fixture *)*state)->result.ending = BG_END_INTERRUPTED;
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(cell->outcome, BG_OUTCOME_ERROR);
	assert_int_equal(cell->confirmed, BG_CONFIRM_NONE);
	assert_int_equal(cell->confirm_launches, 9);
	assert_non_null(strstr(cell->reason, "interrupted"));
}

static void only_the_first_ten_fresh_launches_count(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(1.05), .002);
	confirm(series, 10, log(1.05));
	confirm(series, 20, log(.5));
	assert_verdict(decided(*state), BG_REGRESSED);
}

/* gates.md D 49 */
static void fewer_than_six_launches_decide_nothing(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 5, log(2), .0001);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(cell->launches, 5);
	assert_true(cell->effect > .9);
	assert_int_equal(cell->outcome, BG_OUTCOME_ERROR); /* it looks twice as slow */
	assert_non_null(strstr(cell->reason, "5 launches, at least 6 are needed"));
}

static void one_launch_has_no_interval_and_says_so(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 1, 0, .001);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_true(isfinite(cell->low) && isfinite(cell->high) && isfinite(cell->effect));
	assert_true(cell->low == -1 && cell->high == BG_RATIO_MAX);
	assert_non_null(strstr(cell->sentence, "unbounded"));
	assert_int_equal(cell->outcome, BG_OUTCOME_SKIPPED);
}

static void no_launch_is_inconclusive(void **state)
{
	one_series(*state, BG_METRIC_TIME);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_false(cell->measured);
	assert_non_null(strstr(cell->reason, "0 launches"));
	assert_int_equal(((struct fixture *)*state)->report.exit_code, 3);
}

/* After six noisy launches, eight more would have decided; but eight are no look. */
static void no_extra_look_is_taken_where_a_run_ends_between_looks(void **state)
{
	struct fixture *fixture = *state;
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, 0, .02);
	swinging(series, 3, 0, .0001);
	fixture->result.ending = BG_END_BUDGET;
	fixture->result.ending_why = "needs about 3 more minutes";
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(cell->launches, 6);
	assert_non_null(strstr(cell->reason, "the next look is at 10"));
	assert_non_null(strstr(cell->reason, "3 more minutes"));
}

static void later_launches_do_not_reopen_what_a_look_decided(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, 0, .002);
	swinging(series, 18, log(1.5), .001);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	assert_int_equal(cell->launches, 6);
	assert_true(fabs(cell->effect) < 1e-9);
}

static void noise_is_inconclusive_and_passes_where_nothing_looks_worse(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 24, 0, .05);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(cell->launches, 24);
	assert_int_equal(cell->outcome, BG_OUTCOME_SKIPPED);
	assert_non_null(strstr(cell->reason, "too noisy"));
	assert_null(strstr(cell->reason, "next look"));
	assert_true(cell->mde > .02 && cell->mde < .2);
}

static void noise_is_an_error_where_it_looks_worse_and_five_percent_is_possible(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 24, .03, .05);
	assert_int_equal(decided(*state)->outcome, BG_OUTCOME_ERROR);
	series->judge_count = 0;
	swinging(series, 24, .0205, .012); /* beyond 2 %, but surely below 5 % */
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_true(cell->effect > .02 && cell->high < .05);
	assert_int_equal(cell->outcome, BG_OUTCOME_SKIPPED);
}

/* The same 24 data, once in runs of three (lag-1 .375), once alternating. */
static void launches_that_depend_on_each_other_decide_nothing(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t i = 0; i < 24; i++)
		data_judge(series, data_ratio(.01, i / 3 % 2 ? .018 : -.018));
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(cell->launches, 24);
	assert_non_null(strstr(cell->reason, "lag-1 correlation 0.38"));
	assert_int_equal(cell->outcome, BG_OUTCOME_SKIPPED);
	series->judge_count = 0;
	swinging(series, 24, 0, .018);
	assert_verdict(decided(*state), BG_NOT_WORSE);
}

static void correlation_is_looked_for_from_ten_launches_on(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t i = 0; i < 10; i++)
		data_judge(series, data_ratio(.01, .005 * (double)i));
	assert_non_null(strstr(decided(*state)->reason, "lag-1 correlation 0.70"));
	series->judge_count = 9; /* the look at 6 */
	assert_null(strstr(decided(*state)->reason, "lag-1"));
}

/* Independent launches with this interval would exclude 5 %; these exclude nothing. */
static void correlation_leaves_an_estimate_beyond_the_limit_an_error(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t i = 0; i < 24; i++)
		data_judge(series, data_ratio(.01, .025 + (i / 3 % 2 ? .006 : -.006)));
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_true(cell->effect > .02 && cell->high < .05);
	assert_int_equal(cell->outcome, BG_OUTCOME_ERROR);
}

static void a_drift_is_not_called_a_regression(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t i = 0; i < 24; i++)
		data_judge(series, data_ratio(.01, .01 * (double)i));
	confirm(series, 10, .1);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(cell->outcome, BG_OUTCOME_ERROR);
	assert_true(cell->low > .02); /* independent launches would have been REGRESSED */
}

/* gates.md D 11: among ten it might be the first of a mode, among sixteen it is a spike. */
static void one_spike_is_trimmed_away(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 24, 0, .002);
	series->judge[3] = data_ratio(.01, log(10));
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	assert_int_equal(cell->launches, 16);
	series->judge_count = 10;
	assert_non_null(strstr(decided(*state)->reason, "1 of 10 launches is far worse"));
}

/* Two to twelve of 24 launches are slow, two of them at least among the first ten. */
static void a_second_mode_never_passes(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t slow = 2; slow <= 12; slow++) {
		series->judge_count = 0;
		swinging(series, 24, 0, .002);
		for (size_t i = 0; i < slow; i++)
			series->judge[i * (slow < 5 ? 10 : 24) / slow].x += .1;
		const struct bg_cell *cell = decided(*state);
		assert_verdict(cell, BG_INCONCLUSIVE);
		assert_int_equal(cell->launches, 24);
	}
}

static void the_reason_counts_the_launches_of_a_second_mode(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 24, 0, .002);
	series->judge[2].x = series->judge[9].x = series->judge[17].x = .1;
	assert_non_null(strstr(decided(*state)->reason, "3 of 24 launches"));
}

/* A zero spread is no division by zero (D 10), and exactly the margin is not worse (D 40). */
static void without_spread_the_margin_itself_is_not_worse(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t i = 0; i < 6; i++)
		data_judge(series,
			   data_levels(.01 * (double)(i + 1), .01 * (double)(i + 1) * 1.02));
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	for (size_t i = 0; i < 6; i++)
		series->judge[i] =
			data_levels(.01 * (double)(i + 1), .01 * (double)(i + 1) * 1.0200001);
	assert_verdict(decided(*state), BG_INCONCLUSIVE); /* REGRESSED, but not confirmed */
	for (size_t i = 0; i < 10; i++)
		data_confirm(series, data_levels(.03, .03 * 1.0200001));
	assert_verdict(decided(*state), BG_REGRESSED);
}

/* 2 us of 10 us is 20 %, but no more than a floor of 2 us (and rounding) allows. */
static void a_difference_within_the_floor_is_not_worse(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	((struct fixture *)*state)->result.cases[0].floor[BG_METRIC_TIME] = 2e-6;
	for (size_t i = 0; i < 6; i++)
		data_judge(series, data_ratio(1e-5, log(1.2)));
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	assert_true(fabs(cell->effect - .2) < 1e-9);
	assert_non_null(strstr(cell->sentence, "limit 2 us"));
	for (size_t i = 0; i < 10; i++)
		data_confirm(series, data_ratio(1e-5, log(1.21)));
	for (size_t i = 0; i < 6; i++)
		series->judge[i] = data_ratio(1e-5, log(1.21));
	assert_verdict(decided(*state), BG_REGRESSED);
}

static void work_that_vanished_is_suspicious(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, log(.029), .002);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_SUSPICIOUS);
	assert_int_equal(cell->outcome, BG_OUTCOME_FAILURE);
	series->judge_count = 0;
	swinging(series, 6, log(.031), .002);
	assert_verdict(decided(*state), BG_IMPROVED);
}

static void data_that_are_no_numbers_are_mistrusted(void **state)
{
	static const struct bg_datum bad[] = {
		{ .x = NAN, .base = 1, .head = 1 },	   { .x = INFINITY, .base = 1, .head = 1 },
		{ .x = 0, .base = NAN, .head = 1 },	   { .x = 0, .base = 1, .head = INFINITY },
		{ .x = 0, .base = -1, .head = 1 },	   { .x = 0, .base = 1, .head = -1 },
		{ .x = 1e300, .base = 1e-300, .head = 1 },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct bg_series *series = one_series(*state, BG_METRIC_TIME);
		swinging(series, 6, 0, .002);
		series->judge[2] = bad[i];
		const struct bg_cell *cell = decided(*state);
		assert_verdict(cell, BG_MISTRUSTED);
		assert_int_equal(cell->outcome, BG_OUTCOME_ERROR);
		assert_non_null(strstr(cell->reason, "launch 3"));
		assert_true(isfinite(cell->effect) && isfinite(cell->base));
	}
}

static void the_median_levels_are_reported(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	((struct fixture *)*state)->result.cases[0].items_per_step = 32;
	static const double level[] = { .5, .3, .4, .9, .2, .6 };
	for (size_t i = 0; i < 6; i++)
		data_judge(series, data_levels(level[i], level[i] * 1.001));
	const struct bg_cell *cell = decided(*state);
	assert_true(fabs(cell->base - .45) < 1e-12 && fabs(cell->head - .45045) < 1e-12);
	assert_true(fabs(cell->items_per_s - 32 / .45045) < 1e-9);
}

/* MDE = T + (t(1 - .005, 5) + t(.9, 5)) s sqrt(1.13 / 6): Student's table has 4.0321 and 1.4759. */
static void the_smallest_visible_change_is_that_of_the_design(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	swinging(series, 6, 0, .002);
	double s = .002 * sqrt(6. / 5);
	double wanted = expm1(log(1.02) + (4.0321 + 1.4759) * s * sqrt(1.13 / 6));
	assert_true(fabs(decided(*state)->mde - wanted) < 1e-6);
}

/* Six launches of sd around zero at a level of base. */
static void level_series(struct fixture *fixture, size_t at, double base, double sd)
{
	struct bg_series *series =
		data_series(&fixture->result.cases[at], BG_METRIC_TIME, &fixture->arena);
	for (size_t i = 0; i < 6; i++)
		data_judge(series, data_ratio(base, i % 2 ? sd : -sd));
}

/* Low ends of the first two cells, of 1.5 s, beside a third of this level and noise. */
static void low_ends_beside(struct fixture *fixture, double *low, double base, double sd)
{
	data_suite(&fixture->result, 3, &fixture->arena);
	level_series(fixture, 0, 1.5, .001);
	level_series(fixture, 1, 1.5, .002);
	level_series(fixture, 2, base, sd);
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	low[0] = fixture->report.cells[0].low;
	low[1] = fixture->report.cells[1].low;
}

static void a_cells_interval_leans_on_its_own_decade_of_levels_only(void **state)
{
	double own[2], other[2], kin[2];
	low_ends_beside(*state, own, .5, .001);
	low_ends_beside(*state, other, .5, .1);
	low_ends_beside(*state, kin, 2.5, .1);
	assert_true(own[0] == other[0] && own[1] == other[1]);
	assert_true(kin[0] != own[0]);
	assert_true(own[1] - own[0] < .003); /* shrunk toward each other: alone .0042 apart */
}

/* Whatever stands as x beside a level of zero, it is no ratio and tells nothing of noise. */
static void a_cell_with_zeros_lends_no_noise_to_others(void **state)
{
	struct fixture *fixture = *state;
	double low[2], again[2];
	low_ends_beside(fixture, low, 2.5, .001);
	data_suite(&fixture->result, 3, &fixture->arena);
	level_series(fixture, 0, 1.5, .001);
	level_series(fixture, 1, 1.5, .002);
	level_series(fixture, 2, 2.5, .3);
	fixture->result.cases[2].series->judge[0].head = 0;
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	again[0] = fixture->report.cells[0].low;
	fixture->result.cases[2].series->judge[1].x = 3;
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	assert_true(again[0] == fixture->report.cells[0].low);
	assert_true(again[0] != low[0]); /* as without the third */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_unchanged_cell_is_proved_at_the_first_look),
		TEST(a_slowdown_is_regressed_once_confirmed),
		TEST(a_speedup_is_improved_and_passes),
		TEST(a_likely_improvement_is_looked_at_again),
		TEST(a_look_that_cannot_tell_leaves_the_proof_as_it_was),
		TEST(what_does_not_reproduce_is_unstable_and_passes),
		TEST(confirmation_asks_for_half_the_margin),
		TEST(unstable_is_an_error_where_the_fresh_launches_still_look_worse),
		TEST(without_its_ten_fresh_launches_a_regression_is_an_error),
		TEST(only_the_first_ten_fresh_launches_count),
		TEST(fewer_than_six_launches_decide_nothing),
		TEST(one_launch_has_no_interval_and_says_so),
		TEST(no_launch_is_inconclusive),
		TEST(no_extra_look_is_taken_where_a_run_ends_between_looks),
		TEST(later_launches_do_not_reopen_what_a_look_decided),
		TEST(noise_is_inconclusive_and_passes_where_nothing_looks_worse),
		TEST(noise_is_an_error_where_it_looks_worse_and_five_percent_is_possible),
		TEST(launches_that_depend_on_each_other_decide_nothing),
		TEST(correlation_is_looked_for_from_ten_launches_on),
		TEST(correlation_leaves_an_estimate_beyond_the_limit_an_error),
		TEST(a_drift_is_not_called_a_regression),
		TEST(one_spike_is_trimmed_away),
		TEST(a_second_mode_never_passes),
		TEST(the_reason_counts_the_launches_of_a_second_mode),
		TEST(without_spread_the_margin_itself_is_not_worse),
		TEST(a_difference_within_the_floor_is_not_worse),
		TEST(work_that_vanished_is_suspicious),
		TEST(data_that_are_no_numbers_are_mistrusted),
		TEST(a_cells_interval_leans_on_its_own_decade_of_levels_only),
		TEST(a_cell_with_zeros_lends_no_noise_to_others),
		TEST(the_median_levels_are_reported),
		TEST(the_smallest_visible_change_is_that_of_the_design),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
