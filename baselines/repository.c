#include "baselines/repository.h"

#include "baselines/git_program.h"
#include "gate/core/file.h"

#include <git2.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define OUTPUT_SIZE_MAX 65536

static void repository_drop(git_repository **repository)
{
	git_repository_free(*repository);
}

static void arena_drop(struct bg_arena *arena)
{
	bg_arena_release(arena);
}

/* What libgit2 said last; only asked right after a failure, since the text can be stale. */
static const char *last_text(void)
{
	const git_error *last = git_error_last();
	return last && last->message ? last->message : "no reason given";
}

static const char *without_slash(const char *path, struct bg_arena *arena)
{
	size_t size = strlen(path);
	while (size > 1 && path[size - 1] == '/')
		size--;
	return bg_arena_bytes(arena, path, size);
}

/* The folder that safe.directory must name: the nearest upwards with a ".git". */
static const char *owned_root(const char *dir, struct bg_arena *arena)
{
	struct bg_error ignored = BG_ERROR_INIT;
	char *path;
	if (bg_path_absolute(&path, dir, arena, &ignored) != BG_OK)
		return dir;
	const char *whole = bg_arena_text(arena, path);
	for (;;) {
		struct stat info;
		if (lstat(bg_arena_format(arena, "%s/.git", path), &info) == 0)
			return *path ? path : "/";
		char *slash = strrchr(path, '/');
		if (!slash)
			return whole;
		*slash = '\0';
	}
}

/* For a shell to copy: quoted unless it is plain. */
static const char *quoted(const char *path, struct bg_arena *arena)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._+-@%,:=";
	if (path[strspn(path, plain)] == '\0')
		return path;
	struct bg_buffer text;
	bg_buffer_init(&text, (size_t)4 * PATH_MAX + 3);
	bg_buffer_text(&text, "'");
	for (const char *c = path; *c; c++)
		if (*c == '\'')
			bg_buffer_text(&text, "'\\''");
		else
			bg_buffer_add(&text, c, 1);
	bg_buffer_text(&text, "'");
	const char *copy = bg_arena_text(arena, text.bytes ? text.bytes : "");
	bg_buffer_release(&text);
	return copy;
}

static bool git_trusts(const char *dir)
{
	static const char *const args[] = { "rev-parse", "--git-dir", NULL };
	struct bg_error ignored = BG_ERROR_INIT;
	struct bg_git_command command = { .dir = dir, .args = args, .log_fd = -1 };
	int exit_status = 1;
	return bg_git_run(&exit_status, NULL, &command, &ignored) == BG_OK && exit_status == 0;
}

/* libgit2 before 1.6 says it in words only where no safe.directory is configured at all. */
static bool is_owner_fault(int rc)
{
	return rc == GIT_EOWNER || (rc == GIT_ENOTFOUND && strstr(last_text(), "safe.directory"));
}

static int open_handle(git_repository **handle, const char *dir)
{
	int rc = git_repository_open_ext(handle, dir, 0, NULL);
	/* libgit2 does not know safe.directory=* and some places it can stand in: git decides. */
	if (rc == 0 || !is_owner_fault(rc) || !git_trusts(dir))
		return rc;
	(void)git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	rc = git_repository_open_ext(handle, dir, 0, NULL);
	(void)git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1);
	return rc;
}

static enum bg_status fail_open(int rc, const char *dir, struct bg_arena *arena,
				struct bg_error *err)
{
	const char *text = last_text();
	struct bg_error ignored = BG_ERROR_INIT;
	char *absolute;
	if (bg_path_absolute(&absolute, dir, arena, &ignored) == BG_OK)
		dir = absolute;
	if (is_owner_fault(rc)) {
		const char *root = owned_root(dir, arena);
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: the repository belongs to another user; to trust it: "
			       "git config --global --add safe.directory %s",
			       root, quoted(root, arena));
	}
	if (rc == GIT_ENOTFOUND)
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: not in a git repository; run inside a clone with a work tree",
			       dir);
	if (strstr(text, "extensions.objectformat"))
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: the repository's object format is not SHA-1, which libgit2 %s "
			       "cannot read; use a clone with SHA-1 objects",
			       dir, LIBGIT2_VERSION);
	if (strstr(text, "unsupported extension"))
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: libgit2 %s cannot read this repository (%s); use a fresh clone "
			       "of it: git clone makes one without the extension",
			       dir, LIBGIT2_VERSION, text);
	return bg_fail(err, BG_E_SYSTEM, "%s: cannot open the repository: %s", dir, text);
}

enum bg_status bg_repository_open(struct bg_repository *ret, const char *dir,
				  struct bg_arena *arena, struct bg_error *err)
{
	if (git_libgit2_init() < 0)
		return bg_fail(err, BG_E_SYSTEM, "cannot start libgit2: %s", last_text());
	BG_AUTO(repository_drop) git_repository *handle = NULL;
	int rc = open_handle(&handle, dir);
	enum bg_status status = BG_OK;
	if (rc != 0)
		status = fail_open(rc, dir, arena, err);
	else if (git_repository_is_bare(handle) || !git_repository_workdir(handle))
		status = bg_fail(err, BG_E_SYSTEM,
				 "%s: a bare repository: files to build are needed; "
				 "run inside a clone with a work tree",
				 without_slash(git_repository_path(handle), arena));
	if (status != BG_OK) {
		repository_drop(&handle);
		handle = NULL;
		(void)git_libgit2_shutdown();
		return status;
	}
	*ret = (struct bg_repository){
		.handle = handle,
		.root = without_slash(git_repository_workdir(handle), arena),
		.common_dir = without_slash(git_repository_commondir(handle), arena),
		.shallow = git_repository_is_shallow(handle) == 1,
	};
	handle = NULL;
	return BG_OK;
}

void bg_repository_close(struct bg_repository *repository)
{
	if (!repository->handle)
		return;
	git_repository_free(repository->handle);
	repository->handle = NULL;
	(void)git_libgit2_shutdown();
}

/* Exit status of a git diff whose answer is 0 "the same" or 1 "differs". */
static enum bg_status differs(bool *ret, const struct bg_repository *repository, const char *cached,
			      struct bg_error *err)
{
	/* Contents decide, not times of files: with a refreshed index, and no program of a user. */
	const char *const args[] = { "-c",
				     "diff.autoRefreshIndex=true",
				     "diff",
				     "--quiet",
				     "--no-ext-diff",
				     "--ignore-submodules=untracked",
				     cached,
				     NULL };
	BG_AUTO(arena_drop) struct bg_arena arena = BG_ARENA_INIT;
	struct bg_git_command command = { .dir = repository->root, .args = args, .log_fd = -1 };
	struct bg_buffer output;
	int exit_status = 0;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	enum bg_status status = bg_git_run(&exit_status, &output, &command, err);
	if (status == BG_OK && exit_status > 1)
		status = bg_fail(err, BG_E_SYSTEM, "%s: git diff: %s", repository->root,
				 bg_git_reason(output.bytes, &arena));
	if (status == BG_OK)
		*ret = exit_status == 1;
	bg_buffer_release(&output);
	return status;
}

enum bg_status bg_repository_is_dirty(bool *ret, const struct bg_repository *repository,
				      struct bg_error *err)
{
	bool staged = false, changed = false;
	enum bg_status status = differs(&staged, repository, "--cached", err);
	if (status == BG_OK && !staged)
		status = differs(&changed, repository, NULL, err);
	if (status == BG_OK)
		*ret = staged || changed;
	return status;
}
