#include "baselines/repository.h"

#include "baselines/git_answer.h"
#include "baselines/git_program.h"
#include "gate/core/text.h"

#include <string.h>

#define TEXT_SIZE_MAX 200
#define PARENTS_MAX 1024
#define DEEPEN "git fetch --unshallow (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0)"

struct asking {
	const struct bg_repository *repository;
	const char *rev;
	struct bg_arena *arena;
};

static void arena_drop(struct bg_arena *arena)
{
	bg_arena_release(arena);
}

/* Messages and arguments may hold any bytes: other encodings, escape sequences. */
static const char *clean_text(const char *text, size_t left, struct bg_arena *arena)
{
	char clean[TEXT_SIZE_MAX + 1];
	size_t used = 0;
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

static enum bg_status ask(struct bg_git_answer *ret, const struct asking *asking,
			  const char *const *args, struct bg_error *err)
{
	return bg_git_ask(ret, asking->repository->root, args, asking->arena, err);
}

static enum bg_status fail_unknown(const struct asking *asking, const char *reason,
				   struct bg_error *err)
{
	/* "fatal: Needed a single revision" says no more than we do. */
	const char *told = reason && strncmp(reason, "fatal: ", 7) == 0 &&
					   !strstr(reason, "Needed a single revision")
				   ? reason + 7
				   : NULL;
	return bg_fail(err, BG_E_USAGE, "unknown revision '%s'%s%s%s", asking->rev,
		       told ? ": " : "", told ? told : "",
		       asking->repository->shallow ? "; this clone is shallow: " DEEPEN : "");
}

static enum bg_status fail_read(const struct asking *asking, const char *reason,
				struct bg_error *err)
{
	return bg_fail(err, BG_E_SYSTEM, "%s: cannot read revision '%s': %s; git fsck tells more",
		       asking->repository->root, asking->rev, reason);
}

/* git found no single object under the name. */
static enum bg_status fail_parse(const struct asking *asking, const struct bg_git_answer *answer,
				 struct bg_error *err)
{
	static const char *const head[] = { "rev-parse", "--verify", "--quiet", "HEAD", NULL };
	const char *rev = asking->rev, *reason = bg_git_reason(answer->errors, asking->arena);
	if (strncmp(rev, "HEAD", 4) == 0 || rev[0] == '@') {
		struct bg_git_answer born;
		if (ask(&born, asking, head, err) != BG_OK)
			return err->status;
		if (born.exit_status != 0)
			return bg_fail(err, BG_E_SYSTEM,
				       "%s: no commit yet; commit something to have two sides to "
				       "compare",
				       asking->repository->root);
	}
	if (strstr(answer->errors, " is ambiguous"))
		return bg_fail(err, BG_E_USAGE,
			       "revision '%s' is ambiguous: give more digits or the full name",
			       rev);
	if (strchr(answer->text, '\n') || answer->text[0] == '^')
		return bg_fail(err, BG_E_USAGE,
			       "'%s' is not one revision: give a commit, branch or tag", rev);
	if (strncmp(reason, "error: ", 7) == 0 && !strstr(reason, "expected "))
		return fail_read(asking, reason + 7, err);
	return fail_unknown(asking, reason, err);
}

/* The name has an id, but that is not a commit's. */
static enum bg_status fail_commit(const struct asking *asking, const char *id,
				  const struct bg_git_answer *answer, struct bg_error *err)
{
	const char *peeled = bg_arena_format(asking->arena, "%s^{}", id);
	const char *const type[] = { "cat-file", "-t", peeled, NULL };
	const char *const exists[] = { "cat-file", "-e", id, NULL };
	struct bg_git_answer kind, there;
	enum bg_status status = ask(&kind, asking, type, err);
	if (status == BG_OK)
		status = ask(&there, asking, exists, err);
	if (status != BG_OK)
		return status;
	if (kind.exit_status == 0 && strcmp(kind.text, "commit") != 0)
		return bg_fail(err, BG_E_USAGE, "revision '%s' is no commit but a %s", asking->rev,
			       kind.text);
	/* A whole id comes back as it is, present or not; another name must be there. */
	if (there.exit_status == 1 && strcmp(asking->rev, id) == 0)
		return fail_unknown(asking, NULL, err);
	return fail_read(asking,
			 there.exit_status == 1 ? "its object is missing"
						: bg_git_reason(answer->errors, asking->arena),
			 err);
}

static enum bg_status find_commit(const char **ret, const struct asking *asking,
				  struct bg_error *err)
{
	const char *const args[] = { "rev-parse", "--verify", asking->rev, NULL };
	struct bg_git_answer object, commit;
	if (asking->rev[0] == '-' || asking->rev[0] == '\0')
		return fail_unknown(asking, NULL, err);
	enum bg_status status = ask(&object, asking, args, err);
	if (status != BG_OK)
		return status;
	if (object.exit_status != 0)
		return fail_parse(asking, &object, err);
	const char *peeled = bg_arena_format(asking->arena, "%s^{commit}", object.text);
	const char *const peel[] = { "rev-parse", "--verify", peeled, NULL };
	status = ask(&commit, asking, peel, err);
	if (status != BG_OK)
		return status;
	if (commit.exit_status != 0)
		return fail_commit(asking, object.text, &commit, err);
	*ret = commit.text;
	return BG_OK;
}

/*
 * The header as the object itself has it: at the boundary of a shallow clone git's own listings
 * leave the parents out. It ends with an empty line; the message follows.
 */
static void read_header(struct bg_revision *ret, const char *text, struct bg_arena *arena)
{
	const char *parents[PARENTS_MAX];
	while (*text && *text != '\n') {
		size_t size = strcspn(text, "\n");
		if (strncmp(text, "tree ", 5) == 0)
			ret->tree = bg_arena_bytes(arena, text + 5, size - 5);
		else if (strncmp(text, "parent ", 7) == 0 && ret->parent_count < PARENTS_MAX)
			parents[ret->parent_count++] = bg_arena_bytes(arena, text + 7, size - 7);
		text += size + (text[size] == '\n');
	}
	ret->parents = bg_arena_array(arena, ret->parent_count, sizeof *ret->parents);
	for (size_t i = 0; i < ret->parent_count; i++)
		ret->parents[i] = parents[i];
	ret->parent = ret->parent_count ? parents[0] : NULL;
	text += strspn(text, "\n");
	ret->subject = clean_text(text, strcspn(text, "\n"), arena);
}

static enum bg_status find_branch(const char **ret, const struct asking *asking,
				  struct bg_error *err)
{
	const char *const args[] = { "rev-parse", "--symbolic-full-name", asking->rev, NULL };
	static const char start[] = "refs/heads/";
	struct bg_git_answer name;
	enum bg_status status = ask(&name, asking, args, err);
	if (status == BG_OK && name.exit_status == 0 &&
	    strncmp(name.text, start, strlen(start)) == 0 && !strchr(name.text, '\n'))
		*ret = clean_text(name.text + strlen(start), strlen(name.text + strlen(start)),
				  asking->arena);
	return status;
}

enum bg_status bg_revision_find(struct bg_revision *ret, const struct bg_repository *repository,
				const char *rev, struct bg_arena *arena, struct bg_error *err)
{
	struct asking asking = { repository, rev, arena };
	struct bg_revision found = { .how = clean_text(rev, strlen(rev), arena) };
	struct bg_git_answer content;
	enum bg_status status = find_commit(&found.commit, &asking, err);
	const char *const args[] = { "cat-file", "commit", found.commit, NULL };
	if (status == BG_OK)
		status = ask(&content, &asking, args, err);
	if (status == BG_OK && content.exit_status != 0)
		status = fail_read(&asking, bg_git_reason(content.errors, arena), err);
	if (status == BG_OK)
		status = find_branch(&found.branch, &asking, err);
	if (status != BG_OK)
		return status;
	read_header(&found, content.text, arena);
	if (!found.tree)
		return fail_read(&asking, "the commit names no tree", err);
	*ret = found;
	return BG_OK;
}

enum bg_status bg_revision_is_here(bool *ret, const struct bg_repository *repository,
				   const char *commit, struct bg_error *err)
{
	BG_AUTO(arena_drop) struct bg_arena arena = BG_ARENA_INIT;
	const char *peeled = bg_arena_format(&arena, "%s^{commit}", commit);
	/* In a partial clone a question about a commit would fetch it, with all of its history. */
	const char *const args[] = { "-c", "remote.origin.promisor=false", "cat-file", "-e", peeled,
				     NULL };
	struct bg_git_command command = {
		.dir = repository->root, .args = args, .log_fd = -1, .no_lazy_fetch = true
	};
	int exit_status = 0;
	enum bg_status status = bg_git_run(&exit_status, NULL, &command, err);
	if (status == BG_OK)
		*ret = exit_status == 0;
	return status;
}
