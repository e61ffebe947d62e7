#include "workloads/modules/common/gemm.h"

#include <stdio.h>

enum bg_answer bg_gemm_fill(struct bg_product *ret, const struct bg_point *point,
			    struct bg_why *why)
{
	const struct bg_coordinate *at = point->coordinates;
	*ret = (struct bg_product){
		.m = (size_t)at[BG_GEMM_M].integer,
		.n = (size_t)at[BG_GEMM_N].integer,
		.k = (size_t)at[BG_GEMM_K].integer,
		.batch = (size_t)at[BG_GEMM_BATCH].integer,
		.type = bg_dtype_find(at[BG_GEMM_DTYPE].text),
		.seed = point->seed,
	};
	return bg_product_fill(ret, why);
}

void bg_gemm_costs(const struct bg_product *product, struct bg_costs *ret)
{
	ret->items = (double)product->batch;
	ret->flops = 2 * ret->items * (double)product->m * (double)product->n * (double)product->k;
	ret->bytes = bg_product_size(product);
}

enum bg_answer bg_gemm_verify(const struct bg_product *product, double *error, double *tolerance,
			      struct bg_why *why)
{
	bg_product_check(product, error, tolerance);
	if (*error <= *tolerance)
		return BG_ANSWER_OK;
	snprintf(why->text, sizeof why->text,
		 "the product is wrong: an error of %.2g of sum |a||b|, rounding explains %.2g",
		 *error, *tolerance);
	return BG_ANSWER_INCORRECT;
}
