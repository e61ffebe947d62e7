#ifndef BG_REPORTERS_SUMMARY_H
#define BG_REPORTERS_SUMMARY_H
/* What a report says of the run as a whole, in words; used by every format that people read. */
#include "reporters/reporter.h"
#include "reporters/wrap.h"

#define BG_SHORT_ID_SIZE 12 /* of a commit, for people: unique in any repository we know */
#define BG_WHOLE_ID_SIZE SIZE_MAX

/* "pass", "regression", "indeterminate" or "error": the run in one word, faults included. */
const char *bg_summary_verdict(int exit_code);

/* "398 cells judged, 14 not judged: 10 INCONCLUSIVE, 4 SKIPPED" */
void bg_summary_counts(struct bg_buffer *out, const struct bg_report *report);

/*
 * One line a fact, each ended by LF: both arms and how base was chosen, machine, launches, seconds
 * and seed, how it ended, chance of a false alarm, policy changes, conditions.
 */
void bg_summary_add(struct bg_buffer *out, const struct bg_report *report, struct bg_wrap wrap);
/* The same without the policy changes, for a report that has them elsewhere. */
void bg_summary_add_run(struct bg_buffer *out, const struct bg_report *report, struct bg_wrap wrap);

/* The same without policy changes and conditions, each fact one line of any length. */
void bg_summary_facts(struct bg_buffer *out, const struct bg_report *report);

/*
 * "1a2b3c (first parent of HEAD): Add the cache"; no LF. id_size: how much of the commit's id to
 * show.
 */
void bg_summary_arm(struct bg_buffer *out, const struct bg_arm_result *arm, size_t id_size);
#endif
