#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/verdict/discrete.h"

#include <math.h>

static const struct bg_discrete_rule no_ranks = { .t_low = 3, .t_high = 2 };

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-12))
		fail_msg("got %.17g, wanted %.17g", got, wanted);
}

/* Table A.4 of Hollander, Wolfe & Chicken: n = 10, P(W <= 8) = .0244, P(W <= 10) = .0420. */
static void critical_ranks_are_those_of_the_tables(void **state)
{
	(void)state;
	assert_int_equal(bg_signed_rank_critical(10, .025), 9);
	assert_int_equal(bg_signed_rank_critical(10, .0419), 10);
	assert_int_equal(bg_signed_rank_critical(10, .0420), 11);
	assert_int_equal(bg_signed_rank_critical(6, .05), 3);
}

static void an_error_that_so_few_launches_cannot_have_is_refused(void **state)
{
	(void)state;
	assert_int_equal(bg_signed_rank_critical(6, 1. / 64), 1);
	assert_int_equal(bg_signed_rank_critical(6, .999 / 64), 0);
	assert_int_equal(bg_signed_rank_critical(24, 1e-9), 0);
	assert_true(bg_signed_rank_critical(24, 1e-6) > 0);
}

/* Walsh averages of 0 1 2 10: 0 .5 1 1 1.5 2 5 5.5 6 10. */
static void the_center_is_the_median_of_walsh_averages(void **state)
{
	(void)state;
	const double x[4] = { 10, 0, 2, 1 };
	const struct bg_discrete_rule rule = { .rank_low = 2, .rank_high = 3 };
	struct bg_interval got;
	bg_discrete_interval(&got, x, 4, 0, &rule);
	assert_near(got.center, 1.75);
	assert_near(got.low, .5);
	assert_near(got.high, 5.5);
}

static void without_a_rank_the_bound_is_the_wider_of_data_and_student(void **state)
{
	(void)state;
	const double x[4] = { -3, 3, -3, 3 }; /* sd sqrt(12): standard error sqrt(3) */
	struct bg_interval got;
	assert_near(bg_discrete_interval(&got, x, 4, 0, &no_ranks), sqrt(12));
	assert_near(got.low, -3 * sqrt(3));
	assert_near(got.high, 2 * sqrt(3));
	const struct bg_discrete_rule short_sighted = { .t_low = .1, .t_high = .1 };
	bg_discrete_interval(&got, x, 4, 0, &short_sighted);
	assert_near(got.low, -3);
	assert_near(got.high, 3);
}

static void the_error_is_never_below_a_quantum_over_root_of_launches(void **state)
{
	(void)state;
	const double x[4] = { 1, 1, 1, 1 };
	struct bg_interval got;
	assert_near(bg_discrete_interval(&got, x, 4, .5, &no_ranks), .5);
	assert_near(got.low, 1 - 3 * .25);
	assert_near(got.high, 1 + 2 * .25);
	const struct bg_discrete_rule ranked = {
		.rank_low = 1, .rank_high = 1, .t_low = 3, .t_high = 2
	};
	bg_discrete_interval(&got, x, 4, .5, &ranked);
	assert_near(got.low, 1 - 3 * .25);
	assert_near(got.high, 1 + 2 * .25);
}

/* Against a sort: 64 data give 2080 averages, and selection leaves them in any order. */
static void selection_agrees_with_counting(void **state)
{
	(void)state;
	double x[BG_LAUNCHES_MAX];
	for (size_t i = 0; i < BG_LAUNCHES_MAX; i++) {
		size_t value = i * 37 % 64 / 2; /* each one twice: many ties */
		x[i] = (double)value;
	}
	for (size_t rank = 1; rank < 2080; rank += 97) {
		const struct bg_discrete_rule rule = { .rank_low = rank, .rank_high = 2081 - rank };
		struct bg_interval got;
		bg_discrete_interval(&got, x, BG_LAUNCHES_MAX, 0, &rule);
		size_t below = 0, up_to = 0;
		double at = got.low < got.center ? got.low : got.high;
		for (size_t i = 0; i < BG_LAUNCHES_MAX; i++)
			for (size_t j = 0; j <= i; j++) {
				below += (x[i] + x[j]) / 2 < at;
				up_to += (x[i] + x[j]) / 2 <= at;
			}
		assert_true(below < rank && rank <= up_to);
	}
}

static void constant_means_one_value_an_arm(void **state)
{
	(void)state;
	struct bg_datum datum[3] = { { .base = 1, .head = 2 },
				     { .base = 1, .head = 2 },
				     { .base = 1, .head = 2 } };
	assert_true(bg_discrete_constant(datum, 3));
	datum[2].head = 3;
	assert_false(bg_discrete_constant(datum, 3));
	assert_true(bg_discrete_constant(datum, 2));
	datum[1].base = 4;
	assert_false(bg_discrete_constant(datum, 2));
}

static void maxima_are_taken_arm_by_arm(void **state)
{
	(void)state;
	const struct bg_datum datum[3] = { { .base = 1, .head = 2 },
					   { .base = 5, .head = 1 },
					   { .base = 3, .head = 9 } };
	double base, head;
	bg_discrete_maxima(&base, &head, datum, 3);
	assert_near(base, 5);
	assert_near(head, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(critical_ranks_are_those_of_the_tables),
		cmocka_unit_test(an_error_that_so_few_launches_cannot_have_is_refused),
		cmocka_unit_test(the_center_is_the_median_of_walsh_averages),
		cmocka_unit_test(without_a_rank_the_bound_is_the_wider_of_data_and_student),
		cmocka_unit_test(the_error_is_never_below_a_quantum_over_root_of_launches),
		cmocka_unit_test(selection_agrees_with_counting),
		cmocka_unit_test(constant_means_one_value_an_arm),
		cmocka_unit_test(maxima_are_taken_arm_by_arm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
