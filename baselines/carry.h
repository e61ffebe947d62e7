#ifndef BG_BASELINES_CARRY_H
#define BG_BASELINES_CARRY_H
/*
 * What goes into the arms' trees besides their commits: head's harness for base, and the user's
 * own ignored files for both. A path is relative, names something below the tree and has no "..".
 */
#include "gate/core/error.h"

#define BG_CARRY_SIZE_MAX (UINT64_C(4) << 30)
#define BG_CARRY_COUNT_MAX UINT64_C(200000)

/*
 * Replaces path in base's tree by what head's tree has there: a file, a link, or a folder with all
 * that is in it, less git's own (.git). Files that only base has in such a folder go. No link is
 * followed in either tree; one that stands in base on the way to path is replaced by a folder.
 *
 * returns  BG_E_INPUT: head has no such path, or a link on the way to it; BG_E_SYSTEM, also past
 *          BG_CARRY_SIZE_MAX bytes or BG_CARRY_COUNT_MAX files
 */
BG_MUST_CHECK enum bg_status bg_carry(const char *base, const char *head, const char *path,
				      struct bg_error *err);

/* A tree to link into, and its name in messages. */
struct bg_link_place {
	const char *tree; /* absolute */
	const char *arm;  /* "base", "head" */
};

/*
 * Makes path in the tree a link to the same path in the user's work tree at root; folders on the
 * way are made. The tree is as it was checked out: what is there already is tracked.
 *
 * returns  BG_E_INPUT: missing below root, tracked, or a link or a file on the way; BG_E_SYSTEM
 */
BG_MUST_CHECK enum bg_status bg_link_in(const struct bg_link_place *place, const char *root,
					const char *path, struct bg_error *err);
#endif
