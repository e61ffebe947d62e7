#include "baselines/worktree.h"

#include "baselines/git_program.h"
#include "baselines/run_folder.h"
#include "gate/core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* git's last words, which are all that is shown of it. */
#define LOG_TAIL_SIZE 8192
/* A registration without a run's folder is another user's of the cache or container's: let it age.
 */
#define STALE_S (24 * 60 * 60)

static void arena_drop(struct bg_arena *arena)
{
	bg_arena_release(arena);
}

/*
 * git names a tree's registration, a folder in .git/worktrees, after the last part of its path. The
 * run's tag in it tells whose it is even where git was killed before it wrote the path in.
 */
static const char *registration(const struct bg_repository *repository, const char *tree,
				struct bg_arena *arena)
{
	return bg_arena_format(arena, "%s/worktrees/%s", repository->common_dir,
			       strrchr(tree, '/') + 1);
}

static const char *tail_of(int fd, struct bg_arena *arena)
{
	char tail[LOG_TAIL_SIZE];
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t got = pread(fd, tail, sizeof tail,
			    end > (off_t)sizeof tail ? end - (off_t)sizeof tail : 0);
	return got > 0 ? bg_arena_bytes(arena, tail, (size_t)got) : "";
}

/*
 * git's output goes to the lock file: git's own children hold the lock with it, so that a sweep
 * after our death does not remove the tree under a checkout that is still going on.
 */
static enum bg_status add_tree(const struct bg_worktrees *trees, const char *tree,
			       const char *commit, struct bg_arena *arena, struct bg_error *err)
{
	const char *const args[] = { "worktree", "add", "--detach", "--force", tree, commit, NULL };
	struct bg_git_command command = { .dir = trees->repository->root,
					  .args = args,
					  .log_fd = trees->lock_fd };
	int exit_status = 0;
	enum bg_status status = bg_git_run(&exit_status, NULL, &command, err);
	if (status == BG_OK && exit_status != 0)
		status = bg_fail(err, BG_E_SYSTEM, "%s: git worktree add %.12s: %s", tree, commit,
				 bg_git_reason(tail_of(trees->lock_fd, arena), arena));
	return status;
}

enum bg_status bg_worktrees_make(struct bg_worktrees *ret, const struct bg_repository *repository,
				 const char *base_commit, const char *head_commit,
				 struct bg_arena *arena, struct bg_error *err)
{
	struct bg_run_folder folder;
	if (bg_run_folder_make(&folder, repository->root, arena, err) != BG_OK)
		return err->status;
	struct bg_worktrees trees = {
		.dir = folder.path,
		.base = bg_arena_format(arena, "%s/base-%s", folder.path, folder.tag),
		.head = bg_arena_format(arena, "%s/head-%s", folder.path, folder.tag),
		.lock_fd = folder.lock_fd,
		.repository = repository,
	};
	enum bg_status status = add_tree(&trees, trees.base, base_commit, arena, err);
	if (status == BG_OK)
		status = add_tree(&trees, trees.head, head_commit, arena, err);
	if (status == BG_OK) {
		*ret = trees;
		return BG_OK;
	}
	struct bg_error ignored = BG_ERROR_INIT;
	(void)!bg_worktrees_remove(&trees, &ignored);
	return status;
}

/* The first fault is kept, the rest is still tried. */
static void try_remove(const char *path, struct bg_error *first)
{
	struct bg_error err = BG_ERROR_INIT;
	if (bg_tree_remove(path, &err) != BG_OK && first->status == BG_OK)
		(void)bg_fail(first, err.status, "%s", err.text);
}

enum bg_status bg_worktrees_remove(struct bg_worktrees *trees, struct bg_error *err)
{
	if (!trees->dir)
		return BG_OK;
	BG_AUTO(arena_drop) struct bg_arena arena = BG_ARENA_INIT;
	struct bg_error first = BG_ERROR_INIT, last = BG_ERROR_INIT;
	try_remove(trees->base, &first);
	try_remove(trees->head, &first);
	/* What git worktree remove does, less the removal of an emptied .git/worktrees, which makes
	 * another command's git worktree add fail. */
	try_remove(registration(trees->repository, trees->base, &arena), &first);
	try_remove(registration(trees->repository, trees->head, &arena), &first);
	if (bg_run_folder_remove(trees->dir, trees->lock_fd, &last) != BG_OK &&
	    first.status == BG_OK)
		first = last;
	*trees = (struct bg_worktrees){ .lock_fd = -1 };
	return first.status == BG_OK ? BG_OK : bg_fail(err, first.status, "%s", first.text);
}

struct burial {
	const struct bg_repository *repository;
	struct bg_arena *arena;
};

static void bury(const struct bg_run_folder *dead, void *context)
{
	struct burial *burial = context;
	struct bg_worktrees trees = {
		.dir = dead->path,
		.base = bg_arena_format(burial->arena, "%s/base-%s", dead->path, dead->tag),
		.head = bg_arena_format(burial->arena, "%s/head-%s", dead->path, dead->tag),
		.lock_fd = dead->lock_fd,
		.repository = burial->repository,
	};
	struct bg_error ignored = BG_ERROR_INIT;
	(void)!bg_worktrees_remove(&trees, &ignored);
}

void bg_worktrees_sweep(const struct bg_repository *repository, struct bg_arena *arena)
{
	struct burial burial = { repository, arena };
	bg_run_folders_sweep(bury, &burial, arena);
}
