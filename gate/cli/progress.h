#ifndef BG_CLI_PROGRESS_H
#define BG_CLI_PROGRESS_H
/*
 * Progress on stderr: one live line on a terminal, elsewhere a line at most every 10 s, nothing
 * when quiet.
 */
#include "sweeps/session.h"

struct bg_progress_line {
	bool quiet, live; /* live: stderr is a terminal that understands \r */
	uint64_t last_ns; /* when a line was last written */
	bool open;	  /* a live line stands on the screen */
};

void bg_progress_init(struct bg_progress_line *line, bool quiet);
/* For struct bg_session_options: context is a struct bg_progress_line. */
void bg_progress_show(void *context, const struct bg_progress *progress);
/* A step that has no rounds ("building base"). */
void bg_progress_say(struct bg_progress_line *line, const char *format, ...) BG_PRINTF(2, 3);
/* Takes the live line off the screen. */
void bg_progress_end(struct bg_progress_line *line);
#endif
