#include "workloads/modules/onednn/matmul.h"
#include "workloads/modules/common/library.h"
#include "workloads/modules/common/room.h"
#include "workloads/modules/onednn/descriptor.h"

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(number) #number
#define LIBRARY_OF(major) "libdnnl.so." TEXT_OF(major)
#define LIBRARY LIBRARY_OF(DNNL_VERSION_MAJOR)
#define KERNEL_SIZE 64

#define FUNCTIONS(F)                                                                               \
	F(const dnnl_version_t *, version, (void))                                                 \
	F(const char *, status2str, (dnnl_status_t))                                               \
	F(dnnl_status_t, engine_create, (dnnl_engine_t *, dnnl_engine_kind_t, size_t))             \
	F(dnnl_status_t, engine_destroy, (dnnl_engine_t))                                          \
	F(dnnl_status_t, stream_create, (dnnl_stream_t *, dnnl_engine_t, unsigned))                \
	F(dnnl_status_t, stream_wait, (dnnl_stream_t))                                             \
	F(dnnl_status_t, stream_destroy, (dnnl_stream_t))                                          \
	F(dnnl_status_t, primitive_desc_query,                                                     \
	  (const_dnnl_primitive_desc_t, dnnl_query_t, int, void *))                                \
	F(dnnl_status_t, primitive_desc_destroy, (dnnl_primitive_desc_t))                          \
	F(dnnl_status_t, primitive_create, (dnnl_primitive_t *, const_dnnl_primitive_desc_t))      \
	F(dnnl_status_t, primitive_execute,                                                        \
	  (const_dnnl_primitive_t, dnnl_stream_t, int, const dnnl_exec_arg_t *))                   \
	F(dnnl_status_t, primitive_destroy, (dnnl_primitive_t))                                    \
	F(dnnl_status_t, memory_destroy, (dnnl_memory_t))

#define MEMBER(type, name, arguments) type(*name) arguments;
#define SYMBOL(type, name, arguments) { "dnnl_" #name, &ret->name },
/* Declares what the header has declared: a difference is an error. */
#define AGAIN(type, name, arguments) type dnnl_##name arguments;

struct library {
	void *handle;
	FUNCTIONS(MEMBER)
};
FUNCTIONS(AGAIN)

struct bg_onednn_matmul {
	struct library library;
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_t primitive;
	struct bg_onednn_description description;
	char kernel[KERNEL_SIZE];
};

static enum bg_answer check_version(const struct library *library, struct bg_why *why)
{
	const dnnl_version_t *version = library->version();
	if (version->major != DNNL_VERSION_MAJOR) {
		snprintf(why->text, sizeof why->text,
			 LIBRARY " is oneDNN %d.%d: this module is built for %d", version->major,
			 version->minor, DNNL_VERSION_MAJOR);
		return BG_ANSWER_UNSUPPORTED;
	}
	if (version->cpu_runtime == DNNL_RUNTIME_OMP || version->cpu_runtime == DNNL_RUNTIME_SEQ)
		return BG_ANSWER_OK;
	snprintf(why->text, sizeof why->text,
		 LIBRARY " has threads of its own kind (%s): install a oneDNN built for OpenMP",
		 version->cpu_runtime == DNNL_RUNTIME_TBB ? "TBB" : "neither OpenMP nor TBB");
	return BG_ANSWER_UNSUPPORTED;
}

static enum bg_answer open_library(struct library *ret, struct bg_why *why)
{
	const struct bg_symbol symbols[] = { FUNCTIONS(SYMBOL) };
	bg_library_let_idle_threads_sleep();
	enum bg_answer answer = bg_library_open(
		&ret->handle, LIBRARY,
		"install oneDNN (Debian: libdnnl" TEXT_OF(DNNL_VERSION_MAJOR) ")", why);
	if (answer == BG_ANSWER_OK)
		answer = bg_library_find(ret->handle, LIBRARY, symbols,
					 sizeof symbols / sizeof *symbols, why);
	return answer == BG_ANSWER_OK ? check_version(ret, why) : answer;
}

enum bg_answer bg_onednn_open(struct bg_why *why)
{
	struct library library;
	return open_library(&library, why);
}

/* Of the OpenMP that the library itself uses: its threads are planned for, so this comes first. */
static enum bg_answer set_threads(const struct library *library, int count, struct bg_why *why)
{
	void (*set_num_threads)(int), (*set_dynamic)(int);
	int (*get_max_threads)(void);
	const struct bg_symbol symbols[] = {
		{ "omp_set_num_threads", &set_num_threads },
		{ "omp_set_dynamic", &set_dynamic },
		{ "omp_get_max_threads", &get_max_threads },
	};
	int taken = 1;
	enum bg_answer answer = bg_room_cores(count, why);
	if (answer == BG_ANSWER_OK && library->version()->cpu_runtime == DNNL_RUNTIME_OMP) {
		answer = bg_library_find(library->handle, LIBRARY "'s OpenMP", symbols,
					 sizeof symbols / sizeof *symbols, why);
		if (answer != BG_ANSWER_OK)
			return answer;
		set_dynamic(0);
		set_num_threads(count);
		taken = get_max_threads();
	}
	if (answer != BG_ANSWER_OK || taken == count)
		return answer;
	snprintf(why->text, sizeof why->text, "oneDNN takes %d of %d threads", taken, count);
	return BG_ANSWER_UNSUPPORTED;
}

