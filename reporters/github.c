/*
 * Annotations for GitHub Actions: workflow commands, one a line, which the runner reads from what
 * a step prints (actions/runner, ActionCommand.cs). It keeps ten of each level a step and 4,096
 * characters of a message, so the worst come first and the last one counts the rest.
 */
#include "reporters/evidence.h"
#include "reporters/repeat.h"
#include "reporters/summary.h"
#include "reporters/visible.h"

#include <string.h>

#define ANNOTATIONS_MAX 10
#define MESSAGE_SIZE_MAX 4096
#define TITLE_COLUMNS 200
#define FILE_SIZE_MAX 4096

struct annotation {
	const char *level; /* "error", "warning", "notice" */
	const char *file;  /* relative to the repository's root; NULL: none */
	unsigned line;	   /* 0: none */
	const char *title;
	const struct bg_buffer *message;
};

/* What the runner turns back: '%' first, line ends, and in properties what would end them. */
static void add_escaped(struct bg_buffer *out, const char *text, bool is_property)
{
	for (const char *c = text; *c; c++) {
		bool escaped = strchr("%\r\n", *c) || (is_property && strchr(":,", *c));
		if (escaped)
			bg_buffer_format(out, "%%%02X", (unsigned char)*c);
		else
			bg_buffer_add(out, c, 1);
	}
}

static void add_property(struct bg_buffer *out, const char *before, const char *name,
			 const char *value)
{
	bg_buffer_format(out, "%s%s=", before, name);
	add_escaped(out, value, true);
}

/* The diff view knows paths as git does: "src/x.cu"; others match nothing there. */
static const char *clean_path(const char *file)
{
	while (file && strncmp(file, "./", 2) == 0)
		file += 2;
	if (!file || !*file || *file == '/' || strlen(file) > FILE_SIZE_MAX)
		return NULL;
	for (const char *part = file; part; part = strchr(part, '/')) {
		part += *part == '/';
		size_t size = strcspn(part, "/");
		if (size == 0 || (size <= 2 && strncmp(part, "..", size) == 0))
			return NULL;
	}
	BG_AUTO(bg_buffer_release) struct bg_buffer visible;
	bg_buffer_init(&visible, (size_t)8 * FILE_SIZE_MAX);
	bg_visible_add(&visible, file, BG_VISIBLE_LINE);
	return strcmp(visible.bytes, file) == 0 ? file : NULL;
}

static void add_annotation(struct bg_buffer *out, const struct annotation *annotation)
{
	const char *file = clean_path(annotation->file), *before = " ";
	bg_buffer_format(out, "::%s", annotation->level);
	if (file) {
		add_property(out, before, "file", file);
		before = ",";
	}
	if (file && annotation->line > 0)
		bg_buffer_format(out, ",line=%u", annotation->line);
	add_property(out, before, "title", annotation->title);
	bg_buffer_text(out, "::");
	add_escaped(out, annotation->message->bytes ? annotation->message->bytes : "", false);
	bg_buffer_text(out, "\n");
}

static void add_cell(struct bg_buffer *out, const struct bg_report_view *view,
		     const struct bg_cell *cell)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer message, name, title;
	bg_buffer_init(&message, MESSAGE_SIZE_MAX);
	bg_buffer_init(&name, (size_t)1 << 20);
	bg_buffer_init(&title, (size_t)1 << 16);
	bg_evidence_name(&name, cell);
	bg_visible_trim(&name);
	bg_buffer_text(&title, "batchgate: ");
	bg_visible_cut(&title, name.bytes, TITLE_COLUMNS);
	bg_buffer_format(&message, "%s: ", bg_verdict_name(cell->verdict));
	bg_evidence_sentence(&message, cell);
	bg_buffer_text(&message, "\n");
	bg_evidence_add(&message, cell, (struct bg_wrap){ 0, 0 });
	bg_buffer_text(&message, "repeat: ");
	bg_repeat_add(&message, view->command, cell->of->name);
	bg_visible_trim(&message);
	const struct annotation annotation = {
		.level = cell->outcome == BG_OUTCOME_FAILURE ? "error" : "warning",
		.file = cell->of->file,
		.line = cell->of->line,
		.title = title.bytes,
		.message = &message,
	};
	add_annotation(out, &annotation);
}

