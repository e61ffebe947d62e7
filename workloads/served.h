#ifndef BG_WORKLOADS_SERVED_H
#define BG_WORKLOADS_SERVED_H
/* The one case that a worker has prepared: the replay model or an operation of a module. */
#include "gate/wire/message.h"
#include "workloads/modules.h"
#include "workloads/replay.h"

enum bg_served_kind { BG_SERVED_NONE, BG_SERVED_REPLAY, BG_SERVED_OPERATION };

struct bg_served {
	enum bg_served_kind kind;
	struct bg_replay replay;
	const struct bg_operation *operation;
	void *state;
	double inject;
	struct bg_why why; /* of the last hook that failed */
};

/*
 * Sets a case up, runs it once, verifies it outside the timing and estimates a call. Whatever was
 * prepared before is torn down first. Fills reply but for op and ok; texts live in the arena.
 * cost: at least one call; at most 200 ms of further calls, and the verification
 */
void bg_served_prepare(struct bg_served *served, const struct bg_modules *modules,
		       const struct bg_request *request, struct bg_reply *reply,
		       struct bg_arena *arena);
/* One step of `inner` calls: nanoseconds, or a negative number with served->why set. */
double bg_served_step(struct bg_served *served, uint64_t inner);
/* Peaks and the like into reply, then tears down. */
void bg_served_finish(struct bg_served *served, struct bg_reply *reply);
#endif
