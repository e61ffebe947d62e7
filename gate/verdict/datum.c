#include "gate/verdict/decide.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define TRIM_FROM_PAIRS 40

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double bg_datum_time(const double *base, const double *head, size_t count, struct bg_arena *arena)
{
	assert(count > 0);
	double *x = bg_arena_array(arena, count, sizeof *x);
	for (size_t i = 0; i < count; i++)
		x[i] = log(head[i] / base[i]);
	qsort(x, count, sizeof *x, ascending);
	if (count < TRIM_FROM_PAIRS)
		return (x[(count - 1) / 2] + x[count / 2]) / 2;
	size_t cut = count / 10;
	double sum = 0;
	for (size_t i = cut; i < count - cut; i++)
		sum += x[i];
	return sum / (double)(count - 2 * cut);
}

double bg_datum_time_mean(const double *base, const double *head, size_t count)
{
	assert(count > 0);
	double sum_base = 0, sum_head = 0;
	for (size_t i = 0; i < count; i++) {
		sum_base += base[i];
		sum_head += head[i];
	}
	return log(sum_head / sum_base);
}
