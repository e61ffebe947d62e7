#ifndef BG_REPORTERS_REPORTER_H
#define BG_REPORTERS_REPORTER_H
/*
 * A reporter prints one finished, immutable report and computes nothing. One file each, one line
 * each in registry.def.
 */
#include "gate/core/buffer.h"
#include "gate/verdict/report.h"

/* GitHub drops the summary of a step that passes 1 MiB whole; other steps add to it. */
#define BG_MARKDOWN_SIZE_MAX 900000

struct bg_report_view {
	const struct bg_report *report;
	bool color;	   /* text: ANSI allowed */
	bool strict_junit; /* junit: the dialect valid in both schemas */
	unsigned width;	   /* text: columns of the terminal, 0 unknown */
	/*
	 * How to repeat, ready for a shell and without --only, which reporters add for one case:
	 * "batchgate gate --suite s.yml --seed 1". NULL: "batchgate gate".
	 */
	const char *command;
	int exit_code;	   /* of the whole run: an environment fault may raise the report's own */
	const char *fault; /* one line where exit_code is not the report's; NULL otherwise */
	/*
	 * Of a reporter with cells_max: the document holds cell_max cells from cell_first on, in
	 * the report's order; 0 and 0 is all of them. The run's own cases are in the first.
	 */
	size_t cell_first, cell_max;
	size_t size_max; /* markdown: bytes of the document, at most; 0: BG_MARKDOWN_SIZE_MAX */
};

struct bg_reporter {
	const char *name;      /* "junit" */
	const char *summary;   /* one line for `list` */
	const char *extension; /* "xml" */
	size_t cells_max;      /* MAY: of one document; 0 is no bound */
	bool follows_text;     /* MAY: on stdout, comes after the text instead of in its place */
	/* MUST: appends the whole document to out, whose bound is generous (1 GiB). */
	enum bg_status (*write)(struct bg_buffer *out, const struct bg_report_view *view,
				struct bg_error *err);
};

extern const struct bg_reporter *const bg_reporters[];
extern const size_t bg_reporter_count;
const struct bg_reporter *bg_reporter_find(const char *name); /* NULL where there is none */
#endif
