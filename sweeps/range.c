#include "sweeps/range.h"

#include "gate/core/text.h"
#include "sweeps/phrase.h"

#include <inttypes.h>
#include <string.h>

#define EXAMPLES "write 1..64 x2 or 1..9 +2"

struct range {
	uint64_t first, last, step;
	bool geometric;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool looks_like_range(const char *text)
{
	const char *start = *text == '-' || *text == '+' ? text + 1 : text;
	return is_digit(*start) && strstr(text, "..") != NULL;
}

/* Takes the whole number at the start of *rest and moves *rest behind it. */
static bool take_number(uint64_t *ret, const char **rest)
{
	char digits[24];
	size_t length = strspn(*rest, "0123456789");
	if (length == 0 || length >= sizeof digits)
		return false;
	memcpy(digits, *rest, length);
	digits[length] = '\0';
	*rest += length;
	return bg_text_to_u64(ret, digits, 0, BG_INTEGER_MAX);
}

static enum bg_status parse(struct range *ret, const char *text, const char *shown,
			    struct bg_error *err)
{
	struct range range = { 0 };
	const char *rest = text;
	if (!take_number(&range.first, &rest) || strncmp(rest, "..", 2) != 0 ||
	    (rest += 2, !take_number(&range.last, &rest)))
		return bg_fail(err, BG_E_INPUT,
			       "range %s needs whole numbers from 0 to %" PRIu64 "; " EXAMPLES,
			       shown, BG_INTEGER_MAX);
	rest += strspn(rest, " ");
	if (!*rest)
		return bg_fail(err, BG_E_INPUT, "range %s has no step; " EXAMPLES, shown);
	range.geometric = *rest == 'x';
	if ((*rest != 'x' && *rest != '+') || (rest++, !take_number(&range.step, &rest)) || *rest)
		return bg_fail(err, BG_E_INPUT,
			       "range %s needs a step of x or + and a whole number; " EXAMPLES,
			       shown);
	*ret = range;
	return BG_OK;
}

static enum bg_status check(const struct range *range, const char *shown, struct bg_error *err)
{
	if (range->last < range->first)
		return bg_fail(err, BG_E_INPUT, "range %s descends; write the smaller end first",
			       shown);
	if (range->geometric && range->step < 2)
		return bg_fail(err, BG_E_INPUT, "range %s never ends; allowed: x2 or more", shown);
	if (!range->geometric && range->step < 1)
		return bg_fail(err, BG_E_INPUT, "range %s never ends; allowed: +1 or more", shown);
	if (range->geometric && range->first < 1)
		return bg_fail(err, BG_E_INPUT, "range %s never leaves 0; start at 1 or more",
			       shown);
	if (!range->geometric && (range->last - range->first) / range->step >= BG_AXIS_VALUES_MAX)
		return bg_fail(err, BG_E_INPUT, "range %s has more than %d values", shown,
			       BG_AXIS_VALUES_MAX);
	return BG_OK;
}

static enum bg_status add(struct bg_values *values, const char *text, struct bg_mark mark,
			  struct bg_arena *arena, struct bg_error *err)
{
	if (values->count == BG_AXIS_VALUES_MAX)
		return bg_fail(err, BG_E_INPUT, "more than %d values in one axis",
			       BG_AXIS_VALUES_MAX);
	values->texts = bg_arena_grow(arena, values->texts, values->count, &values->capacity,
				      sizeof *values->texts);
	values->marks = bg_arena_grow(arena, values->marks, values->count, &values->marks_capacity,
				      sizeof *values->marks);
	values->texts[values->count] = text;
	values->marks[values->count] = mark;
	values->count++;
	return BG_OK;
}

enum bg_status bg_range_add(struct bg_values *values, const char *text, struct bg_mark mark,
			    struct bg_arena *arena, struct bg_error *err)
{
	if (strlen(text) > BG_VALUE_SIZE_MAX)
		return bg_fail(err, BG_E_INPUT, "value %s is longer than %d bytes",
			       bg_phrase_quote(arena, text), BG_VALUE_SIZE_MAX);
	if (!looks_like_range(text))
		return add(values, text, mark, arena, err);
	struct range range = { 0 };
	const char *shown = bg_phrase_quote(arena, text);
	if (parse(&range, text, shown, err) != BG_OK || check(&range, shown, err) != BG_OK)
		return err->status;
	uint64_t value = range.first;
	do {
		const char *number = bg_arena_format(arena, "%" PRIu64, value);
		if (add(values, number, mark, arena, err) != BG_OK)
			return err->status;
		if (range.geometric && __builtin_mul_overflow(value, range.step, &value))
			break;
		if (!range.geometric)
			value += range.step;
	} while (value <= range.last);
	return BG_OK;
}
