/*
 * Markdown for the summary of a CI job or a comment on a pull request: the verdict, what was not
 * judged, the cells, worst first, and what is needed to look closer. GitHub drops a summary of
 * more than 1 MiB whole, so rows are left out before, and that is said. Names and messages come
 * from outside and stay inert (reporters/markdown_text.h).
 */
#include "reporters/groups.h"
#include "reporters/markdown_table.h"
#include "reporters/markdown_text.h"
#include "reporters/repeat.h"
#include "reporters/summary.h"
#include "reporters/visible.h"

#include <string.h>

#define SENTENCE_SIZE 2000
#define REASON_SIZE 500
#define NAME_COLUMNS 160
#define FACT_COLUMNS 400
#define COMMAND_COLUMNS 4000
#define GROUPS_MAX 20
#define GROUP_NAMES_MAX 6
#define NOTES_MAX 30	 /* policy changes, or conditions */
#define OPEN_ROWS_MAX 20 /* of cells that are fine; more of them are folded away */
#define MARGIN_SIZE 2000 /* kept for the sentences that say what was left out */

static void add_heading(struct bg_buffer *out, const struct bg_report_view *view)
{
	const struct bg_report *report = view->report;
	const char *suite = report->result->suite ? report->result->suite : "batchgate";
	bg_markdown_marker(out, suite);
	bg_buffer_text(out, "\n\n## batchgate ");
	bg_markdown_code(out, suite, NAME_COLUMNS, BG_MARKDOWN_LINE);
	bg_buffer_format(out, ": %s\n\n", bg_summary_verdict(view->exit_code));
	if (view->fault) {
		bg_buffer_text(out, "**Fault:** ");
		bg_markdown_prose(out, view->fault, SENTENCE_SIZE, BG_MARKDOWN_LINE);
		bg_buffer_format(out, " (exit %d)\n\n", view->exit_code);
	}
	bg_markdown_prose(out, report->sentence, SENTENCE_SIZE, BG_MARKDOWN_LINE);
	bg_buffer_text(out, "\n\n**");
	bg_summary_counts(out, report);
	bg_buffer_text(out, "**\n\n");
}

static void add_group(struct bg_buffer *out, const struct bg_group *group)
{
	const struct bg_cell *cell = group->entries->cell;
	bg_buffer_format(out, "- %s (%zu %s): ", bg_verdict_name(cell->verdict), group->count,
			 group->count == 1 ? "cell" : "cells");
	if (cell->reason) {
		bg_markdown_prose(out, cell->reason, REASON_SIZE, BG_MARKDOWN_LINE);
		bg_buffer_text(out, ": ");
	}
	for (size_t i = 0; i < group->count && i < GROUP_NAMES_MAX; i++) {
		bg_buffer_text(out, i > 0 ? ", " : "");
		bg_markdown_code(out, group->entries[i].cell->of->name, NAME_COLUMNS,
				 BG_MARKDOWN_LINE);
		bg_buffer_format(out, " %s", bg_metric_info(group->entries[i].cell->metric)->name);
	}
	if (group->count > GROUP_NAMES_MAX)
		bg_buffer_format(out, " and %zu more", group->count - GROUP_NAMES_MAX);
	bg_buffer_text(out, "\n");
}

static void add_groups(struct bg_buffer *out, const struct bg_report *report,
		       enum bg_group_kind kind, const char *title)
{
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct bg_group *groups;
	size_t count = bg_groups_gather(&groups, report, kind, &arena), hidden = 0;
	if (count == 0)
		return;
	bg_buffer_format(out, "### %s\n\n", title);
	for (size_t i = 0; i < count; i++) {
		if (i < GROUPS_MAX)
			add_group(out, &groups[i]);
		else
			hidden += groups[i].count;
	}
	if (hidden > 0)
		bg_buffer_format(out, "- and %zu cells more, each in report.json with its reason\n",
				 hidden);
	bg_buffer_text(out, "\n");
}

static void add_notes(struct bg_buffer *out, const char *title, const char *const *notes,
		      size_t count)
{
	if (count == 0)
		return;
	bg_buffer_format(out, "### %s\n\n", title);
	for (size_t i = 0; i < count && i < NOTES_MAX; i++) {
		bg_buffer_text(out, "- ");
		bg_markdown_prose(out, notes[i], REASON_SIZE, BG_MARKDOWN_LINE);
		bg_buffer_text(out, "\n");
	}
	if (count > NOTES_MAX)
		bg_buffer_format(out, "- and %zu more, each in report.json\n", count - NOTES_MAX);
	bg_buffer_text(out, "\n");
}

