#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/verdict/student.h"

#include <math.h>

#define EULER 0.57721566490153286061

static void assert_near(double got, double wanted, double relative)
{
	if (!(fabs(got - wanted) <= relative * fabs(wanted)))
		fail_msg("got %.17g, wanted %.17g", got, wanted);
}

/* df 1, 2 and 4 have closed forms (Abramowitz & Stegun 26.7.3 and 26.7.4). */
static double quantile_1(double p)
{
	return 1 / tan(M_PI * p);
}

static double quantile_2(double p)
{
	return (1 - 2 * p) / sqrt(2 * p * (1 - p));
}

static double tail_4(double t)
{
	double root = sqrt(1 + t * t / 4), s = t / 2 / root;
	/* (1 - s)^2 (2 + s) / 4, with 1 - s written so that it keeps its digits. */
	double rest = 1 / (root * root * (1 + s));
	return rest * rest * (2 + s) / 4;
}

static const double tails[] = { 1e-12, 1e-9, 3e-7, 1e-4, .004, .05, .0999, .1001, .3, .49 };
#define TAILS (sizeof tails / sizeof *tails)

static void quantiles_match_the_closed_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < TAILS; i++) {
		assert_near(bg_student_quantile(tails[i], 1), quantile_1(tails[i]), 1e-12);
		assert_near(bg_student_quantile(tails[i], 2), quantile_2(tails[i]), 1e-12);
		assert_near(tail_4(bg_student_quantile(tails[i], 4)), tails[i], 1e-12);
	}
}

static void tails_match_the_closed_forms(void **state)
{
	(void)state;
	for (double t = 1e-3; t < 1e4; t *= 3) {
		assert_near(bg_student_tail(t, 1), atan(1 / t) / M_PI, 1e-12);
		assert_near(bg_student_tail(t, 4), tail_4(t), 1e-12);
	}
}

static void a_quantile_has_the_tail_it_was_asked_for(void **state)
{
	(void)state;
	for (double df = 1; df < 1000; df *= 1.37)
		for (size_t i = 0; i < TAILS; i++)
			assert_near(bg_student_tail(bg_student_quantile(tails[i], df), df),
				    tails[i], 1e-11);
}

static void quantiles_are_odd_about_one_half(void **state)
{
	(void)state;
	assert_true(bg_student_quantile(.5, 7.5) == 0);
	assert_near(bg_student_quantile(.875, 7.5), -bg_student_quantile(.125, 7.5), 1e-14);
	assert_near(bg_student_tail(-2, 3), 1 - bg_student_tail(2, 3), 1e-14);
}

static void a_tail_ends_at_zero(void **state)
{
	(void)state;
	assert_true(bg_student_tail((double)INFINITY, 5) == 0);
	assert_true(bg_student_tail(1e300, 5) == 0);
	assert_true(bg_student_tail(0, 5) == .5);
	assert_true(bg_student_tail((double)-INFINITY, 5) == 1);
}

static void digamma_and_trigamma_have_their_known_values(void **state)
{
	(void)state;
	assert_near(bg_digamma(1), -EULER, 1e-14);
	assert_near(bg_digamma(.5), -EULER - 2 * log(2), 1e-14);
	assert_near(bg_digamma(2.5), -EULER - 2 * log(2) + 2 + 2. / 3, 1e-13);
	assert_near(bg_trigamma(1), M_PI * M_PI / 6, 1e-14);
	assert_near(bg_trigamma(.5), M_PI * M_PI / 2, 1e-14);
	assert_near(bg_trigamma(2.5), M_PI * M_PI / 2 - 4 - 4. / 9, 1e-13);
}

/* The step from one argument to the next crosses from the recurrence into the series. */
static void digamma_and_trigamma_step_by_their_recurrence(void **state)
{
	(void)state;
	for (double x = .05; x < 40; x += .35) {
		assert_near(bg_digamma(x + 1) - bg_digamma(x), 1 / x, 1e-12);
		assert_near(bg_trigamma(x) - bg_trigamma(x + 1), 1 / (x * x), 1e-11);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_match_the_closed_forms),
		cmocka_unit_test(tails_match_the_closed_forms),
		cmocka_unit_test(a_quantile_has_the_tail_it_was_asked_for),
		cmocka_unit_test(quantiles_are_odd_about_one_half),
		cmocka_unit_test(a_tail_ends_at_zero),
		cmocka_unit_test(digamma_and_trigamma_have_their_known_values),
		cmocka_unit_test(digamma_and_trigamma_step_by_their_recurrence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
