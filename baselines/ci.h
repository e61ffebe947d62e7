#ifndef BG_BASELINES_CI_H
#define BG_BASELINES_CI_H
/*
 * What GitHub Actions and GitLab CI say in their variables about the commit that a job checked out,
 * and so which commit is the base of it (docs/base.md). No other system's variables are read. A
 * variable is believed only where it is about the very commit that is judged: a job may run
 * batchgate in another repository than its own.
 */
#include "baselines/repository.h"

enum bg_ci_rule {
	BG_CI_NONE,	    /* no such system, or nothing it says is about this commit */
	BG_CI_PARENT,	    /* head's first parent */
	BG_CI_MERGE_PARENT, /* the same, head being a merge that the system made to test it */
	BG_CI_MERGE_BASE,   /* with branch */
	BG_CI_COMMIT,	    /* id, which must be an ancestor */
	BG_CI_BEFORE,	    /* id where it is an ancestor, else the first parent */
};

struct bg_ci {
	const char *system; /* "GitHub", "GitLab"; NULL: neither */
	enum bg_ci_rule rule;
	const char *branch; /* MERGE_BASE, and COMMIT where id turns out to be no ancestor; NULL */
	const char *id;	    /* full object id */
	const char *id_is;  /* "the base that GitLab names for the merge request" */
	const char *merge_is; /* MERGE_PARENT: "the merge commit that GitHub made for ..." */
	bool ancestor;	    /* the system vouches that id is an ancestor: for what git cannot see */
	const char *remark; /* a condition: why something could not be read; NULL */
};

/* The event's file is read up to this size; GitHub's own events end at 25 MB, most at 100 KB. */
#define BG_CI_EVENT_SIZE_MAX ((size_t)32 << 20)

/* head: the commit that is judged. Never fails; owned by the arena. */
void bg_ci_read(struct bg_ci *ret, const struct bg_revision *head, struct bg_arena *arena);

/* The line that makes such a job's clone whole, for the end of a message: "add ... under ...". */
const char *bg_ci_full_clone(const char *system);
#endif