static enum bg_answer refuse(const struct library *library, int status, const char *what,
			     struct bg_why *why)
{
	const dnnl_version_t *version = library->version();
	snprintf(why->text, sizeof why->text, "oneDNN %d.%d.%d cannot %s on this processor: %s",
		 version->major, version->minor, version->patch, what,
		 library->status2str((dnnl_status_t)status));
	return status == dnnl_unimplemented   ? BG_ANSWER_UNSUPPORTED
	       : status == dnnl_out_of_memory ? BG_ANSWER_OUT_OF_MEMORY
					      : BG_ANSWER_FAILED;
}

/* A kernel of the reference, "ref:any" or "ref_int8:any", is there to compare with. */
static enum bg_answer take_kernel(struct bg_onednn_matmul *matmul, const char *dtype,
				  struct bg_why *why)
{
	const char *name = NULL;
	dnnl_status_t status = matmul->library.primitive_desc_query(
		matmul->description.product, dnnl_query_impl_info_str, 0, (void *)&name);
	if (status != dnnl_success || !name)
		return refuse(&matmul->library, (int)status, "name its kernel", why);
	snprintf(matmul->kernel, sizeof matmul->kernel, "%s", name);
	if (strncmp(name, "ref", strlen("ref")) != 0)
		return BG_ANSWER_OK;
	snprintf(why->text, sizeof why->text,
		 "oneDNN has only its naive reference (%s) for %s on this processor", name, dtype);
	return BG_ANSWER_UNSUPPORTED;
}

static enum bg_answer plan(struct bg_onednn_matmul *matmul, const struct bg_product *product,
			   struct bg_why *why)
{
	const struct library *library = &matmul->library;
	char what[64];
	int described = dnnl_success;
	dnnl_status_t status = library->engine_create(&matmul->engine, dnnl_cpu, 0);
	if (status == dnnl_success)
		status = library->stream_create(&matmul->stream, matmul->engine,
						dnnl_stream_default_flags);
	if (status != dnnl_success)
		return refuse(library, (int)status, "start", why);
	enum bg_answer answer = bg_onednn_describe(&matmul->description, &described,
						   library->handle, matmul->engine, product, why);
	if (answer != BG_ANSWER_OK)
		return answer;
	snprintf(what, sizeof what, "multiply matrices of %s", product->type->word);
	if (described != dnnl_success)
		return refuse(library, described, what, why);
	answer = take_kernel(matmul, product->type->word, why);
	if (answer != BG_ANSWER_OK)
		return answer;
	status = library->primitive_create(&matmul->primitive, matmul->description.product);
	return status == dnnl_success ? BG_ANSWER_OK : refuse(library, (int)status, what, why);
}

enum bg_answer bg_onednn_matmul_new(struct bg_onednn_matmul **ret, const struct bg_product *product,
				    int threads, struct bg_why *why)
{
	struct bg_onednn_matmul *matmul = calloc(1, sizeof *matmul);
	*ret = matmul;
	if (!matmul) {
		snprintf(why->text, sizeof why->text, "no memory for the state");
		return BG_ANSWER_OUT_OF_MEMORY;
	}
	enum bg_answer answer = open_library(&matmul->library, why);
	if (answer == BG_ANSWER_OK)
		answer = set_threads(&matmul->library, threads, why);
	return answer == BG_ANSWER_OK ? plan(matmul, product, why) : answer;
}

enum bg_answer bg_onednn_matmul_run(struct bg_onednn_matmul *matmul, struct bg_why *why)
{
	const dnnl_exec_arg_t operands[] = {
		{ DNNL_ARG_SRC, matmul->description.a },
		{ DNNL_ARG_WEIGHTS, matmul->description.b },
		{ DNNL_ARG_DST, matmul->description.c },
	};
	dnnl_status_t status = matmul->library.primitive_execute(
		matmul->primitive, matmul->stream, sizeof operands / sizeof *operands, operands);
	if (status == dnnl_success)
		status = matmul->library.stream_wait(matmul->stream);
	return status == dnnl_success
		       ? BG_ANSWER_OK
		       : refuse(&matmul->library, (int)status, "execute the product", why);
}

const char *bg_onednn_matmul_kernel(const struct bg_onednn_matmul *matmul)
{
	return matmul->kernel[0] ? matmul->kernel : NULL;
}

void bg_onednn_matmul_free(struct bg_onednn_matmul *matmul)
{
	if (!matmul)
		return;
	const struct library *library = &matmul->library;
	struct dnnl_memory *const memories[] = { matmul->description.a, matmul->description.b,
						 matmul->description.c };
	if (matmul->primitive)
		library->primitive_destroy(matmul->primitive);
	if (matmul->description.product)
		library->primitive_desc_destroy(matmul->description.product);
	for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
		if (memories[i])
			library->memory_destroy(memories[i]);
	if (matmul->stream)
		library->stream_destroy(matmul->stream);
	if (matmul->engine)
		library->engine_destroy(matmul->engine);
	free(matmul);
}
