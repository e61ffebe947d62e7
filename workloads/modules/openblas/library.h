#ifndef BG_OPENBLAS_LIBRARY_H
#define BG_OPENBLAS_LIBRARY_H
/*
 * OpenBLAS, loaded by hand: it reads its environment once, while it loads, and by then that must
 * name the right core. No header of it is needed for six functions, so this module is always built
 * and tells at run time where the library is missing.
 */
#include "workloads/modules/common/cblas.h"

struct bg_openblas {
	struct bg_cblas cblas;
	void (*set_num_threads)(int count);
	int (*get_num_threads)(void);
	char *(*get_corename)(void);
	char *(*get_config)(void);
};

/*
 * Loads the library, once a process, with one thread. Sets in the environment what it lacks:
 * OPENBLAS_CORETYPE, and how soon an idle thread sleeps.
 * UNSUPPORTED where it is missing, has 64-bit sizes, or runs kernels far too old.
 */
enum bg_answer bg_openblas_open(struct bg_openblas *ret, struct bg_why *why);

/* Threads of the next calls; UNSUPPORTED where there are fewer cores, or the library has a limit.
 */
enum bg_answer bg_openblas_set_threads(const struct bg_openblas *openblas, int count,
				       struct bg_why *why);

/* "Cooperlake"; NULL while the library is not loaded. */
const char *bg_openblas_kernel(void);
#endif
