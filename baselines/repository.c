#include "baselines/repository.h"

#include "baselines/git_answer.h"
#include "baselines/git_program.h"
#include "gate/core/file.h"

#include <git2.h>
#include <string.h>
#include <sys/stat.h>

static void arena_drop(struct bg_arena *arena)
{
	bg_arena_release(arena);
}

static enum bg_status ask(struct bg_git_answer *ret, const char *dir, const char *option,
			  struct bg_arena *arena, struct bg_error *err)
{
	const char *const args[] = { "rev-parse", "--path-format=absolute", option, NULL };
	return bg_git_ask(ret, dir, args, arena, err);
}

/* The line of git's advice that trusts the folder, quoted for a shell by git; NULL without one. */
static const char *trusting_line(const char *errors, struct bg_arena *arena)
{
	static const char start[] = "git config --global --add safe.directory ";
	const char *line = strstr(errors, start);
	return line ? bg_arena_bytes(arena, line, strcspn(line, "\n")) : NULL;
}

/* Names of unknown extensions follow on lines of their own that begin with a tab. */
static const char *on_one_line(const char *errors, struct bg_arena *arena)
{
	char *text = bg_arena_text(arena, errors), *to = text;
	for (const char *from = text; *from; from++)
		if (*from != '\n' && *from != '\t')
			*to++ = *from;
		else if (from[1] > ' ')
			*to++ = ' ';
	*to = '\0';
	return text;
}

static enum bg_status fail_open(const char *errors, const char *dir, struct bg_arena *arena,
				struct bg_error *err)
{
	const char *trust = trusting_line(errors, arena);
	const char *extension = strstr(errors, "unknown repository extension");
	if (trust)
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: the repository belongs to another user; to trust it: %s", dir,
			       trust);
	if (strstr(errors, "not a git repository"))
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: not in a git repository; run inside a clone with a work tree",
			       dir);
	if (extension)
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: this git cannot read the repository (%s); a newer git can", dir,
			       on_one_line(extension, arena));
	return bg_fail(err, BG_E_SYSTEM, "%s: cannot open the repository: %s", dir,
		       bg_git_reason(errors, arena));
}

static enum bg_status fail_without_tree(const char *dir, bool bare, struct bg_arena *arena,
					struct bg_error *err)
{
	struct bg_git_answer folder;
	if (ask(&folder, dir, "--absolute-git-dir", arena, err) != BG_OK)
		return err->status;
	return bg_fail(err, BG_E_SYSTEM,
		       "%s: %s: files to build are needed; run inside a clone with a work tree",
		       folder.text, bare ? "a bare repository" : "a folder of git's own");
}

/*
 * libgit2 knows fewer formats than git, and fewer ways to trust a folder: that git opened it is
 * enough, its own check is left out.
 */
static void *open_handle(const char *root)
{
	/* They change where settings lie, what may be deleted and what has to be fetched: nothing
	 * that matters for reading notes, which asks git for what is not here. */
	const char *harmless[] = { "worktreeconfig", "preciousobjects", "partialclone" };
	git_repository *handle = NULL;
	if (git_libgit2_init() < 0)
		return NULL;
	(void)git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, harmless,
			       sizeof harmless / sizeof *harmless);
	(void)git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	int rc = git_repository_open_ext(&handle, root, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
	(void)git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1);
	if (rc == 0)
		return handle;
	(void)git_libgit2_shutdown();
	return NULL;
}

enum bg_status bg_repository_open(struct bg_repository *ret, const char *dir,
				  struct bg_arena *arena, struct bg_error *err)
{
	static const char *const args[] = { "rev-parse", "--is-bare-repository",
					    "--is-inside-work-tree", "--is-shallow-repository",
					    NULL };
	struct stat info;
	struct bg_error ignored = BG_ERROR_INIT;
	struct bg_git_answer state, root, common;
	char *absolute;
	if (bg_path_absolute(&absolute, dir, arena, &ignored) == BG_OK)
		dir = absolute;
	if (stat(dir, &info) != 0 || !S_ISDIR(info.st_mode))
		return fail_open("not a git repository", dir, arena, err);
	enum bg_status status = bg_git_ask(&state, dir, args, arena, err);
	if (status != BG_OK)
		return status;
	if (state.exit_status != 0)
		return fail_open(state.errors, dir, arena, err);
	bool bare = strncmp(state.text, "true\n", 5) == 0;
	if (bare || !strstr(state.text, "\ntrue\n"))
		return fail_without_tree(dir, bare, arena, err);
	status = ask(&root, dir, "--show-toplevel", arena, err);
	if (status == BG_OK)
		status = ask(&common, dir, "--git-common-dir", arena, err);
	if (status != BG_OK)
		return status;
	if (root.exit_status != 0 || common.exit_status != 0)
		return fail_open(root.exit_status ? root.errors : common.errors, dir, arena, err);
	*ret = (struct bg_repository){
		.handle = open_handle(root.text),
		.root = root.text,
		.common_dir = common.text,
		.shallow = strcmp(strrchr(state.text, '\n'), "\ntrue") == 0,
	};
	return BG_OK;
}

void bg_repository_close(struct bg_repository *repository)
{
	if (repository->handle) {
		git_repository_free(repository->handle);
		(void)git_libgit2_shutdown();
	}
	*repository = (struct bg_repository){ .handle = NULL };
}

enum bg_status bg_repository_need_handle(const struct bg_repository *repository,
					 struct bg_error *err)
{
	if (repository->handle)
		return BG_OK;
	return bg_fail(err, BG_E_SYSTEM,
		       "%s: libgit2 %s, which keeps the records, cannot read this repository's "
		       "format; use a clone with SHA-1 objects and without extensions",
		       repository->root, LIBGIT2_VERSION);
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
	struct bg_git_answer answer;
	enum bg_status status = bg_git_ask(&answer, repository->root, args, &arena, err);
	if (status == BG_OK && answer.exit_status > 1)
		status = bg_fail(err, BG_E_SYSTEM, "%s: git diff: %s", repository->root,
				 bg_git_reason(answer.errors, &arena));
	if (status == BG_OK)
		*ret = answer.exit_status == 1;
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
