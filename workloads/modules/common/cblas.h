#ifndef BG_MODULES_CBLAS_H
#define BG_MODULES_CBLAS_H
/* The gemm of a BLAS with the C interface: f32 and f64, the batch one product after the other. */
#include "workloads/modules/common/gemm.h"

/* CBLAS: row-major is 101, not transposed 111; sizes of 32 bits. */
struct bg_cblas {
	void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
		      const float *a, int lda, const float *b, int ldb, float beta, float *c,
		      int ldc);
	void (*dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
		      const double *a, int lda, const double *b, int ldb, double beta, double *c,
		      int ldc);
};

struct bg_cblas_gemm {
	struct bg_cblas cblas;
	struct bg_product product;
};

/*
 * The hook setup, but for what each library does its own way; *state becomes a bg_cblas_gemm.
 * open  loads the library and sets its threads
 */
enum bg_answer bg_cblas_setup(void **state, const struct bg_point *point,
			      enum bg_answer (*open)(struct bg_cblas *ret, int threads,
						     struct bg_why *why),
			      struct bg_why *why);
/* Hooks. */
void bg_cblas_costs(void *state, struct bg_costs *ret);
enum bg_answer bg_cblas_run(void *state, struct bg_why *why);
enum bg_answer bg_cblas_verify(void *state, double *error, double *tolerance, struct bg_why *why);
void bg_cblas_teardown(void *state);
#endif
