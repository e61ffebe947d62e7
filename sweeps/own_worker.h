#ifndef BG_SWEEPS_OWN_WORKER_H
#define BG_SWEEPS_OWN_WORKER_H
/*
 * Entries that bring their own worker: a program of the user's that speaks the step protocol, or a
 * plugin, which a worker of the running batchgate loads.
 */
#include "sweeps/offer.h"

/* use: program or plugin. */
bool bg_own_has(const struct bg_workload_entry *entry);

/*
 * The words that start the entry's worker in an arm's tree, NULL-terminated, owned by the arena.
 * self  path of the running batchgate
 */
const char *const *bg_own_command(const struct bg_workload_entry *entry, const char *self,
				  struct bg_arena *arena);

/* How messages name an arm's worker of the entry: "attention of head". Owned by the arena. */
const char *bg_own_worker_name(const struct bg_workload_entry *entry, const char *arm,
			       struct bg_arena *arena);

/*
 * What head's worker of the same entry offers, for an entry of either suite: a program goes by its
 * name, a plugin by its path, or else by its file's name. NULL where head has no such entry.
 */
const struct bg_own_offer *bg_own_find(const struct bg_catalogue *catalogue,
				       const struct bg_workload_entry *entry);

/* What is offered under the workload that the entry means; false where that is not known. */
bool bg_own_offer_of(struct bg_offer *ret, const struct bg_workload_entry *entry,
		     const struct bg_catalogue *catalogue, struct bg_arena *arena);

/*
 * What in a worker's list cannot be used, in one line; NULL where nothing: a name or an axis twice,
 * a name that cannot stand in a suite, an axis called like a key, a default that is not allowed.
 * Spells the defaults of a good list as values are spelt.
 */
const char *bg_own_list_check(struct bg_catalogue *list, struct bg_arena *arena);

/*
 * Which of the offered workloads an entry means: the only one, else the one of its name.
 * returns BG_E_INPUT with file:line:column and what is offered
 */
BG_MUST_CHECK enum bg_status bg_own_choose(const char **ret, const struct bg_suite *suite,
					   const struct bg_workload_entry *entry,
					   const struct bg_own_offer *offered,
					   struct bg_arena *arena, struct bg_error *err);
#endif
