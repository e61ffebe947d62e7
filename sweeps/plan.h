#ifndef BG_SWEEPS_PLAN_H
#define BG_SWEEPS_PLAN_H
/*
 * What a session will measure: the union of both arms' cases (design: section 3, "Whose suite").
 * Both arms run head's definitions; margins, floors and judged metrics are base's where base has
 * the workload. Each difference between the suites is a policy change, told in the result.
 */
#include "sweeps/session.h"

struct bg_plan_input {
	const struct bg_suite *base_suite; /* NULL: base has none */
	const struct bg_suite *head_suite;
	/* base NULL with base_suite NULL. Base's is whole, whatever --only takes: a case may have
	 * had another name there. */
	const struct bg_case_list *base, *head;
	const struct bg_filter *filter; /* what head's list was made with */
	enum bg_comparison comparison;
	const char *base_lacks; /* "base has no batchgate.yml", where base is NULL */
	/* base was given head's suite file and what else it names: head's cases can be run there,
	 * the policy is still base's own */
	bool suite_carried;
	bool same_workers; /* built-ins run the same bytes in both arms: nothing to measure */
};

/* Fills result->cases, its policy_changes and session->runs. cost: O(cases) expected */
void bg_plan_make(struct bg_session *session, const struct bg_plan_input *input);
#endif
