#ifndef BG_BLIS_LIBRARY_H
#define BG_BLIS_LIBRARY_H
/*
 * BLIS, loaded by hand: no header of it is needed for a few functions, so this module is always
 * built and tells at run time where the library is missing. It chooses its kernels by the
 * processor; BLIS_ARCH_TYPE in the environment overrides that, by a number of the version's own.
 */
#include "workloads/modules/common/cblas.h"

#include <stdbool.h>

struct bg_blis {
	struct bg_cblas cblas;
	/* BLIS' dim_t and gint_t: 64 bits here, which bg_blis_open has checked */
	void (*set_num_threads)(int64_t count);
	int64_t (*get_num_threads)(void);
	bool has_threads;
};

/*
 * Loads the library, once a process.
 * UNSUPPORTED where it is missing, has sizes of another width, or runs kernels far too old.
 */
enum bg_answer bg_blis_open(struct bg_blis *ret, struct bg_why *why);

/* Threads of the next calls; UNSUPPORTED where there are fewer cores, or the library has none. */
enum bg_answer bg_blis_set_threads(const struct bg_blis *blis, int count, struct bg_why *why);

/* "skx"; NULL while the library is not loaded. */
const char *bg_blis_kernel(void);
#endif
