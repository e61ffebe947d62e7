#include "workloads/modules/common/cblas.h"

#include <stdio.h>
#include <stdlib.h>

#define ROW_MAJOR 101
#define NOT_TRANSPOSED 111

enum bg_answer bg_cblas_setup(void **state, const struct bg_point *point,
			      enum bg_answer (*open)(struct bg_cblas *ret, int threads,
						     struct bg_why *why),
			      struct bg_why *why)
{
	struct bg_cblas_gemm *gemm = calloc(1, sizeof *gemm);
	*state = gemm;
	if (!gemm) {
		snprintf(why->text, sizeof why->text, "no memory for the state");
		return BG_ANSWER_OUT_OF_MEMORY;
	}
	enum bg_answer answer =
		open(&gemm->cblas, (int)point->coordinates[BG_GEMM_THREADS].integer, why);
	return answer == BG_ANSWER_OK ? bg_gemm_fill(&gemm->product, point, why) : answer;
}

void bg_cblas_costs(void *state, struct bg_costs *ret)
{
	bg_gemm_costs(&((const struct bg_cblas_gemm *)state)->product, ret);
}

enum bg_answer bg_cblas_run(void *state, struct bg_why *why)
{
	const struct bg_cblas_gemm *gemm = state;
	const struct bg_product *product = &gemm->product;
	int m = (int)product->m, n = (int)product->n, k = (int)product->k;
	size_t a = product->m * product->k, b = product->k * product->n,
	       c = product->m * product->n;
	(void)why;
	for (size_t i = 0; i < product->batch; i++)
		if (product->type->c == BG_ELEMENT_F64)
			gemm->cblas.dgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, m, n, k, 1,
					  (const double *)product->a + i * a, k,
					  (const double *)product->b + i * b, n, 0,
					  (double *)product->c + i * c, n);
		else
			gemm->cblas.sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, m, n, k, 1,
					  (const float *)product->a + i * a, k,
					  (const float *)product->b + i * b, n, 0,
					  (float *)product->c + i * c, n);
	return BG_ANSWER_OK;
}

enum bg_answer bg_cblas_verify(void *state, double *error, double *tolerance, struct bg_why *why)
{
	return bg_gemm_verify(&((const struct bg_cblas_gemm *)state)->product, error, tolerance,
			      why);
}

void bg_cblas_teardown(void *state)
{
	struct bg_cblas_gemm *gemm = state;
	if (!gemm)
		return;
	bg_product_release(&gemm->product);
	free(gemm);
}
