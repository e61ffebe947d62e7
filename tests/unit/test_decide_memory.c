#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/decide_fixture.h"

#define MIB 1048576.0

/* Launches of memory.host_peak, in MiB. */
static void judge_mib(struct bg_series *series, const double *base, const double *head,
		      size_t count)
{
	series->judge_count = 0;
	for (size_t i = 0; i < count; i++)
		data_judge(series, data_levels(base[i] * MIB, head[i] * MIB));
}

static void confirm_mib(struct bg_series *series, double base, double head)
{
	series->confirm_count = 0;
	for (size_t i = 0; i < 10; i++)
		data_confirm(series, data_levels(base * MIB, head * MIB));
}

static void constant_mib(struct bg_series *series, double base, double head)
{
	series->judge_count = 0;
	for (size_t i = 0; i < 6; i++)
		data_judge(series, data_levels(base * MIB, head * MIB));
	confirm_mib(series, base, head);
}

static void constant_levels_are_compared_exactly(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	constant_mib(series, 1000, 1020);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_REGRESSED);
	assert_true(cell->low == cell->effect && cell->high == cell->effect);
	assert_true(fabs(cell->effect - .02) < 1e-12 && cell->launches == 6);
	constant_mib(series, 1000, 1005);
	assert_verdict(decided(*state), BG_NOT_WORSE);
	constant_mib(series, 1000, 985);
	assert_verdict(decided(*state), BG_IMPROVED);
}

/* gates.md D 40; 1 % of 1, 3, 7, ... MiB comes out a rounding above or below. */
static void exactly_the_margin_is_not_worse_at_any_level(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	for (double level = 100; level < 1e6; level *= 1.3) {
		constant_mib(series, level, level * 1.01);
		assert_verdict(decided(*state), BG_NOT_WORSE);
		constant_mib(series, level, level * 1.010001);
		assert_verdict(decided(*state), BG_REGRESSED);
	}
}

/* 10 MiB + 10 % is 1 MiB: no more than the floor. */
static void the_floor_is_exact_too(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	constant_mib(series, 10, 11);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	assert_string_equal(cell->sentence,
			    "memory.host_peak +10.0 % (exact), limit 1 MiB, 6 launches");
	constant_mib(series, 10, 11.00001);
	assert_verdict(decided(*state), BG_REGRESSED);
}

/* An arm that moves by a page now and then is not constant, yet six launches are enough. */
static void pages_of_noise_are_proved_in_six_launches(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	const double page = 4096 / MIB;
	const double base[6] = { 200, 200 + page, 200, 200, 200 + 3 * page, 200 };
	const double head[6] = { 200, 200, 200 + 2 * page, 200, 200, 200 + page };
	judge_mib(series, base, head, 6);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	assert_int_equal(cell->launches, 6);
	assert_true(cell->low < cell->effect && cell->effect < cell->high);
}

/* Both arms move together: each ratio is 1, and still a page may hide between two launches. */
static void equal_ratios_of_moving_levels_keep_the_error_of_a_quantum(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	const double level[6] = { 8, 9, 8, 9, 8, 9 };
	judge_mib(series, level, level, 6);
	const struct bg_cell *cell = decided(*state);
	double quantum = 4096 / (8.5 * MIB);
	/* t(1 - .005, 5) = 4.0321, t(1 - .001, 5) = 5.8934 of Student's table */
	assert_true(fabs(log1p(cell->low) + 4.0321 * quantum / sqrt(6)) < 1e-7);
	assert_true(fabs(log1p(cell->high) - 5.8934 * quantum / sqrt(6)) < 1e-7);
}

static void a_steady_rise_within_noise_is_regressed(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	const double base[6] = { 200, 200.1, 200.2, 200, 200.1, 200 };
	const double head[6] = { 206, 206.2, 206, 206.1, 206, 206.3 };
	judge_mib(series, base, head, 6);
	confirm_mib(series, 200, 206);
	assert_verdict(decided(*state), BG_REGRESSED);
	series->confirm[0] = data_levels(200 * MIB, 206.1 * MIB); /* no longer constant */
	assert_verdict(decided(*state), BG_REGRESSED);
	confirm_mib(series, 200, 200);
	assert_verdict(decided(*state), BG_UNSTABLE);
}

/* Half of 1 MiB of floor, half of 1 %: 200 -> 201.1 MiB confirms, 200 -> 200.9 does not. */
static void confirmation_halves_margin_and_floor(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	constant_mib(series, 200, 206);
	confirm_mib(series, 200, 201.1);
	assert_verdict(decided(*state), BG_REGRESSED);
	confirm_mib(series, 200, 200.9);
	assert_verdict(decided(*state), BG_UNSTABLE);
	constant_mib(series, 10, 12);
	confirm_mib(series, 10, 10.6);
	assert_verdict(decided(*state), BG_REGRESSED);
	confirm_mib(series, 10, 10.4);
	assert_verdict(decided(*state), BG_UNSTABLE);
}

/* A twelfth of head's launches peaks 50 % higher: the median is blind to it, the maximum is not. */
static void a_higher_maximum_is_never_called_fine(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	double base[24], head[24];
	for (size_t i = 0; i < 24; i++) {
		base[i] = 200;
		head[i] = i % 12 ? 200 : 300;
	}
	judge_mib(series, base, head, 24);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_int_equal(cell->launches, 24);
	base[5] = 300; /* base's highest is as high */
	judge_mib(series, base, head, 24);
	assert_verdict(decided(*state), BG_NOT_WORSE);
}