/* Of the run as a whole; the message is visible text. */
static void add_run(struct bg_buffer *out, const struct bg_report_view *view, const char *level,
		    const struct bg_buffer *message)
{
	const struct annotation annotation = {
		.level = level,
		.file = view->report->result->suite_file,
		.title = "batchgate",
		.message = message,
	};
	add_annotation(out, &annotation);
}

/* The cells of one outcome, worst first; most of them at most, the last place for the rest. */
static void add_cells(struct bg_buffer *out, const struct bg_report_view *view,
		      enum bg_outcome outcome, size_t most)
{
	const struct bg_report *report = view->report;
	size_t count = 0, shown = 0;
	for (size_t i = 0; i < report->cell_count; i++)
		count += report->cells[i].outcome == outcome;
	size_t cells = count <= most ? count : most - 1;
	for (size_t i = 0; i < report->cell_count && shown < cells; i++) {
		if (report->worst_first[i]->outcome != outcome)
			continue;
		add_cell(out, view, report->worst_first[i]);
		shown++;
	}
	if (shown == count)
		return;
	BG_AUTO(bg_buffer_release) struct bg_buffer message;
	bg_buffer_init(&message, MESSAGE_SIZE_MAX);
	bg_buffer_format(&message, "and %zu more: see the summary", count - shown);
	add_run(out, view, outcome == BG_OUTCOME_FAILURE ? "error" : "warning", &message);
}

static void add_fault(struct bg_buffer *out, const struct bg_report_view *view)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer message;
	bg_buffer_init(&message, MESSAGE_SIZE_MAX);
	bg_visible_add(&message, view->fault, BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	bg_buffer_format(&message, " (exit %d)", view->exit_code);
	bg_visible_trim(&message);
	add_run(out, view, "error", &message);
}

/* What passes and still must not be overlooked. */
static void add_notices(struct bg_buffer *out, const struct bg_report_view *view)
{
	const struct bg_report *report = view->report;
	const struct bg_result *result = report->result;
	BG_AUTO(bg_buffer_release) struct bg_buffer message;
	bg_buffer_init(&message, MESSAGE_SIZE_MAX);
	if (report->not_judged > 0 || report->cell_count == 0) {
		bg_summary_counts(&message, report);
		add_run(out, view, "notice", &message);
		bg_buffer_clear(&message);
	}
	for (size_t i = 0; i < result->policy_change_count && i < ANNOTATIONS_MAX - 1; i++) {
		if (i == ANNOTATIONS_MAX - 2 && result->policy_change_count > i + 1)
			bg_buffer_format(&message, "and %zu more policy changes: see the summary",
					 result->policy_change_count - i);
		else
			bg_visible_add(&message, result->policy_changes[i],
				       BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
		bg_visible_trim(&message);
		add_run(out, view, "notice", &message);
		bg_buffer_clear(&message);
	}
}

static enum bg_status write_github(struct bg_buffer *out, const struct bg_report_view *view,
				   struct bg_error *err)
{
	if (view->fault)
		add_fault(out, view);
	add_cells(out, view, BG_OUTCOME_FAILURE, ANNOTATIONS_MAX - (view->fault ? 1 : 0));
	add_cells(out, view, BG_OUTCOME_ERROR, ANNOTATIONS_MAX);
	add_notices(out, view);
	if (out->full)
		return bg_fail(err, BG_E_NOMEM, "the annotations pass their bound of %zu bytes",
			       out->size_max);
	return BG_OK;
}

const struct bg_reporter bg_reporter_github = {
	.name = "github",
	.summary = "annotations for GitHub Actions; fills its summary and outputs",
	.extension = "txt",
	.follows_text = true,
	.write = write_github,
};
