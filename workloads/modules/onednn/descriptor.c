#include "workloads/modules/onednn/descriptor.h"
#include "workloads/modules/common/library.h"

#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR < 2 || DNNL_VERSION_MAJOR > 3
#error "oneDNN 2 or 3: leave the module out with HAVE_onednn=0"
#endif

#define DIMS_MAX 3

/* One operand as both versions take it. */
struct operand {
	dnnl_dims_t dims, strides;
	dnnl_data_type_t type;
	void *values;
};

struct operands {
	int dim_count;
	struct operand a, b, c;
};

static dnnl_data_type_t type_of(enum bg_element element)
{
	static const dnnl_data_type_t types[] = {
		[BG_ELEMENT_F32] = dnnl_f32,   [BG_ELEMENT_F64] = dnnl_data_type_undef,
		[BG_ELEMENT_BF16] = dnnl_bf16, [BG_ELEMENT_S8] = dnnl_s8,
		[BG_ELEMENT_U8] = dnnl_u8,     [BG_ELEMENT_S32] = dnnl_s32,
	};
	return types[element];
}

static struct operand operand_of(const size_t *dims, int dim_count, enum bg_element element,
				 void *values)
{
	struct operand ret = { .type = type_of(element), .values = values };
	dnnl_dim_t stride = 1;
	for (int i = dim_count - 1; i >= 0; i--) {
		ret.dims[i] = (dnnl_dim_t)dims[i];
		ret.strides[i] = stride;
		stride *= ret.dims[i];
	}
	return ret;
}

static struct operands operands_of(const struct bg_product *product)
{
	size_t a[DIMS_MAX] = { product->batch, product->m, product->k };
	size_t b[DIMS_MAX] = { product->batch, product->k, product->n };
	size_t c[DIMS_MAX] = { product->batch, product->m, product->n };
	int count = product->batch > 1 ? DIMS_MAX : 2, skip = DIMS_MAX - count;
	return (struct operands){
		.dim_count = count,
		.a = operand_of(a + skip, count, product->type->a, product->a),
		.b = operand_of(b + skip, count, product->type->b, product->b),
		.c = operand_of(c + skip, count, product->type->c, product->c),
	};
}

#if DNNL_VERSION_MAJOR == 2
#define FUNCTIONS(F)                                                                               \
	F(memory_desc_init_by_strides,                                                             \
	  (dnnl_memory_desc_t *, int, const dnnl_dims_t, dnnl_data_type_t, const dnnl_dims_t))     \
	F(memory_create, (dnnl_memory_t *, const dnnl_memory_desc_t *, dnnl_engine_t, void *))     \
	F(matmul_desc_init,                                                                        \
	  (dnnl_matmul_desc_t *, const dnnl_memory_desc_t *, const dnnl_memory_desc_t *,           \
	   const dnnl_memory_desc_t *, const dnnl_memory_desc_t *))                                \
	F(primitive_desc_create,                                                                   \
	  (dnnl_primitive_desc_t *, const_dnnl_op_desc_t, const_dnnl_primitive_attr_t,             \
	   dnnl_engine_t, const_dnnl_primitive_desc_t))
#else
#define FUNCTIONS(F)                                                                               \
	F(memory_desc_create_with_strides,                                                         \
	  (dnnl_memory_desc_t *, int, const dnnl_dims_t, dnnl_data_type_t, const dnnl_dims_t))     \
	F(memory_desc_destroy, (dnnl_memory_desc_t))                                               \
	F(memory_create, (dnnl_memory_t *, const_dnnl_memory_desc_t, dnnl_engine_t, void *))       \
	F(matmul_primitive_desc_create,                                                            \
	  (dnnl_primitive_desc_t *, dnnl_engine_t, const_dnnl_memory_desc_t,                       \
	   const_dnnl_memory_desc_t, const_dnnl_memory_desc_t, const_dnnl_memory_desc_t,           \
	   const_dnnl_primitive_attr_t))
#endif

