#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/decide_fixture.h"

#include <math.h>

static struct bg_need need_of(struct fixture *fixture, unsigned launches_max)
{
	struct bg_need need;
	bg_decide_needs(&need, &fixture->result, launches_max, &fixture->arena);
	return need;
}

static void fill(struct bg_series *series, size_t count, double x, double sd)
{
	series->judge_count = 0;
	for (size_t i = 0; i < count; i++)
		data_judge(series, data_ratio(.01, x + (i % 2 ? sd : -sd)));
}

static void a_case_wants_launches_until_it_is_decided(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t count = 0; count < 6; count++) {
		fill(series, count, 0, .001);
		assert_true(need_of(*state, 24).launches);
	}
	fill(series, 6, 0, .001);
	assert_false(need_of(*state, 24).launches);
	assert_false(need_of(*state, 24).confirm);
}

static void noise_wants_launches_up_to_the_last_look(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t count = 6; count < 24; count++) {
		fill(series, count, 0, .1);
		assert_true(need_of(*state, 24).launches);
	}
	fill(series, 24, 0, .1);
	assert_false(need_of(*state, 24).launches);
}

/* With at most 15 launches the look at 16 never comes: the eleventh would be for nothing. */
static void launches_that_reach_no_further_look_are_not_asked_for(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	fill(series, 9, 0, .1);
	assert_true(need_of(*state, 15).launches);
	fill(series, 10, 0, .1);
	assert_false(need_of(*state, 15).launches);
	assert_true(need_of(*state, 16).launches);
}

static void fewer_than_a_look_are_still_made_for_their_numbers(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	fill(series, 2, 0, .1);
	assert_true(need_of(*state, 3).launches);
	fill(series, 3, 0, .1);
	assert_false(need_of(*state, 3).launches);
}

static void a_regression_wants_its_confirmation_and_no_more_launches(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	fill(series, 6, .1, .001);
	for (size_t i = 0; i < 10; i++) {
		assert_true(need_of(*state, 24).confirm);
		assert_false(need_of(*state, 24).launches);
		data_confirm(series, data_ratio(.01, .1));
	}
	assert_false(need_of(*state, 24).confirm);
}

static void a_likely_improvement_wishes_for_looks_up_to_sixteen_launches(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	fill(series, 6, -.05, .015);
	for (size_t i = 6; i < 16; i++) {
		assert_true(need_of(*state, 24).wish && !need_of(*state, 24).launches);
		assert_false(need_of(*state, 9).wish);
		data_judge(series, data_ratio(.01, i % 2 ? .04 : -.12));
	}
	assert_false(need_of(*state, 24).wish);
	fill(series, 6, 0, .001);
	series->judge_count = 6;
	assert_false(need_of(*state, 24).wish);
}

static void time_mean_asks_for_no_launches_but_for_its_confirmation(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME_MEAN);
	fill(series, 3, 0, .1);
	assert_false(need_of(*state, 24).launches);
	fill(series, 6, .2, .001);
	assert_true(need_of(*state, 24).confirm);
}

static void cases_that_are_not_measured_want_nothing(void **state)
{
	struct fixture *fixture = *state;
	fill(one_series(fixture, BG_METRIC_TIME), 3, 0, .1);
	fixture->result.cases[0].state = BG_CASE_FAILED;
	assert_false(need_of(fixture, 24).launches);
	fixture->result.cases[0].state = BG_CASE_MEASURED;
	fixture->result.cases[0].series[0].judge[1].x = (double)NAN;
	assert_false(need_of(fixture, 24).launches); /* no later launch can repair it */
}

static void a_case_without_any_data_yet_wants_launches_while_rounds_are_left(void **state)
{
	struct fixture *fixture = *state;
	data_suite(&fixture->result, 1, &fixture->arena);
	assert_true(need_of(fixture, 24).launches);
	fixture->result.cases[0].state = BG_CASE_UNMEASURED;
	assert_true(need_of(fixture, 24).launches);
	fixture->result.launches = 24;
	assert_false(need_of(fixture, 24).launches);
}

