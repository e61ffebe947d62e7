#ifndef BG_VERDICT_ESTIMATE_H
#define BG_VERDICT_ESTIMATE_H
/*
 * Centre and spread of a cell's data, one datum a launch. Pure; no allocation.
 * count is at most BG_LAUNCHES_MAX throughout, and every x is finite.
 */
#include <stddef.h>

/* Launches from which on a fifth is trimmed at either end. Below it the mean needs every launch. */
#define BG_TRIM_FROM 10

struct bg_estimate {
	double center;
	double variance; /* of one launch: the squared standard error is variance / count */
	double df;	 /* degrees of freedom of the variance */
};

/*
 * Mean and sample variance below BG_TRIM_FROM data; from there the 20 % trimmed mean, with the
 * winsorised variance scaled so that variance / count is Yuen's squared standard error.
 *
 * count   2 .. BG_LAUNCHES_MAX
 * cost    O(count^2), count is small
 * source  Yuen 1974, Biometrika 61
 */
void bg_estimate_take(struct bg_estimate *ret, const double *x, size_t count);

/*
 * Correlation of each datum with the one before: sum of products of neighbouring deviations over
 * the sum of squares. 0 where all are equal. count >= 2.
 */
double bg_estimate_lag1(const double *x, size_t count);

/* The middle value, or the mean of the middle two. count >= 1. */
double bg_estimate_median(const double *x, size_t count);

/* Ascending copy; insertion sort, for count is small. */
void bg_estimate_sort(double *sorted, const double *x, size_t count);

/*
 * A spread below this (in log units) is rounding of the data, not noise: ln of a ratio of equal
 * numbers comes out to about 1e-16.
 */
#define BG_SPREAD_MIN 1e-12
#endif
