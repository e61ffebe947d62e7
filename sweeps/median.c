#include "sweeps/median.h"

#include <assert.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double bg_median(double *values, size_t count)
{
	assert(count > 0);
	qsort(values, count, sizeof *values, compare_doubles);
	size_t middle = count / 2;
	return count % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}
