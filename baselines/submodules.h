#ifndef BG_BASELINES_SUBMODULES_H
#define BG_BASELINES_SUBMODULES_H
/*
 * Submodules of an arm's tree, at the commits that it records, nested ones too. Their objects come
 * from the user's own clones of them, which are only read; what those lack is fetched into a
 * repository of this run, which a relative .git in the submodule's folder names.
 */
#include "baselines/worktree.h"

#define BG_SUBMODULES_MAX 1000 /* of one tree */
#define BG_SUBMODULES_DEPTH_MAX 16

struct bg_submodules {
	size_t filled;
	size_t absent_count; /* that the user's clone never initialised: their folders are empty */
	const char *absent;  /* the first one's path; NULL: none */
};

struct bg_submodules_ask {
	const struct bg_worktrees *trees;
	const char *tree; /* trees->base or trees->head: checked out, its submodules empty */
	bool may_fetch;	  /* what is not here, from the submodule's own remote */
};

/*
 * returns  BG_E_SYSTEM: a submodule's commit that is neither here nor can be fetched, with what to
 *          do; past the bounds; BG_E_INPUT: a name that would lead out of the repository
 * cost     a full checkout of each
 */
BG_MUST_CHECK enum bg_status bg_submodules_fill(struct bg_submodules *ret,
						const struct bg_submodules_ask *ask,
						struct bg_arena *arena, struct bg_error *err);
#endif
