#include "gate/core/text.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool bg_text_to_u64(uint64_t *ret, const char *text, uint64_t min, uint64_t max)
{
	if (!is_digit(*text))
		return false;
	uint64_t value = 0;
	for (; *text; text++) {
		if (!is_digit(*text) || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return false;
	}
	if (value < min || value > max)
		return false;
	*ret = value;
	return true;
}

/* strtod follows LC_NUMERIC; ours reads the C form under any locale. */
static double c_strtod(const char *text, char **end)
{
	static locale_t c_locale; /* made once, never changed: the C locale itself */
	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return c_locale ? strtod_l(text, end, c_locale) : strtod(text, end);
}

/* Reads the number at the start of text; the rest is what follows it, spaces skipped. */
static bool split_number(double *ret, const char **rest, const char *text)
{
	const char *start = *text == '-' || *text == '+' ? text + 1 : text;
	if (!is_digit(start[0]) && !(start[0] == '.' && is_digit(start[1])))
		return false;
	if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
		return false;
	char *end;
	errno = 0;
	double value = c_strtod(text, &end);
	if (!isfinite(value) || (errno == ERANGE && fabs(value) > 1))
		return false;
	while (*end == ' ')
		end++;
	*ret = value;
	*rest = end;
	return true;
}

struct unit {
	const char *name;
	double factor;
};

static bool with_unit(double *ret, const char *text, const struct unit *units, size_t count,
		      double min, double max)
{
	double value;
	const char *rest;
	if (!split_number(&value, &rest, text))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(rest, units[i].name) != 0)
			continue;
		value *= units[i].factor;
		if (!(value >= min && value <= max))
			return false;
		*ret = value;
		return true;
	}
	return false;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool bg_text_to_double(double *ret, const char *text, double min, double max)
{
	static const struct unit none[] = { { "", 1 } };
	size_t length = strlen(text);
	if (length > 0 && text[length - 1] == ' ')
		return false;
	return with_unit(ret, text, none, COUNT(none), min, max);
}

bool bg_text_to_ratio(double *ret, const char *text, double min, double max)
{
	static const struct unit units[] = { { "%", 1e-2 }, { "", 1 } };
	return with_unit(ret, text, units, COUNT(units), min, max);
}

bool bg_text_to_seconds(double *ret, const char *text, double min, double max)
{
	static const struct unit units[] = { { "", 1 },	     { "s", 1 },     { "m", 60 },
					     { "min", 60 },  { "h", 3600 },  { "d", 86400 },
					     { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };
	return with_unit(ret, text, units, COUNT(units), min, max);
}

bool bg_text_to_bytes(double *ret, const char *text, double min, double max)
{
	static const struct unit units[] = {
		{ "", 1 },	   { "B", 1 },	      { "kB", 1e3 },	 { "KB", 1e3 },
		{ "MB", 1e6 },	   { "GB", 1e9 },     { "TB", 1e12 },	 { "KiB", 1024 },
		{ "MiB", 0x1p20 }, { "GiB", 0x1p30 }, { "TiB", 0x1p40 },
	};
	return with_unit(ret, text, units, COUNT(units), min, max);
}

/* Table 3-7 of Unicode 15. */
size_t bg_text_utf8_length(const char *text, size_t size)
{
	const unsigned char *c = (const unsigned char *)text;
	if (size == 0)
		return 0;
	if (c[0] < 0x80)
		return c[0] ? 1 : 0;
	if (c[0] >= 0xc2 && c[0] <= 0xdf)
		return size >= 2 && (c[1] & 0xc0) == 0x80 ? 2 : 0;
	if ((c[0] & 0xf0) == 0xe0) {
		if (size < 3 || (c[1] & 0xc0) != 0x80 || (c[2] & 0xc0) != 0x80)
			return 0;
		if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f))
			return 0;
		return 3;
	}
	if (c[0] >= 0xf0 && c[0] <= 0xf4) {
		if (size < 4 || (c[1] & 0xc0) != 0x80 || (c[2] & 0xc0) != 0x80 ||
		    (c[3] & 0xc0) != 0x80)
			return 0;
		if ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

bool bg_text_is_utf8(const char *text, size_t size)
{
	while (size > 0) {
		size_t length = bg_text_utf8_length(text, size);
		if (length == 0)
			return false;
		text += length;
		size -= length;
	}
	return true;
}

static bool has_digit_but_zero(const char *text)
{
	return text[strcspn(text, "123456789")] != '\0';
}

/* printf follows LC_NUMERIC, whose decimal point may be any bytes but digits, sign and 'e'. */
const char *bg_text_fixed(char text[BG_FIXED_SIZE], double value, int decimals)
{
	assert(decimals >= 0 && decimals <= 9);
	if (!isfinite(value)) {
		text[0] = '?';
		text[1] = '\0';
		return text;
	}
	char local[64];
	bool huge = fabs(value) >= 1e15;
	if (huge)
		snprintf(local, sizeof local, "%.3e", value);
	else
		snprintf(local, sizeof local, "%.*f", decimals, value);
	const char *from = local;
	if (*from == '-' && !has_digit_but_zero(local))
		from++;
	char *to = text;
	for (; *from; from++) {
		if (is_digit(*from) || strchr("-+e", *from))
			*to++ = *from;
		else if (to > text && to[-1] != '.')
			*to++ = '.';
	}
	*to = '\0';
	return text;
}

static bool is_name_byte(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("._+-", c));
}

char *bg_text_percent_encode(struct bg_arena *arena, const char *text)
{
	static const char hex[] = "0123456789ABCDEF";
	char *encoded = bg_arena_array(arena, strlen(text) + 1, 3), *out = encoded;
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		if (is_name_byte(*text)) {
			*out++ = *text;
		} else {
			*out++ = '%';
			*out++ = hex[byte >> 4];
			*out++ = hex[byte & 15];
		}
	}
	return encoded;
}

#define WORD_MAX 64

size_t bg_text_distance(const char *a, const char *b, size_t limit)
{
	size_t rows = strlen(a), columns = strlen(b);
	if (rows > WORD_MAX || columns > WORD_MAX)
		return limit + 1;
	size_t row[WORD_MAX + 1];
	for (size_t j = 0; j <= columns; j++)
		row[j] = j;
	for (size_t i = 1; i <= rows; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= columns; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[columns] > limit ? limit + 1 : row[columns];
}

const char *bg_text_nearest(const char *word, const char *const *words, size_t count)
{
	size_t limit = strlen(word) <= 3 ? 1 : 2, best = limit + 1;
	const char *nearest = NULL;
	for (size_t i = 0; i < count; i++) {
		size_t distance = bg_text_distance(word, words[i], limit);
		if (distance < best) {
			best = distance;
			nearest = words[i];
		}
	}
	return nearest;
}
