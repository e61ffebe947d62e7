#ifndef BG_REPORTERS_TEXT_TABLE_H
#define BG_REPORTERS_TEXT_TABLE_H
#include "reporters/reporter.h"

#define BG_TABLE_RED_MAX 50   /* rows of one verdict that fails the build */
#define BG_TABLE_OTHER_MAX 20 /* rows of any other verdict */

/*
 * The table, worst first: every cell with numbers, and what failed without. Rows past the bounds
 * are counted per verdict: "... and 380 more NOT_WORSE, all within ±1.2 %". Empty where there is
 * no such cell. width: columns to stay within, >= 60; usual names fit in 100.
 */
void bg_text_table_add(struct bg_buffer *out, const struct bg_report_view *view, size_t width);

/* True where the cell belongs into the table, shown or counted. */
bool bg_text_table_has(const struct bg_cell *cell);
#endif
