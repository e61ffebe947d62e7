#include "gate/cli/gate_options.h"

#include <stddef.h>

const char *const bg_color_words[] = { "auto", "always", "never", NULL };
const char *const bg_junit_words[] = { "ci", "strict", NULL };

#define AT(kind, field) .offset = BG_TARGET_##kind(struct bg_gate_options, field)

#define SUITE_HELP "the suite to run; without it, batchgate.yml in the repository's root"
#define OUT_HELP "folder for the files that every run leaves"
#define BUDGET_HELP "time to measure for, builds not counted"
#define TIMEOUT_HELP "longest time one step may take"
#define SEED_HELP "seed of the order in which things run"
#define ONLY_HELP "run the cases whose name matches (repeatable)"
#define AXIS_HELP "run these values of an axis instead of the suite's (repeatable)"
#define CPUS_HELP "measure on these CPUs, such as 2 or 0,2-3; without it, batchgate chooses"
static const struct bg_option options[] = {
	{ "suite", BG_OPTION_TEXT, AT(TEXT, suite), .value = "FILE", .help = SUITE_HELP },
	{ "base", BG_OPTION_TEXT, AT(TEXT, base), .value = "REV", .fallback = "auto",
	  .help = "the revision to compare with; auto: where the branch began, or the "
		  "commit before" },
	{ "head", BG_OPTION_TEXT, AT(TEXT, head), .value = "REV", .fallback = "HEAD",
	  .help = "the revision to judge; worktree is your files as they stand" },
	{ "base-worker", BG_OPTION_TEXT, AT(TEXT, base_worker), .value = "CMD",
	  .help = "start base's worker with this command, which may lead elsewhere (ssh)" },
	{ "head-worker", BG_OPTION_TEXT, AT(TEXT, head_worker), .value = "CMD",
	  .help = "start head's worker with this command, which may lead elsewhere (ssh)" },
	{ "report", BG_OPTION_TEXTS, AT(TEXTS, reports), .value = "FORMAT[=FILE]",
	  .help = BG_REPORT_HELP },
	{ "out", BG_OPTION_TEXT, AT(TEXT, out), .value = "DIR", .fallback = "batchgate-out",
	  .help = OUT_HELP },
	{ "budget", BG_OPTION_SECONDS, AT(DOUBLE, budget_s), .min = 1, .max = 604800,
	  .fallback = "10m", .help = BUDGET_HELP },
	{ "launches-max", BG_OPTION_U64, AT(U64, launches_max), .min = 1, .max = 24,
	  .fallback = "24", .help = "launches a case may take before it stays undecided" },
	{ "timeout", BG_OPTION_SECONDS, AT(DOUBLE, timeout_s), .min = 0.1, .max = 86400,
	  .fallback = "2m", .help = TIMEOUT_HELP },
	{ "seed", BG_OPTION_U64, AT(U64, seed), .fallback = "1", .help = SEED_HELP },
	{ "strict", BG_OPTION_FLAG, AT(FLAG, strict), .help = BG_STRICT_HELP },
	{ "aa", BG_OPTION_FLAG, AT(FLAG, aa),
	  .help = "measure head against itself, to see what this machine can tell apart" },
	{ "stored", BG_OPTION_FLAG, AT(FLAG, stored),
	  .help = "run no base arm: compare with sessions recorded for the base commit" },
	{ "remote", BG_OPTION_TEXT, AT(TEXT, remote), .value = "NAME",
	  .help = "with --stored, the remote whose records are read" },
	{ "only", BG_OPTION_TEXTS, AT(TEXTS, only), .value = "GLOB", .help = ONLY_HELP },
	{ "axis", BG_OPTION_PAIRS, AT(PAIRS, axes), .help = AXIS_HELP },
	{ "cpus", BG_OPTION_CPUS, AT(CPUS, cpus), .help = CPUS_HELP },
	{ "no-fetch", BG_OPTION_FLAG, AT(FLAG, no_fetch),
	  .help = "never take from the remote what a shallow clone lacks to find the base" },
	{ "dry-run", BG_OPTION_FLAG, AT(FLAG, dry_run), .help = "print the plan and run nothing" },
	{ "no-cache", BG_OPTION_FLAG, AT(FLAG, no_cache),
	  .help = "build base again, even where an earlier build of it is kept" },
	{ "keep", BG_OPTION_FLAG, AT(FLAG, keep), .help = "leave both work trees in place" },
	{ "quiet", BG_OPTION_FLAG, AT(FLAG, quiet), .help = "no progress" },
	{ "color", BG_OPTION_CHOICE, AT(CHOICE, color), .choices = bg_color_words,
	  .fallback = "auto", .help = BG_COLOR_HELP },
	{ "junit-dialect", BG_OPTION_CHOICE, AT(CHOICE, dialect), .choices = bg_junit_words,
	  .fallback = "ci", .help = BG_JUNIT_HELP },
};

