#include "reporters/markdown_table.h"

#include "reporters/evidence.h"
#include "reporters/format.h"
#include "reporters/markdown_text.h"

#include <math.h>

#define NAME_COLUMNS 160
#define REASON_SIZE 300
#define NOTE_SIZE 200 /* room for the sentence that counts what was left out */

static bool belongs(const struct bg_cell *cell, enum bg_markdown_rows rows)
{
	bool red = cell->outcome >= BG_OUTCOME_ERROR;
	switch (rows) {
	case BG_MARKDOWN_RED:
		return red;
	case BG_MARKDOWN_OTHER:
		return !red && cell->measured;
	case BG_MARKDOWN_ALONE:
		break;
	}
	return !red && cell->alone > 0;
}

size_t bg_markdown_rows_count(const struct bg_report *report, enum bg_markdown_rows rows)
{
	size_t count = 0;
	for (size_t i = 0; i < report->cell_count; i++)
		count += belongs(&report->cells[i], rows);
	return count;
}

static void add_name(struct bg_buffer *out, const struct bg_cell *cell)
{
	bg_markdown_code(out, cell->of->name, NAME_COLUMNS, BG_MARKDOWN_CELL);
	bg_buffer_format(out, " | %s | ", bg_metric_info(cell->metric)->name);
}

static void add_numbers(struct bg_buffer *out, const struct bg_cell *cell)
{
	bg_format_effect(out, cell);
	bg_buffer_text(out, " | ");
	bg_format_limit(out, bg_evidence_limit(cell));
	bg_buffer_text(out, " | ");
	if (isfinite(cell->mde))
		bg_format_magnitude(out, cell->mde);
	bg_buffer_format(out, " | %u", cell->launches);
	if (cell->confirm_launches > 0)
		bg_buffer_format(out, "+%u", cell->confirm_launches);
	bg_buffer_text(out, " | ");
}

/* Where there are no numbers, the reason stands in the last column. */
static void add_compared(struct bg_buffer *out, const struct bg_cell *cell)
{
	bg_buffer_format(out, "| %s%s%s | ", cell->outcome >= BG_OUTCOME_ERROR ? "**" : "",
			 bg_verdict_name(cell->verdict),
			 cell->outcome >= BG_OUTCOME_ERROR ? "**" : "");
	add_name(out, cell);
	if (cell->measured)
		add_numbers(out, cell);
	else
		bg_buffer_text(out, " | | | | ");
	if (cell->launches > 0)
		bg_format_levels(out, cell);
	if (!cell->measured && cell->reason) {
		bg_buffer_text(out, cell->launches > 0 ? ": " : "");
		bg_markdown_prose(out, cell->reason, REASON_SIZE, BG_MARKDOWN_CELL);
	}
	bg_buffer_text(out, " |\n");
}

static void add_alone(struct bg_buffer *out, const struct bg_cell *cell)
{
	const char *unit = bg_metric_info(cell->metric)->unit;
	bg_buffer_text(out, "| ");
	add_name(out, cell);
	bg_format_level(out, cell->head, unit);
	bg_buffer_text(out, " | ");
	bg_format_level(out, cell->alone_low, unit);
	bg_buffer_text(out, " .. ");
	bg_format_level(out, cell->alone_high, unit);
	bg_buffer_format(out, " | %u |\n", cell->alone);
}

static const char heading_compared[] =
	"| Verdict | Case | Metric | Change | Limit | MDE | Launches | Base -> head |\n"
	"|---|---|---|--:|--:|--:|--:|--:|\n";
static const char heading_alone[] = "| Case | Metric | Median | Over launches | Launches |\n"
				    "|---|---|--:|--:|--:|\n";

void bg_markdown_table_add(struct bg_buffer *out, const struct bg_report *report,
			   enum bg_markdown_rows rows, size_t size_max)
{
	size_t count = bg_markdown_rows_count(report, rows), shown = 0;
	bool full = size_max < out->size + sizeof heading_compared + NOTE_SIZE;
	if (count == 0)
		return;
	if (!full)
		bg_buffer_text(out, rows == BG_MARKDOWN_ALONE ? heading_alone : heading_compared);
	for (size_t i = 0; i < report->cell_count && !full; i++) {
		const struct bg_cell *cell = report->worst_first[i];
		size_t before = out->size;
		if (!belongs(cell, rows))
			continue;
		if (rows == BG_MARKDOWN_ALONE)
			add_alone(out, cell);
		else
			add_compared(out, cell);
		full = out->size + NOTE_SIZE > size_max;
		if (full)
			bg_buffer_cut(out, before);
		else
			shown++;
	}
	if (shown < count)
		bg_buffer_format(out,
				 "\nLeft out for want of room: %zu more of these %zu cells, "
				 "each in report.json\n",
				 count - shown, count);
	bg_buffer_text(out, "\n");
}
