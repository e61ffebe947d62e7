#include "gate/core/clock.h"

#include <stdio.h>
#include <string.h>
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

/* Two digits at text as a number, 100 where they are none. */
static int two_digits(const char *text)
{
	bool digits = text[0] >= '0' && text[0] <= '9' && text[1] >= '0' && text[1] <= '9';
	return digits ? (text[0] - '0') * 10 + (text[1] - '0') : 100;
}

bool bg_clock_is_utc_text(const char *text)
{
	if (strlen(text) != 19)
		return false;
	struct tm parts = {
		.tm_year = two_digits(text) * 100 + two_digits(text + 2) - 1900,
		.tm_mon = two_digits(text + 5) - 1,
		.tm_mday = two_digits(text + 8),
		.tm_hour = two_digits(text + 11),
		.tm_min = two_digits(text + 14),
		.tm_sec = two_digits(text + 17),
	};
	/* timegm carries what is out of range over, so only an existing time comes back the same.
	 */
	char again[20];
	bg_clock_utc_text(again, (int64_t)timegm(&parts));
	return strcmp(text, again) == 0;
}
