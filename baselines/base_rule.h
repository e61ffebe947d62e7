#ifndef BG_BASELINES_BASE_RULE_H
#define BG_BASELINES_BASE_RULE_H
/*
 * Which commit head is compared with when the user names none (docs/base.md): on CI what the system
 * tested it against, elsewhere where its branch left the default branch, on the default branch its
 * first parent.
 */
#include "baselines/repository.h"

struct bg_base_ask {
	struct bg_repository *repository; /* shallow is kept up to date */
	const struct bg_revision *head;
	bool may_fetch; /* what a shallow clone lacks may be taken from its remote */
};

#define BG_BASE_REMARKS_MAX 2

struct bg_base {
	struct bg_revision revision; /* how names the rule, and the ids it stands on */
	size_t remark_count;
	const char *remarks[BG_BASE_REMARKS_MAX]; /* conditions, one line each */
};

/*
 * returns BG_E_UNJUDGED where there is nothing to compare with: head is the first commit, has no
 * history in common with the branch it is for, or a shallow clone lacks what it takes (with the
 * line that mends it); BG_E_SYSTEM, BG_E_INTERRUPTED
 * cost    some 10 questions to git; in a shallow clone up to 6 fetches
 */
BG_MUST_CHECK enum bg_status bg_base_find(struct bg_base *ret, const struct bg_base_ask *ask,
					  struct bg_arena *arena, struct bg_error *err);
#endif
