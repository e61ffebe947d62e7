#ifndef BG_SWEEPS_EXEC_H
#define BG_SWEEPS_EXEC_H
/*
 * Executions of the user's programs: one execution is one step. A pair is one execution of each
 * arm, in turns or one after the other.
 */
#include "sweeps/turn.h"

#include <sched.h>

/* Where and how an arm's programs start. */
struct bg_arm_place {
	const char *name; /* "base" or "head" */
	const char *dir;
	const char *const *envp;
};

struct bg_exec_setup {
	const struct bg_arm_place *arm[2]; /* base, head */
	const char *const *command[2];	   /* words, NULL-terminated */
	cpu_set_t cpus;
	unsigned cores;	  /* in cpus */
	uint64_t turn_ns; /* 0: one after the other, whole */
	double timeout_s;
	bool probe; /* capture what they print, sample cores and blocking */
	struct bg_random *jitter;
	struct bg_forest *forest;
};

/* What one execution did. */
struct bg_ran {
	bool ok;	  /* exit status 0 in time */
	char reason[512]; /* where not ok: one line */
	double time_s;	  /* own wall time, foreign run-queue wait over 1 % subtracted */
	double wait_share, blocked_share,
		idle_share; /* of the wall time; idle: CPU used while stopped */
	double cpu_s;
	uint64_t hash, size; /* of its stdout, probes only */
	unsigned busy_max;   /* most cores at once, probes only */
	size_t strays;	     /* processes it left running, killed */
};

struct bg_exec_pair {
	struct bg_ran ran[2]; /* base, head */
	const char *voided;   /* why the pair must not count; NULL: it counts */
};

/*
 * Runs both arms once (or only one: count 1 runs arm `first`). A program that fails is a result,
 * not an error. returns BG_E_SYSTEM (cannot start either), BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_exec_pair_run(struct bg_exec_pair *ret,
					      const struct bg_exec_setup *setup, size_t first,
					      size_t count, struct bg_error *err);
#endif
