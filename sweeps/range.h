#ifndef BG_SWEEPS_RANGE_H
#define BG_SWEEPS_RANGE_H
/*
 * Values of an axis: single ones and ranges, "1..64 x2" (1, 2, 4, ..., 64) or "1..9 +2"
 * (1, 3, 5, 7, 9). A range ends at its last value that is not above the end.
 */
#include "sweeps/suite.h"

#include <stdint.h>

#define BG_AXIS_VALUES_MAX 10000
#define BG_VALUE_SIZE_MAX 1024		   /* bytes of one value */
#define BG_INTEGER_MAX (UINT64_C(1) << 53) /* exact as a double, and so in JSON */

struct bg_values {
	size_t count, capacity, marks_capacity;
	const char **texts;
	struct bg_mark *marks;
};

/*
 * Adds what text stands for: itself, or the numbers of a range. A text that begins like a number
 * and has ".." in it is a range; anything else is one value, unchanged.
 * text     borrowed
 * returns  BG_E_INPUT without a place for: a bad range (no step, step of x1 or +0, descending, not
 *          whole numbers, above BG_INTEGER_MAX), a value over BG_VALUE_SIZE_MAX, more than
 *          BG_AXIS_VALUES_MAX values in all
 */
BG_MUST_CHECK enum bg_status bg_range_add(struct bg_values *values, const char *text,
					  struct bg_mark mark, struct bg_arena *arena,
					  struct bg_error *err);
#endif
