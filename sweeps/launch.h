#ifndef BG_SWEEPS_LAUNCH_H
#define BG_SWEEPS_LAUNCH_H
/*
 * One launch of one case: fresh workers step in pairs, or an exec case runs a group of pairs. Used
 * by the session only.
 */
#include "sweeps/session.h"

/* What came of one arm of a case. */
enum bg_arm_state {
	BG_ARM_OK,
	BG_ARM_UNSUPPORTED,
	BG_ARM_OUT_OF_MEMORY,
	BG_ARM_INCORRECT,
	BG_ARM_FAILED,
	BG_ARM_MISTRUSTED,
};

struct bg_arm_outcome {
	enum bg_arm_state state;
	const char *reason; /* one line; NULL when OK */
};

/* Whether a case's state lets it run: what is judged, and what runs on head alone. */
static inline bool bg_case_runs(const struct bg_case_run *run)
{
	enum bg_case_state state = run->result->state;
	return state == BG_CASE_MEASURED || (run->alone && state == BG_CASE_NEW);
}

/* Index of the first arm that runs: base is 0, head 1. */
static inline size_t bg_first_arm(const struct bg_case_run *run)
{
	return run->alone ? 1 : 0;
}

/* Pairs of one launch as they are measured; arrays of capacity run->pairs + room for redone ones.
 */
struct bg_pair_log {
	unsigned count, voided, capacity;
	double *base, *head; /* seconds */
	bool *head_first;
};

/* Orders of pairs: balanced ABBA / BAAB blocks drawn at random. Zero to begin with. */
struct bg_pair_order {
	bool second_of_block, head_first;
};
bool bg_pair_order_next(struct bg_pair_order *order, struct bg_random *random);

void bg_pair_log_init(struct bg_pair_log *log, unsigned pairs, struct bg_arena *arena);
/* How many pairs may be voided and redone in a launch before it is given up. */
unsigned bg_void_allowance(unsigned pairs);

/*
 * Runs one launch of a built-in (its workers start as needed and stay for the next case) or exec
 * case and records its data, or settles the case's state where an arm failed.
 * returns BG_E_SYSTEM, BG_E_INTERRUPTED; a failing program is no error
 */
BG_MUST_CHECK enum bg_status bg_step_launch(struct bg_session *session, struct bg_case_run *run,
					    enum bg_phase phase, struct bg_error *err);
BG_MUST_CHECK enum bg_status bg_exec_launch(struct bg_session *session, struct bg_case_run *run,
					    enum bg_phase phase, struct bg_error *err);

/* Opens every case that can be measured, and picks the cores of all but execs. */
void bg_session_place(struct bg_session *session);
/* Gives a case so many cores; why for the report. Settles it where they are not there. */
void bg_case_place(struct bg_session *session, struct bg_case_run *run, unsigned cores,
		   const char *why);
/*
 * Finds the cores of the cases of one program that have find_cores: one, or all, by a step of each
 * arm that is watched.
 * returns BG_E_SYSTEM, BG_E_INTERRUPTED; what fails in it is left to the launch
 */
BG_MUST_CHECK enum bg_status bg_step_probe(struct bg_session *session, size_t group,
					   struct bg_error *err);
/* pin and prepare of one arm's live worker. */
BG_MUST_CHECK enum bg_status bg_arm_prepare(struct bg_session *session, struct bg_case_run *run,
					    size_t which, struct bg_reply *reply,
					    struct bg_arm_outcome *outcome, struct bg_error *err);
/* One launch of one case of either kind, ourselves kept off its cores. */
BG_MUST_CHECK enum bg_status bg_session_launch(struct bg_session *session, struct bg_case_run *run,
					       enum bg_phase phase, struct bg_error *err);

/* The case's arm whose worker is not known to run on this host, base first; NULL: both do. */
const struct bg_arm *bg_arm_remote(const struct bg_session *session, const struct bg_case_run *run);

/*
 * Opens the case's workers where they are not live: both, or head's alone; which first alternates
 * over launches.
 */
BG_MUST_CHECK enum bg_status bg_workers_open(struct bg_session *session,
					     const struct bg_case_run *run,
					     struct bg_arm_outcome outcome[2],
					     struct bg_error *err);
void bg_workers_close(struct bg_session *session);

/* Turns two arms' outcomes into the case's state and reason; called when either is not OK. */
void bg_case_settle(struct bg_session *session, struct bg_case_run *run,
		    const struct bg_arm_outcome outcome[2]);

/* Adds a launch's pairs and the data of time and time.mean; too few pairs add a condition only. */
void bg_record_pairs(struct bg_session *session, struct bg_case_run *run, enum bg_phase phase,
		     const struct bg_pair_log *pairs);
/* Adds a datum of another metric; ignored unless the case judges it. Levels finite and >= 0. */
void bg_record_metric(struct bg_session *session, struct bg_case_run *run, enum bg_phase phase,
		      enum bg_metric metric, double base, double head);

/* Pairs a launch from the variance components so far (design: section 1, Launch). */
unsigned bg_pairs_wanted(const struct bg_case_run *run);
#endif
