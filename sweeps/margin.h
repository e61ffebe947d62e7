#ifndef BG_SWEEPS_MARGIN_H
#define BG_SWEEPS_MARGIN_H
/* `margins:` and `judge:`: how much worse is too much, and which metrics are judged. */
#include "sweeps/node.h"

/* Sets both arrays to NaN: the suite does not say. */
void bg_margins_init(struct bg_margins *margins);
/*
 * Reads a map from metrics to margins: `time: 3%` or `time: { worse: 1%, floor: 1 ms }`.
 * A margin is above 0 and at most 100 %; a floor is in the metric's unit, 0 or more.
 */
BG_MUST_CHECK enum bg_status bg_margins_read(struct bg_margins *ret, const struct bg_node *node,
					     struct bg_error *err);
/* Reads a list of metrics; sets judge[metric] for each. */
BG_MUST_CHECK enum bg_status bg_judge_read(bool judge[BG_METRIC_COUNT], const struct bg_node *node,
					   struct bg_error *err);
#endif
