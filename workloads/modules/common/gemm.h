#ifndef BG_MODULES_GEMM_H
#define BG_MODULES_GEMM_H
/*
 * What every engine's gemm has in common, so that a suite may ask for several of them: the axes,
 * the operands, the costs and the check. C = A B, a batch of products with operands of their own,
 * row-major and without padding.
 */
#include "workloads/modules/common/product.h"

#include <limits.h>

enum bg_gemm_axis {
	BG_GEMM_DTYPE,
	BG_GEMM_M,
	BG_GEMM_N,
	BG_GEMM_K,
	BG_GEMM_BATCH,
	BG_GEMM_THREADS,
	BG_GEMM_AXIS_COUNT
};

#define BG_GEMM_THREADS_MAX 1024

#define BG_GEMM_SIZE(name, fallback, summary)                                                      \
	{                                                                                          \
		name, summary, BG_OPERATION_INTEGER, fallback, 1, INT_MAX, NULL, 0                 \
	}

/* The initializer of axes[BG_GEMM_AXIS_COUNT]; dtypes is an array of words known to bg_dtype_find,
 * the first of them f32. */
#define BG_GEMM_AXES(dtypes, engine)                                                               \
	{                                                                                          \
		[BG_GEMM_DTYPE] = { "dtype",                                                       \
				    "type of the elements",                                        \
				    BG_OPERATION_WORD,                                             \
				    "f32",                                                         \
				    0,                                                             \
				    0,                                                             \
				    dtypes,                                                        \
				    sizeof dtypes / sizeof *dtypes },                              \
		[BG_GEMM_M] = BG_GEMM_SIZE("m", "512", "rows of A and C"),                         \
		[BG_GEMM_N] = BG_GEMM_SIZE("n", "512", "columns of B and C"),                      \
		[BG_GEMM_K] = BG_GEMM_SIZE("k", "512", "columns of A, rows of B"),                 \
		[BG_GEMM_BATCH] = BG_GEMM_SIZE("batch", "1",                                       \
					       "products a step, each with operands of its own"),  \
		[BG_GEMM_THREADS] = { "threads",                                                   \
				      "threads of " engine,                                        \
				      BG_OPERATION_INTEGER,                                        \
				      "1",                                                         \
				      1,                                                           \
				      BG_GEMM_THREADS_MAX,                                         \
				      NULL,                                                        \
				      0 },                                                         \
	}

#define BG_GEMM_SUMMARY "matrix product C = A B"

/* Reads the point, allocates and fills. The product goes to bg_product_release whatever it says. */
enum bg_answer bg_gemm_fill(struct bg_product *ret, const struct bg_point *point,
			    struct bg_why *why);
/* 2 m n k operations a product; bytes of the operands; one item a product. */
void bg_gemm_costs(const struct bg_product *product, struct bg_costs *ret);
/* As the hook verify. */
enum bg_answer bg_gemm_verify(const struct bg_product *product, double *error, double *tolerance,
			      struct bg_why *why);
#endif
