#ifndef BG_REPORTERS_LEVEL_TABLE_H
#define BG_REPORTERS_LEVEL_TABLE_H
#include "reporters/reporter.h"

#define BG_LEVEL_ROWS_MAX 500

/*
 * The levels of what ran on head alone, in the suite's order: level, least and largest over the
 * launches, throughput. Rows past the bound are counted. Empty where there is none.
 * width: columns to stay within, >= 60; names are cut where they do not fit
 */
void bg_level_table_add(struct bg_buffer *out, const struct bg_report_view *view, size_t width);
#endif
