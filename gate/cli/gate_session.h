#ifndef BG_CLI_GATE_SESSION_H
#define BG_CLI_GATE_SESSION_H
#include "gate/cli/gate_arms.h"

/* A gate's session: the plan, and what is measured. Owned by the caller, filled by plan. */
struct bg_gate_session {
	struct bg_gate *gate;
	struct bg_session session;
	struct bg_result result;
	struct bg_filter filter;
	struct bg_case_list base_cases, head_cases;
	bool swapped; /* the arms' trees stand at each other's paths */
};

/* Expands both suites and plans; result's head is filled. BG_E_INPUT, BG_E_USAGE. */
BG_MUST_CHECK enum bg_status bg_gate_plan(struct bg_gate_session *ret, struct bg_gate *gate,
					  const struct bg_catalogue *catalogue,
					  struct bg_error *err);
/* Measures; the result is complete whatever ended it. */
BG_MUST_CHECK enum bg_status bg_gate_measure(struct bg_gate_session *gate_session,
					     struct bg_error *err);
#endif
