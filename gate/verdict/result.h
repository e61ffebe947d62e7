#ifndef BG_VERDICT_RESULT_H
#define BG_VERDICT_RESULT_H
/*
 * What was measured: plain data, filled by sweeps/, saved and loaded by gate/wire/result.h, and the
 * only input of a decision (gate/verdict/decide.h). Everything here is owned by the run's arena.
 */
#include "gate/verdict/metric.h"

#include <stdint.h>

#define BG_LAUNCHES_MAX 64 /* per phase; the looks end at 24, confirmation has 10 */
#define BG_CASES_MAX 100000
#define BG_PAIRS_MAX 10000 /* per launch */
#define BG_CONDITIONS_MAX 64

enum bg_phase { BG_PHASE_JUDGE, BG_PHASE_CONFIRM };

/* One launch's worth of a metric. */
struct bg_datum {
	double x;    /* ln(head/base) as the metric defines it; positive is worse */
	double base; /* level of the base arm in the metric's unit */
	double head;
};

/* What a series is compared with where no base arm ran (design: section 4, stored sessions). */
struct bg_stored {
	size_t count;	 /* base sessions; 0: none can be compared */
	double *level;	 /* ln of each session's level */
	double variance; /* of ln level over launches within these sessions, their mean */
	double tau0;	 /* sd of ln level between sessions of this runner class; NaN unknown */
	const char *why; /* one line where count is 0; NULL otherwise */
};

/* The data of one cell: judge[0..judge_count) in order of launch, then the confirmation's. */
struct bg_series {
	enum bg_metric metric;
	size_t judge_count, confirm_count;
	struct bg_datum *judge, *confirm;
	struct bg_stored *stored;		 /* NULL unless result->comparison is STORED */
	size_t judge_capacity, confirm_capacity; /* for growing; not saved */
};

/* Pairs of one case in one launch: the evidence behind the data of time and time.mean. */
struct bg_launch_pairs {
	enum bg_phase phase;
	unsigned index;	     /* launch number within its phase, from 0 */
	unsigned count;	     /* pairs kept */
	unsigned voided;     /* pairs thrown away, with a reason counted in conditions */
	double *base, *head; /* seconds per step, count each */
	bool *head_first;    /* which arm went first, count */
};

/* What head is compared with. Without a base arm every datum has base 0 and x 0. */
enum bg_comparison {
	BG_COMPARISON_ARMS,    /* a base arm, run beside head */
	BG_COMPARISON_STORED,  /* sessions recorded earlier */
	BG_COMPARISON_NOTHING, /* a plain run */
};

enum bg_case_state {
	BG_CASE_MEASURED,    /* its series decide */
	BG_CASE_IDENTICAL,   /* both arms run the same bytes: UNCHANGED_BY_IDENTITY */
	BG_CASE_NEW,	     /* only head has it, or base has nothing that can run it */
	BG_CASE_REMOVED,     /* gone from head, and declared */
	BG_CASE_MISSING,     /* gone from head, not declared */
	BG_CASE_SKIPPED,     /* with a reason */
	BG_CASE_FAILED,	     /* head fails where base ran */
	BG_CASE_INCORRECT,   /* head's result is beyond its tolerance */
	BG_CASE_BROKEN,	     /* fails on both arms */
	BG_CASE_NO_BASELINE, /* base failed in a way that is no absence */
	BG_CASE_MISTRUSTED,  /* the worker's clock does not agree with ours */
	BG_CASE_UNMEASURED,  /* budget ended or interrupted before any launch */
};

struct bg_axis_text {
	const char *name, *value;
};

struct bg_case_result {
	const char *name;     /* canonical, unique within the suite */
	const char *workload; /* "gemm", or the name of an exec */
	const char *hash;     /* of the definition, 16 hex digits */
	const char *file;     /* suite file, relative to the repository root */
	unsigned line;
	size_t axis_count;
	struct bg_axis_text *axes; /* all of them, defaults too */
	enum bg_case_state state;
	const char *reason;    /* for any state but MEASURED: one line; NULL otherwise */
	const char *turns;     /* how it was run: "whole step", "4 ms", "step" */
	const char *turns_why; /* one line where it fell back; NULL otherwise */
	double turn_tax;       /* ratio, 0.04 is +4 %; 0 where not sliced */
	double items_per_step; /* 0 where unknown */
	double flops_per_step; /* 0 where unknown */
	double bytes_per_step;
	const char *cpus;     /* "1" or "0,1" */
	const char *cpus_why; /* how that was chosen */
	const char *kernel;   /* what the library says it runs ("SkylakeX"); NULL unknown */
	double error;	      /* of the result against the reference, ratio; NaN unknown */
	double tolerance;
	double margin[BG_METRIC_COUNT]; /* T in force, ratio */
	double floor[BG_METRIC_COUNT];	/* in the metric's unit */
	size_t series_count;
	/*
	 * One a judged metric, in metric order; none unless MEASURED, or NEW and NO_BASELINE with
	 * data of head alone.
	 */
	struct bg_series *series;
	size_t pairs_count;
	struct bg_launch_pairs *pairs;
	size_t pairs_capacity;
};

struct bg_arm_result {
	const char *commit;  /* full object id; NULL where the arm is not a commit */
	const char *tree;    /* object id of its tree; NULL unknown */
	const char *parent;  /* first parent; NULL unknown or none */
	const char *branch;  /* NULL where detached or unknown */
	const char *subject; /* first line of the message, for people */
	const char *how;     /* "first parent of HEAD" */
	bool dirty;
};

/* How the run came to its end. */
enum bg_ending { BG_END_COMPLETE, BG_END_BUDGET, BG_END_LAUNCHES_MAX, BG_END_INTERRUPTED };

struct bg_result {
	const char *suite;	/* name */
	const char *suite_file; /* relative to the repository root */
	const char *program;	/* "batchgate 0.1.0" */
	uint64_t seed;
	bool aa; /* both arms are the same commit on purpose */
	enum bg_comparison comparison;
	struct bg_arm_result base, head;
	const char *started_utc; /* declared time field */
	double seconds;		 /* declared time field: builds not counted */
	double budget_s;
	enum bg_ending ending;
	const char *ending_why;	      /* one line: "needs about 3 more minutes"; NULL if complete */
	unsigned launches;	      /* rounds made, phase judge */
	bool virtual_clock;	      /* replay only: nothing was measured */
	const char *runner_class;     /* NULL unknown */
	const char *runner_class_why; /* where NULL */
	size_t fingerprint_count; /* of the machine, by name; what the class stands on and more */
	struct bg_axis_text *fingerprint;
	const char *machine; /* one line for people: CPU model, cores used */
	const char *command; /* how to repeat the run: "batchgate gate --seed 1"; NULL unknown */
	size_t condition_count;
	const char **conditions; /* what was unusual: one line each */
	size_t policy_change_count;
	const char **policy_changes;
	size_t case_count;
	struct bg_case_result *cases;
};

/* The series of a metric, or NULL. */
struct bg_series *bg_series_find(const struct bg_case_result *result, enum bg_metric metric);
#endif
