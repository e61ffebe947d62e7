#ifndef BG_BASELINES_ANCESTRY_H
#define BG_BASELINES_ANCESTRY_H
/* First parents, as far as this clone has them. */
#include "baselines/repository.h"

struct bg_ancestry {
	size_t count;
	const char **commits; /* full ids; the first is the commit itself where it is here */
	bool cut; /* it goes on, or may: a shallow clone ends, or the commit is not here */
};

/* The commit and its first parents, at most max of them. A commit that is missing is no fault. */
void bg_ancestry_read(struct bg_ancestry *ret, const struct bg_repository *repository,
		      const char *commit, size_t max, struct bg_arena *arena);

/* The tree of a commit; NULL where the commit is not here. */
const char *bg_commit_tree(const struct bg_repository *repository, const char *commit,
			   struct bg_arena *arena);
#endif
