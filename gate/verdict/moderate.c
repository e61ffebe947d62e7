#include "gate/verdict/moderate.h"

#include "gate/verdict/student.h"

#include <math.h>

/* E ln(s^2 / sigma^2) for a sample variance with df degrees of freedom. */
static double expected_log(double df)
{
	return bg_digamma(df / 2) - log(df / 2);
}

void bg_pool_add(struct bg_pool *pool, const struct bg_estimate *estimate)
{
	if (!(estimate->variance > 0))
		return;
	double e = log(estimate->variance) - expected_log(estimate->df);
	pool->count++;
	double before = e - pool->mean;
	pool->mean += before / (double)pool->count;
	pool->square += before * (e - pool->mean);
	pool->trigammas += bg_trigamma(estimate->df / 2);
}

/* trigamma falls steadily: halving the interval 60 times leaves less than 1e-16. */
static double trigamma_inverse(double value, double low, double high)
{
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		if (bg_trigamma(middle) > value)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

void bg_pool_fit(struct bg_pool *pool)
{
	pool->prior_df = 0;
	pool->prior_variance = 0;
	if (pool->count < 2)
		return;
	double count = (double)pool->count;
	double excess = pool->square / (count - 1) - pool->trigammas / count;
	if (excess <= bg_trigamma(BG_PRIOR_DF_MAX / 2))
		pool->prior_df = BG_PRIOR_DF_MAX;
	else
		pool->prior_df =
			2 * trigamma_inverse(excess, BG_PRIOR_DF_MIN / 2, BG_PRIOR_DF_MAX / 2);
	pool->prior_variance = exp(pool->mean + expected_log(pool->prior_df));
}

void bg_pool_moderate(const struct bg_pool *pool, struct bg_estimate *estimate)
{
	double df = estimate->df + pool->prior_df;
	estimate->variance =
		(pool->prior_df * pool->prior_variance + estimate->df * estimate->variance) / df;
	estimate->df = df;
}
