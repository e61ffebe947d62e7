#ifndef BG_BASELINES_PUSH_H
#define BG_BASELINES_PUSH_H
/*
 * Publishing what waits in the spool: compare-and-swap on the remote's reference, by the git
 * program, again and again until the remote takes it (reference: the push protocol in docs).
 */
#include "baselines/fetch.h"
#include "baselines/spool.h"

struct bg_push {
	const struct bg_repository *repository;
	const struct bg_remote *remote;
	const char *runner_class;
	size_t count;
	const struct bg_spool_entry *const *entries; /* all of this class; at least one */
};

struct bg_pushed {
	unsigned tries;	   /* pushes; 0: the remote had every line already */
	const char *large; /* a commit whose note grows large; NULL: none */
};

/*
 * Publishes the entries, and then removes their files. The caller holds the lock.
 * returns  BG_E_SYSTEM: what the remote or git said; every file is kept. BG_E_INTERRUPTED
 * cost     up to 90 s, and at least 12 tries, where others push at the same time
 */
BG_MUST_CHECK enum bg_status bg_push_run(struct bg_pushed *ret, const struct bg_push *push,
					 struct bg_arena *arena, struct bg_error *err);
#endif
