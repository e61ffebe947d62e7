#include "sweeps/value.h"

#include "gate/core/text.h"
#include "sweeps/phrase.h"
#include "sweeps/range.h"

#include <inttypes.h>
#include <string.h>

/* Bounds of an integer axis as integers: a module's own, within what a double holds exactly. */
static uint64_t integer_bound(double bound)
{
	if (!(bound > 0))
		return 0;
	return bound < (double)BG_INTEGER_MAX ? (uint64_t)bound : BG_INTEGER_MAX;
}

static const char *fit_integer(const struct bg_axis_info *axis, const char *text,
			       struct bg_arena *arena)
{
	uint64_t value;
	if (!bg_text_to_u64(&value, text, 0, BG_INTEGER_MAX) || (double)value < axis->min ||
	    (double)value > axis->max)
		return NULL;
	bool canonical = text[0] != '0' || !text[1];
	return canonical ? text : bg_arena_format(arena, "%" PRIu64, value);
}

const char *bg_value_fit(const struct bg_axis_info *axis, const char *text, struct bg_arena *arena)
{
	double number;
	switch (axis->kind) {
	case BG_AXIS_INTEGER:
		return fit_integer(axis, text, arena);
	case BG_AXIS_NUMBER:
		if (!bg_text_to_double(&number, text, axis->min, axis->max))
			return NULL;
		return bg_phrase_number(arena, number);
	case BG_AXIS_WORD:
		break;
	}
	if (axis->word_count == 0)
		return text;
	for (size_t i = 0; i < axis->word_count; i++)
		if (strcmp(axis->words[i], text) == 0)
			return text;
	return NULL;
}

const char *bg_value_allowed(const struct bg_axis_info *axis, struct bg_arena *arena)
{
	switch (axis->kind) {
	case BG_AXIS_INTEGER:
		return bg_arena_format(arena, "whole numbers from %" PRIu64 " to %" PRIu64,
				       integer_bound(axis->min), integer_bound(axis->max));
	case BG_AXIS_NUMBER:
		return bg_arena_format(arena, "numbers from %s to %s",
				       bg_phrase_number(arena, axis->min),
				       bg_phrase_number(arena, axis->max));
	case BG_AXIS_WORD:
		break;
	}
	if (axis->word_count == 0)
		return "any text";
	return bg_arena_format(arena, "one of %s",
			       bg_phrase_list(arena, axis->words, axis->word_count));
}

bool bg_value_is_dtype(const char *text)
{
	static const char *const dtypes[] = { "f64",	"f32", "tf32", "f16", "bf16", "f8e4m3",
					      "f8e5m2", "s8",  "u8",   "s4",  "u4" };
	for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
		if (strcmp(dtypes[i], text) == 0)
			return true;
	return false;
}
