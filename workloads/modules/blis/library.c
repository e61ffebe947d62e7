#include "workloads/modules/blis/library.h"
#include "workloads/modules/common/library.h"
#include "workloads/modules/common/room.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Of BLIS 0.9 to 1.x. Debian's alternatives point it to the build with OpenMP, with pthreads or
 * without threads. */
#define LIBRARY "libblis.so.4"

struct queries {
	void (*init)(void);
	char *(*int_type_size)(void);
	int64_t (*blas_int_type_size)(void);
	int64_t (*enable_threading)(void);
	int (*arch_query_id)(void);
	char *(*arch_string)(int id);
};

static enum bg_answer find(struct bg_blis *ret, struct queries *queries, void *handle,
			   struct bg_why *why)
{
	const struct bg_symbol symbols[] = {
		{ "cblas_sgemm", &ret->cblas.sgemm },
		{ "cblas_dgemm", &ret->cblas.dgemm },
		{ "bli_thread_set_num_threads", &ret->set_num_threads },
		{ "bli_thread_get_num_threads", &ret->get_num_threads },
		{ "bli_init", &queries->init },
		{ "bli_info_get_int_type_size_str", &queries->int_type_size },
		{ "bli_info_get_blas_int_type_size", &queries->blas_int_type_size },
		{ "bli_info_get_enable_threading", &queries->enable_threading },
		{ "bli_arch_query_id", &queries->arch_query_id },
		{ "bli_arch_string", &queries->arch_string },
	};
	return bg_library_find(handle, LIBRARY, symbols, sizeof symbols / sizeof *symbols, why);
}

static bool is_too_old(const char *arch)
{
#if defined(__x86_64__)
	/* What BLIS has for x86 processors without AVX2 and FMA. */
	static const char *const old[] = { "generic",	"penryn",     "sandybridge",
					   "bulldozer", "piledriver", "steamroller" };
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
		return false;
	for (size_t i = 0; i < sizeof old / sizeof *old; i++)
		if (strcmp(arch, old[i]) == 0)
			return true;
#else
	(void)arch;
#endif
	return false;
}

enum bg_answer bg_blis_open(struct bg_blis *ret, struct bg_why *why)
{
	void *handle;
	struct queries queries;
	bg_library_let_idle_threads_sleep();
	enum bg_answer answer =
		bg_library_open(&handle, LIBRARY, "install BLIS (libblis4-pthread)", why);
	if (answer == BG_ANSWER_OK)
		answer = find(ret, &queries, handle, why);
	if (answer != BG_ANSWER_OK)
		return answer;
	if (strcmp(queries.int_type_size(), "64") != 0 || queries.blas_int_type_size() != 32) {
		snprintf(why->text, sizeof why->text,
			 LIBRARY " is not built for sizes of 64 bits in BLIS and of 32 in BLAS: "
				 "install one that is");
		return BG_ANSWER_UNSUPPORTED;
	}
	/* 0.9 dies of a BLIS_ARCH_TYPE when it is first asked for the kernels. */
	queries.init();
	const char *arch = queries.arch_string(queries.arch_query_id());
	if (is_too_old(arch)) {
		snprintf(why->text, sizeof why->text,
			 "BLIS runs its kernels for %s, several times too slow for this processor: "
			 "unset BLIS_ARCH_TYPE, or install a BLIS built for x86_64",
			 arch);
		return BG_ANSWER_UNSUPPORTED;
	}
	ret->has_threads = queries.enable_threading() != 0;
	return BG_ANSWER_OK;
}

enum bg_answer bg_blis_set_threads(const struct bg_blis *blis, int count, struct bg_why *why)
{
	enum bg_answer answer = bg_room_cores(count, why);
	if (answer != BG_ANSWER_OK)
		return answer;
	if (count > 1 && !blis->has_threads) {
		snprintf(why->text, sizeof why->text,
			 "this BLIS is built without threads: install libblis4-pthread");
		return BG_ANSWER_UNSUPPORTED;
	}
	blis->set_num_threads(count);
	if (blis->get_num_threads() != count) {
		snprintf(why->text, sizeof why->text, "BLIS takes %lld of %d threads",
			 (long long)blis->get_num_threads(), count);
		return BG_ANSWER_UNSUPPORTED;
	}
	return BG_ANSWER_OK;
}

const char *bg_blis_kernel(void)
{
	struct bg_blis blis;
	struct queries queries;
	struct bg_why why;
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	enum bg_answer answer = find(&blis, &queries, handle, &why);
	/* The library itself stays: bg_blis_open keeps its handle. */
	dlclose(handle);
	return answer == BG_ANSWER_OK ? queries.arch_string(queries.arch_query_id()) : NULL;
}
