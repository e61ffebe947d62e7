#include "baselines/snapshot.h"

#include "baselines/beneath.h"
#include "baselines/copy.h"
#include "baselines/git_program.h"
#include "gate/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_SIZE_MAX ((size_t)256 << 20) /* of paths, as git lists them */
#define REMARKS_MAX 8

struct taking {
	struct bg_snapshot *ret;
	const char *root, *tree; /* from, to */
	const char *left_out;
	const struct bg_worktrees *trees;
	struct bg_copy copy;
	struct bg_arena *arena;
	struct bg_error *err;
};

static enum bg_status list(struct bg_buffer *ret, const struct taking *t, const char *const *args)
{
	struct bg_git_command command = {
		.dir = t->root, .args = args, .log_fd = -1, .error_fd = t->trees->lock_fd
	};
	int exit_status = 0;
	bg_buffer_init(ret, LIST_SIZE_MAX);
	enum bg_status status = bg_git_run(&exit_status, ret, &command, t->err);
	if (status != BG_OK)
		return status;
	if (exit_status != 0)
		return bg_fail(t->err, BG_E_SYSTEM,
			       "%s: git %s ended with exit status %d: run it there to see why",
			       t->root, args[0], exit_status);
	if (ret->full)
		return bg_fail(t->err, BG_E_SYSTEM,
			       "%s: too many changed files: commit them and judge the commit",
			       t->root);
	return BG_OK;
}

static void remark(struct taking *t, const char *before, const char *path, const char *after)
{
	struct bg_snapshot *ret = t->ret;
	if (ret->remark_count == REMARKS_MAX)
		return;
	if (!ret->remarks)
		ret->remarks = bg_arena_array(t->arena, REMARKS_MAX, sizeof *ret->remarks);
	ret->remarks[ret->remark_count++] =
		bg_arena_format(t->arena, "%s%.300s%s", before, path, after);
}

/* Folders that git would not keep, since nothing is left in them. */
static void remove_empty_parents(const struct taking *t, const char *path)
{
	char *folder = bg_arena_format(t->arena, "%s/%s", t->tree, path);
	for (char *slash = strrchr(folder, '/'); slash && slash > folder + strlen(t->tree);
	     slash = strrchr(folder, '/')) {
		*slash = '\0';
		if (rmdir(folder) != 0)
			return;
	}
}

static enum bg_status remove_path(struct taking *t, const char *path)
{
	BG_AUTO(bg_beneath_close) struct bg_beneath at = { .folder_fd = -1 };
	if (bg_beneath_open(&at, t->tree, path, BG_BENEATH_LOOK) != BG_BENEATH_REACHED)
		return BG_OK;
	const char *whole = bg_arena_format(t->arena, "%s/%s", t->tree, path);
	if (bg_tree_remove(whole, t->err) != BG_OK)
		return t->err->status;
	remove_empty_parents(t, path);
	return BG_OK;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mode == b->st_mode && same_time(a->st_mtim, b->st_mtim) &&
	       same_time(a->st_ctim, b->st_ctim);
}

static enum bg_status cannot(struct taking *t, const char *path)
{
	return bg_fail(t->err, BG_E_SYSTEM, "%s/%s: cannot be copied: %s", t->root, path,
		       strerror(errno));
}

/* One copy between two looks at the file; *steady is false where they differ. */
static enum bg_status copy_once(struct taking *t, const struct bg_beneath *from, const char *path,
				bool *steady)
{
	struct stat before, after;
	BG_AUTO(bg_beneath_close) struct bg_beneath to = { .folder_fd = -1 };
	if (fstatat(from->folder_fd, from->name, &before, AT_SYMLINK_NOFOLLOW) != 0)
		return cannot(t, path);
	if (bg_beneath_open(&to, t->tree, path, BG_BENEATH_FORCE) != BG_BENEATH_REACHED)
		return cannot(t, path);
	if (bg_tree_remove(bg_arena_format(t->arena, "%s/%s", t->tree, path), t->err) != BG_OK)
		return t->err->status;
	if (bg_copy_entry(&t->copy, from->folder_fd, to.folder_fd, from->name, t->err) != BG_OK)
		return bg_within(t->err, "%s/%s", t->root, path);
	*steady = fstatat(from->folder_fd, from->name, &after, AT_SYMLINK_NOFOLLOW) == 0 &&
		  is_same_file(&before, &after);
	return BG_OK;
}

static enum bg_status copy_path(struct taking *t, const char *path)
{
	BG_AUTO(bg_beneath_close) struct bg_beneath from = { .folder_fd = -1 };
	if (bg_beneath_open(&from, t->root, path, BG_BENEATH_LOOK) != BG_BENEATH_REACHED)
		return cannot(t, path);
	bool steady = false;
	for (int i = 0; i < 2 && !steady; i++)
		if (copy_once(t, &from, path, &steady) != BG_OK)
			return t->err->status;
	if (!steady)
		return bg_fail(t->err, BG_E_INPUT,
			       "%s/%s: changes while it is being copied: wait until it is written, "
			       "then try again",
			       t->root, path);
	return BG_OK;
}