#define MEMBER(name, arguments) dnnl_status_t(*name) arguments;
#define SYMBOL(name, arguments) { "dnnl_" #name, &functions.name },
/* Declares what the header has declared: a difference is an error. */
#define AGAIN(name, arguments) dnnl_status_t dnnl_##name arguments;

struct functions {
	FUNCTIONS(MEMBER)
};
FUNCTIONS(AGAIN)

struct description {
	const struct functions *functions;
	dnnl_engine_t engine;
	struct operands operands;
};

#if DNNL_VERSION_MAJOR == 2
static dnnl_status_t add_operand(dnnl_memory_t *ret, dnnl_memory_desc_t *desc,
				 const struct description *description,
				 const struct operand *operand)
{
	const struct functions *functions = description->functions;
	dnnl_status_t status = functions->memory_desc_init_by_strides(
		desc, description->operands.dim_count, operand->dims, operand->type,
		operand->strides);
	return status == dnnl_success
		       ? functions->memory_create(ret, desc, description->engine, operand->values)
		       : status;
}

static dnnl_status_t describe(struct bg_onednn_description *ret,
			      const struct description *description)
{
	const struct functions *functions = description->functions;
	const struct operands *operands = &description->operands;
	dnnl_memory_desc_t a, b, c;
	dnnl_matmul_desc_t product;
	dnnl_status_t status = add_operand(&ret->a, &a, description, &operands->a);
	if (status == dnnl_success)
		status = add_operand(&ret->b, &b, description, &operands->b);
	if (status == dnnl_success)
		status = add_operand(&ret->c, &c, description, &operands->c);
	if (status == dnnl_success)
		status = functions->matmul_desc_init(&product, &a, &b, NULL, &c);
	return status == dnnl_success
		       ? functions->primitive_desc_create(&ret->product, &product, NULL,
							  description->engine, NULL)
		       : status;
}
#else
static dnnl_status_t add_operand(dnnl_memory_t *ret, dnnl_memory_desc_t *desc,
				 const struct description *description,
				 const struct operand *operand)
{
	const struct functions *functions = description->functions;
	dnnl_status_t status = functions->memory_desc_create_with_strides(
		desc, description->operands.dim_count, operand->dims, operand->type,
		operand->strides);
	return status == dnnl_success
		       ? functions->memory_create(ret, *desc, description->engine, operand->values)
		       : status;
}

static dnnl_status_t describe(struct bg_onednn_description *ret,
			      const struct description *description)
{
	const struct functions *functions = description->functions;
	const struct operands *operands = &description->operands;
	dnnl_memory_desc_t a = NULL, b = NULL, c = NULL;
	dnnl_status_t status = add_operand(&ret->a, &a, description, &operands->a);
	if (status == dnnl_success)
		status = add_operand(&ret->b, &b, description, &operands->b);
	if (status == dnnl_success)
		status = add_operand(&ret->c, &c, description, &operands->c);
	if (status == dnnl_success)
		status = functions->matmul_primitive_desc_create(&ret->product, description->engine,
								 a, b, NULL, c, NULL);
	/* What was made of them holds copies. */
	if (a)
		functions->memory_desc_destroy(a);
	if (b)
		functions->memory_desc_destroy(b);
	if (c)
		functions->memory_desc_destroy(c);
	return status;
}
#endif

enum bg_answer bg_onednn_describe(struct bg_onednn_description *ret, int *status, void *handle,
				  struct dnnl_engine *engine, const struct bg_product *product,
				  struct bg_why *why)
{
	struct functions functions;
	const struct bg_symbol symbols[] = { FUNCTIONS(SYMBOL) };
	enum bg_answer answer =
		bg_library_find(handle, "oneDNN", symbols, sizeof symbols / sizeof *symbols, why);
	if (answer != BG_ANSWER_OK)
		return answer;
	struct description description = { &functions, engine, operands_of(product) };
	*status = (int)describe(ret, &description);
	return BG_ANSWER_OK;
}
