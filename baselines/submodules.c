#include "baselines/submodules.h"

#include "baselines/beneath.h"
#include "baselines/git_program.h"
#include "gate/core/file.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_SIZE_MAX ((size_t)64 << 20)
#define FETCH_LIMIT_S 300

struct filling {
	struct bg_submodules *ret;
	const struct bg_submodules_ask *ask;
	struct bg_arena *arena;
	struct bg_error *err;
};

/* A repository whose index and tree are looked through. */
struct outer {
	const char *git_dir; /* of its index; NULL: the arm's tree knows by itself */
	const char *modules; /* folder of the user's clones of its submodules */
	const char *prefix;  /* path inside the arm's tree, "" or "lib/x/" */
	unsigned depth;
};

struct submodule {
	const char *path; /* inside the arm's tree */
	const char *name; /* of .gitmodules */
	const char *commit;
};

/* Runs git with these words, in the arm's tree; *exit_status is git's. */
static enum bg_status run(struct filling *f, int *exit_status, struct bg_buffer *output,
			  const char *const *args)
{
	struct bg_git_command command = { .dir = f->ask->tree,
					  .args = args,
					  .log_fd = -1,
					  .error_fd = f->ask->trees->lock_fd,
					  .timeout_s = FETCH_LIMIT_S };
	return bg_git_run(exit_status, output, &command, f->err);
}

static const char *git_dir_option(const struct outer *outer, struct bg_arena *arena)
{
	return outer->git_dir ? bg_arena_format(arena, "--git-dir=%s", outer->git_dir)
			      : "--no-pager";
}

/* Names of .gitmodules become parts of paths: git refuses such names too. */
static bool is_safe_name(const char *name)
{
	for (const char *part = name; *part;) {
		size_t size = strcspn(part, "/");
		if (size == 0 || (size == 2 && memcmp(part, "..", 2) == 0))
			return false;
		part += size;
		part += *part == '/';
	}
	return *name != '\0';
}

/* "submodule.NAME.path\nPATH\0..." */
static const char *name_of(const struct bg_buffer *settings, const char *path,
			   struct bg_arena *arena)
{
	static const char start[] = "submodule.", end[] = ".path";
	for (size_t at = 0; at < settings->size;) {
		const char *key = settings->bytes + at;
		at += strlen(key) + 1;
		const char *value = strchr(key, '\n');
		size_t size = value ? (size_t)(value - key) : 0;
		if (!value || strcmp(value + 1, path) != 0 || size <= strlen(start) + strlen(end))
			continue;
		return bg_arena_bytes(arena, key + strlen(start),
				      size - strlen(start) - strlen(end));
	}
	return NULL;
}

static enum bg_status read_names(struct filling *f, struct bg_buffer *ret,
				 const struct outer *outer)
{
	const char *file =
		bg_arena_format(f->arena, "%s/%s.gitmodules", f->ask->tree, outer->prefix);
	const char *const args[] = { "config", "-z",	       "--file",
				     file,     "--get-regexp", "^submodule\\..*\\.path$",
				     NULL };
	int exit_status;
	return run(f, &exit_status, ret, args);
}

/* Where the submodule's own .git says that its repository is; NULL where it says nothing. */
static const char *named_clone(struct filling *f, const struct submodule *sub)
{
	static const char start[] = "gitdir: ";
	const char *folder =
		bg_arena_format(f->arena, "%s/%s", f->ask->trees->repository->root, sub->path);
	struct bg_error ignored = BG_ERROR_INIT;
	char *text;
	size_t size;
	if (bg_file_read(&text, &size, bg_arena_format(f->arena, "%s/.git", folder), PATH_MAX,
			 f->arena, &ignored) != BG_OK ||
	    strncmp(text, start, strlen(start)) != 0)
		return NULL;
	text += strlen(start);
	text[strcspn(text, "\n")] = '\0';
	return text[0] == '/' ? text : bg_arena_format(f->arena, "%s/%s", folder, text);
}

/*
 * The user's clone of it, absolute: where git keeps it, where its own .git names it (a linked work
 * tree's lie elsewhere), else in its own folder, as of old.
 */
