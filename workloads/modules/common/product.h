#ifndef BG_MODULES_PRODUCT_H
#define BG_MODULES_PRODUCT_H
/*
 * A batch of matrix products C = A B with its operands: m x k, k x n and m x n, row-major, one
 * product after the other. Filled from a seed and checked against a naive product.
 */
#include "workloads/modules/common/element.h"
#include "workloads/workload.h"

/* A precision: what the axis dtype stands for. */
struct bg_dtype {
	const char *word;
	enum bg_element a, b, c;
	double roundoff;	/* unit roundoff of the sums; 0 where they are exact */
	double result_roundoff; /* of a result that is rounded further when stored, or 0 */
};

/*
 * By its word, which must be one of
 *   f32   all three, as a BLAS' sgemm
 *   f64   all three, dgemm
 *   bf16  all three; the sums are in f32, each result is rounded once
 *   s8    A and B s8, C s32: exact
 *   u8    A u8, B s8, C s32: exact; what x86 multiplies without a correction for the sign
 */
const struct bg_dtype *bg_dtype_find(const char *word);

struct bg_product {
	size_t m, n, k, batch;
	const struct bg_dtype *type;
	uint64_t seed; /* of A and B, and of the elements checked */
	void *block;   /* holds the three */
	void *a, *b, *c;
};

/*
 * Allocates and touches the operands. A and B get what bg_element_fill says, integers of 7 and 6
 * bits; C gets what no product is, so that what is never written is noticed.
 * product  m, n, k, batch (each >= 1), type and seed set, the rest zero
 * OUT_OF_MEMORY where they exceed the address space or what is free
 */
enum bg_answer bg_product_fill(struct bg_product *product, struct bg_why *why);

/*
 * The largest error found in C and what it may be, both relative to sum |a||b|; where results are
 * rounded further the divisor grows by what that explains. Compares all elements of small products,
 * else up to 64 of them, corners first; fewer where k is large.
 * cost  at most 10^6 multiplications, or 2 k
 */
void bg_product_check(const struct bg_product *product, double *error, double *tolerance);

/* Bytes of the operands, all products. */
double bg_product_size(const struct bg_product *product);

/* A zeroed product is fine. */
void bg_product_release(struct bg_product *product);
#endif
