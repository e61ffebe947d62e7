#include "workloads/modules/openblas/library.h"
#include "workloads/modules/openblas/core.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libopenblas.so.0"

static void set_where_empty(const char *name, const char *value)
{
	const char *old = getenv(name);
	if (value && (!old || !*old))
		setenv(name, value, 1);
}

/*
 * One thread at load: it would start one a core at once. Its idle threads spin for 2^26 cycles
 * before they sleep, on the cores where the other side of a comparison runs by then: 29 ms of CPU
 * time after each step at 2.3 GHz. 2^16 cycles, some 30 us, still bridge the gap between two calls.
 * A build on OpenMP leaves the same to libgomp, and loses 5 % on a call of 1 ms when it is passive.
 */
static void prepare_environment(void)
{
	set_where_empty("OPENBLAS_CORETYPE", bg_openblas_core());
	set_where_empty("OPENBLAS_THREAD_TIMEOUT", "16");
	set_where_empty("OMP_WAIT_POLICY", "passive");
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

static enum bg_answer find_functions(struct bg_openblas *ret, void *handle, struct bg_why *why)
{
	struct {
		const char *name;
		void *slot;
	} const functions[] = {
		{ "cblas_sgemm", &ret->sgemm },
		{ "cblas_dgemm", &ret->dgemm },
		{ "openblas_set_num_threads", &ret->set_num_threads },
		{ "openblas_get_num_threads", &ret->get_num_threads },
		{ "openblas_get_corename", &ret->get_corename },
		{ "openblas_get_config", &ret->get_config },
	};
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *symbol = dlsym(handle, functions[i].name);
		if (!symbol) {
			snprintf(why->text, sizeof why->text, LIBRARY " has no %s",
				 functions[i].name);
			return BG_ANSWER_UNSUPPORTED;
		}
		memcpy(functions[i].slot, &symbol, sizeof symbol);
	}
	return BG_ANSWER_OK;
}

enum bg_answer bg_openblas_open(struct bg_openblas *ret, struct bg_why *why)
{
	prepare_environment();
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		snprintf(why->text, sizeof why->text, "%s: install OpenBLAS (libopenblas0)",
			 dlerror());
		return BG_ANSWER_UNSUPPORTED;
	}
	enum bg_answer answer = find_functions(ret, handle, why);
	if (answer != BG_ANSWER_OK)
		return answer;
	if (strstr(ret->get_config(), "USE64BITINT")) {
		snprintf(why->text, sizeof why->text,
			 LIBRARY " is built for 64-bit sizes (INTERFACE64): install one without");
		return BG_ANSWER_UNSUPPORTED;
	}
	if (bg_openblas_core_is_too_old(ret->get_corename())) {
		snprintf(why->text, sizeof why->text,
			 "OpenBLAS runs its kernels for %s, several times too slow for this "
			 "processor: unset OPENBLAS_CORETYPE, or install an OpenBLAS built with "
			 "DYNAMIC_ARCH",
			 ret->get_corename());
		return BG_ANSWER_UNSUPPORTED;
	}
	return BG_ANSWER_OK;
}

enum bg_answer bg_openblas_set_threads(const struct bg_openblas *openblas, int count,
				       struct bg_why *why)
{
	cpu_set_t cpus;
	/* Fails past 1024 CPUs; the library's own limit remains then. */
	if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) < count) {
		snprintf(why->text, sizeof why->text, "%d threads, but the process may use %d %s",
			 count, CPU_COUNT(&cpus), CPU_COUNT(&cpus) == 1 ? "core" : "cores");
		return BG_ANSWER_UNSUPPORTED;
	}
	openblas->set_num_threads(count);
	if (openblas->get_num_threads() != count) {
		snprintf(why->text, sizeof why->text, "OpenBLAS takes %d of %d threads",
			 openblas->get_num_threads(), count);
		return BG_ANSWER_UNSUPPORTED;
	}
	return BG_ANSWER_OK;
}

const char *bg_openblas_kernel(void)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	char *(*get_corename)(void) = NULL;
	void *symbol = dlsym(handle, "openblas_get_corename");
	memcpy(&get_corename, &symbol, sizeof symbol);
	/* The library itself stays: bg_openblas_open keeps its handle. */
	dlclose(handle);
	return get_corename ? get_corename() : NULL;
}