/* The needs of one case are not written to another. */
static void each_case_has_its_own_needs(void **state)
{
	struct fixture *fixture = *state;
	struct bg_need need[4];
	data_suite(&fixture->result, 4, &fixture->arena);
	struct bg_case_result *of = fixture->result.cases;
	fill(data_series(&of[0], BG_METRIC_TIME, &fixture->arena), 6, 0, .001);
	fill(data_series(&of[0], BG_METRIC_SETUP, &fixture->arena), 6, 0, .3);
	of[1].state = BG_CASE_IDENTICAL;
	fill(data_series(&of[2], BG_METRIC_TIME, &fixture->arena), 6, .2, .001);
	fill(data_series(&of[3], BG_METRIC_TIME, &fixture->arena), 6, 0, .001);
	bg_decide_needs(need, &fixture->result, 24, &fixture->arena);
	assert_true(need[0].launches && !need[0].confirm);
	assert_true(!need[1].launches && !need[1].confirm);
	assert_true(!need[2].launches && need[2].confirm);
	assert_true(!need[3].launches && !need[3].confirm);
}

static void one_unconfirmed_cell_of_a_case_is_enough_to_want_confirmation(void **state)
{
	struct fixture *fixture = *state;
	data_suite(&fixture->result, 1, &fixture->arena);
	fill(data_series(fixture->result.cases, BG_METRIC_TIME, &fixture->arena), 6, .2, .001);
	fill(data_series(fixture->result.cases, BG_METRIC_SETUP, &fixture->arena), 6, 0, .001);
	assert_true(need_of(fixture, 24).confirm);
	assert_false(need_of(fixture, 24).launches);
}

/* A run that follows the needs ends, and its report agrees that nothing more was wanted. */
static void a_run_that_follows_the_needs_leaves_nothing_open_before_the_last_look(void **state)
{
	struct fixture *fixture = *state;
	struct bg_random random;
	struct bg_need need[30];
	bg_random_init(&random, 4, "run");
	data_suite(&fixture->result, 30, &fixture->arena);
	for (size_t i = 0; i < 30; i++)
		data_series(&fixture->result.cases[i], BG_METRIC_TIME, &fixture->arena);
	for (bool more = true; more; fixture->result.launches++) {
		bg_decide_needs(need, &fixture->result, 24, &fixture->arena);
		more = false;
		for (size_t i = 0; i < 30; i++) {
			struct bg_series *series = fixture->result.cases[i].series;
			double x = (i < 3 ? .05 : 0) +
				   (.003 + .0005 * (double)i) * bg_random_normal(&random);
			if (need[i].launches)
				data_judge(series, data_ratio(.01, x));
			else if (need[i].confirm)
				data_confirm(series, data_ratio(.01, x));
			more |= need[i].launches || need[i].confirm;
		}
		assert_true(fixture->result.launches < 40);
	}
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	size_t early = 0;
	for (size_t i = 0; i < 30; i++) {
		const struct bg_cell *cell = &fixture->report.cells[i];
		assert_int_equal(cell->launches, cell->of->series->judge_count);
		assert_true(cell->verdict != BG_INCONCLUSIVE || cell->launches == 24);
		early += cell->launches == 6;
	}
	assert_true(early > 5 && early < 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_case_wants_launches_until_it_is_decided),
		TEST(noise_wants_launches_up_to_the_last_look),
		TEST(launches_that_reach_no_further_look_are_not_asked_for),
		TEST(fewer_than_a_look_are_still_made_for_their_numbers),
		TEST(a_regression_wants_its_confirmation_and_no_more_launches),
		TEST(a_likely_improvement_wishes_for_looks_up_to_sixteen_launches),
		TEST(time_mean_asks_for_no_launches_but_for_its_confirmation),
		TEST(cases_that_are_not_measured_want_nothing),
		TEST(a_case_without_any_data_yet_wants_launches_while_rounds_are_left),
		TEST(each_case_has_its_own_needs),
		TEST(one_unconfirmed_cell_of_a_case_is_enough_to_want_confirmation),
		TEST(a_run_that_follows_the_needs_leaves_nothing_open_before_the_last_look),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
