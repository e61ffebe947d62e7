#ifndef BG_SWEEPS_REMOVAL_H
#define BG_SWEEPS_REMOVAL_H
/* `removed:`: what a suite dropped on purpose, so that it is REMOVED and not MISSING. */
#include "sweeps/case.h"
#include "sweeps/node.h"

/* Reads the list into suite->removals; what is named is for bg_removed_check. BG_E_INPUT. */
BG_MUST_CHECK enum bg_status bg_removed_read(struct bg_suite *suite, const struct bg_node *node,
					     struct bg_error *err);

/*
 * Checks that a suite's removals name nothing that it still has, nor the old name of something it
 * has.
 *
 * names    of all cases of the suite; NULL where they are not known (--axis): then only what the
 *          workloads' names tell is checked
 * returns  BG_E_INPUT with file:line:column
 * cost     O(globs x cases)
 */
BG_MUST_CHECK enum bg_status bg_removed_check(const struct bg_suite *suite,
					      const struct bg_name_map *names,
					      struct bg_arena *arena, struct bg_error *err);

/* The first removal that names a case or its workload, or NULL. O(removals). */
const struct bg_removal *bg_removal_of(const struct bg_suite *suite, const char *name,
				       const char *workload);
#endif
