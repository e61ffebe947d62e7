/*
 * A plugin of one operation: the sum of the squares of a vector. Needs batchgate's installed header
 * and nothing else:
 *
 *	cc -O2 -shared -fPIC -o build/squares.so squares.c
 *
 * with -I PREFIX/include where batchgate is not installed in a system's folder. What each hook may
 * and must do stands in that header.
 */
#include <batchgate/workload.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct squares {
	size_t count;
	double *values;
	double sum, expected;
};

static enum bg_answer setup(void **state, const struct bg_point *point, struct bg_why *why)
{
	struct squares *work = (struct squares *)calloc(1, sizeof *work);
	*state = work; /* teardown gets it whatever the answer is */
	if (work) {
		work->count = (size_t)point->coordinates[0].integer;
		work->values = (double *)malloc(work->count * sizeof *work->values);
	}
	if (!work || !work->values) {
		snprintf(why->text, sizeof why->text, "no memory for the vector");
		return BG_ANSWER_OUT_OF_MEMORY;
	}
	for (size_t i = 0; i < work->count; i++) {
		work->values[i] = (double)((i + point->seed) % 7);
		work->expected += work->values[i] * work->values[i];
	}
	return BG_ANSWER_OK;
}

static void costs(void *state, struct bg_costs *ret)
{
	const struct squares *work = (const struct squares *)state;
	ret->flops = 2. * (double)work->count;
	ret->bytes = 8. * (double)work->count;
	ret->items = (double)work->count;
}

static enum bg_answer run(void *state, struct bg_why *why)
{
	struct squares *work = (struct squares *)state;
	double sum = 0;
	(void)why;
	for (size_t i = 0; i < work->count; i++)
		sum += work->values[i] * work->values[i];
	work->sum = sum;
	return BG_ANSWER_OK;
}

static enum bg_answer verify(void *state, double *error, double *tolerance, struct bg_why *why)
{
	const struct squares *work = (const struct squares *)state;
	*tolerance = 1e-12;
	*error = fabs(work->sum - work->expected) / work->expected;
	if (*error <= *tolerance)
		return BG_ANSWER_OK;
	snprintf(why->text, sizeof why->text, "the sum is off by %.3g, allowed is %.3g", *error,
		 *tolerance);
	return BG_ANSWER_INCORRECT;
}

static void teardown(void *state)
{
	struct squares *work = (struct squares *)state;
	if (work)
		free(work->values);
	free(work);
}

static const struct bg_operation_axis axes[] = {
	{ "count", "numbers in the vector", BG_OPERATION_INTEGER, "4096", 2, 1 << 24, NULL, 0 },
};

static const struct bg_operation operations[] = {
	{ "squares", "c", "sum of squares", 1, axes, NULL, setup, costs, run, NULL, verify,
	  teardown },
};

static const struct bg_module module = {
	BG_MODULE_HEAD, "squares", "an example of a plugin", 1, operations, NULL,
};

const struct bg_module *bg_module_v1(void)
{
	return &module;
}
