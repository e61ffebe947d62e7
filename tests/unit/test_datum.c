#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/verdict/decide.h"

#include <math.h>

static int release(void **state)
{
	bg_arena_release(*state);
	return 0;
}

static int begin(void **state)
{
	static struct bg_arena arena;
	*state = &arena;
	return 0;
}

/* Pairs whose ratios are exp of the given logarithms. */
static double datum(void **state, const double *x, size_t count)
{
	double base[64], head[64];
	for (size_t i = 0; i < count; i++) {
		base[i] = .001 * (double)(1 + i % 3);
		head[i] = base[i] * exp(x[i]);
	}
	return bg_datum_time(base, head, count, *state);
}

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) < 1e-12))
		fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static void below_forty_pairs_it_is_the_median(void **state)
{
	const double odd[3] = { .9, .1, .2 }, even[4] = { .9, .1, .2, .4 };
	assert_near(datum(state, odd, 3), .2);
	assert_near(datum(state, even, 4), .3);
	assert_near(datum(state, odd, 1), .9);
}

/* Forty pairs: four cut at either end. */
static void from_forty_pairs_a_tenth_is_trimmed_at_either_end(void **state)
{
	double x[40] = { 5, -7, 5, 5, -7, 5, -7, -7 };
	for (size_t i = 8; i < 40; i++)
		x[i] = i % 2 ? .1 : 0;
	assert_near(datum(state, x, 40), .05);
	x[8] = 3.2; /* a fifth high one, and only four are cut */
	assert_near(datum(state, x, 40), (16 * .1 + 3.2) / 32);
	/* Of 39 the median, which the mean of the middle would not be. */
	assert_near(datum(state, x, 39), .1);
}

static void the_mean_is_of_sums_and_sees_the_slow_minority(void **state)
{
	double base[10], head[10];
	for (size_t i = 0; i < 10; i++) {
		base[i] = .001;
		head[i] = i == 3 ? .011 : .001;
	}
	assert_near(bg_datum_time_mean(base, head, 10), log(2));
	assert_near(bg_datum_time(base, head, 10, *state), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(below_forty_pairs_it_is_the_median, begin, release),
		cmocka_unit_test_setup_teardown(from_forty_pairs_a_tenth_is_trimmed_at_either_end,
						begin, release),
		cmocka_unit_test_setup_teardown(the_mean_is_of_sums_and_sees_the_slow_minority,
						begin, release),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
