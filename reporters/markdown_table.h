#ifndef BG_REPORTERS_MARKDOWN_TABLE_H
#define BG_REPORTERS_MARKDOWN_TABLE_H
#include "reporters/reporter.h"

enum bg_markdown_rows {
	BG_MARKDOWN_RED,   /* what fails the build, or could not be judged and should have been */
	BG_MARKDOWN_OTHER, /* what else has numbers of two arms */
	BG_MARKDOWN_ALONE, /* what ran on head alone */
};

/* How many rows there are of a kind. */
size_t bg_markdown_rows_count(const struct bg_report *report, enum bg_markdown_rows rows);
/*
 * Appends a table of them, worst first, ended by a blank line, as long as out stays within
 * size_max bytes; a last sentence counts what was left out. Appends nothing where there is no row.
 */
void bg_markdown_table_add(struct bg_buffer *out, const struct bg_report *report,
			   enum bg_markdown_rows rows, size_t size_max);
#endif
