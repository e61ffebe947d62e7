#include "gate/core/clock.h"

#include <stdio.h>
#include <time.h>

static uint64_t to_ns(struct timespec t)
{
	return (uint64_t)t.tv_sec * BG_NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t bg_clock_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return to_ns(now);
}

uint64_t bg_clock_resolution_ns(void)
{
	struct timespec step;
	clock_getres(CLOCK_MONOTONIC, &step);
	uint64_t ns = to_ns(step);
	return ns ? ns : 1;
}

int64_t bg_clock_utc_s(void)
{
	return (int64_t)time(NULL);
}

void bg_clock_utc_text(char text[20], int64_t utc_s)
{
	time_t when = (time_t)utc_s;
	struct tm parts;
	/* Years past 9999 do not fit the form; they are pinned rather than printed longer. */
	if (!gmtime_r(&when, &parts) || parts.tm_year > 9999 - 1900 || parts.tm_year < -1900) {
		snprintf(text, 20, "9999-12-31T23:59:59");
		return;
	}
	strftime(text, 20, "%Y-%m-%dT%H:%M:%S", &parts);
}
