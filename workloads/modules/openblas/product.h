#ifndef BG_OPENBLAS_PRODUCT_H
#define BG_OPENBLAS_PRODUCT_H
/*
 * A batch of matrix products C = A B with its operands: m x k, k x n and m x n, row-major, one
 * product after the other. Filled from a seed and checked against a naive product.
 */
#include "workloads/workload.h"

#include <stdbool.h>

struct bg_product {
	size_t m, n, k, batch;
	bool is_f64;   /* elements of 8 bytes; else 4 */
	uint64_t seed; /* of A and B, and of the elements checked */
	void *block;   /* holds the three */
	void *a, *b, *c;
};

/*
 * Allocates and touches the operands: A and B get odd multiples of 2^-23 (f32) or 2^-52 (f64)
 * within -1 .. 1, so neither they nor their products are zero or denormal; C gets NaN, so that what
 * is never written is noticed.
 * product  m, n, k, batch (each >= 1), is_f64 and seed set, the rest zero
 * OUT_OF_MEMORY where they exceed the address space or /proc/meminfo's MemAvailable
 */
enum bg_answer bg_product_fill(struct bg_product *product, struct bg_why *why);

/*
 * The largest error found in C, relative to sum |a||b|, and what it may be. Compares all elements
 * of small products, else up to 64 of them, corners first; fewer where k is large.
 * cost  at most 10^6 multiplications, or 2 k
 */
void bg_product_check(const struct bg_product *product, double *error, double *tolerance);

/* Bytes of the operands, all products. */
double bg_product_size(const struct bg_product *product);

/* A zeroed product is fine. */
void bg_product_release(struct bg_product *product);
#endif