static const char *find_clone(struct filling *f, const struct outer *outer,
			      const struct submodule *sub)
{
	const char *places[] = {
		bg_arena_format(f->arena, "%s/%s", outer->modules, sub->name),
		named_clone(f, sub),
		bg_arena_format(f->arena, "%s/%s/.git", f->ask->trees->repository->root, sub->path),
	};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct bg_error ignored = BG_ERROR_INIT;
		char *clone;
		if (places[i] &&
		    access(bg_arena_format(f->arena, "%s/objects", places[i]), R_OK | X_OK) == 0 &&
		    bg_path_absolute(&clone, places[i], f->arena, &ignored) == BG_OK)
			return clone;
	}
	return NULL;
}

static bool is_folder(struct filling *f, const char *path)
{
	struct stat info;
	BG_AUTO(bg_beneath_close) struct bg_beneath at = { .folder_fd = -1 };
	return bg_beneath_open(&at, f->ask->tree, path, BG_BENEATH_LOOK) == BG_BENEATH_REACHED &&
	       fstatat(at.folder_fd, at.name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(info.st_mode);
}

/* A repository of this run that borrows the clone's objects. */
static enum bg_status make_git_dir(struct filling *f, const char **ret, const char *clone,
				   const char *commit)
{
	/* A number of its own in the run's folder, which goes with the run. */
	struct stat info;
	const char *dir;
	size_t number = 0;
	do
		dir = bg_arena_format(f->arena, "%s/module-%zu.git", f->ask->trees->dir, number++);
	while (lstat(dir, &info) == 0);
	const char *const args[] = { "init",
				     "--quiet",
				     "--bare",
				     "--template=",
				     bg_arena_format(f->arena, "--object-format=%s",
						     strlen(commit) == 64 ? "sha256" : "sha1"),
				     "--",
				     dir,
				     NULL };
	BG_AUTO(bg_buffer_release) struct bg_buffer output;
	bg_buffer_init(&output, LIST_SIZE_MAX);
	int exit_status = 0;
	if (run(f, &exit_status, &output, args) != BG_OK)
		return f->err->status;
	const char *info_dir = bg_arena_format(f->arena, "%s/objects/info", dir);
	const char *line = bg_arena_format(f->arena, "%s/objects\n", clone);
	if (exit_status != 0)
		return bg_fail(f->err, BG_E_SYSTEM, "%s: git init ended with exit status %d", dir,
			       exit_status);
	if (bg_dir_make(info_dir, f->err) != BG_OK ||
	    bg_file_replace(bg_arena_format(f->arena, "%s/alternates", info_dir), line,
			    strlen(line), f->err) != BG_OK)
		return f->err->status;
	*ret = dir;
	return BG_OK;
}

static enum bg_status has_commit(struct filling *f, bool *ret, const char *git_dir,
				 const struct submodule *sub)
{
	const char *const args[] = { bg_arena_format(f->arena, "--git-dir=%s", git_dir), "cat-file",
				     "-e", bg_arena_format(f->arena, "%s^{commit}", sub->commit),
				     NULL };
	int exit_status = 0;
	enum bg_status status = run(f, &exit_status, NULL, args);
	*ret = status == BG_OK && exit_status == 0;
	return status;
}

/* The address the user's clone has it from. */
static enum bg_status read_url(struct filling *f, const char **ret, const char *clone)
{
	const char *const args[] = { bg_arena_format(f->arena, "--git-dir=%s", clone), "config",
				     "--get", "remote.origin.url", NULL };
	BG_AUTO(bg_buffer_release) struct bg_buffer output;
	int exit_status = 0;
	bg_buffer_init(&output, 65536);
	if (run(f, &exit_status, &output, args) != BG_OK)
		return f->err->status;
	size_t size = output.size > 0 ? output.size - 1 : 0;
	*ret = exit_status == 0 && size > 0 && output.bytes[0] != '-'
		       ? bg_arena_bytes(f->arena, output.bytes, size)
		       : NULL;
	return BG_OK;
}

static enum bg_status fail_missing(struct filling *f, const struct submodule *sub, const char *why)
{
	return bg_fail(f->err, BG_E_SYSTEM,
		       "submodule %.200s at %.12s: its commit is not in your clone and %s: run git "
		       "submodule update --init --recursive, or git fetch in it",
		       sub->path, sub->commit, why);
}

static enum bg_status fetch_commit(struct filling *f, const char *git_dir, const char *clone,
				   const struct submodule *sub)
{
	const char *url = NULL;
	if (!f->ask->may_fetch)
		return fail_missing(f, sub, "--no-fetch forbids fetching it");
	if (read_url(f, &url, clone) != BG_OK)
		return f->err->status;
	if (!url)
		return fail_missing(f, sub, "the clone has no remote called origin");
	const char *const args[] = { bg_arena_format(f->arena, "--git-dir=%s", git_dir),
				     "fetch",
				     "--quiet",
				     "--no-tags",
				     "--depth=1",
				     "--",
				     url,
				     sub->commit,
				     NULL };
	int exit_status = 0;
	if (run(f, &exit_status, NULL, args) != BG_OK)
		return f->err->status;
	return exit_status == 0 ? BG_OK : fail_missing(f, sub, "its remote does not give it");
}

static enum bg_status check_out(struct filling *f, const char *git_dir, const struct submodule *sub)
{
	const char *const args[] = { bg_arena_format(f->arena, "--git-dir=%s", git_dir),
				     bg_arena_format(f->arena, "--work-tree=%s/%s", f->ask->tree,
						     sub->path),
				     "-c",
				     "core.bare=false",
				     "read-tree",
				     "-u",
				     "--reset",
				     sub->commit,
				     NULL };
	int exit_status = 0;
	if (run(f, &exit_status, NULL, args) != BG_OK)
		return f->err->status;
	if (exit_status != 0)
		return bg_fail(f->err, BG_E_SYSTEM,
			       "submodule %.200s at %.12s: cannot be checked out (git read-tree "
			       "ended with exit status %d)",
			       sub->path, sub->commit, exit_status);
	f->ret->filled++;
	return BG_OK;
}

/*
 * Lets git commands that a build runs in the submodule's folder find it: by a relative path, which
 * is right also when the arms' trees change places.
 */
static enum bg_status tie(struct filling *f, const char *git_dir, const struct submodule *sub)
{
	const char *name = git_dir ? strrchr(git_dir, '/') : NULL;
	assert(name);
	const char *const option = bg_arena_format(f->arena, "--git-dir=%s", git_dir);
	const char *const plain[] = { option, "config", "core.bare", "false", NULL };
	const char *const head[] = {
		option, "update-ref", "--no-deref", "HEAD", sub->commit, NULL
	};
	int of_plain = 0, of_head = 0;
	if (run(f, &of_plain, NULL, plain) != BG_OK || run(f, &of_head, NULL, head) != BG_OK)
		return f->err->status;
	if (of_plain != 0 || of_head != 0)
		return bg_fail(f->err, BG_E_SYSTEM, "%s: git cannot write to it", git_dir);
	struct bg_buffer line;
	bg_buffer_init(&line, PATH_MAX);
	bg_buffer_text(&line, "gitdir: ../");
	for (const char *at = sub->path; *at; at++)
		if (*at == '/')
			bg_buffer_text(&line, "../");
	bg_buffer_format(&line, "../%s\n", name + 1);
	enum bg_status status =
		bg_file_replace(bg_arena_format(f->arena, "%s/%s/.git", f->ask->tree, sub->path),
				line.bytes, line.size, f->err);
	bg_buffer_release(&line);
	return status;
}

static enum bg_status fill_all(struct filling *f, const struct outer *outer);

static enum bg_status fill_one(struct filling *f, const struct outer *outer,
			       const struct submodule *sub)
{
	const char *clone = sub->name ? find_clone(f, outer, sub) : NULL, *git_dir = NULL;
	bool here = false;
	if (!clone) {
		if (f->ret->absent_count++ == 0)
			f->ret->absent = sub->path;
		return BG_OK;
	}
	if (f->ret->filled == BG_SUBMODULES_MAX || outer->depth == BG_SUBMODULES_DEPTH_MAX)
		return bg_fail(f->err, BG_E_SYSTEM,
			       "submodule %.200s: more than %d submodules, or %d deep", sub->path,
			       BG_SUBMODULES_MAX, BG_SUBMODULES_DEPTH_MAX);
	if (!is_folder(f, sub->path))
		return bg_fail(f->err, BG_E_INPUT, "submodule %.200s: is no folder in the tree",
			       sub->path);
	if (make_git_dir(f, &git_dir, clone, sub->commit) != BG_OK ||
	    has_commit(f, &here, git_dir, sub) != BG_OK ||
	    (!here && fetch_commit(f, git_dir, clone, sub) != BG_OK) ||
	    check_out(f, git_dir, sub) != BG_OK || tie(f, git_dir, sub) != BG_OK)
		return f->err->status;
	struct outer inner = { .git_dir = git_dir,
			       .modules = bg_arena_format(f->arena, "%s/modules", clone),
			       .prefix = bg_arena_format(f->arena, "%s/", sub->path),
			       .depth = outer->depth + 1 };
	return fill_all(f, &inner);
}

/* "160000 COMMIT 0\tPATH"; other modes are files and links. */
static bool read_entry(struct submodule *ret, const char *entry, const struct outer *outer,
		       struct bg_arena *arena)
{
	static const char mode[] = "160000 ";
	const char *tab = strchr(entry, '\t');
	if (!tab || strncmp(entry, mode, strlen(mode)) != 0)
		return false;
	const char *commit = entry + strlen(mode);
	ret->commit = bg_arena_bytes(arena, commit, strcspn(commit, " "));
	ret->path = bg_arena_format(arena, "%s%s", outer->prefix, tab + 1);
	return true;
}

static enum bg_status fill_all(struct filling *f, const struct outer *outer)
{
	const char *const args[] = { git_dir_option(outer, f->arena), "ls-files", "--stage", "-z",
				     NULL };
	BG_AUTO(bg_buffer_release) struct bg_buffer index;
	BG_AUTO(bg_buffer_release) struct bg_buffer names;
	int exit_status = 0;
	bg_buffer_init(&index, LIST_SIZE_MAX);
	bg_buffer_init(&names, LIST_SIZE_MAX);
	if (run(f, &exit_status, &index, args) != BG_OK)
		return f->err->status;
	if (exit_status != 0 || index.full)
		return bg_fail(f->err, BG_E_SYSTEM, "%s/%s: its index cannot be listed",
			       f->ask->tree, outer->prefix);
	bool have_names = false;
	for (size_t at = 0; at < index.size;) {
		const char *entry = index.bytes + at;
		struct submodule sub;
		at += strlen(entry) + 1;
		if (!read_entry(&sub, entry, outer, f->arena))
			continue;
		if (!have_names && read_names(f, &names, outer) != BG_OK)
			return f->err->status;
		have_names = true;
		sub.name = name_of(&names, sub.path + strlen(outer->prefix), f->arena);
		if (sub.name && !is_safe_name(sub.name))
			return bg_fail(f->err, BG_E_INPUT,
				       "submodule %.200s: has a name in .gitmodules that leads "
				       "out of the repository",
				       sub.path);
		if (fill_one(f, outer, &sub) != BG_OK)
			return f->err->status;
	}
	return BG_OK;
}

enum bg_status bg_submodules_fill(struct bg_submodules *ret, const struct bg_submodules_ask *ask,
				  struct bg_arena *arena, struct bg_error *err)
{
	struct bg_submodules filled = { .filled = 0 };
	struct filling f = { &filled, ask, arena, err };
	struct outer top = { .modules = bg_arena_format(arena, "%s/modules",
							ask->trees->repository->common_dir),
			     .prefix = "" };
	enum bg_status status = fill_all(&f, &top);
	if (status == BG_OK)
		*ret = filled;
	return status;
}
