#ifndef BG_BASELINES_WORKTREE_H
#define BG_BASELINES_WORKTREE_H
/*
 * The arms' work trees: two checkouts outside the repository, at paths of equal length, under a
 * folder of this run whose lock dies with us. What a crash left is removed by the next command.
 * Made by the git program, with hooks, fsmonitor and prompts off.
 */
#include "baselines/repository.h"

struct bg_worktrees {
	const char *dir;  /* private to this run, mode 0700 */
	const char *base; /* dir/base-TAG; the tag makes git's name for the tree ours alone */
	const char *head; /* dir/head-TAG: the same length */
	int lock_fd;
	const struct bg_repository *repository;
};

/*
 * Removes the work trees of dead runs (their lock is free), whatever repository they are of, and
 * their registrations in this one. Failures are no fault of the caller's: nothing is returned.
 */
void bg_worktrees_sweep(const struct bg_repository *repository, struct bg_arena *arena);

/*
 * Checks out both commits (they may be equal). On failure nothing is left behind.
 * Folder: $XDG_CACHE_HOME/batchgate/trees, else ~/.cache/batchgate/trees, else $TMPDIR, else /tmp:
 * the first that is absolute, outside the repository, writable and not mounted noexec.
 * returns BG_E_SYSTEM (git's own last line), BG_E_INTERRUPTED
 * cost    a full checkout of each
 */
BG_MUST_CHECK enum bg_status bg_worktrees_make(struct bg_worktrees *ret,
					       const struct bg_repository *repository,
					       const char *base_commit, const char *head_commit,
					       struct bg_arena *arena, struct bg_error *err);

/* Removes both; a zeroed struct is fine. Failure is reported, the rest is still tried. */
BG_MUST_CHECK enum bg_status bg_worktrees_remove(struct bg_worktrees *trees, struct bg_error *err);
#endif