/* A gitlink that differs: the tree holds what HEAD records. */
static bool is_folder(const struct taking *t, const char *path)
{
	struct stat info;
	BG_AUTO(bg_beneath_close) struct bg_beneath at = { .folder_fd = -1 };
	return bg_beneath_open(&at, t->root, path, BG_BENEATH_LOOK) == BG_BENEATH_REACHED &&
	       fstatat(at.folder_fd, at.name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(info.st_mode);
}

static enum bg_status take_change(struct taking *t, char kind, const char *path)
{
	if (is_folder(t, path)) {
		t->ret->submodules++;
		remark(t, "submodule ", path,
		       kind == 'A' ? " is not committed yet: it was left out"
				   : " differs from what HEAD records; HEAD's is used");
		return BG_OK;
	}
	t->ret->changed++;
	return copy_path(t, path);
}

/* "M\0path\0A\0path\0..."; deletions first, so that a folder can take a file's place. */
static enum bg_status take_changes(struct taking *t, const struct bg_buffer *changes)
{
	for (int round = 0; round < 2; round++) {
		for (size_t at = 0; at < changes->size;) {
			const char *kind = changes->bytes + at;
			const char *path = kind + strlen(kind) + 1;
			if (path >= changes->bytes + changes->size)
				return bg_fail(t->err, BG_E_INTERNAL,
					       "git diff listed a change without its path");
			at = (size_t)(path - changes->bytes) + strlen(path) + 1;
			bool gone = *kind == 'D';
			if (gone != (round == 0))
				continue;
			t->ret->deleted += gone;
			enum bg_status status =
				gone ? remove_path(t, path) : take_change(t, *kind, path);
			if (status != BG_OK)
				return status;
		}
	}
	return BG_OK;
}

static bool is_left_out(const struct taking *t, const char *path)
{
	const char *whole = bg_arena_format(t->arena, "%s/%s", t->root, path);
	size_t size = t->left_out ? strlen(t->left_out) : 0;
	return size > 0 && strncmp(whole, t->left_out, size) == 0 && whole[size] == '/';
}

static enum bg_status take_untracked(struct taking *t, const struct bg_buffer *paths)
{
	for (size_t at = 0; at < paths->size;) {
		const char *path = paths->bytes + at;
		size_t size = strlen(path);
		at += size + 1;
		if (size > 0 && path[size - 1] == '/') {
			remark(t, "", path,
			       " is a repository of its own that is not tracked; it was left out");
			continue;
		}
		if (is_left_out(t, path))
			continue;
		t->ret->untracked++;
		if (copy_path(t, path) != BG_OK)
			return t->err->status;
	}
	return BG_OK;
}

/* "MODE ID STAGE\tpath\0..." of git ls-files --unmerged: with any, nobody knows what head is. */
static enum bg_status refuse_conflicts(struct taking *t)
{
	static const char *const args[] = { "ls-files", "--unmerged", "-z", NULL };
	BG_AUTO(bg_buffer_release) struct bg_buffer unmerged = { 0 };
	enum bg_status status = list(&unmerged, t, args);
	if (status != BG_OK || unmerged.size == 0)
		return status;
	const char *tab = strchr(unmerged.bytes, '\t');
	return bg_fail(t->err, BG_E_INPUT,
		       "%s/%s: has a merge conflict that is not resolved: resolve it, then try "
		       "again",
		       t->root, tab ? tab + 1 : "");
}

enum bg_status bg_snapshot_take(struct bg_snapshot *ret, const struct bg_worktrees *trees,
				const char *left_out, struct bg_arena *arena, struct bg_error *err)
{
	static const char *const of_tracked[] = { "diff",
						  "--no-ext-diff",
						  "--no-textconv",
						  "--no-renames",
						  "--no-color",
						  "--ignore-submodules=none",
						  "--name-status",
						  "-z",
						  "HEAD",
						  "--",
						  NULL };
	static const char *const of_untracked[] = { "ls-files", "--others", "--exclude-standard",
						    "-z", NULL };
	struct bg_snapshot snapshot = { .changed = 0 };
	struct taking t = { .ret = &snapshot,
			    .root = trees->repository->root,
			    .tree = trees->head,
			    .left_out = left_out,
			    .trees = trees,
			    .copy = { .size_left = BG_SNAPSHOT_SIZE_MAX,
				      .count_left = BG_SNAPSHOT_COUNT_MAX },
			    .arena = arena,
			    .err = err };
	BG_AUTO(bg_buffer_release) struct bg_buffer changes = { 0 };
	BG_AUTO(bg_buffer_release) struct bg_buffer untracked = { 0 };
	enum bg_status status = refuse_conflicts(&t);
	if (status == BG_OK)
		status = list(&changes, &t, of_tracked);
	if (status == BG_OK)
		status = list(&untracked, &t, of_untracked);
	if (status == BG_OK)
		status = take_changes(&t, &changes);
	if (status == BG_OK)
		status = take_untracked(&t, &untracked);
	if (status == BG_OK)
		*ret = snapshot;
	return status;
}
