#ifndef BG_SWEEPS_OWN_CASE_H
#define BG_SWEEPS_OWN_CASE_H
/* An entry with its own worker against what that worker offers. */
#include "sweeps/builtin_case.h"

struct bg_own_form {
	const char *workload;  /* what its worker calls it */
	const char *unchecked; /* not NULL: nobody said what it offers, and builtin is empty */
	const char *fault;     /* not NULL: head's worker does not work */
	bool base_works;       /* with a fault: base's does */
	struct bg_builtin builtin;
};

struct bg_own_question {
	const struct bg_suite *suite;
	const struct bg_catalogue *catalogue;
	bool lenient; /* what is not offered is no error, but unchecked */
};

/*
 * Checks an entry's workload, axes and values. Gives a plugin's entry the name of its operation,
 * and a workload that has an axis of that name the entry's threads.
 * returns BG_E_INPUT with file:line:column, where head's worker answered
 */
BG_MUST_CHECK enum bg_status bg_own_resolve(struct bg_own_form *ret,
					    const struct bg_own_question *question,
					    struct bg_workload_entry *entry, struct bg_arena *arena,
					    struct bg_error *err);
#endif
