#include "baselines/worktree.h"

#include "gate/core/descriptor.h"
#include "baselines/git_program.h"
#include "baselines/run_folder.h"
#include "gate/core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of what git says, as much is looked through for its reason. */
#define LOG_SIZE_MAX 16384
/* A git worktree add without checkout takes milliseconds: 10 s are for a machine in trouble. */
#define LOCK_ATTEMPTS 2000
#define LOCK_NAP_NS 5000000
#define REGISTER_ATTEMPTS 5
#define REGISTER_NAP_NS 50000000
/*
 * A registration without its run's folder may be of a run that lives where another folder is seen
 * under the same name, in a container: it is left for a day.
 */
#define STALE_S (24L * 60 * 60)

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

static const char *log_from(int fd, off_t start, struct bg_arena *arena)
{
	char *log = bg_arena_alloc(arena, LOG_SIZE_MAX + 1);
	(void)!pread(fd, log, LOG_SIZE_MAX, start);
	return log;
}

/*
 * One registration at a time: git worktree add reads the others and dies of one that another
 * command is writing. The folder itself is locked, so nothing is left in the repository. Where
 * there are no such locks (NFS) or the holder stands still, we go on: see names_another.
 */
static int lock_registrations(const struct bg_repository *repository)
{
	int fd = open(repository->common_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < LOCK_ATTEMPTS; i++) {
		struct timespec nap = { 0, LOCK_NAP_NS };
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			break;
		nanosleep(&nap, NULL);
	}
	return fd;
}

/*
 * Runs git; *reason is NULL where it succeeded. Its output goes to the run's lock file: git's own
 * children hold the lock with it, so that a sweep after our death does not remove the tree under a
 * checkout that is still going on.
 */
static enum bg_status run_git(const char **reason, const struct bg_worktrees *trees,
			      const struct bg_git_command *command, struct bg_arena *arena,
			      struct bg_error *err)
{
	struct bg_git_command logged = *command;
	off_t start = lseek(trees->lock_fd, 0, SEEK_END);
	int exit_status = 0;
	logged.log_fd = trees->lock_fd;
	enum bg_status status = bg_git_run(&exit_status, NULL, &logged, err);
	*reason = status == BG_OK && exit_status != 0
			  ? bg_git_reason(log_from(trees->lock_fd, start, arena), arena)
			  : NULL;
	return status;
}

/* git died of a registration that a user's git, or the git of a killed command, is writing. */
static bool names_another(const char *reason)
{
	return strstr(reason, "/worktrees/") != NULL;
}

/* Without the checkout, which takes long and disturbs nobody. */
static enum bg_status register_tree(const struct bg_worktrees *trees, const char *tree,
				    const char *commit, struct bg_arena *arena,
				    struct bg_error *err)
{
	const char *const args[] = { "worktree", "add", "--no-checkout", "--detach",
				     "--force",	 tree,	commit,		 NULL };
	struct bg_git_command command = { .dir = trees->repository->root, .args = args };
	const char *reason = NULL;
	for (int i = 0; i < REGISTER_ATTEMPTS; i++) {
		struct bg_error ignored = BG_ERROR_INIT;
		struct timespec nap = { 0, REGISTER_NAP_NS };
		int lock = lock_registrations(trees->repository);
		enum bg_status status = run_git(&reason, trees, &command, arena, err);
		bg_descriptor_drop(&lock);
		if (status != BG_OK || !reason)
			return status;
		if (!names_another(reason))
			break;
		(void)!bg_tree_remove(tree, &ignored);
		bg_error_clear(&ignored);
		(void)!bg_tree_remove(registration(trees->repository, tree, arena), &ignored);
		nanosleep(&nap, NULL);
	}
	return bg_fail(err, BG_E_SYSTEM, "%s: git worktree add %.12s: %s", tree, commit, reason);
}

static enum bg_status add_tree(const struct bg_worktrees *trees, const char *tree,
			       const char *commit, struct bg_arena *arena, struct bg_error *err)
{
	/* Whole commits are judged, whatever part of them the user has checked out. */
	static const char *const args[] = { "-c",     "core.sparseCheckout=false", "reset",
					    "--hard", "--no-recurse-submodules",   NULL };
	struct bg_git_command command = { .dir = tree, .args = args };
	const char *reason;
	enum bg_status status = register_tree(trees, tree, commit, arena, err);
	if (status == BG_OK)
		status = run_git(&reason, trees, &command, arena, err);
	if (status == BG_OK && reason)
		status = bg_fail(err, BG_E_SYSTEM, "%s: cannot check out %.12s: %s", tree, commit,
				 reason);
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
	int lock = lock_registrations(trees->repository);
	/* What git worktree remove does, less the removal of an emptied .git/worktrees, which makes
	 * another command's git worktree add fail. */
	try_remove(registration(trees->repository, trees->base, &arena), &first);
	try_remove(registration(trees->repository, trees->head, &arena), &first);
	bg_descriptor_drop(&lock);
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

/* True where a registration names a tree of a run of ours and neither tree nor run is there. */
static bool is_stale(const char *path, const char *name, struct bg_arena *arena)
{
	struct bg_error ignored = BG_ERROR_INIT;
	struct stat info;
	char *tree;
	size_t size;
	if (lstat(path, &info) != 0 || time(NULL) - info.st_mtime < STALE_S ||
	    bg_file_read(&tree, &size, bg_arena_format(arena, "%s/gitdir", path), PATH_MAX, arena,
			 &ignored) != BG_OK)
		return false;
	/* FOLDER/PREFIX-TAG/base-TAG/.git, with a line end. */
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(tree, '/');
		if (!slash || (i == 1 && strcmp(slash + 1, name) != 0))
			return false;
		*slash = '\0';
	}
	return bg_run_folder_owns(tree, name + strlen("base-")) && lstat(tree, &info) != 0 &&
	       errno == ENOENT;
}

/*
 * Registrations whose run's folder was removed by the sweep of another repository's command, or
 * with the whole cache. git would prune them too, after three months; a user's own are not touched.
 */
static void sweep_registrations(const struct bg_repository *repository, struct bg_arena *arena)
{
	const char *folder = bg_arena_format(arena, "%s/worktrees", repository->common_dir);
	DIR *entries = opendir(folder);
	for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
		const char *name = entry->d_name;
		struct bg_error ignored = BG_ERROR_INIT;
		if (strncmp(name, "base-", 5) != 0 && strncmp(name, "head-", 5) != 0)
			continue;
		const char *path = bg_arena_format(arena, "%s/%s", folder, name);
		if (is_stale(path, name, arena))
			(void)!bg_tree_remove(path, &ignored);
	}
	if (entries)
		closedir(entries);
}

void bg_worktrees_sweep(const struct bg_repository *repository, struct bg_arena *arena)
{
	struct burial burial = { repository, arena };
	bg_run_folders_sweep(bury, &burial, arena);
	sweep_registrations(repository, arena);
}