const struct bg_option_table bg_gate_table = {
	.count = sizeof options / sizeof *options,
	.options = options,
};

static const struct bg_option run_options[] = {
	{ "suite", BG_OPTION_TEXT, AT(TEXT, suite), .value = "FILE", .help = SUITE_HELP },
	{ "head", BG_OPTION_TEXT, AT(TEXT, head), .value = "REV", .fallback = "HEAD",
	  .help = "the revision to measure; worktree is your files as they stand" },
	{ "worker", BG_OPTION_TEXT, AT(TEXT, head_worker), .value = "CMD",
	  .help = "start the worker with this command" },
	{ "report", BG_OPTION_TEXTS, AT(TEXTS, reports), .value = "FORMAT[=FILE]",
	  .help = BG_REPORT_HELP },
	{ "out", BG_OPTION_TEXT, AT(TEXT, out), .value = "DIR", .fallback = "batchgate-out",
	  .help = OUT_HELP },
	{ "budget", BG_OPTION_SECONDS, AT(DOUBLE, budget_s), .min = 1, .max = 604800,
	  .fallback = "10m", .help = BUDGET_HELP },
	{ "launches", BG_OPTION_U64, AT(U64, launches_max), .min = 1, .max = 64, .fallback = "10",
	  .help = "launches of each case" },
	{ "timeout", BG_OPTION_SECONDS, AT(DOUBLE, timeout_s), .min = 0.1, .max = 86400,
	  .fallback = "2m", .help = TIMEOUT_HELP },
	{ "seed", BG_OPTION_U64, AT(U64, seed), .fallback = "1", .help = SEED_HELP },
	{ "strict", BG_OPTION_FLAG, AT(FLAG, strict), .help = BG_STRICT_HELP },
	{ "only", BG_OPTION_TEXTS, AT(TEXTS, only), .value = "GLOB", .help = ONLY_HELP },
	{ "axis", BG_OPTION_PAIRS, AT(PAIRS, axes), .help = AXIS_HELP },
	{ "cpus", BG_OPTION_CPUS, AT(CPUS, cpus), .help = CPUS_HELP },
	{ "dry-run", BG_OPTION_FLAG, AT(FLAG, dry_run), .help = "print the plan and run nothing" },
	{ "keep", BG_OPTION_FLAG, AT(FLAG, keep), .help = "leave the work tree in place" },
	{ "quiet", BG_OPTION_FLAG, AT(FLAG, quiet), .help = "no progress" },
	{ "color", BG_OPTION_CHOICE, AT(CHOICE, color), .choices = bg_color_words,
	  .fallback = "auto", .help = BG_COLOR_HELP },
	{ "junit-dialect", BG_OPTION_CHOICE, AT(CHOICE, dialect), .choices = bg_junit_words,
	  .fallback = "ci", .help = BG_JUNIT_HELP },
};

const struct bg_option_table bg_run_table = {
	.count = sizeof run_options / sizeof *run_options,
	.options = run_options,
};
