#ifndef BG_SWEEPS_SESSION_H
#define BG_SWEEPS_SESSION_H
/*
 * A whole run: rounds of launches over the suite until every cell is decided or the budget is
 * spent, then the confirmation of what regressed. Fills a struct bg_result; decides nothing itself
 * but which cases still need launches (gate/verdict/decide.h).
 */
#include "gate/core/quota.h"
#include "gate/core/topology.h"
#include "gate/verdict/decide.h"
#include "sweeps/case.h"
#include "sweeps/exec.h"
#include "sweeps/hash_seed.h"
#include "sweeps/link.h"

struct bg_progress {
	enum bg_phase phase;
	unsigned round;
	size_t cases, cases_left; /* judged ones; still needing launches */
	const char *case_name;
	double elapsed_s, budget_s,
		left_s; /* left_s: estimate for the cells still open, NaN unknown */
};

struct bg_session_options {
	uint64_t seed;
	double budget_s;
	double timeout_s; /* of one step, where the suite says nothing */
	unsigned launches_max;
	bool identify;		 /* workers of the arms' own trees may prove to be the same bytes */
	unsigned alone_launches; /* of a case that runs on head alone, 1 .. BG_LAUNCHES_MAX */
	const cpu_set_t *cpus;	 /* NULL: all we are allowed */
	void (*progress)(void *context, const struct bg_progress *progress); /* MAY be NULL */
	void *progress_context;
	/* Swaps the arms' paths and copies executables, before confirmation. MAY be NULL. */
	void (*reshuffle)(void *context);
	void *reshuffle_context;
};

/* What a session remembers of a worker of an arm that is not live. */
struct bg_worker_note {
	const char *name;
	bool chosen, remote;
	double round_trip_s;
};

struct bg_arm {
	struct bg_arm_place place;
	const char *const *worker; /* words, NULL-terminated */
	const char *worker_name;   /* "worker of base", "attention of base" */
	bool chosen;		   /* by the user: it may run anywhere */
	bool remote;		   /* not known to run on this host */
	double round_trip_s;	   /* remote: of a request that asks for nothing */
	int log_fd;		   /* its stderr; -1 nowhere */
	struct bg_link link;
	bool live;
	/* Which worker name, chosen, remote, round_trip_s and link speak of: 0 is `worker`, else
	 * the own worker of the cases of that worker_group; notes has what is known of the others.
	 */
	size_t group;
	cpu_set_t group_cpus; /* live, group not 0: where it was started */
	struct bg_worker_note *notes;
};

/* What is known of a case beyond its result. */
struct bg_case_run {
	struct bg_case_result *result;
	const struct bg_case *of;     /* head's definition: its commands are run in both arms */
	size_t place;		      /* in result->cases */
	bool judged[BG_METRIC_COUNT]; /* metrics whose data are wanted */
	bool alone;		      /* only head runs: there is no base arm that could */
	bool ready;		      /* probed, or prepared once */
	bool open;		      /* still gets launches in this phase */
	bool wish;		      /* only to tell an improvement from no change */
	bool freeze_idle;	      /* its idle worker spins: stop it while the other runs */
	unsigned idle_voids;	      /* pairs in a row that an idle arm spoiled */
	cpu_set_t cpus;
	unsigned cores;
	bool find_cores;  /* all there are so far: how many the program uses is to be found */
	uint64_t turn_ns; /* 0: whole steps */
	uint64_t inner;	  /* calls a step */
	unsigned pairs;	  /* a launch */
	double step_s;
	double pair_cost_s, launch_cost_s; /* running means; launch: beyond its pairs */
	double pair_variance;		   /* of ln ratio, robust, running mean over launches */
	unsigned launches;		   /* made, both phases */
};

struct bg_session {
	struct bg_session_options options;
	struct bg_arm arm[2]; /* base, head */
	struct bg_forest forest;
	struct bg_topology topology;
	cpu_set_t allowed;
	struct bg_quota quota;
	struct bg_random order, jitter;
	struct bg_hash_seed hash_seed; /* of the programs of this launch */
	struct bg_result *result;
	size_t run_count;
	struct bg_case_run *runs;
	struct bg_arena *arena;
	uint64_t started_ns;
	double virtual_s;	/* replay: what would have passed */
	unsigned launch_number; /* over both phases; alternates which arm is first */
	size_t condition_capacity;
};

/*
 * Measures every case of `runs` whose result is in state MEASURED.
 * returns BG_OK also when the budget ended or the user interrupted: result->ending says so;
 *         BG_E_SYSTEM where nothing can be run at all
 */
BG_MUST_CHECK enum bg_status bg_session_run(struct bg_session *session, struct bg_error *err);

/* Zeroed session made ready: topology, quota, seeds, forest. */
void bg_session_init(struct bg_session *session, const struct bg_session_options *options,
		     struct bg_result *result, struct bg_arena *arena);

/* Seconds since the start, virtual ones included. */
double bg_session_elapsed_s(const struct bg_session *session);

/* Adds a line to result->conditions unless it is there already or the list is full. */
void bg_condition_add(struct bg_session *session, const char *format, ...) BG_PRINTF(2, 3);
#endif
