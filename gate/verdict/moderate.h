#ifndef BG_VERDICT_MODERATE_H
#define BG_VERDICT_MODERATE_H
/*
 * Shrinking a cell's variance toward that of its kind: the cells of the same metric and step class.
 * With six launches a cell's own variance is known to a factor of three either way; its kin tell
 * the rest. Moderated t: Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3(1), section 6.2, extended to
 * unequal degrees of freedom as there.
 */
#include "gate/verdict/estimate.h"

/* However alike the cells look, a cell's own data keep this much weight: 5 of 5 + 8 at 6 launches.
 */
#define BG_PRIOR_DF_MAX 8.0
#define BG_PRIOR_DF_MIN 0.1

struct bg_pool {
	/* Running sums over the cells added; a zeroed struct is an empty pool. */
	size_t count;
	double mean, square; /* of ln variance, its expectation for the df taken off (Welford) */
	double trigammas;    /* what that would spread by chance alone, summed */
	/* After bg_pool_fit: */
	double prior_df;       /* 0: too few cells, each stands by itself */
	double prior_variance; /* meaningless where prior_df is 0 */
};

/*
 * Adds a cell's own estimate. One without any spread is left out: it says that its clock is coarse
 * or virtual, nothing about noise, and its logarithm would drown all others.
 */
void bg_pool_add(struct bg_pool *pool, const struct bg_estimate *estimate);

/* Solves for the prior by moments. Needs two cells with spread, else prior_df is 0. */
void bg_pool_fit(struct bg_pool *pool);

/* Replaces variance and df of an estimate by the moderated ones. */
void bg_pool_moderate(const struct bg_pool *pool, struct bg_estimate *estimate);
#endif
