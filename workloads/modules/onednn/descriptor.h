#ifndef BG_ONEDNN_DESCRIPTOR_H
#define BG_ONEDNN_DESCRIPTOR_H
/*
 * How a matrix product is described to oneDNN: the part in which its versions 2 and 3 differ. The
 * version is that of the headers this module is built with.
 */
#include "workloads/modules/common/product.h"

/* oneDNN's own handles. */
struct dnnl_engine;
struct dnnl_memory;
struct dnnl_primitive_desc;

struct bg_onednn_description {
	struct dnnl_primitive_desc *product;
	struct dnnl_memory *a, *b, *c; /* over the product's operands, which are borrowed */
};

/*
 * Describes the product; a batch becomes a third dimension, all operands plain row-major.
 * handle  of the loaded library
 * ret     what was made, also where the answer is not OK: the caller destroys it
 * status  a dnnl_status_t
 * UNSUPPORTED where the library lacks a function; else OK, and *status tells
 */
enum bg_answer bg_onednn_describe(struct bg_onednn_description *ret, int *status, void *handle,
				  struct dnnl_engine *engine, const struct bg_product *product,
				  struct bg_why *why);
#endif
