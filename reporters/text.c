/*
 * The report that people read, mostly late and in a CI log: first what was judged and what was
 * not, then the verdict in one sentence and what head changed of the rules, then the table, worst
 * first; below it the details of what is red, the reasons of what was not judged, and the facts of
 * the run.
 */
#include "reporters/evidence.h"
#include "reporters/level_table.h"
#include "reporters/paint.h"
#include "reporters/repeat.h"
#include "reporters/summary.h"
#include "reporters/text_groups.h"
#include "reporters/text_table.h"
#include "reporters/visible.h"

#define WIDTH_DEFAULT 100
#define WIDTH_MIN 60
#define WIDTH_MAX 160
#define SENTENCE_MAX 2000 /* bytes: it may hold a case name of any length */
/* Few red cells are all told in detail; of many, the worst. */
#define DETAILS_ALL_MAX 10
#define DETAILS_OF_MANY 5
#define POLICY_CHANGES_MAX 20

static enum bg_paint paint_of_exit(int exit_code)
{
	return exit_code == 0 ? BG_PAINT_GREEN : exit_code == 3 ? BG_PAINT_YELLOW : BG_PAINT_RED;
}

static void add_head(struct bg_buffer *out, const struct bg_report_view *view, size_t width)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	bg_summary_counts(out, view->report);
	bg_buffer_text(out, "\n");
	bg_visible_add_some(&line, view->report->sentence, SENTENCE_MAX,
			    BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	BG_AUTO(bg_buffer_release) struct bg_buffer wrapped;
	bg_buffer_init(&wrapped, (size_t)1 << 20);
	bg_wrap_add(&wrapped, line.bytes ? line.bytes : "", (struct bg_wrap){ 0, width });
	if (wrapped.size > 0)
		bg_paint_add(out, wrapped.bytes, paint_of_exit(view->report->exit_code),
			     view->color);
	bg_buffer_text(out, "\n");
	if (!view->fault)
		return;
	bg_buffer_clear(&line);
	bg_paint_add(out, "fault: ", BG_PAINT_RED, view->color);
	bg_visible_add(&line, view->fault, BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	bg_wrap_add(out, line.bytes ? line.bytes : "", (struct bg_wrap){ 7, width });
	bg_buffer_format(out, " (exit %d)\n", view->exit_code);
}

/* High up: who reads no further than the verdict is to see that the rules were changed as well. */
static void add_policy_changes(struct bg_buffer *out, const struct bg_report_view *view,
			       size_t width)
{
	const struct bg_result *result = view->report->result;
	size_t count = result->policy_change_count;
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	if (count == 0)
		return;
	bg_buffer_text(out, "\n");
	bg_paint_add(out, "Policy changed", BG_PAINT_BOLD, view->color);
	bg_buffer_text(out, " from base's suite to head's\n");
	for (size_t i = 0; i < count && i < POLICY_CHANGES_MAX; i++) {
		bg_buffer_clear(&line);
		bg_visible_add_some(&line, result->policy_changes[i], SENTENCE_MAX,
				    BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
		bg_buffer_text(out, "  ");
		bg_wrap_add(out, line.bytes ? line.bytes : "", (struct bg_wrap){ 6, width });
		bg_buffer_text(out, "\n");
	}
	if (count > POLICY_CHANGES_MAX)
		bg_buffer_format(out, "  ... and %zu more, each in report.json\n",
				 count - POLICY_CHANGES_MAX);
}

static void add_detail(struct bg_buffer *out, const struct bg_report_view *view,
		       const struct bg_cell *cell, size_t width)
{
	struct bg_wrap wrap = { 4, width };
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	bg_buffer_text(out, "\n");
	bg_paint_add(out, bg_verdict_name(cell->verdict), bg_paint_of(cell), view->color);
	bg_buffer_text(out, "  ");
	bg_evidence_name(out, cell);
	bg_evidence_sentence(&line, cell);
	bg_buffer_text(out, "\n    ");
	bg_wrap_add(out, line.bytes, wrap);
	bg_buffer_text(out, "\n");
	bg_evidence_add(out, cell, wrap);
	bg_buffer_text(out, "    repeat: ");
	bg_repeat_add(out, view->command, cell->of->name);
	bg_buffer_text(out, "\n");
}

/* What makes the build red, cell by cell; returns how many cells that are. */
static size_t add_details(struct bg_buffer *out, const struct bg_report_view *view, size_t width)
{
	const struct bg_report *report = view->report;
	size_t all = 0, shown = 0;
	for (size_t i = 0; i < report->cell_count; i++)
		all += report->cells[i].outcome >= BG_OUTCOME_ERROR;
	size_t most = all <= DETAILS_ALL_MAX ? all : DETAILS_OF_MANY;
	for (size_t i = 0; i < report->cell_count && shown < most; i++) {
		if (report->worst_first[i]->outcome < BG_OUTCOME_ERROR)
			continue;
		add_detail(out, view, report->worst_first[i], width);
		shown++;
	}
	if (all > shown)
		bg_buffer_format(out, "\n... and %zu more like these, each in report.json\n",
				 all - shown);
	return all;
}

/* How to repeat one case, where no detail said it. */
static void add_repeat(struct bg_buffer *out, const struct bg_report_view *view)
{
	const struct bg_report *report = view->report;
	for (size_t i = 0; i < report->cell_count; i++) {
		if (!report->worst_first[i]->measured)
			continue;
		bg_buffer_text(out, "repeat   ");
		bg_repeat_add(out, view->command, report->worst_first[i]->of->name);
		bg_buffer_text(out, "\n");
		return;
	}
}

static enum bg_status write_text(struct bg_buffer *out, const struct bg_report_view *view,
				 struct bg_error *err)
{
	size_t width = view->width ? view->width : WIDTH_DEFAULT;
	width = width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
	add_head(out, view, width);
	add_policy_changes(out, view, width);
	bg_text_table_add(out, view, width);
	bg_level_table_add(out, view, width);
	size_t red = add_details(out, view, width);
	bg_text_groups_add(out, view, width, true);
	bg_text_groups_add(out, view, width, false);
	bg_buffer_text(out, "\n");
	bg_summary_add_run(out, view->report, (struct bg_wrap){ 0, width });
	if (red == 0)
		add_repeat(out, view);
	bg_visible_guard_lines(out);
	if (out->full)
		return bg_fail(err, BG_E_NOMEM, "the text report passes its bound of %zu bytes",
			       out->size_max);
	return BG_OK;
}

const struct bg_reporter bg_reporter_text = {
	.name = "text",
	.summary = "a table for people, worst first",
	.extension = "txt",
	.write = write_text,
};
