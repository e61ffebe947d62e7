#include "workloads/modules/openblas/library.h"
#include "workloads/modules/common/library.h"
#include "workloads/modules/common/room.h"
#include "workloads/modules/openblas/core.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libopenblas.so.0"

/*
 * One thread at load: it would start one a core at once. Its idle threads spin for 2^26 cycles
 * before they sleep, on the cores where the other side of a comparison runs by then: 29 ms of CPU
 * time after each step at 2.3 GHz. 2^16 cycles, some 30 us, still bridge the gap between two calls.
 * A build on OpenMP leaves the same to libgomp, and loses 5 % on a call of 1 ms when it is passive.
 */
static void prepare_environment(void)
{
	bg_library_default("OPENBLAS_CORETYPE", bg_openblas_core());
	bg_library_default("OPENBLAS_THREAD_TIMEOUT", "16");
	bg_library_let_idle_threads_sleep();
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

enum bg_answer bg_openblas_open(struct bg_openblas *ret, struct bg_why *why)
{
	const struct bg_symbol symbols[] = {
		{ "cblas_sgemm", &ret->cblas.sgemm },
		{ "cblas_dgemm", &ret->cblas.dgemm },
		{ "openblas_set_num_threads", &ret->set_num_threads },
		{ "openblas_get_num_threads", &ret->get_num_threads },
		{ "openblas_get_corename", &ret->get_corename },
		{ "openblas_get_config", &ret->get_config },
	};
	void *handle;
	prepare_environment();
	enum bg_answer answer =
		bg_library_open(&handle, LIBRARY, "install OpenBLAS (libopenblas0)", why);
	if (answer == BG_ANSWER_OK)
		answer = bg_library_find(handle, LIBRARY, symbols, sizeof symbols / sizeof *symbols,
					 why);
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
	enum bg_answer answer = bg_room_cores(count, why);
	if (answer != BG_ANSWER_OK)
		return answer;
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
