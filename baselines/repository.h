#ifndef BG_BASELINES_REPOSITORY_H
#define BG_BASELINES_REPOSITORY_H
/*
 * The user's repository, read with libgit2 (design: section 5) and, for whether files differ, the
 * git program. Nothing here changes it. Variables a hook's git sets (GIT_DIR) are not followed.
 */
#include "gate/core/arena.h"

#include <stdbool.h>

struct bg_repository {
	void *handle; /* libgit2's; private */
	const char
		*root; /* top of the work tree, absolute, no trailing slash; owned by the arena */
	const char *common_dir; /* absolute */
	bool shallow;
};

struct bg_revision {
	const char *commit;  /* full object id, hex, any length */
	const char *tree;    /* of the tree */
	const char *subject; /* first line, valid UTF-8, at most 200 bytes */
	const char *how;     /* "first parent of HEAD"; the name that was given */
};

/*
 * Finds the repository that contains dir. BG_E_SYSTEM with what to do: not a repository, bare (no
 * work tree), another user's (safe.directory), a format libgit2 cannot open.
 */
BG_MUST_CHECK enum bg_status bg_repository_open(struct bg_repository *ret, const char *dir,
						struct bg_arena *arena, struct bg_error *err);
void bg_repository_close(struct bg_repository *repository);

/* rev as git names them. BG_E_USAGE unknown, BG_E_SYSTEM unborn HEAD ("no commit yet"). */
BG_MUST_CHECK enum bg_status bg_revision_find(struct bg_revision *ret,
					      const struct bg_repository *repository,
					      const char *rev, struct bg_arena *arena,
					      struct bg_error *err);
/*
 * The base for head when the user names none: its first parent. BG_E_UNJUDGED where it has none
 * ("is the first commit") or where a shallow clone cut it off (with the line that deepens).
 */
BG_MUST_CHECK enum bg_status bg_revision_auto_base(struct bg_revision *ret,
						   const struct bg_repository *repository,
						   const struct bg_revision *head,
						   struct bg_arena *arena, struct bg_error *err);
/* Tracked files differ from HEAD, or are staged. Untracked files do not count. */
BG_MUST_CHECK enum bg_status bg_repository_is_dirty(bool *ret,
						    const struct bg_repository *repository,
						    struct bg_error *err);
#endif
