#ifndef BG_SWEEPS_CASE_H
#define BG_SWEEPS_CASE_H
/*
 * Cases: a workload at one point of its axes, with a canonical name that is its identity.
 */
#include "gate/verdict/result.h"
#include "gate/wire/message.h"
#include "sweeps/name_map.h"
#include "sweeps/suite.h"

struct bg_case {
	const struct bg_workload_entry *entry;
	const struct bg_suite *suite;
	const char *name;     /* "gemm/engine=openblas,m=512,..." design: Identity */
	const char *hash;     /* of the definition, 16 hex digits */
	const char *workload; /* what a worker calls it; NULL: the word after use: */
	const char *engine;   /* built-in: from the axes; NULL where the workload has one engine */
	size_t axis_count;
	struct bg_axis_text *axes;  /* declared order, defaults filled in (built-in) */
	const char *const *command; /* exec: words with {axis} replaced, NULL-terminated */
	const char *skip; /* not NULL: SKIPPED with this reason (engine lacks a known word) */
	/* program, plugin: words of its own worker, NULL-terminated, the same array for all cases
	 * of an entry; NULL: the arm's worker */
	const char *const *worker;
	size_t worker_group;   /* 0: the arm's worker; else one number for each entry */
	const char *unchecked; /* not NULL: why its axes were taken as they stand */
	const char *fault;     /* not NULL: head's own worker does not work; one line */
	bool base_works;       /* with a fault: base's own worker answers */
};

/* An entry that cannot be expanded, and why: "s.yml:3:5: unknown workload 'x'". */
struct bg_lost_entry {
	const struct bg_workload_entry *entry;
	const char *why;
};

struct bg_case_list {
	size_t count;
	struct bg_case *cases;
	size_t lost_count; /* none unless the filter is lenient */
	struct bg_lost_entry *lost;
	struct bg_name_map names; /* of all cases, those that --only leaves out too; their lines */
};

struct bg_own_offer;

/* What workers can run: the answer to `list`. */
struct bg_catalogue {
	size_t workload_count, missing_count;
	const struct bg_workload_info *workloads;
	const struct bg_missing_module *missing;
	size_t own_count;
	const struct bg_own_offer *own; /* one for each entry of head's suite that has a worker */
	const char *self;		/* path of the running batchgate, which loads plugins */
};

/* What the own worker of an entry of head's suite (use: program, plugin) can run. */
struct bg_own_offer {
	const struct bg_workload_entry *entry;
	bool asked;		  /* false: nothing was started (a dry run) */
	const char *fault;	  /* why head's gave no usable answer; NULL where it did */
	bool of_base;		  /* with a fault: base's answered, and names the cases */
	struct bg_catalogue list; /* its workloads; empty where nobody answered */
};

/* --only and --axis. */
struct bg_filter {
	size_t glob_count, axis_count;
	const char *const *globs;	 /* a case name must match one; fnmatch without flags */
	const struct bg_axis_text *axes; /* NAME=VALUES: the axis is replaced by these values */
	/* An entry that cannot be expanded is listed as lost and is no error; what an entry's own
	 * worker does not offer is taken as it stands. */
	bool lenient;
};

/*
 * Expands a suite into at most BG_CASES_MAX cases in the suite's order.
 * Errors (BG_E_INPUT, file:line:column): unknown workload, axis or word, value out of range, axis
 * with no value, two cases of one name, too many cases; BG_E_USAGE: a filter that matches nothing.
 */
BG_MUST_CHECK enum bg_status bg_cases_expand(struct bg_case_list *ret, const struct bg_suite *suite,
					     const struct bg_catalogue *catalogue,
					     const struct bg_filter *filter, struct bg_arena *arena,
					     struct bg_error *err);
#endif
