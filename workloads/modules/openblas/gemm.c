/* Matrix products by OpenBLAS: C = A B, a batch of them one after the other. */
#include "workloads/modules/openblas/library.h"
#include "workloads/modules/openblas/product.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_MAJOR 101
#define NOT_TRANSPOSED 111
#define THREADS_MAX 1024

enum gemm_axis { AXIS_DTYPE, AXIS_M, AXIS_N, AXIS_K, AXIS_BATCH, AXIS_THREADS, AXIS_COUNT };

struct gemm {
	struct bg_openblas openblas;
	struct bg_product product;
};

static enum bg_answer gemm_usable(struct bg_why *why)
{
	struct bg_openblas openblas;
	return bg_openblas_open(&openblas, why);
}

static void gemm_teardown(void *state)
{
	struct gemm *gemm = state;
	if (!gemm)
		return;
	bg_product_release(&gemm->product);
	free(gemm);
}

static enum bg_answer gemm_setup(void **state, const struct bg_point *point, struct bg_why *why)
{
	const struct bg_coordinate *at = point->coordinates;
	struct gemm *gemm = calloc(1, sizeof *gemm);
	*state = gemm;
	if (!gemm) {
		snprintf(why->text, sizeof why->text, "no memory for the state");
		return BG_ANSWER_OUT_OF_MEMORY;
	}
	enum bg_answer answer = bg_openblas_open(&gemm->openblas, why);
	if (answer == BG_ANSWER_OK)
		answer = bg_openblas_set_threads(&gemm->openblas, (int)at[AXIS_THREADS].integer,
						 why);
	if (answer != BG_ANSWER_OK)
		return answer;
	gemm->product = (struct bg_product){
		.m = (size_t)at[AXIS_M].integer,
		.n = (size_t)at[AXIS_N].integer,
		.k = (size_t)at[AXIS_K].integer,
		.batch = (size_t)at[AXIS_BATCH].integer,
		.is_f64 = strcmp(at[AXIS_DTYPE].text, "f64") == 0,
		.seed = point->seed,
	};
	return bg_product_fill(&gemm->product, why);
}

static void gemm_costs(void *state, struct bg_costs *ret)
{
	const struct bg_product *product = &((const struct gemm *)state)->product;
	ret->items = (double)product->batch;
	ret->flops = 2 * ret->items * (double)product->m * (double)product->n * (double)product->k;
	ret->bytes = bg_product_size(product);
}

static enum bg_answer gemm_run(void *state, struct bg_why *why)
{
	const struct gemm *gemm = state;
	const struct bg_product *product = &gemm->product;
	int m = (int)product->m, n = (int)product->n, k = (int)product->k;
	size_t a = product->m * product->k, b = product->k * product->n,
	       c = product->m * product->n;
	(void)why;
	for (size_t i = 0; i < product->batch; i++)
		if (product->is_f64)
			gemm->openblas.dgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, m, n, k, 1,
					     (const double *)product->a + i * a, k,
					     (const double *)product->b + i * b, n, 0,
					     (double *)product->c + i * c, n);
		else
			gemm->openblas.sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, m, n, k, 1,
					     (const float *)product->a + i * a, k,
					     (const float *)product->b + i * b, n, 0,
					     (float *)product->c + i * c, n);
	return BG_ANSWER_OK;
}

static enum bg_answer gemm_verify(void *state, double *error, double *tolerance, struct bg_why *why)
{
	const struct gemm *gemm = state;
	bg_product_check(&gemm->product, error, tolerance);
	if (*error <= *tolerance)
		return BG_ANSWER_OK;
	snprintf(why->text, sizeof why->text,
		 "the product is wrong: an error of %.2g of sum |a||b|, rounding explains %.2g",
		 *error, *tolerance);
	return BG_ANSWER_INCORRECT;
}

#define SIZE_AXIS(axis, fallback, summary)                                                         \
	{                                                                                          \
		axis, summary, BG_OPERATION_INTEGER, fallback, 1, INT_MAX, NULL, 0                 \
	}

static const char *const dtypes[] = { "f32", "f64" };

static const struct bg_operation_axis axes[AXIS_COUNT] = {
	[AXIS_DTYPE] = { "dtype", "type of the elements", BG_OPERATION_WORD, "f32", 0, 0, dtypes,
			 sizeof dtypes / sizeof *dtypes },
	[AXIS_M] = SIZE_AXIS("m", "512", "rows of A and C"),
	[AXIS_N] = SIZE_AXIS("n", "512", "columns of B and C"),
	[AXIS_K] = SIZE_AXIS("k", "512", "columns of A, rows of B"),
	[AXIS_BATCH] = SIZE_AXIS("batch", "1", "products a step, each with operands of its own"),
	[AXIS_THREADS] = { "threads", "threads of OpenBLAS", BG_OPERATION_INTEGER, "1", 1,
			   THREADS_MAX, NULL, 0 },
};

static const struct bg_operation operations[] = {
	{
		.name = "gemm",
		.engine = "openblas",
		.summary = "matrix product C = A B",
		.axis_count = AXIS_COUNT,
		.axes = axes,
		.usable = gemm_usable,
		.setup = gemm_setup,
		.costs = gemm_costs,
		.run = gemm_run,
		.verify = gemm_verify,
		.teardown = gemm_teardown,
	},
};

static const struct bg_module module = {
	BG_MODULE_HEAD,
	.name = "openblas",
	.summary = "OpenBLAS, the BLAS for CPUs",
	.operation_count = sizeof operations / sizeof *operations,
	.operations = operations,
	.kernel = bg_openblas_kernel,
};

const struct bg_module *bg_module_v1(void)
{
	return &module;
}
