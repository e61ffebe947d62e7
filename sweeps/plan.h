#ifndef BG_SWEEPS_PLAN_H
#define BG_SWEEPS_PLAN_H
/*
 * What a session will measure: the union of both arms' cases (design: section 3, "Whose suite").
 * Commands come from head's suite; margins and judged metrics from base's where it has one.
 */
#include "sweeps/session.h"

struct bg_plan_input {
	const struct bg_suite *base_suite; /* NULL: base has none */
	const struct bg_suite *head_suite;
	const struct bg_case_list *base, *head; /* base NULL with base_suite NULL */
	enum bg_comparison comparison;
	const char *base_lacks; /* "base has no batchgate.yml", where base is NULL */
	/* base was given head's suite file and what else it names: head's cases can be run there,
	 * the policy is still base's own */
	bool suite_carried;
	bool same_workers; /* built-ins run the same bytes in both arms: nothing to measure */
};

/* Fills result->cases and session->runs. cost: O(cases log cases) */
void bg_plan_make(struct bg_session *session, const struct bg_plan_input *input);
#endif
