#ifndef BG_SWEEPS_PROBE_H
#define BG_SWEEPS_PROBE_H
/*
 * Finding out how an exec case can be measured, before its first launch: does it run at all, on how
 * many cores, and may its executions be cut into turns (design: section 1, "Turn")?
 */
#include "gate/core/topology.h"
#include "sweeps/exec.h"
#include "sweeps/suite.h"

struct bg_probe_plan {
	const struct bg_exec_setup
		*setup; /* arms, commands, timeout; cpus and turns are found here */
	const struct bg_topology *topology;
	enum bg_turns turns; /* what the suite asks for */
	unsigned threads;    /* what the suite says; 0: find out */
	bool alone;	     /* head runs alone: what is said of base is head's */
};

struct bg_probe {
	bool ok[2];	       /* base, head: ran to exit status 0 */
	const char *reason[2]; /* where not ok */
	cpu_set_t cpus;
	unsigned cores;
	const char *cpus_why;
	uint64_t turn_ns;      /* 0: whole executions alternate */
	const char *turns;     /* "4 ms", "whole" or "step" */
	const char *turns_why; /* NULL where sliced without remark */
	double turn_tax;       /* ratio; what slicing costs, both arms */
	double step_s;	       /* an uninterrupted execution, mean of both arms */
	size_t strays;	       /* processes left running by either arm */
};

/* cost: 4 to 16 executions of each arm. returns BG_E_SYSTEM, BG_E_INTERRUPTED */
BG_MUST_CHECK enum bg_status bg_probe_run(struct bg_probe *ret, const struct bg_probe_plan *plan,
					  struct bg_arena *arena, struct bg_error *err);
#endif
