#ifndef BG_BASELINES_FETCH_H
#define BG_BASELINES_FETCH_H
/*
 * Bringing records of a remote into the local mirror, by the git program inside the user's own
 * repository (its credentials, proxies and rewritten addresses count). The mirror is overwritten,
 * never merged; nothing else of the repository changes: no tags, no FETCH_HEAD, no depth.
 */
#include "baselines/remote.h"

struct bg_fetch {
	const struct bg_repository *repository;
	const struct bg_remote *remote;
	const char *runner_class; /* "*": every class there is */
};

/*
 * *ret_there  false where the remote has no such reference: the mirror has then gone too. Told
 *             apart from every failure by asking the remote what it has.
 * returns     BG_E_SYSTEM with git's reason, BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_fetch_run(bool *ret_there, const struct bg_fetch *fetch,
					  struct bg_arena *arena, struct bg_error *err);

/* The git folder's lock on publishing and fetching; waits up to ten minutes for another. */
struct bg_store_lock {
	int fd;
};
BG_MUST_CHECK enum bg_status bg_store_lock(struct bg_store_lock *ret,
					   const struct bg_repository *repository,
					   struct bg_arena *arena, struct bg_error *err);
void bg_store_unlock(struct bg_store_lock *lock);
#endif
