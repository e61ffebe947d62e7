#include "baselines/merge_base.h"

#include "baselines/git_answer.h"
#include "baselines/git_program.h"
#include "gate/core/file.h"

#include <string.h>

#define BASES_MAX 8			 /* merge bases looked at; more than 2 are rare */
#define MAINLINE_MAX "--max-count=20000" /* of the target's first-parent line */
#define SHALLOW_SIZE_MAX ((size_t)4 << 20)

static void arena_drop(struct bg_arena *arena)
{
	bg_arena_release(arena);
}

static enum bg_status fail_git(const struct bg_repository *repository, const char *command,
			       const struct bg_git_answer *answer, struct bg_arena *arena,
			       struct bg_error *err)
{
	return bg_fail(err, BG_E_SYSTEM, "%s: git %s: %s", repository->root, command,
		       bg_git_reason(answer->errors, arena));
}

/* Whether a line of text is the id, or begins with it. */
static const char *line_of(const char *text, const char *id, size_t size)
{
	for (const char *at = text; (at = strstr(at, id)); at += size)
		if ((at == text || at[-1] == '\n') && (at[size] == '\n' || at[size] == '\0'))
			return at;
	return NULL;
}

/*
 * Whether the history of the tips, without what the `without` commits have, ends at the edge of a
 * shallow clone. Edges are commits that git lists without parents, as it does true roots; the file
 * "shallow" tells them apart.
 */
static enum bg_status is_cut(bool *ret, const struct bg_repository *repository,
			     const char *const *tips, const char *const *without,
			     struct bg_arena *arena, struct bg_error *err)
{
	const char *args[4 + 2 + BASES_MAX + 1] = { "rev-list", "--max-parents=0" };
	size_t used = 2, size;
	struct bg_git_answer roots;
	struct bg_error ignored = BG_ERROR_INIT;
	char *edges;
	*ret = false;
	if (!repository->shallow)
		return BG_OK;
	for (size_t i = 0; tips[i]; i++)
		args[used++] = tips[i];
	args[used++] = "--not";
	for (size_t i = 0; without[i]; i++)
		args[used++] = without[i];
	enum bg_status status = bg_git_ask(&roots, repository->root, args, arena, err);
	if (status != BG_OK)
		return status;
	if (roots.exit_status != 0)
		return fail_git(repository, "rev-list", &roots, arena, err);
	const char *path = bg_arena_format(arena, "%s/shallow", repository->common_dir);
	/* What cannot be read may say anything: then every end of the history may be an edge. */
	bool readable =
		bg_file_read(&edges, &size, path, SHALLOW_SIZE_MAX, arena, &ignored) == BG_OK;
	for (const char *root = roots.text; *root && !*ret;) {
		size_t length = strcspn(root, "\n");
		const char *id = bg_arena_bytes(arena, root, length);
		*ret = !readable || line_of(edges, id, length);
		root += length + (root[length] == '\n');
	}
	return BG_OK;
}

enum bg_status bg_descent_find(enum bg_descent *ret, const struct bg_repository *repository,
			       const char *older, const char *newer, struct bg_error *err)
{
	BG_AUTO(arena_drop) struct bg_arena arena = BG_ARENA_INIT;
	const char *const args[] = { "merge-base", "--is-ancestor", older, newer, NULL };
	struct bg_git_answer answer;
	bool cut = false;
	enum bg_status status = bg_git_ask(&answer, repository->root, args, &arena, err);
	if (status == BG_OK && answer.exit_status > 1)
		status = fail_git(repository, "merge-base", &answer, &arena, err);
	if (status == BG_OK && answer.exit_status == 1)
		status = is_cut(&cut, repository, (const char *const[]){ newer, NULL },
				(const char *const[]){ older, NULL }, &arena, err);
	if (status == BG_OK)
		*ret = answer.exit_status == 0 ? BG_DESCENT_YES
		       : cut		       ? BG_DESCENT_UNKNOWN
					       : BG_DESCENT_NO;
	return status;
}

/* Of several bases: see the header. */
static enum bg_status choose(struct bg_merge_base *ret, const struct bg_repository *repository,
			     const char *const *bases, const char *target, struct bg_arena *arena,
			     struct bg_error *err)
{
	const char *const args[] = { "rev-list", "--first-parent", MAINLINE_MAX, target, NULL };
	struct bg_git_answer line;
	enum bg_status status = bg_git_ask(&line, repository->root, args, arena, err);
	if (status != BG_OK)
		return status;
	if (line.exit_status != 0)
		return fail_git(repository, "rev-list", &line, arena, err);
	const char *nearest = NULL;
	ret->commit = bases[0];
	for (size_t i = 0; bases[i]; i++) {
		const char *at = line_of(line.text, bases[i], strlen(bases[i]));
		if (at && (!nearest || at < nearest)) {
			nearest = at;
			ret->commit = bases[i];
		} else if (!nearest && strcmp(bases[i], ret->commit) < 0) {
			ret->commit = bases[i];
		}
	}
	ret->on_target = nearest != NULL;
	return BG_OK;
}

enum bg_status bg_merge_base_find(struct bg_merge_base *ret, const struct bg_repository *repository,
				  const char *head, const char *target, struct bg_arena *arena,
				  struct bg_error *err)
{
	const char *const args[] = { "merge-base", "--all", head, target, NULL };
	const char *bases[BASES_MAX + 1] = { NULL };
	struct bg_merge_base found = { .count = 0 };
	struct bg_git_answer answer;
	bool cut = false;
	enum bg_status status = bg_git_ask(&answer, repository->root, args, arena, err);
	if (status != BG_OK)
		return status;
	if (answer.exit_status > 1)
		return fail_git(repository, "merge-base", &answer, arena, err);
	for (const char *line = answer.text; *line && found.count < BASES_MAX;) {
		size_t size = strcspn(line, "\n");
		bases[found.count++] = bg_arena_bytes(arena, line, size);
		line += size + (line[size] == '\n');
	}
	status = is_cut(&cut, repository, (const char *const[]){ head, target, NULL }, bases, arena,
			err);
	if (status == BG_OK && found.count > 1)
		status = choose(&found, repository, bases, target, arena, err);
	if (status != BG_OK)
		return status;
	found.commit = found.count > 1 ? found.commit : bases[0];
	found.known = !cut;
	*ret = found;
	return BG_OK;
}
