#ifndef BG_VERDICT_DISCRETE_H
#define BG_VERDICT_DISCRETE_H
/*
 * Metrics that come in quanta: memory and bytes moved. Mostly equal in every launch, sometimes with
 * a few high ones that matter: a peak is a peak, so nothing is trimmed. Pure.
 */
#include "gate/verdict/result.h"

/* Of logarithms of ratios. */
struct bg_interval {
	double center, low, high;
};

/* What an interval needs to know, the same for all cells at one look. */
struct bg_discrete_rule {
	size_t rank_low,
		rank_high;    /* bg_signed_rank_critical of the error on either side; 0: none */
	double t_low, t_high; /* Student quantiles for count - 1 degrees of freedom */
};

/*
 * The largest k for which the k-th smallest Walsh average of count data is a lower bound with an
 * error of at most `error`; 0 where count is too small for such a bound (error < 2^-count).
 *
 * count   1 .. BG_LAUNCHES_MAX
 * cost    O(count^3): once a look, not once a cell
 * source  Hollander, Wolfe & Chicken 2014, Nonparametric Statistical Methods, section 3.3
 */
size_t bg_signed_rank_critical(size_t count, double error);

/* True where every launch of base saw one value and every launch of head one. count >= 1. */
bool bg_discrete_constant(const struct bg_datum *datum, size_t count);

/*
 * Hodges-Lehmann estimate and interval. Where the signed-rank bound does not reach the error asked
 * for, the bound is the extreme datum or Student's, whichever is wider; and the standard error is
 * never taken below one quantum / sqrt(count).
 *
 * x        count logarithms of ratios, 2 .. BG_LAUNCHES_MAX
 * quantum  one quantum relative to the level of base, >= 0
 * returns  standard deviation of x, or quantum where that is larger
 * cost     O(count^2)
 */
double bg_discrete_interval(struct bg_interval *ret, const double *x, size_t count, double quantum,
			    const struct bg_discrete_rule *rule);

/* Highest level over launches of either arm. count >= 1. */
void bg_discrete_maxima(double *ret_base, double *ret_head, const struct bg_datum *datum,
			size_t count);
#endif
