#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/verdict/session_noise.h"
#include "tests/unit/decide_fixture.h"

#define HEAD_LAUNCHES 10

/* Head alone: launches of sd about a level of 10 ms times exp(x). */
static struct bg_series *head_session(struct fixture *fixture, double x, double sd)
{
	struct bg_series *series = one_series(fixture, BG_METRIC_TIME);
	fixture->result.comparison = BG_COMPARISON_STORED;
	for (size_t i = 0; i < HEAD_LAUNCHES; i++)
		data_judge(series, (struct bg_datum){ .head = .01 * exp(x + (i % 2 ? sd : -sd)) });
	return series;
}

/* Sessions at 10 ms times exp of level[i]. */
static void store(struct fixture *fixture, struct bg_series *series, const double *level,
		  size_t count, double tau0)
{
	struct bg_stored *stored = bg_arena_alloc(&fixture->arena, sizeof *stored);
	*stored = (struct bg_stored){ .count = count, .variance = 1e-8, .tau0 = tau0 };
	stored->level = bg_arena_array(&fixture->arena, count, sizeof *stored->level);
	for (size_t i = 0; i < count; i++)
		stored->level[i] = log(.01) + level[i];
	series->stored = stored;
}

static void a_large_slowdown_against_quiet_sessions_is_regressed(void **state)
{
	const double level[] = { -.002, .001, .002, -.001, 0 };
	store(*state, head_session(*state, log(1.2), .002), level, 5, .002);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_REGRESSED);
	assert_int_equal(cell->outcome, BG_OUTCOME_FAILURE);
	assert_int_equal(cell->confirmed, BG_CONFIRM_NONE);
	assert_true(fabs(cell->effect - .2) < .002 && cell->low > .02);
	assert_true(fabs(cell->base - .01) < 1e-5 && fabs(cell->head - .012) < 1e-4);
}

static void an_unchanged_session_is_not_worse_and_a_faster_one_improved(void **state)
{
	const double level[] = { -.002, .001, .002, -.001, 0 };
	store(*state, head_session(*state, .001, .002), level, 5, .002);
	assert_verdict(decided(*state), BG_NOT_WORSE);
	store(*state, head_session(*state, log(.8), .002), level, 5, .002);
	assert_verdict(decided(*state), BG_IMPROVED);
	store(*state, head_session(*state, log(.01), .002), level, 5, .002);
	assert_verdict(decided(*state), BG_SUSPICIOUS);
}

static void sessions_that_differ_much_decide_nothing_and_say_what_would(void **state)
{
	const double level[] = { 0 };
	store(*state, head_session(*state, log(1.1), .002), level, 1, .1);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(cell->outcome, BG_OUTCOME_ERROR); /* beyond the limit, 5 % possible */
	assert_non_null(strstr(cell->reason, "base arm"));
	assert_true(cell->mde > .3);
}

static void without_the_class_noise_there_is_no_baseline_but_an_effect(void **state)
{
	const double level[] = { 0 };
	store(*state, head_session(*state, log(1.1), .002), level, 1, (double)NAN);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NO_BASELINE);
	assert_int_equal(cell->outcome, BG_OUTCOME_ERROR);
	assert_true(cell->measured && fabs(cell->effect - .1) < .001);
	assert_non_null(strstr(cell->reason, "before 5 of them are recorded"));
}

static void without_a_session_there_is_no_baseline_and_its_reason(void **state)
{
	struct bg_series *series = head_session(*state, 0, .002);
	store(*state, series, NULL, 0, .002);
	series->stored->why = "no record of main within 50 commits";
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NO_BASELINE);
	assert_false(cell->measured);
	assert_string_equal(cell->reason, "no record of main within 50 commits");
}

/* tau^2 is never below what the launches inside the sessions show. */
static void sessions_that_agree_by_chance_keep_the_noise_of_their_launches(void **state)
{
	const double level[] = { 0, 0, 0 };
	struct bg_series *series = head_session(*state, log(1.05), .0);
	store(*state, series, level, 3, 1e-6);
	series->stored->variance = .05 * .05;
	assert_verdict(decided(*state), BG_INCONCLUSIVE);
	series->stored->variance = .001 * .001;
	assert_verdict(decided(*state), BG_REGRESSED);
}

static void a_level_that_is_no_number_is_mistrusted(void **state)
{
	const double level[] = { 0 };
	struct bg_series *series = head_session(*state, 0, .001);
	store(*state, series, level, 1, .001);
	series->judge[3].head = (double)NAN;
	assert_verdict(decided(*state), BG_MISTRUSTED);
	assert_int_equal(decided(*state)->outcome, BG_OUTCOME_ERROR);
}

/*
 * Sessions drawn with the class's sd: a change of just the margin is called worse in at most the
 * 5 % of the budget, and none in far fewer; a large one is found.
 */
static unsigned regressed_of(struct fixture *fixture, double shift, double tau, size_t sessions,
			     unsigned trials)
{
	struct bg_random random;
	unsigned regressed = 0;
	bg_random_init(&random, 11, "stored");
	for (unsigned trial = 0; trial < trials; trial++) {
		double level[8];
		for (size_t i = 0; i < sessions; i++)
			level[i] = tau * bg_random_normal(&random);
		struct bg_series *series =
			head_session(fixture, shift + tau * bg_random_normal(&random), .001);
		store(fixture, series, level, sessions, tau);
		regressed += decided(fixture)->verdict == BG_REGRESSED;
	}
	return regressed;
}

static void the_error_of_calling_the_margin_worse_is_held(void **state)
{
	for (size_t sessions = 1; sessions <= 8; sessions += 7) {
		/* 5 % of 2,000 is 100; three standard errors are 29 */
		assert_true(regressed_of(*state, log(1.02), .01, sessions, 2000) <= 129);
		assert_true(regressed_of(*state, 0, .01, sessions, 2000) <= 40);
	}
	assert_true(regressed_of(*state, log(1.12), .01, 8, 500) >= 495);
}

static void the_class_noise_is_the_sd_between_sessions_and_no_step_in_them(void **state)
{
	(void)state;
	double levels[20][12], scratch[240];
	struct bg_level_track tracks[20];
	struct bg_random random;
	bg_random_init(&random, 3, "noise");
	for (size_t i = 0; i < 20; i++) {
		tracks[i] = (struct bg_level_track){ 12, levels[i] };
		for (size_t j = 0; j < 12; j++)
			levels[i][j] = .03 * bg_random_normal(&random) + (j >= 6 ? .5 : 0);
	}
	double tau0 = bg_session_noise(tracks, 20, 5, scratch);
	assert_true(tau0 > .024 && tau0 < .036);
	for (size_t i = 0; i < 20; i++)
		tracks[i].count = 4;
	assert_true(isnan(bg_session_noise(tracks, 20, 5, scratch)));
	assert_true(isnan(bg_session_noise(tracks, 0, 5, scratch)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_large_slowdown_against_quiet_sessions_is_regressed),
		TEST(an_unchanged_session_is_not_worse_and_a_faster_one_improved),
		TEST(sessions_that_differ_much_decide_nothing_and_say_what_would),
		TEST(without_the_class_noise_there_is_no_baseline_but_an_effect),
		TEST(without_a_session_there_is_no_baseline_and_its_reason),
		TEST(sessions_that_agree_by_chance_keep_the_noise_of_their_launches),
		TEST(a_level_that_is_no_number_is_mistrusted),
		TEST(the_class_noise_is_the_sd_between_sessions_and_no_step_in_them),
		TEST(the_error_of_calling_the_margin_worse_is_held),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
