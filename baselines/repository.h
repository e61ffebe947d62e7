#ifndef BG_BASELINES_REPOSITORY_H
#define BG_BASELINES_REPOSITORY_H
/*
 * The user's repository, read by the git program: whatever git can read (SHA-256 objects,
 * reftables, partial clones, a safe.directory of "*"), a reader of our own would have to know too,
 * and a question costs 2 ms. Nothing here changes it. Variables a hook's git sets (GIT_DIR) are not
 * followed.
 */
#include "gate/core/arena.h"

#include <stdbool.h>

struct bg_repository {
	void *handle; /* libgit2's, for notes; NULL where it cannot read what git can */
	const char
		*root; /* top of the work tree, absolute, no trailing slash; owned by the arena */
	const char *common_dir; /* absolute */
	bool shallow;
};

struct bg_revision {
	const char *commit;  /* full object id, hex, any length */
	const char *tree;    /* of the tree */
	const char *parent;  /* parents[0]; NULL of a root */
	const char *branch;  /* "main", where rev named a branch or HEAD is on one; else NULL */
	const char *subject; /* first line, valid UTF-8, at most 200 bytes */
	const char *how;     /* "first parent of HEAD"; the name that was given */
	size_t parent_count; /* as the commit itself has them, in a shallow clone too */
	const char **parents;
};

/*
 * Finds the repository that contains dir. BG_E_SYSTEM with what to do: not a repository, bare (no
 * work tree), another user's (safe.directory), a format git cannot open.
 */
BG_MUST_CHECK enum bg_status bg_repository_open(struct bg_repository *ret, const char *dir,
						struct bg_arena *arena, struct bg_error *err);
/* A zeroed or closed one is fine. */
void bg_repository_close(struct bg_repository *repository);

/* BG_E_SYSTEM, with what to do, where handle is NULL. */
BG_MUST_CHECK enum bg_status bg_repository_need_handle(const struct bg_repository *repository,
						       struct bg_error *err);

/* rev as git names them. BG_E_USAGE unknown, BG_E_SYSTEM unborn HEAD ("no commit yet"). */
BG_MUST_CHECK enum bg_status bg_revision_find(struct bg_revision *ret,
					      const struct bg_repository *repository,
					      const char *rev, struct bg_arena *arena,
					      struct bg_error *err);
/* Whether the commit with this full object id is in the clone. */
BG_MUST_CHECK enum bg_status bg_revision_is_here(bool *ret, const struct bg_repository *repository,
						 const char *commit, struct bg_error *err);
/* Tracked files differ from HEAD, or are staged. Untracked files do not count. */
BG_MUST_CHECK enum bg_status bg_repository_is_dirty(bool *ret,
						    const struct bg_repository *repository,
						    struct bg_error *err);
#endif
