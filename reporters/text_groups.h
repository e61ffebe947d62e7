#ifndef BG_REPORTERS_TEXT_GROUPS_H
#define BG_REPORTERS_TEXT_GROUPS_H
#include "reporters/reporter.h"

#define BG_GROUPS_MAX 20 /* groups shown of those whose reasons differ */

/*
 * Why cells have no verdict, or have one without numbers: those that share verdict and reason are
 * one entry, with their count and first names. Nothing is appended where there is no such cell.
 * not_judged  true: cells that count as skipped; false: passed without a ratio
 */
void bg_text_groups_add(struct bg_buffer *out, const struct bg_report_view *view, size_t width,
			bool not_judged);
#endif
