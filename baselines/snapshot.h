#ifndef BG_BASELINES_SNAPSHOT_H
#define BG_BASELINES_SNAPSHOT_H
/*
 * The user's files as they stand, for --head worktree: HEAD's checkout, brought to the state of the
 * user's work tree. Tracked files as they are, staged or not; files that are not tracked and not
 * ignored; deleted files gone. Nothing of the user's repository is changed, and no ignored file is
 * read.
 */
#include "baselines/worktree.h"

#define BG_SNAPSHOT_SIZE_MAX (UINT64_C(4) << 30)
#define BG_SNAPSHOT_COUNT_MAX UINT64_C(200000)

struct bg_snapshot {
	size_t changed, untracked, deleted; /* files */
	size_t submodules;		    /* that differ, and were not taken along */
	/* What could not be taken along, a line each: submodules with changes, nested repositories.
	 */
	size_t remark_count;
	const char **remarks;
};

/*
 * left_out  absolute path of a folder that is not the user's work though git does not ignore it:
 *           our own output; NULL: none
 * trees->head holds a checkout of the commit that is checked out in the user's work tree.
 * returns  BG_E_INPUT: an unmerged conflict, a file that keeps changing while it is copied;
 *          BG_E_SYSTEM, also past the bounds; BG_E_INTERRUPTED
 * cost     two walks of the work tree by git, and the changed files' bytes
 */
BG_MUST_CHECK enum bg_status bg_snapshot_take(struct bg_snapshot *ret,
					      const struct bg_worktrees *trees,
					      const char *left_out, struct bg_arena *arena,
					      struct bg_error *err);
#endif
