#ifndef BG_VERDICT_REPORT_H
#define BG_VERDICT_REPORT_H
/*
 * What was decided: immutable once bg_decide returns; reporters only print it.
 * Relative changes (effect, low, high, margin, mde) are ratios, positive is worse, and never
 * infinite: they end at BG_RATIO_MAX.
 */
#include "gate/verdict/result.h"

#define BG_RATIO_MAX 1e12

enum bg_verdict {
	BG_NOT_WORSE,
	BG_IMPROVED,
	BG_UNCHANGED_BY_IDENTITY,
	BG_NEW,
	BG_REMOVED,
	BG_SKIPPED,
	BG_INCONCLUSIVE,
	BG_UNSTABLE,
	BG_MISTRUSTED,
	BG_NO_BASELINE,
	BG_BROKEN,
	BG_REGRESSED,
	BG_INCORRECT,
	BG_FAILED,
	BG_SUSPICIOUS,
	BG_MISSING,
	BG_VERDICT_COUNT,
};

/* How a verdict counts, in JUnit and for the exit code. */
enum bg_outcome { BG_OUTCOME_PASS, BG_OUTCOME_SKIPPED, BG_OUTCOME_ERROR, BG_OUTCOME_FAILURE };

enum bg_confirmation { BG_CONFIRM_NONE, BG_CONFIRMED, BG_NOT_CONFIRMED };

struct bg_cell {
	const struct bg_case_result *of;
	enum bg_metric metric;
	enum bg_verdict verdict;
	enum bg_outcome outcome; /* under the report's strictness */
	/*
	 * The relative numbers below mean something. False with launches > 0 where a level of zero
	 * leaves no ratio: then base and head tell it, and the sentence ("0 B -> 7 MiB").
	 */
	bool measured;
	double effect, low, high;
	double margin, floor, mde; /* floor in the metric's unit; mde NaN where undefined */
	unsigned launches;	   /* behind the verdict, confirmation not counted */
	unsigned confirm_launches;
	double base, head; /* medians over launches, in the metric's unit; 0 without launches */
	unsigned alone;	   /* launches of head without a base arm; `launches` is 0 then */
	double alone_low, alone_high; /* head's least and largest level over them */
	double items_per_s;	      /* of head; 0 unknown; time only */
	enum bg_confirmation confirmed;
	const char *reason;   /* one line; NULL where the verdict says it all */
	const char *sentence; /* "time +6.1 % (+4.9..+7.3), limit 2 %, 24 launches, confirmed" */
};

struct bg_report {
	const struct bg_result *result;
	bool strict;
	size_t cell_count;
	struct bg_cell *cells;		    /* in the suite's order, metrics in metric order */
	const struct bg_cell **worst_first; /* the same cells, sorted for people; stable */
	size_t count[BG_VERDICT_COUNT];
	size_t judged, not_judged; /* not judged: INCONCLUSIVE, UNSTABLE, MISTRUSTED, NO_BASELINE,
				      BROKEN, SKIPPED */
	int exit_code;		   /* 0, 1 or 3: what the cells alone ask for */
	const char *verdict;	   /* "pass", "regression", "indeterminate" */
	const char *sentence;	   /* the whole in one line */
	/* Bound on the chance that a suite fails whose every cell is worse by just its margin: .05,
	 * and .01 more where time.mean is judged. An unchanged suite is far inside. */
	double error_budget;
};

/* "NOT_WORSE" and so on. */
const char *bg_verdict_name(enum bg_verdict verdict);
#endif
