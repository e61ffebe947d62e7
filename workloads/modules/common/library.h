#ifndef BG_MODULES_LIBRARY_H
#define BG_MODULES_LIBRARY_H
/*
 * A vendor's library, loaded by hand when a case first needs it: a worker that runs another module
 * does not pay for it, its environment can be set before it is read, and where it is missing the
 * module can say so.
 */
#include "workloads/workload.h"

/* Sets an environment variable that is unset or empty. NULL leaves it. */
void bg_library_default(const char *variable, const char *value);

/*
 * Makes the idle threads of OpenMP sleep, unless the user's OMP_WAIT_POLICY says otherwise: they
 * would spin on the cores where the other side of a comparison runs by then. Works only before the
 * process' first OpenMP runtime is loaded, which reads it once.
 */
void bg_library_let_idle_threads_sleep(void);

/* UNSUPPORTED, with the loader's message and the cure, where it cannot be loaded. *ret stays
 * loaded to the end of the process. */
enum bg_answer bg_library_open(void **ret, const char *file, const char *cure, struct bg_why *why);

struct bg_symbol {
	const char *name;
	void *slot; /* address of a pointer to function */
};

/* UNSUPPORTED, naming the first that the library lacks. */
enum bg_answer bg_library_find(void *handle, const char *file, const struct bg_symbol *symbols,
			       size_t count, struct bg_why *why);
#endif
