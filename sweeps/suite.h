#ifndef BG_SWEEPS_SUITE_H
#define BG_SWEEPS_SUITE_H
/*
 * The suite file (YAML; docs/suite.md). Read through libyaml's events, so that every mistake has
 * its file:line:column. Bounds: 1 MiB, depth 32. Unknown and duplicate keys, anchors, aliases,
 * tags, merge keys, second documents, NUL and bad UTF-8 are errors.
 */
#include "gate/core/arena.h"
#include "gate/verdict/metric.h"

#include <stdbool.h>
#include <stddef.h>

#define BG_SUITE_SIZE_MAX ((size_t)1 << 20)
#define BG_SUITE_DEPTH_MAX 32

/* Where a thing stands in the suite file, from 1. */
struct bg_mark {
	unsigned line, column;
};

/* One key of a workload that spans an axis: its values in the order written, ranges expanded. */
struct bg_axis {
	const char *name;
	struct bg_mark mark;
	size_t count;
	const char **values;
	struct bg_mark *marks; /* of each value */
};

enum bg_use { BG_USE_BUILTIN, BG_USE_EXEC, BG_USE_PROGRAM, BG_USE_PLUGIN };
enum bg_turns { BG_TURNS_AUTO, BG_TURNS_STEP, BG_TURNS_SLICED };

/* Margins and floors in force, NaN where the suite does not say. */
struct bg_margins {
	double margin[BG_METRIC_COUNT];
	double floor[BG_METRIC_COUNT];
};

struct bg_workload_entry {
	/* exec, program: `name:`, unique; plugin: `name:`, an operation's; else the word after
	 * use:. A plugin without the key has its file's name here until its operation is known. */
	const char *name;
	bool named; /* plugin: by the suite */
	enum bg_use use;
	const char *word; /* the word after use: "gemm", "exec" */
	const char *path; /* plugin: the shared library, relative to an arm's tree */
	struct bg_mark mark;
	const char **command; /* exec, program: words, NULL-terminated; {axis} not yet replaced */
	size_t command_count;
	double timeout_s; /* of one step; 0: the default */
	unsigned threads; /* exec, program, plugin: 0 where the suite does not say */
	enum bg_turns turns;
	struct bg_margins margins;
	size_t axis_count;
	struct bg_axis *axes;
};

struct bg_arms {
	const char **build; /* words, NULL-terminated; NULL: nothing to build */
	size_t build_count;
	const char **worker; /* NULL: the running batchgate */
	size_t worker_count;
	const char **carry;	     /* paths, relative */
	struct bg_mark *carry_marks; /* of each */
	size_t carry_count;
	const char **link;
	struct bg_mark *link_marks;
	size_t link_count;
};

/* One line of `aliases:`: a workload's or case's name, and the one it had before. */
struct bg_alias {
	const char *name, *old_name;
	struct bg_mark mark; /* of the name */
};

/* One item of `removed:`: a workload or case that is gone on purpose, or a glob of * and ?. */
struct bg_removal {
	const char *pattern;
	bool is_glob;
	struct bg_mark mark;
};

struct bg_suite {
	const char *name;
	const char *file; /* as given, for messages */
	struct bg_arms arms;
	struct bg_margins margins;
	bool judge[BG_METRIC_COUNT]; /* beyond the defaults */
	size_t workload_count;
	struct bg_workload_entry *workloads;
	size_t alias_count;
	struct bg_alias *aliases;
	size_t removal_count;
	struct bg_removal *removals;
};

/* Reads path; `shown` names the file in messages and reports. BG_E_INPUT. */
BG_MUST_CHECK enum bg_status bg_suite_read(struct bg_suite *ret, const char *path,
					   const char *shown, struct bg_arena *arena,
					   struct bg_error *err);
/* The same from memory. */
BG_MUST_CHECK enum bg_status bg_suite_parse(struct bg_suite *ret, const char *text, size_t size,
					    const char *shown, struct bg_arena *arena,
					    struct bg_error *err);
#endif
