#ifndef BG_CORE_TEXT_H
#define BG_CORE_TEXT_H
/*
 * Text from outside: numbers, UTF-8, names. The only callers of strtod and strtoull.
 * Every parse takes the whole text or refuses it; the C locale's form whatever the locale is set
 * to.
 */
#include "gate/core/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits only (no sign, space, hex, exponent); min <= value <= max. */
bool bg_text_to_u64(uint64_t *ret, const char *text, uint64_t min, uint64_t max);
/* Finite decimal number, optional sign and exponent; no hex, "inf", "nan"; min <= value <= max. */
bool bg_text_to_double(double *ret, const char *text, double min, double max);
/* "3%" or "0.03" -> 0.03; min and max are ratios. */
bool bg_text_to_ratio(double *ret, const char *text, double min, double max);
/* "10m", "1.5 h", "30s", "200ms", "5us" -> seconds; a bare number is seconds. */
bool bg_text_to_seconds(double *ret, const char *text, double min, double max);
/* "4 MiB", "64KiB", "1 GB", "512" -> bytes; k/M/G/T with B or iB. */
bool bg_text_to_bytes(double *ret, const char *text, double min, double max);

/* True where size bytes are valid UTF-8 without NUL, surrogates or code points past U+10FFFF. */
bool bg_text_is_utf8(const char *text, size_t size);
/*
 * Bytes of the valid UTF-8 sequence that starts at text, of which size bytes may be read; 0 where
 * there is none (also for NUL and for size 0).
 */
size_t bg_text_utf8_length(const char *text, size_t size);

#define BG_FIXED_SIZE 32
/*
 * value with `decimals` (0 .. 9) digits behind a '.', whatever the locale; "-0.0" becomes "0.0".
 * Beyond 1e15 it takes the form 1.234e+15; not finite is "?". Returns text.
 */
const char *bg_text_fixed(char text[BG_FIXED_SIZE], double value, int decimals);

/* Copy with every byte outside [A-Za-z0-9._+-] as %XX (upper-case hex). Owned by the arena. */
char *bg_text_percent_encode(struct bg_arena *arena, const char *text);
/* Edit distance for "did you mean", 0 .. limit + 1; texts up to 64 bytes, longer give limit + 1. */
size_t bg_text_distance(const char *a, const char *b, size_t limit);
/* The nearest of count words, or NULL where none is within 2 edits (1 for words of 3 or less). */
const char *bg_text_nearest(const char *word, const char *const *words, size_t count);
#endif
