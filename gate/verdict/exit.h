#ifndef BG_VERDICT_EXIT_H
#define BG_VERDICT_EXIT_H
/* The table of verdicts, outcomes and exit codes (docs/verdict.md). */
#include "gate/verdict/report.h"

/* doubtful: a cell not judged may well be worse: beyond its limit, and 5 % not excluded. */
enum bg_outcome bg_outcome_of(enum bg_verdict verdict, bool strict, bool doubtful);

/* False for those that the first line of a report counts as not judged. */
bool bg_verdict_is_judged(enum bg_verdict verdict);

/* From a report's cells and strictness: count, judged, not_judged, exit_code, verdict. */
void bg_report_count(struct bg_report *report);
#endif
