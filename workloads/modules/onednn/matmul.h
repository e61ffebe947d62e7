#ifndef BG_ONEDNN_MATMUL_H
#define BG_ONEDNN_MATMUL_H
/*
 * oneDNN's matrix product, the library loaded by hand: libdnnl.so of the major version of the
 * headers this module is built with, on the OpenMP that it brings, or sequential.
 */
#include "workloads/modules/common/product.h"

struct bg_onednn_matmul;

/* Loads the library, once a process. UNSUPPORTED where it is missing, of another major version, or
 * built for a thread pool whose threads nobody can count here (TBB, SYCL). */
enum bg_answer bg_onednn_open(struct bg_why *why);

/*
 * Plans the product; its operands are borrowed, filled, and stay where they are.
 * ret  goes to bg_onednn_matmul_free whatever the answer
 * UNSUPPORTED where this library or processor has no such product, or the naive reference only
 */
enum bg_answer bg_onednn_matmul_new(struct bg_onednn_matmul **ret, const struct bg_product *product,
				    int threads, struct bg_why *why);

enum bg_answer bg_onednn_matmul_run(struct bg_onednn_matmul *matmul, struct bg_why *why);

/* oneDNN's name for what it chose, "brg:avx512_core"; lives as long as the matmul. */
const char *bg_onednn_matmul_kernel(const struct bg_onednn_matmul *matmul);

/* NULL and a half-made one are fine. */
void bg_onednn_matmul_free(struct bg_onednn_matmul *matmul);
#endif
