#include "baselines/repository.h"

#include "baselines/git_program.h"
#include "gate/core/file.h"
#include "gate/core/text.h"

#include <git2.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_SIZE_MAX 200
#define OUTPUT_SIZE_MAX 65536
#define DEEPEN "git fetch --unshallow (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0)"

static void repository_drop(git_repository **repository)
{
	git_repository_free(*repository);
}

static void object_drop(git_object **object)
{
	git_object_free(*object);
}

static void commit_drop(git_commit **commit)
{
	git_commit_free(*commit);
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
				 dir);
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

/* Messages and arguments may hold any bytes: other encodings, escape sequences. */
static const char *clean_text(const char *text, struct bg_arena *arena)
{
	char clean[TEXT_SIZE_MAX + 1];
	size_t left = strlen(text), used = 0;
	while (left > 0 && used < TEXT_SIZE_MAX) {
		size_t size = bg_text_utf8_length(text, left);
		unsigned char first = (unsigned char)text[0];
		bool control = first < 0x20 || first == 0x7f ||
			       (size == 2 && first == 0xc2 && (unsigned char)text[1] < 0xa0);
		if (size > TEXT_SIZE_MAX - used)
			break;
		if (size == 0 || control)
			clean[used++] = '?';
		else {
			memcpy(clean + used, text, size);
			used += size;
		}
		text += size > 0 ? size : 1;
		left -= size > 0 ? size : 1;
	}
	return bg_arena_bytes(arena, clean, used);
}

static const char *hex_of(const git_oid *id, struct bg_arena *arena)
{
	char hex[GIT_OID_HEXSZ + 1];
	return bg_arena_text(arena, git_oid_tostr(hex, sizeof hex, id));
}

static void fill_revision(struct bg_revision *ret, git_commit *commit, const char *how,
			  struct bg_arena *arena)
{
	const char *subject = git_commit_summary(commit);
	*ret = (struct bg_revision){
		.commit = hex_of(git_commit_id(commit), arena),
		.tree = hex_of(git_commit_tree_id(commit), arena),
		.subject = clean_text(subject ? subject : "", arena),
		.how = clean_text(how, arena),
	};
}

static enum bg_status fail_find(int rc, const struct bg_repository *repository, const char *rev,
				struct bg_error *err)
{
	const char *text = last_text();
	bool of_head = strncmp(rev, "HEAD", 4) == 0 || rev[0] == '@';
	if (of_head && git_repository_head_unborn(repository->handle) == 1)
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: no commit yet; commit something to have two sides to compare",
			       repository->root);
	if (rc == GIT_EAMBIGUOUS)
		return bg_fail(err, BG_E_USAGE,
			       "revision '%s' is ambiguous: give more digits or the full name",
			       rev);
	if (rc == GIT_EINVALIDSPEC)
		return bg_fail(err, BG_E_USAGE,
			       "'%s' is not one revision: give a commit, branch or tag", rev);
	if (rc != GIT_ENOTFOUND)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot read revision '%s': %s",
			       repository->root, rev, text);
	return bg_fail(err, BG_E_USAGE, "unknown revision '%s'%s", rev,
		       repository->shallow ? "; this clone is shallow: " DEEPEN : "");
}

enum bg_status bg_revision_find(struct bg_revision *ret, const struct bg_repository *repository,
				const char *rev, struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(object_drop) git_object *object = NULL;
	BG_AUTO(object_drop) git_object *commit = NULL;
	int rc = git_revparse_single(&object, repository->handle, rev);
	if (rc != 0)
		return fail_find(rc, repository, rev, err);
	rc = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
	if (rc == GIT_ENOTFOUND)
		return fail_find(rc, repository, rev, err);
	if (rc != 0)
		return bg_fail(err, BG_E_USAGE, "revision '%s' is no commit but a %s", rev,
			       git_object_type2string(git_object_type(object)));
	fill_revision(ret, (git_commit *)commit, rev, arena);
	return BG_OK;
}

/*
 * Parents as the object itself has them: at the boundary of a shallow clone libgit2 reports them or
 * not, depending on its version. Returns their count, the first one's id in *first.
 */
static unsigned read_parents(git_oid *first, const git_commit *commit)
{
	unsigned count = 0;
	const char *line = git_commit_raw_header(commit);
	while (line && *line) {
		if (strncmp(line, "parent ", 7) == 0 && count++ == 0 &&
		    git_oid_fromstrn(first, line + 7, GIT_OID_HEXSZ) != 0)
			return 0;
		const char *end = strchr(line, '\n');
		line = end ? end + 1 : NULL;
	}
	return count;
}

static enum bg_status fail_parent(const struct bg_repository *repository, const char *how,
				  const char *parent, struct bg_error *err)
{
	if (!repository->shallow)
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: the %s, %s, cannot be read: %s; git fsck tells more",
			       repository->root, how, parent, last_text());
	return bg_fail(err, BG_E_UNJUDGED,
		       "the %s, %.12s, is not in this shallow clone: git fetch --deepen=1 "
		       "(actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0)",
		       how, parent);
}

enum bg_status bg_revision_auto_base(struct bg_revision *ret,
				     const struct bg_repository *repository,
				     const struct bg_revision *head, struct bg_arena *arena,
				     struct bg_error *err)
{
	BG_AUTO(commit_drop) git_commit *commit = NULL;
	BG_AUTO(commit_drop) git_commit *parent = NULL;
	git_oid id, parent_id;
	if (git_oid_fromstr(&id, head->commit) != 0 ||
	    git_commit_lookup(&commit, repository->handle, &id) != 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot read commit %s: %s", repository->root,
			       head->commit, last_text());
	unsigned count = read_parents(&parent_id, commit);
	if (count == 0)
		return bg_fail(err, BG_E_UNJUDGED,
			       "%s is the first commit: nothing to compare with; "
			       "--aa compares it with itself",
			       head->how);
	const char *how = bg_arena_format(arena, "first parent of %s%s", count > 1 ? "merge " : "",
					  head->how);
	if (git_commit_lookup(&parent, repository->handle, &parent_id) != 0)
		return fail_parent(repository, how, hex_of(&parent_id, arena), err);
	fill_revision(ret, parent, how, arena);
	return BG_OK;
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
