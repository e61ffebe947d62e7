#include "gate/verdict/estimate.h"

#include "gate/verdict/result.h" /* BG_LAUNCHES_MAX */

#include <assert.h>
#include <math.h>

void bg_estimate_sort(double *sorted, const double *x, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = i;
		for (; at > 0 && sorted[at - 1] > x[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = x[i];
	}
}

static double mean(const double *x, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += x[i];
	return sum / (double)count;
}

static double sum_of_squares(const double *x, size_t count)
{
	double middle = mean(x, count), sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += (x[i] - middle) * (x[i] - middle);
	return sum;
}

/* sorted is winsorised in place. */
static void trimmed(struct bg_estimate *ret, double *sorted, size_t count)
{
	size_t cut = count / 5, kept = count - 2 * cut;
	ret->center = mean(sorted + cut, kept);
	for (size_t i = 0; i < cut; i++) {
		sorted[i] = sorted[cut];
		sorted[count - 1 - i] = sorted[count - 1 - cut];
	}
	double error2 = sum_of_squares(sorted, count) / (double)(kept * (kept - 1));
	ret->variance = error2 * (double)count;
	ret->df = (double)(kept - 1);
}

void bg_estimate_take(struct bg_estimate *ret, const double *x, size_t count)
{
	assert(count >= 2 && count <= BG_LAUNCHES_MAX);
	double sorted[BG_LAUNCHES_MAX];
	bg_estimate_sort(sorted, x, count);
	if (count >= BG_TRIM_FROM) {
		trimmed(ret, sorted, count);
	} else {
		ret->center = mean(sorted, count);
		ret->df = (double)(count - 1);
		ret->variance = sum_of_squares(sorted, count) / ret->df;
	}
	if (ret->variance < BG_SPREAD_MIN * BG_SPREAD_MIN)
		ret->variance = 0;
}

double bg_estimate_lag1(const double *x, size_t count)
{
	assert(count >= 2);
	double middle = mean(x, count), square = sum_of_squares(x, count), product = 0;
	if (square < BG_SPREAD_MIN * BG_SPREAD_MIN * (double)count)
		return 0;
	for (size_t i = 1; i < count; i++)
		product += (x[i - 1] - middle) * (x[i] - middle);
	return product / square;
}

double bg_estimate_median(const double *x, size_t count)
{
	assert(count >= 1 && count <= BG_LAUNCHES_MAX);
	double sorted[BG_LAUNCHES_MAX];
	bg_estimate_sort(sorted, x, count);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}
