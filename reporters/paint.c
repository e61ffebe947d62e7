#include "reporters/paint.h"

void bg_paint_add(struct bg_buffer *out, const char *text, enum bg_paint paint, bool color)
{
	static const char *const codes[] = {
		[BG_PAINT_NONE] = "",	       [BG_PAINT_BOLD] = "\x1b[1m",
		[BG_PAINT_RED] = "\x1b[31m",   [BG_PAINT_YELLOW] = "\x1b[33m",
		[BG_PAINT_GREEN] = "\x1b[32m",
	};
	bool painted = color && paint != BG_PAINT_NONE;
	bg_buffer_text(out, painted ? codes[paint] : "");
	bg_buffer_text(out, text);
	bg_buffer_text(out, painted ? "\x1b[0m" : "");
}

enum bg_paint bg_paint_of(const struct bg_cell *cell)
{
	switch (cell->outcome) {
	case BG_OUTCOME_FAILURE:
		return BG_PAINT_RED;
	case BG_OUTCOME_ERROR:
	case BG_OUTCOME_SKIPPED:
		return BG_PAINT_YELLOW;
	case BG_OUTCOME_PASS:
	default:
		return cell->verdict == BG_IMPROVED ? BG_PAINT_GREEN : BG_PAINT_NONE;
	}
}
