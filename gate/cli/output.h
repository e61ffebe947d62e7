#ifndef BG_CLI_OUTPUT_H
#define BG_CLI_OUTPUT_H
/*
 * Where reports go, for every command that makes one. --report FORMAT prints on stdout,
 * --report FORMAT=FILE writes a file whole or not at all; text goes to stdout unless another
 * format does. A folder (--out) gets report.json and report.junit.xml besides. A report too large
 * for one document goes on in FILE.2.EXT and so on. --report github prints annotations after the
 * text and fills the files that GitHub Actions names in the environment (github_files.h); nothing
 * else here looks at which CI service we run under.
 *
 * Colour, text on stdout only: --color=always|never decides; else a NO_COLOR that is not empty says
 * no; else a FORCE_COLOR or CLICOLOR_FORCE that is neither empty nor 0 says yes; else TERM=dumb
 * says no; else yes where stdout is a terminal.
 */
#include "gate/cli/options.h"
#include "gate/verdict/report.h"

struct bg_output {
	const struct bg_report *report;
	const struct bg_texts *reports; /* --report's values */
	const char *out;		/* the folder; NULL: none */
	unsigned color;			/* enum bg_color_choice */
	unsigned dialect;		/* enum bg_junit_choice */
	int exit_code;			/* where fault is set: the run's, not the report's */
	const char *fault;		/* one line, such as what broke the run off; NULL: none */
	bool files_only; /* on stdout annotations alone: the fault was told already */
};

/*
 * To be called before anything is measured: knows every format, makes the folders of files,
 * sees that they can be written, and removes what an earlier run left there.
 * returns BG_E_USAGE: unknown format (with the nearest), two reports on stdout or in one file;
 *         BG_E_SYSTEM: a file that could not be written
 */
BG_MUST_CHECK enum bg_status bg_output_check(const struct bg_texts *reports, struct bg_error *err);

/*
 * Writes all reports; a failed one does not keep the others from being written. What goes to
 * stdout is printed, not flushed. BG_E_SYSTEM: the first failure. bg_output_check has passed.
 */
BG_MUST_CHECK enum bg_status bg_output_write(const struct bg_output *output, struct bg_arena *arena,
					     struct bg_error *err);

/* Whether text on stdout is coloured; choice: enum bg_color_choice. */
bool bg_output_is_colored(unsigned choice, bool is_terminal);
#endif
