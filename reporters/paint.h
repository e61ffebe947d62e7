#ifndef BG_REPORTERS_PAINT_H
#define BG_REPORTERS_PAINT_H
/* Colour of a terminal: red for what fails the build, yellow for what was not judged. */
#include "gate/core/buffer.h"
#include "gate/verdict/report.h"

enum bg_paint { BG_PAINT_NONE, BG_PAINT_BOLD, BG_PAINT_RED, BG_PAINT_YELLOW, BG_PAINT_GREEN };

/* Appends text, painted where color is true. */
void bg_paint_add(struct bg_buffer *out, const char *text, enum bg_paint paint, bool color);
enum bg_paint bg_paint_of(const struct bg_cell *cell);
#endif