static void the_reason_names_the_higher_maximum(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	double base[24], head[24];
	for (size_t i = 0; i < 24; i++)
		base[i] = head[i] = 200;
	head[4] = 230;
	judge_mib(series, base, head, 24);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_non_null(strstr(cell->reason, "head's highest launch is 15.0 % above"));
	assert_int_equal(cell->outcome, BG_OUTCOME_SKIPPED);
}

/* Memory has modes by nature; correlated launches of it are compared all the same. */
static void correlation_is_a_rule_for_continuous_metrics_only(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_HOST_PEAK);
	double base[24], head[24];
	for (size_t i = 0; i < 24; i++) {
		base[i] = 200;
		head[i] = i / 4 % 2 ? 198.1 : 201.9;
	}
	judge_mib(series, base, head, 24);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	assert_int_equal(cell->launches, 10);
	series->metric = BG_METRIC_TIME;
	assert_non_null(strstr(decided(*state)->reason, "lag-1"));
}

/* gates.md D 8 */
static void zero_on_both_sides_is_unchanged(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_DEVICE_PEAK);
	constant_mib(series, 0, 0);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_NOT_WORSE);
	assert_true(cell->effect == 0 && cell->low == 0 && cell->high == 0);
	assert_string_equal(cell->reason, "zero on both sides");
}

static void from_zero_beyond_the_floor_is_regressed(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_DEVICE_PEAK);
	constant_mib(series, 0, 7);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_REGRESSED);
	assert_false(cell->measured);
	assert_true(cell->base == 0 && cell->head == 7 * MIB);
	assert_string_equal(cell->sentence, "memory.device_peak 0 B -> 7 MiB, limit 1 MiB, "
					    "6 launches, confirmed: from zero");
	constant_mib(series, 0, 1);
	assert_verdict(decided(*state), BG_NOT_WORSE);
}

static void from_zero_has_to_be_confirmed_as_well(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_DEVICE_PEAK);
	constant_mib(series, 0, 7);
	confirm_mib(series, 0, .4);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_UNSTABLE);
	assert_int_equal(cell->outcome, BG_OUTCOME_SKIPPED);
	series->confirm[3].head = 9 * MIB; /* one fresh launch shows it again */
	assert_int_equal(decided(*state)->outcome, BG_OUTCOME_ERROR);
	series->confirm_count = 4;
	assert_verdict(decided(*state), BG_INCONCLUSIVE);
}

static void zeros_that_disagree_over_launches_stay_open(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_DEVICE_PEAK);
	const double base[6] = { 0, 8, 0, 0, 8, 0 }, head[6] = { 8, 8, 0, 0, 0, 8 };
	judge_mib(series, base, head, 6);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_INCONCLUSIVE);
	assert_non_null(strstr(cell->reason, "beyond the limit in 2 of 6"));
	assert_int_equal(cell->outcome, BG_OUTCOME_SKIPPED);
	series->judge[2].head = series->judge[3].head = 8 * MIB;
	assert_int_equal(decided(*state)->outcome, BG_OUTCOME_ERROR);
	assert_true(isfinite(cell->effect) && isfinite(cell->low) && isfinite(cell->high));
}

static void zeros_within_the_floor_are_not_worse(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_DEVICE_PEAK);
	const double base[6] = { 0, .5, 0, 0, .5, 0 }, head[6] = { .5, .5, 0, 1, 0, .5 };
	judge_mib(series, base, head, 6);
	assert_verdict(decided(*state), BG_NOT_WORSE);
}

static void to_zero_is_suspicious(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_DEVICE_PEAK);
	constant_mib(series, 7, 0);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_SUSPICIOUS);
	assert_int_equal(cell->outcome, BG_OUTCOME_FAILURE);
	constant_mib(series, .5, 0);
	assert_verdict(decided(*state), BG_NOT_WORSE);
}

static void a_time_of_zero_is_no_division_by_zero(void **state)
{
	struct bg_series *series = one_series(*state, BG_METRIC_TIME);
	for (size_t i = 0; i < 6; i++)
		data_judge(series, (struct bg_datum){ .x = NAN });
	assert_verdict(decided(*state), BG_NOT_WORSE);
	for (size_t i = 0; i < 6; i++)
		series->judge[i] = (struct bg_datum){ .x = INFINITY, .head = 1 };
	for (size_t i = 0; i < 10; i++)
		data_confirm(series, series->judge[0]);
	const struct bg_cell *cell = decided(*state);
	assert_verdict(cell, BG_REGRESSED);
	assert_non_null(strstr(cell->sentence, "0 s -> 1 s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(constant_levels_are_compared_exactly),
		TEST(exactly_the_margin_is_not_worse_at_any_level),
		TEST(the_floor_is_exact_too),
		TEST(pages_of_noise_are_proved_in_six_launches),
		TEST(equal_ratios_of_moving_levels_keep_the_error_of_a_quantum),
		TEST(a_steady_rise_within_noise_is_regressed),
		TEST(confirmation_halves_margin_and_floor),
		TEST(a_higher_maximum_is_never_called_fine),
		TEST(the_reason_names_the_higher_maximum),
		TEST(correlation_is_a_rule_for_continuous_metrics_only),
		TEST(zero_on_both_sides_is_unchanged),
		TEST(from_zero_beyond_the_floor_is_regressed),
		TEST(from_zero_has_to_be_confirmed_as_well),
		TEST(zeros_that_disagree_over_launches_stay_open),
		TEST(zeros_within_the_floor_are_not_worse),
		TEST(to_zero_is_suspicious),
		TEST(a_time_of_zero_is_no_division_by_zero),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
