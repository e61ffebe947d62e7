#include "gate/cli/progress.h"

#include "gate/cli/service.h"
#include "gate/core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CI_INTERVAL_NS (10 * BG_NS_PER_S)
#define LIVE_INTERVAL_NS (100 * BG_NS_PER_MS)
#define LINE_SIZE 200
#define LIVE_WIDTH 79

void bg_progress_init(struct bg_progress_line *line, bool quiet)
{
	const char *terminal = getenv("TERM");
	bool understands = terminal && strcmp(terminal, "dumb") != 0;
	*line = (struct bg_progress_line){
		.quiet = quiet,
		.live = isatty(STDERR_FILENO) && !bg_service_detected() && understands,
	};
}

static void put(struct bg_progress_line *line, const char *text)
{
	if (line->live) {
		fprintf(stderr, "\r%-*.*s", LIVE_WIDTH, LIVE_WIDTH, text);
		line->open = true;
	} else {
		fprintf(stderr, "batchgate: %s\n", text);
	}
	fflush(stderr);
	line->last_ns = bg_clock_ns();
}

static void format_left(char *text, size_t size, double left_s)
{
	if (isnan(left_s))
		snprintf(text, size, "time left unknown");
	else if (left_s >= 90)
		snprintf(text, size, "about %.0f min left", ceil(left_s / 60));
	else
		snprintf(text, size, "about %.0f s left", ceil(left_s));
}

void bg_progress_show(void *context, const struct bg_progress *progress)
{
	struct bg_progress_line *line = context;
	uint64_t interval_ns = line->live ? LIVE_INTERVAL_NS : CI_INTERVAL_NS;
	if (line->quiet || (line->last_ns && bg_clock_ns() - line->last_ns < interval_ns))
		return;
	char text[LINE_SIZE], left[64];
	format_left(left, sizeof left, progress->left_s);
	snprintf(text, sizeof text, "%s, launch %u: %zu of %zu cases decided, %.0f s, %s",
		 progress->phase == BG_PHASE_CONFIRM ? "confirming" : "measuring",
		 progress->round + 1, progress->cases - progress->cases_left, progress->cases,
		 progress->elapsed_s, left);
	put(line, text);
}

void bg_progress_say(struct bg_progress_line *line, const char *format, ...)
{
	if (line->quiet)
		return;
	char text[LINE_SIZE];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	put(line, text);
}

void bg_progress_end(struct bg_progress_line *line)
{
	if (line->open)
		fprintf(stderr, "\r%*s\r", LIVE_WIDTH, "");
	line->open = false;
}
