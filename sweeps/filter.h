#ifndef BG_SWEEPS_FILTER_H
#define BG_SWEEPS_FILTER_H
/* --only and --axis, applied while cases are made. */
#include "sweeps/case.h"

/* Whether a case of that name is wanted. */
bool bg_filter_takes(const struct bg_filter *filter, const char *name);

/*
 * Replaces the values of the entry's axes by those of --axis, and adds axes that a built-in has and
 * the suite does not set. used[i] becomes true where axes[i] applied.
 * returns BG_E_USAGE: values that are none
 */
BG_MUST_CHECK enum bg_status bg_filter_axes(const struct bg_filter *filter,
					    struct bg_workload_entry *entry,
					    const struct bg_catalogue *catalogue, bool *used,
					    struct bg_arena *arena, struct bg_error *err);
#endif