static void add_command(struct bg_buffer *out, const struct bg_report_view *view)
{
	const struct bg_report *report = view->report;
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	bg_buffer_text(out, "### How to repeat\n\nThe whole run, and its worst case alone:\n\n");
	bg_markdown_verbatim(out, view->command ? view->command : "batchgate gate",
			     COMMAND_COLUMNS);
	if (report->cell_count > 0) {
		bg_repeat_add(&line, view->command, report->worst_first[0]->of->name);
		bg_markdown_verbatim(out, line.bytes, COMMAND_COLUMNS);
	}
	bg_buffer_text(out, "\n");
}

static void add_run(struct bg_buffer *out, const struct bg_report *report)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer facts;
	bg_buffer_init(&facts, (size_t)1 << 24);
	bg_summary_facts(&facts, report);
	bg_buffer_text(out, "### The run\n\n");
	for (char *line = facts.bytes, *end; *line; line = end) {
		end = strchr(line, '\n');
		if (!end)
			break;
		*end++ = '\0';
		bg_markdown_verbatim(out, line, FACT_COLUMNS);
	}
	bg_buffer_text(out, "\n");
}

/* What stands below the table. */
static void add_tail(struct bg_buffer *out, const struct bg_report_view *view)
{
	const struct bg_result *result = view->report->result;
	add_groups(out, view->report, BG_GROUP_NOT_COMPARED, "Not compared");
	add_notes(out, "Policy changes", result->policy_changes, result->policy_change_count);
	add_notes(out, "What was unusual", result->conditions, result->condition_count);
	add_command(out, view);
	add_run(out, view->report);
}

static void add_other_rows(struct bg_buffer *out, const struct bg_report *report, size_t size_max)
{
	static const char folded[] = "<details><summary>%zu cells more, worst first</summary>\n\n";
	size_t count = bg_markdown_rows_count(report, BG_MARKDOWN_OTHER);
	bool fold = count > OPEN_ROWS_MAX;
	if (count > 0 && !fold)
		bg_buffer_text(out, "### Cells, worst first\n\n");
	if (fold)
		bg_buffer_format(out, folded, count);
	bg_markdown_table_add(out, report, BG_MARKDOWN_OTHER, size_max);
	if (fold)
		bg_buffer_text(out, "</details>\n\n");
}

static void add_tables(struct bg_buffer *out, const struct bg_report *report, size_t size_max)
{
	if (bg_markdown_rows_count(report, BG_MARKDOWN_RED) > 0) {
		bg_buffer_text(out, "### Against the build, worst first\n\n");
		bg_markdown_table_add(out, report, BG_MARKDOWN_RED, size_max);
	}
	add_other_rows(out, report, size_max);
	if (bg_markdown_rows_count(report, BG_MARKDOWN_ALONE) > 0) {
		bg_buffer_text(out, "### Head alone\n\n");
		bg_markdown_table_add(out, report, BG_MARKDOWN_ALONE, size_max);
	}
}

/* Appends a finished part where it fits, else a line that says it was left out. */
static void add_part(struct bg_buffer *out, const struct bg_buffer *part, size_t size_max,
		     const char *what)
{
	if (part->size == 0)
		return;
	if (out->size + part->size <= size_max)
		bg_buffer_add(out, part->bytes, part->size);
	else
		bg_buffer_format(out, "Left out for want of room: %s; see report.json\n\n", what);
}

static enum bg_status write_markdown(struct bg_buffer *out, const struct bg_report_view *view,
				     struct bg_error *err)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer tail, groups;
	size_t size_max = view->size_max ? view->size_max : BG_MARKDOWN_SIZE_MAX;
	size_max = size_max > MARGIN_SIZE ? size_max - MARGIN_SIZE : 0;
	bg_buffer_init(&tail, BG_MARKDOWN_SIZE_MAX);
	bg_buffer_init(&groups, BG_MARKDOWN_SIZE_MAX);
	add_heading(out, view);
	add_tail(&tail, view);
	add_groups(&groups, view->report, BG_GROUP_NOT_JUDGED, "Not judged");
	add_part(out, &groups, size_max, "why cells were not judged");
	bool tail_fits = out->size + tail.size <= size_max;
	add_tables(out, view->report, tail_fits ? size_max - tail.size : size_max);
	add_part(out, &tail, size_max, "policy changes, conditions, how to repeat, the run");
	bg_visible_guard_lines(out);
	if (out->full)
		return bg_fail(err, BG_E_NOMEM, "the Markdown report passes its bound of %zu bytes",
			       out->size_max);
	return BG_OK;
}

const struct bg_reporter bg_reporter_markdown = {
	.name = "markdown",
	.summary = "a page for the summary of a CI job, worst first",
	.extension = "md",
	.write = write_markdown,
};
