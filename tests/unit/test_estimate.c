#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/verdict/estimate.h"

#include <math.h>

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
		fail_msg("got %.17g, wanted %.17g", got, wanted);
}

/* Worked by hand: mean 3, squares 4+1+0+1+4+0 = 10 over 5. */
static void below_ten_launches_it_is_mean_and_variance(void **state)
{
	(void)state;
	const double x[6] = { 5, 1, 3, 2, 4, 3 };
	struct bg_estimate got;
	bg_estimate_take(&got, x, 6);
	assert_near(got.center, 3);
	assert_near(got.variance, 2);
	assert_near(got.df, 5);
}

/*
 * 1..9 and 1000: two cut at either end leave 3..8, mean 5.5; winsorised 3 3 3 4 5 6 7 8 8 8 has
 * squares 2(6.25)*3 + 2(2.25) + 2(.25) = 42.5; Yuen: 42.5 / (6 * 5) is the squared error.
 */
static void from_ten_launches_a_fifth_is_trimmed_at_either_end(void **state)
{
	(void)state;
	const double x[10] = { 9, 1, 8, 2, 7, 3, 6, 4, 5, 1000 };
	struct bg_estimate got;
	bg_estimate_take(&got, x, 10);
	assert_near(got.center, 5.5);
	assert_near(got.variance, 42.5 / 30 * 10);
	assert_near(got.df, 5);
}

static void trims_three_of_sixteen_and_four_of_twenty_four(void **state)
{
	(void)state;
	double x[24] = { 0 };
	struct bg_estimate got;
	x[0] = x[1] = x[2] = 1e6;
	bg_estimate_take(&got, x, 16);
	assert_true(got.center == 0 && got.variance == 0 && got.df == 9);
	x[3] = 1e6;
	bg_estimate_take(&got, x, 24);
	assert_true(got.center == 0 && got.variance == 0 && got.df == 15);
	x[4] = 1e6;
	bg_estimate_take(&got, x, 24);
	assert_true(got.center > 0 && got.variance > 0);
}

static void rounding_of_equal_data_is_no_spread(void **state)
{
	(void)state;
	double x[6];
	struct bg_estimate got;
	for (size_t i = 0; i < 6; i++)
		x[i] = log(1.02 * (double)(i + 1) / (double)(i + 1));
	bg_estimate_take(&got, x, 6);
	assert_true(got.variance == 0);
	assert_true(bg_estimate_lag1(x, 6) == 0);
	x[0] += 1e-9;
	bg_estimate_take(&got, x, 6);
	assert_true(got.variance > 0);
}

/* Deviations -2 -1 0 1 2: products 2 + 0 + 0 + 2 over squares 10. */
static void lag1_is_that_of_neighbours(void **state)
{
	(void)state;
	const double rising[5] = { 1, 2, 3, 4, 5 };
	const double turning[4] = { 1, -1, 1, -1 };
	assert_near(bg_estimate_lag1(rising, 5), .4);
	assert_near(bg_estimate_lag1(turning, 4), -.75);
}

static void the_median_is_the_middle_in_any_order(void **state)
{
	(void)state;
	const double odd[3] = { 9, 1, 2 }, even[4] = { 4, 1, 9, 2 };
	assert_near(bg_estimate_median(odd, 3), 2);
	assert_near(bg_estimate_median(even, 4), 3);
	assert_near(bg_estimate_median(odd, 1), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(below_ten_launches_it_is_mean_and_variance),
		cmocka_unit_test(from_ten_launches_a_fifth_is_trimmed_at_either_end),
		cmocka_unit_test(trims_three_of_sixteen_and_four_of_twenty_four),
		cmocka_unit_test(rounding_of_equal_data_is_no_spread),
		cmocka_unit_test(lag1_is_that_of_neighbours),
		cmocka_unit_test(the_median_is_the_middle_in_any_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
