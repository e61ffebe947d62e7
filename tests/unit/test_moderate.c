#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/core/random.h"
#include "gate/verdict/moderate.h"

#include <math.h>

/* The sample variance of df + 1 normal data of variance sigma2. */
static struct bg_estimate drawn(struct bg_random *random, double sigma2, unsigned df)
{
	double square = 0;
	for (unsigned i = 0; i < df; i++) {
		double z = bg_random_normal(random);
		square += z * z;
	}
	return (struct bg_estimate){ .variance = sigma2 * square / df, .df = df };
}

static void a_cell_alone_keeps_its_own_variance(void **state)
{
	(void)state;
	struct bg_pool pool = { 0 };
	struct bg_estimate one = { .center = 1, .variance = 4e-4, .df = 5 };
	bg_pool_add(&pool, &one);
	bg_pool_fit(&pool);
	bg_pool_moderate(&pool, &one);
	assert_true(one.variance == 4e-4 && one.df == 5 && one.center == 1);
}

static void an_empty_pool_changes_nothing(void **state)
{
	(void)state;
	struct bg_pool pool = { 0 };
	struct bg_estimate none = { .variance = 0, .df = 9 };
	bg_pool_add(&pool, &none);
	bg_pool_fit(&pool);
	bg_pool_moderate(&pool, &none);
	assert_true(none.variance == 0 && none.df == 9);
}

/* Cells of one and the same variance: the prior weighs its most and finds that variance. */
static void cells_alike_share_one_variance(void **state)
{
	(void)state;
	struct bg_random random;
	struct bg_pool pool = { 0 };
	bg_random_init(&random, 1, "alike");
	for (size_t i = 0; i < 4000; i++) {
		struct bg_estimate one = drawn(&random, 9e-6, i % 2 ? 5 : 15);
		bg_pool_add(&pool, &one);
	}
	bg_pool_fit(&pool);
	assert_true(pool.prior_df == BG_PRIOR_DF_MAX);
	/* 8 df of a prior where there should be infinitely many: off by digamma(4) - ln 4. */
	assert_true(fabs(log(pool.prior_variance / 9e-6) + 0.1301767) < .03);
	struct bg_estimate far = { .variance = 0, .df = 5 };
	bg_pool_moderate(&pool, &far);
	assert_true(fabs(far.variance - 8. / 13 * pool.prior_variance) < 1e-12);
	assert_true(far.df == 13);
}

/* Variances drawn as the model of Smyth says (scaled inverse chi squared, d0 = 4) give back d0. */
static void the_moments_find_the_prior_that_drew_the_variances(void **state)
{
	(void)state;
	struct bg_random random;
	struct bg_pool pool = { 0 };
	bg_random_init(&random, 2, "prior");
	for (size_t i = 0; i < 20000; i++) {
		double sigma2 = 1e-4 / drawn(&random, 1, 4).variance;
		struct bg_estimate one = drawn(&random, sigma2, i % 3 ? 5 : 9);
		bg_pool_add(&pool, &one);
	}
	bg_pool_fit(&pool);
	assert_true(fabs(pool.prior_df - 4) < .3);
	assert_true(fabs(log(pool.prior_variance / 1e-4)) < .05);
}

static void cells_unlike_each_other_stand_for_themselves(void **state)
{
	(void)state;
	struct bg_pool pool = { 0 };
	struct bg_estimate tiny = { .variance = 1e-20, .df = 5 }, huge = { .variance = 1, .df = 5 };
	bg_pool_add(&pool, &tiny);
	bg_pool_add(&pool, &huge);
	bg_pool_fit(&pool);
	assert_true(pool.prior_df < .2 && pool.prior_df >= BG_PRIOR_DF_MIN);
	bg_pool_moderate(&pool, &huge);
	assert_true(huge.variance > .95);
}

static void a_cell_without_spread_does_not_drag_the_others_down(void **state)
{
	(void)state;
	struct bg_random random;
	struct bg_pool with = { 0 }, without = { 0 };
	struct bg_estimate still = { .variance = 0, .df = 5 };
	bg_random_init(&random, 3, "still");
	for (size_t i = 0; i < 20; i++) {
		struct bg_estimate one = drawn(&random, 1e-4, 5);
		bg_pool_add(&with, &one);
		bg_pool_add(&without, &one);
		bg_pool_add(&with, &still);
	}
	bg_pool_fit(&with);
	bg_pool_fit(&without);
	assert_true(with.prior_variance == without.prior_variance);
	assert_true(with.prior_df == without.prior_df && isfinite(with.prior_df));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_alone_keeps_its_own_variance),
		cmocka_unit_test(an_empty_pool_changes_nothing),
		cmocka_unit_test(cells_alike_share_one_variance),
		cmocka_unit_test(the_moments_find_the_prior_that_drew_the_variances),
		cmocka_unit_test(cells_unlike_each_other_stand_for_themselves),
		cmocka_unit_test(a_cell_without_spread_does_not_drag_the_others_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
