#ifndef BG_BASELINES_DEEPEN_H
#define BG_BASELINES_DEEPEN_H
/*
 * What a clone lacks, from the remote it came from. By object ids alone: no reference of the user's
 * moves. A shallow clone gets single commits or 50 more of the history; a full one is never made
 * shallow. By the git program in the repository itself, where CI systems keep the token; without
 * prompts, each fetch for at most 5 minutes.
 */
#include "baselines/repository.h"

#define BG_DEEPEN_STEP 50
#define BG_DEEPEN_STEPS_MAX 4

struct bg_deepen {
	struct bg_repository *repository; /* shallow is kept up to date */
	bool allowed;			  /* --no-fetch was not given */
	const char *remote;		  /* "origin", or the only one there is; NULL: none */
	unsigned commits;		  /* the history was deepened by as many */
	bool fetched;			  /* something was taken from the remote */
	const char *fault;		  /* why the last try failed, one line; NULL */
};

/* Reads nothing from the network. Owned by the arena. */
BG_MUST_CHECK enum bg_status bg_deepen_init(struct bg_deepen *ret, struct bg_repository *repository,
					    bool allowed, struct bg_arena *arena,
					    struct bg_error *err);

/*
 * Takes exactly this commit, in a shallow clone. *got: it is in the clone now, or was before.
 * A server that refuses, or no network, is no fault: see deepen->fault.
 */
BG_MUST_CHECK enum bg_status bg_deepen_commit(bool *got, struct bg_deepen *deepen, const char *id,
					      struct bg_arena *arena, struct bg_error *err);
/*
 * The tip of the remote's branch as it is now, taken into the clone: its id, NULL where it cannot
 * be had. branch may hold anything; what is no branch's name is not asked for.
 */
BG_MUST_CHECK enum bg_status bg_deepen_branch(const char **ret_id, struct bg_deepen *deepen,
					      const char *branch, struct bg_arena *arena,
					      struct bg_error *err);
/*
 * BG_DEEPEN_STEP more commits of the history of these (full ids, NULL-terminated, at most 4).
 * *more: it was done, and another look is worth while.
 */
BG_MUST_CHECK enum bg_status bg_deepen_more(bool *more, struct bg_deepen *deepen,
					    const char *const *ids, struct bg_arena *arena,
					    struct bg_error *err);

/* What was changed in the user's clone, one line for the report; NULL where nothing was. */
const char *bg_deepen_remark(const struct bg_deepen *deepen, struct bg_arena *arena);
#endif
