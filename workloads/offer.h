#ifndef BG_WORKLOADS_OFFER_H
#define BG_WORKLOADS_OFFER_H
#include "workloads/modules.h"

/*
 * What this worker can run, for the reply to `list`: the replay model, then the operations of its
 * modules that are usable here; what is not usable is missing, with its reason.
 * Owned by the arena; axes are borrowed from the modules.
 * cost: each operation's usable(), which loads its library
 */
void bg_offer_fill(struct bg_reply *reply, const struct bg_modules *modules,
		   struct bg_arena *arena);
/*
 * The same of a plugin: all its operations and nothing else, whether or not this machine can do
 * them, which prepare tells.
 */
void bg_offer_plugin(struct bg_reply *reply, const struct bg_modules *modules,
		     struct bg_arena *arena);
#endif
