#ifndef BG_SWEEPS_POLICY_H
#define BG_SWEEPS_POLICY_H
/*
 * Where head's suite differs from base's in what decides: one line a change, such as
 * "margins.time: 3 % -> 50 % (base's 3 % was used)": the key, base's value, head's, and which of
 * them was in force. A change cannot loosen its own gate, but it is to be seen.
 */
#include "sweeps/match.h"

/* Lines at most; the last one counts the rest. */
#define BG_POLICY_CHANGES_MAX 1000

/*
 * Fills result->policy_changes, in the order of the suite's keys in docs/suite.md, workloads in
 * head's order. Only workloads with a case among the matches are compared. What stands before
 * the first ": " of a line holds no value, so that it can serve as a name.
 *
 * cost  O(cases + workloads + aliases + removals) expected
 */
void bg_policy_compare(struct bg_result *result, const struct bg_suite *base,
		       const struct bg_suite *head, const struct bg_matches *matches,
		       struct bg_arena *arena);
#endif
