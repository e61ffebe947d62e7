#ifndef BG_CORE_CLOCK_H
#define BG_CORE_CLOCK_H
#include <stdbool.h>
#include <stdint.h>

#define BG_NS_PER_S UINT64_C(1000000000)
#define BG_NS_PER_MS UINT64_C(1000000)
#define BG_NS_PER_US UINT64_C(1000)

/* CLOCK_MONOTONIC in nanoseconds: never steps; stops during suspend. Cost: about 30 ns. */
uint64_t bg_clock_ns(void);
/* Smallest difference the clock can show, nanoseconds, >= 1. */
uint64_t bg_clock_resolution_ns(void);
/* Seconds since 1970, UTC; only for declared time fields, never for a measurement. */
int64_t bg_clock_utc_s(void);
/* "YYYY-MM-DDThh:mm:ss" in UTC, independent of locale and zone, into text (20 bytes). */
void bg_clock_utc_text(char text[20], int64_t utc_s);
/* True for exactly what bg_clock_utc_text can print: an existing day and time. */
bool bg_clock_is_utc_text(const char *text);
#endif
