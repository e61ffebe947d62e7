#ifndef BG_SWEEPS_ALIAS_H
#define BG_SWEEPS_ALIAS_H
/*
 * `aliases:`: names that workloads and cases had before, so that a renamed one is compared with
 * what it was. A case's own alias comes before its workload's; aliases chain, as in
 * { c: b, b: a } for what was called a, then b and now c.
 */
#include "sweeps/case.h"
#include "sweeps/node.h"

/* A case's name in aliases: and removed: has this many bytes at most. */
#define BG_OLD_NAME_MAX 1000
/* How often one thing may have been renamed. */
#define BG_RENAMES_MAX 64

/* Reads the map into suite->aliases; what the names mean is for bg_aliases_check. BG_E_INPUT. */
BG_MUST_CHECK enum bg_status bg_aliases_read(struct bg_suite *suite, const struct bg_node *node,
					     struct bg_error *err);

/*
 * Checks a suite's aliases against its own cases: a name must be there, or be the old name of one
 * that is; an old name must not be there, nor belong to two.
 *
 * names    of all cases of the suite; NULL where they are not known (--axis): then only what the
 *          workloads' names tell is checked
 * returns  BG_E_INPUT with file:line:column
 * cost     O(aliases + workloads)
 */
BG_MUST_CHECK enum bg_status bg_aliases_check(const struct bg_suite *suite,
					      const struct bg_name_map *names,
					      struct bg_arena *arena, struct bg_error *err);

/* For finding aliases by name. Owned by the arena. */
struct bg_alias_index {
	const struct bg_suite *suite;
	struct bg_name_map map; /* of names, with their places in suite->aliases */
};

void bg_alias_index_make(struct bg_alias_index *ret, const struct bg_suite *suite,
			 struct bg_arena *arena);

/*
 * The name that a workload or case had one alias before, or NULL. Owned by the arena. Asking again
 * with the answer goes further back; BG_RENAMES_MAX answers are the most a checked suite has. O(1)
 * expected.
 */
const char *bg_alias_old_name(const struct bg_alias_index *index, const char *name,
			      struct bg_arena *arena);
#endif
