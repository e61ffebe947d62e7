#include "baselines/ancestry.h"

#include <git2.h>
#include <string.h>

static void commit_drop(git_commit **commit)
{
	git_commit_free(*commit);
}

static const char *hex_of(const git_oid *id, struct bg_arena *arena)
{
	char hex[GIT_OID_HEXSZ + 1];
	return bg_arena_text(arena, git_oid_tostr(hex, sizeof hex, id));
}

/* As the object has it: at the end of a shallow clone libgit2 tells the parent or not. */
static bool read_first_parent(git_oid *ret, const git_commit *commit)
{
	const char *line = git_commit_raw_header(commit);
	while (line && *line) {
		if (strncmp(line, "parent ", 7) == 0)
			return git_oid_fromstrn(ret, line + 7, GIT_OID_HEXSZ) == 0;
		const char *end = strchr(line, '\n');
		line = end ? end + 1 : NULL;
	}
	return false;
}

void bg_ancestry_read(struct bg_ancestry *ret, const struct bg_repository *repository,
		      const char *commit, size_t max, struct bg_arena *arena)
{
	struct bg_ancestry ancestry = { 0 };
	size_t capacity = 0;
	git_oid id;
	/* An id of another length is of another repository. */
	bool more = repository->handle && strlen(commit) == GIT_OID_HEXSZ &&
		    git_oid_fromstr(&id, commit) == 0;
	ancestry.cut = !more;
	while (more && ancestry.count < max) {
		BG_AUTO(commit_drop) git_commit *found = NULL;
		if (git_commit_lookup(&found, repository->handle, &id) != 0) {
			ancestry.cut = true;
			break;
		}
		ancestry.commits = bg_arena_grow(arena, ancestry.commits, ancestry.count, &capacity,
						 sizeof *ancestry.commits);
		ancestry.commits[ancestry.count++] = hex_of(&id, arena);
		more = read_first_parent(&id, found);
	}
	*ret = ancestry;
}

const char *bg_commit_tree(const struct bg_repository *repository, const char *commit,
			   struct bg_arena *arena)
{
	BG_AUTO(commit_drop) git_commit *found = NULL;
	git_oid id;
	if (!repository->handle || strlen(commit) != GIT_OID_HEXSZ ||
	    git_oid_fromstr(&id, commit) != 0 ||
	    git_commit_lookup(&found, repository->handle, &id) != 0)
		return NULL;
	return hex_of(git_commit_tree_id(found), arena);
}
