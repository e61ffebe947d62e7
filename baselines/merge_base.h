#ifndef BG_BASELINES_MERGE_BASE_H
#define BG_BASELINES_MERGE_BASE_H
/*
 * Which commit comes from which. In a shallow clone git answers from the part that is there as if
 * it were all: here an answer that what was cut off could change is "unknown".
 */
#include "baselines/repository.h"

enum bg_descent { BG_DESCENT_UNKNOWN, BG_DESCENT_YES, BG_DESCENT_NO };

/* Whether `older` is `newer` or an ancestor of it; both are full ids of commits in the clone. */
BG_MUST_CHECK enum bg_status bg_descent_find(enum bg_descent *ret,
					     const struct bg_repository *repository,
					     const char *older, const char *newer,
					     struct bg_error *err);

struct bg_merge_base {
	bool known;	    /* false: what a shallow clone lacks may hold a nearer one */
	size_t count;	    /* 0, if known: the histories have nothing in common */
	const char *commit; /* full id, owned by the arena; NULL where count is 0 */
	bool on_target;	    /* of several: it is on the target's first-parent line */
};

/*
 * The nearest common ancestor of head and target, full ids. Of several (the branches were merged
 * into each other) it is the one nearest to the target on its first-parent line, since that is the
 * target as head last took it in; where none is on that line, the smallest id.
 */
BG_MUST_CHECK enum bg_status bg_merge_base_find(struct bg_merge_base *ret,
						const struct bg_repository *repository,
						const char *head, const char *target,
						struct bg_arena *arena, struct bg_error *err);
#endif
