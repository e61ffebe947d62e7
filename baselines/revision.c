#include "baselines/repository.h"

#include "baselines/git_program.h"
#include "gate/core/text.h"

#include <git2.h>
#include <string.h>

#define TEXT_SIZE_MAX 200
#define OUTPUT_SIZE_MAX 4096
#define DEEPEN "git fetch --unshallow (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0)"

static void object_drop(git_object **object)
{
	git_object_free(*object);
}

static void commit_drop(git_commit **commit)
{
	git_commit_free(*commit);
}

/* What libgit2 said last; only asked right after a failure, since the text can be stale. */
static const char *last_text(void)
{
	const git_error *last = git_error_last();
	return last && last->message ? last->message : "no reason given";
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
			       repository->root, rev, last_text());
	return bg_fail(err, BG_E_USAGE, "unknown revision '%s'%s", rev,
		       repository->shallow ? "; this clone is shallow: " DEEPEN : "");
}

/*
 * Forms that libgit2 lacks (@~1, a short id that only one commit has): git knows them all. before
 * is what libgit2 said, which stands where git cannot be asked or has nothing to add.
 */
static int find_by_git(git_object **object, const struct bg_repository *repository, const char *rev,
		       int before)
{
	const char *const args[] = { "rev-parse", "--verify", "--quiet", rev, NULL };
	struct bg_git_command command = { .dir = repository->root, .args = args, .log_fd = -1 };
	struct bg_error ignored = BG_ERROR_INIT;
	struct bg_buffer output;
	int exit_status = 1, rc = before;
	git_oid id;
	if (rev[0] == '-' || rev[0] == '\0')
		return GIT_ENOTFOUND;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	if (bg_git_run(&exit_status, &output, &command, &ignored) != BG_OK)
		rc = before;
	else if (exit_status != 0)
		rc = before == GIT_EAMBIGUOUS || before == GIT_EINVALIDSPEC ? before
									    : GIT_ENOTFOUND;
	else if (output.size == GIT_OID_HEXSZ + 1 &&
		 git_oid_fromstrn(&id, output.bytes, GIT_OID_HEXSZ) == 0) {
		/* A whole id comes back as it is, present or not; another name must be there. */
		bool whole = strlen(rev) == GIT_OID_HEXSZ;
		rc = git_object_lookup(object, repository->handle, &id, GIT_OBJECT_ANY);
		rc = rc == GIT_ENOTFOUND && !whole ? GIT_ERROR : rc;
	}
	bg_buffer_release(&output);
	return rc;
}

enum bg_status bg_revision_find(struct bg_revision *ret, const struct bg_repository *repository,
				const char *rev, struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(object_drop) git_object *object = NULL;
	BG_AUTO(object_drop) git_object *commit = NULL;
	int rc = git_revparse_single(&object, repository->handle, rev);
	if (rc != 0)
		rc = find_by_git(&object, repository, rev, rc);
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
