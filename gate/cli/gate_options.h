#ifndef BG_CLI_GATE_OPTIONS_H
#define BG_CLI_GATE_OPTIONS_H
/* What the gate command was asked to do: filled from bg_gate_table. */
#include "gate/cli/options.h"

/* Indices of --color and --junit-dialect. */
enum bg_color_choice { BG_COLOR_AUTO, BG_COLOR_ALWAYS, BG_COLOR_NEVER };
enum bg_junit_choice { BG_JUNIT_CI, BG_JUNIT_STRICT };

struct bg_gate_options {
	const char *suite;	 /* NULL: batchgate.yml in the repository's root */
	const char *base;	 /* revision, or "auto" */
	const char *head;	 /* revision */
	const char *base_worker; /* command, split by shell quoting; NULL: the suite's */
	const char *head_worker;
	struct bg_texts reports; /* FORMAT or FORMAT=FILE; see gate/cli/output.h */
	const char *out;	 /* folder */
	double budget_s;	 /* 1 .. 7 days */
	uint64_t launches_max;	 /* 1 .. 24 */
	double timeout_s;	 /* of one step, .1 s .. 1 day */
	uint64_t seed;
	bool strict, aa;
	bool stored;		 /* no base arm: sessions recorded earlier */
	const char *remote;	 /* whose records; NULL: the branch's, origin, the only one */
	struct bg_texts only;	 /* globs over case names */
	struct bg_pairs axes;	 /* an axis and the values to take instead of the suite's */
	struct bg_cpu_list cpus; /* count 0: batchgate chooses */
	bool dry_run, keep, quiet;
	bool no_fetch;	  /* what a shallow clone lacks is not taken from its remote */
	bool no_cache;	  /* base is built even where an earlier build of it is kept */
	unsigned color;	  /* enum bg_color_choice */
	unsigned dialect; /* enum bg_junit_choice */
};

extern const struct bg_option_table bg_gate_table;
extern const struct bg_option_table bg_run_table; /* the same struct, less of it */

/* Words of --color and --junit-dialect, in the order of the enums; shared with report. */
extern const char *const bg_color_words[];
extern const char *const bg_junit_words[];

/* Help of the options that gate and report have in common. */
#define BG_REPORT_HELP                                                                             \
	"print this report (repeatable); without a FILE on stdout, in place of the text; "         \
	"github: after it"
#define BG_STRICT_HELP "exit 3 where anything was left undecided"
#define BG_COLOR_HELP "colour in the text on stdout"
#define BG_JUNIT_HELP "ci: with file, line and reasons; strict: valid in both published schemas"

/*
 * The options of commands that decide and report again, for a struct with these fields. out_help
 * says what --out gets.
 */
#define BG_REPORT_OPTIONS(type, out_help)                                                          \
	{ "report", BG_OPTION_TEXTS, .offset = BG_TARGET_TEXTS(type, reports),                     \
	  .value = "FORMAT[=FILE]", .help = BG_REPORT_HELP },                                      \
		{ "out", BG_OPTION_TEXT, .offset = BG_TARGET_TEXT(type, out), .value = "DIR",      \
		  .help = out_help },                                                              \
		{ "strict", BG_OPTION_FLAG, .offset = BG_TARGET_FLAG(type, strict),                \
		  .help = BG_STRICT_HELP },                                                        \
		{ "color",                                                                         \
		  BG_OPTION_CHOICE,                                                                \
		  .offset = BG_TARGET_CHOICE(type, color),                                         \
		  .choices = bg_color_words,                                                       \
		  .fallback = "auto",                                                              \
		  .help = BG_COLOR_HELP },                                                         \
	{                                                                                          \
		"junit-dialect", BG_OPTION_CHOICE, .offset = BG_TARGET_CHOICE(type, dialect),      \
						   .choices = bg_junit_words, .fallback = "ci",    \
						   .help = BG_JUNIT_HELP                           \
	}
#endif
