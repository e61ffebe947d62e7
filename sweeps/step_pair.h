#ifndef BG_SWEEPS_STEP_PAIR_H
#define BG_SWEEPS_STEP_PAIR_H
/*
 * One pair of steps by two live workers: whole steps in turn on the workers' own clocks, or long
 * steps cut into turns on ours.
 */
#include "sweeps/launch.h"

struct bg_step_pair {
	double time_s[2]; /* base, head: of one step of `inner` calls; the same where head is alone
			   */
	double cpu_s[2];  /* CPU time of the worker's tree; 0 for a virtual clock */
	const char *voided;
	bool idle_used; /* a worker used its core while the other stepped */
};

struct bg_stepper {
	struct bg_session *session;
	struct bg_case_run *run;
	struct bg_buffer line; /* the request, formatted once */
	double timeout_s;
	bool virtual_clock;
	unsigned steps, distrusted; /* whole steps: how many, and how many whose clock disagrees */
	uint64_t cpu_ns[2], wait_ns[2]; /* of the trees, as last read */
	uint64_t parent_wait_ns;	/* of this process, as last read */
	uint64_t throttled;
	double inner_s; /* virtual: what the pairs would have taken */
};

void bg_stepper_init(struct bg_stepper *ret, struct bg_session *session, struct bg_case_run *run,
		     bool virtual_clock);
void bg_stepper_release(struct bg_stepper *stepper);
/*
 * outcome[arm] is set where an arm failed; the pair is then void.
 * returns BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_step_pair_run(struct bg_stepper *stepper, bool head_first,
					      struct bg_step_pair *ret,
					      struct bg_arm_outcome outcome[2],
					      struct bg_error *err);
#endif
