/* oneDNN of the version whose headers there are: one matrix product, or batch of them, at a time.
 */
#include "tests/fakes/fake.h"

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern const char *fake_kernel;
extern int fake_status, fake_major, fake_runtime, fake_alive;

int fake_mode, fake_threads_max = 64, fake_calls;
const void *fake_a, *fake_b;
const char *fake_kernel = "brg:fake";
int fake_status; /* of the description of a product */
int fake_major = DNNL_VERSION_MAJOR, fake_runtime = (int)DNNL_RUNTIME_OMP;
int fake_alive; /* objects not destroyed */

/* One operand, as it was described. */
struct operand {
	int dim_count;
	dnnl_dims_t dims, strides;
	dnnl_data_type_t type;
	void *values;
};

#define OPERANDS_MAX 3
static struct operand operands[OPERANDS_MAX];
static int operand_count, threads = 1;
static char thing; /* what all other handles point to */

void omp_set_num_threads(int count);
void omp_set_dynamic(int dynamic);
int omp_get_max_threads(void);

void omp_set_num_threads(int count)
{
	threads = count < fake_threads_max ? count : fake_threads_max;
}

void omp_set_dynamic(int dynamic)
{
	(void)dynamic;
}

int omp_get_max_threads(void)
{
	return threads;
}

const dnnl_version_t *dnnl_version(void)
{
	static dnnl_version_t version;
	version.major = fake_major;
	version.minor = 9;
	version.cpu_runtime = (unsigned)fake_runtime;
	return &version;
}

const char *dnnl_status2str(dnnl_status_t status)
{
	return status == dnnl_unimplemented ? "unimplemented" : "another status";
}

static dnnl_status_t make(void *handle)
{
	void *made = &thing;
	memcpy(handle, &made, sizeof made);
	fake_alive++;
	return dnnl_success;
}

static dnnl_status_t destroy(void)
{
	fake_alive--;
	return dnnl_success;
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index)
{
	return kind == dnnl_cpu && index == 0 ? make((void *)engine) : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine)
{
	(void)engine;
	operand_count = 0;
	return destroy();
}

dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags)
{
	(void)engine;
	(void)flags;
	return make((void *)stream);
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream)
{
	(void)stream;
	return dnnl_success;
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream)
{
	(void)stream;
	return destroy();
}

static struct operand describe(int dim_count, const dnnl_dim_t *dims, dnnl_data_type_t type,
			       const dnnl_dim_t *strides)
{
	struct operand ret = { .dim_count = dim_count, .type = type };
	memcpy(ret.dims, dims, (size_t)dim_count * sizeof *dims);
	memcpy(ret.strides, strides, (size_t)dim_count * sizeof *strides);
	return ret;
}

static dnnl_status_t add_operand(dnnl_memory_t *memory, const struct operand *operand, void *values)
{
	if (operand_count == OPERANDS_MAX)
		return dnnl_invalid_arguments;
	operands[operand_count] = *operand;
	operands[operand_count].values = values;
	*memory = (dnnl_memory_t)(void *)&operands[operand_count++];
	fake_alive++;
	return dnnl_success;
}

#if DNNL_VERSION_MAJOR == 2
dnnl_status_t dnnl_memory_desc_init_by_strides(dnnl_memory_desc_t *desc, int ndims,
					       const dnnl_dims_t dims, dnnl_data_type_t data_type,
					       const dnnl_dims_t strides)
{
	memset(desc, 0, sizeof *desc);
	desc->ndims = ndims;
	desc->data_type = data_type;
	memcpy(desc->dims, dims, (size_t)ndims * sizeof *dims);
	memcpy(desc->format_desc.blocking.strides, strides, (size_t)ndims * sizeof *strides);
	return dnnl_success;
}

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory, const dnnl_memory_desc_t *desc,
				 dnnl_engine_t engine, void *values)
{
	(void)engine;
	struct operand operand = describe(desc->ndims, desc->dims, desc->data_type,
					  desc->format_desc.blocking.strides);
	return add_operand(memory, &operand, values);
}

dnnl_status_t dnnl_matmul_desc_init(dnnl_matmul_desc_t *desc, const dnnl_memory_desc_t *a,
				    const dnnl_memory_desc_t *b, const dnnl_memory_desc_t *bias,
				    const dnnl_memory_desc_t *c)
{
	(void)desc;
	return a && b && c && !bias ? dnnl_success : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_primitive_desc_create(dnnl_primitive_desc_t *ret, const_dnnl_op_desc_t op,
					 const_dnnl_primitive_attr_t attributes,
					 dnnl_engine_t engine, const_dnnl_primitive_desc_t hint)
{
	(void)op;
	(void)engine;
	if (attributes || hint)
		return dnnl_invalid_arguments;
	return fake_status ? (dnnl_status_t)fake_status : make((void *)ret);
}
#else
static struct operand descriptions[OPERANDS_MAX];
static int description_count;

dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *desc, int ndims,
						   const dnnl_dims_t dims,
						   dnnl_data_type_t data_type,
						   const dnnl_dims_t strides)
{
	struct operand *operand = &descriptions[description_count++ % OPERANDS_MAX];
	*operand = describe(ndims, dims, data_type, strides);
	*desc = (dnnl_memory_desc_t)(void *)operand;
	fake_alive++;
	return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t desc)
{
	(void)desc;
	return destroy();
}

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t desc,
				 dnnl_engine_t engine, void *values)
{
	(void)engine;
	return add_operand(memory, (const struct operand *)(const void *)desc, values);
}

dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *ret, dnnl_engine_t engine,
						const_dnnl_memory_desc_t a,
						const_dnnl_memory_desc_t b,
						const_dnnl_memory_desc_t bias,
						const_dnnl_memory_desc_t c,
						const_dnnl_primitive_attr_t attributes)
{
	(void)engine;
	if (!a || !b || !c || bias || attributes)
		return dnnl_invalid_arguments;
	return fake_status ? (dnnl_status_t)fake_status : make((void *)ret);
}
#endif

dnnl_status_t dnnl_primitive_desc_query(const_dnnl_primitive_desc_t desc, dnnl_query_t what,
					int index, void *result)
{
	(void)desc;
	if (what != dnnl_query_impl_info_str || index != 0)
		return dnnl_invalid_arguments;
	memcpy(result, (const void *)&fake_kernel, sizeof fake_kernel);
	return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t desc)
{
	(void)desc;
	return destroy();
}

dnnl_status_t dnnl_primitive_create(dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t desc)
{
	(void)desc;
	return make((void *)primitive);
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive)
{
	(void)primitive;
	return destroy();
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory)
{
	(void)memory;
	return destroy();
}

static double value(const struct operand *operand, ptrdiff_t at)
{
	uint32_t bits;
	float f32;
	switch (operand->type) {
	case dnnl_f32:
		return (double)((const float *)operand->values)[at];
	case dnnl_bf16:
		bits = (uint32_t)((const uint16_t *)operand->values)[at] << 16;
		memcpy(&f32, &bits, sizeof f32);
		return (double)f32;
	case dnnl_s8:
		return ((const int8_t *)operand->values)[at];
	case dnnl_u8:
		return ((const uint8_t *)operand->values)[at];
	default:
		return 0;
	}
}

static void store(const struct operand *operand, ptrdiff_t at, double number)
{
	uint32_t bits;
	float f32 = (float)number;
	switch (operand->type) {
	case dnnl_f32:
		((float *)operand->values)[at] = f32;
		return;
	case dnnl_bf16:
		memcpy(&bits, &f32, sizeof bits);
		/* To nearest, ties to even. */
		bits += 0x7fff + (bits >> 16 & 1);
		((uint16_t *)operand->values)[at] = (uint16_t)(bits >> 16);
		return;
	case dnnl_s32:
		((int32_t *)operand->values)[at] = (int32_t)number;
		return;
	default:
		return;
	}
}

static ptrdiff_t place(const struct operand *operand, ptrdiff_t batch, ptrdiff_t row,
		       ptrdiff_t column)
{
	const dnnl_dim_t *strides = operand->strides + operand->dim_count - 2;
	ptrdiff_t ret = row * strides[0] + column * strides[1];
	return operand->dim_count == 3 ? ret + batch * operand->strides[0] : ret;
}

static double sum_of(const struct operand *a, const struct operand *b, const ptrdiff_t *at)
{
	ptrdiff_t depth = b->dims[b->dim_count - 2];
	double sum = 0;
	for (ptrdiff_t l = 0; l < depth; l++)
		sum += value(a, place(a, at[0], at[1], l)) *
		       value(b, fake_mode == FAKE_TRANSPOSED ? at[2] * depth + l
							     : place(b, at[0], l, at[2]));
	return fake_mode == FAKE_ROUGH ? sum * (1 + 1e-3) : fake_mode == FAKE_ALL_ZERO ? 0 : sum;
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
				     int count, const dnnl_exec_arg_t *arguments)
{
	const struct operand *a = (const void *)arguments[0].memory,
			     *b = (const void *)arguments[1].memory,
			     *c = (const void *)arguments[2].memory;
	(void)primitive;
	(void)stream;
	if (count != 3 || arguments[0].arg != DNNL_ARG_SRC ||
	    arguments[1].arg != DNNL_ARG_WEIGHTS || arguments[2].arg != DNNL_ARG_DST)
		return dnnl_invalid_arguments;
	ptrdiff_t batch = c->dim_count == 3 ? c->dims[0] : 1, m = c->dims[c->dim_count - 2],
		  n = c->dims[c->dim_count - 1];
	fake_calls++;
	fake_a = a->values;
	fake_b = b->values;
	if (fake_mode == FAKE_UNWRITTEN)
		return dnnl_success;
	for (ptrdiff_t i = 0; i < batch * m * n; i++) {
		ptrdiff_t at[] = { i / (m * n), i / n % m, i % n };
		double sum = sum_of(a, b, at);
		if ((i == 0 && fake_mode == FAKE_FIRST_WRONG) ||
		    (i == batch * m * n - 1 && fake_mode == FAKE_LAST_WRONG))
			sum = -sum;
		store(c, place(c, at[0], at[1], at[2]), sum);
	}
	return dnnl_success;
}
