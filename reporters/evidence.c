#include "reporters/evidence.h"

#include "reporters/format.h"
#include "reporters/visible.h"

#include <math.h>
#include <string.h>

#define SENTENCE_MAX 1900 /* bytes: readers that cut keep 2,000 characters */

void bg_evidence_name(struct bg_buffer *out, const struct bg_cell *cell)
{
	bg_visible_add(out, cell->of->name, BG_VISIBLE_LINE);
	bg_buffer_format(out, " %s", bg_metric_info(cell->metric)->name);
}

double bg_evidence_limit(const struct bg_cell *cell)
{
	return cell->base > 0 ? fmax(cell->margin, cell->floor / cell->base) : cell->margin;
}

void bg_evidence_sentence(struct bg_buffer *out, const struct bg_cell *cell)
{
	if (cell->sentence) {
		bg_visible_add_some(out, cell->sentence, SENTENCE_MAX,
				    BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
		return;
	}
	bg_buffer_format(out, "%s %s", bg_metric_info(cell->metric)->name,
			 bg_verdict_name(cell->verdict));
	if (cell->reason) {
		bg_buffer_text(out, ": ");
		bg_visible_add_some(out, cell->reason, SENTENCE_MAX,
				    BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	}
}

static void add_line(struct bg_buffer *out, struct bg_buffer *line, struct bg_wrap wrap)
{
	bg_buffer_format(out, "%*s", (int)wrap.indent, "");
	bg_wrap_add(out, line->bytes, wrap);
	bg_buffer_text(out, "\n");
	bg_buffer_clear(line);
}

static void add_numbers(struct bg_buffer *line, const struct bg_cell *cell)
{
	const char *unit = bg_metric_info(cell->metric)->unit;
	bg_buffer_text(line, "base ");
	bg_format_level(line, cell->base, unit);
	bg_buffer_text(line, ", head ");
	bg_format_level(line, cell->head, unit);
	if (cell->items_per_s > 0) {
		bg_buffer_text(line, " (");
		bg_format_rate(line, cell->items_per_s);
		bg_buffer_text(line, ")");
	}
	if (cell->measured && isfinite(cell->mde)) {
		bg_buffer_text(line, "; smallest change visible ");
		bg_format_magnitude(line, cell->mde);
	}
}

static void add_text(struct bg_buffer *line, const char *before, const char *text,
		     const char *after)
{
	if (!text)
		return;
	bg_buffer_text(line, before);
	bg_visible_add(line, text, BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	bg_buffer_text(line, after);
}

static void add_running(struct bg_buffer *line, const struct bg_case_result *of)
{
	add_text(line, "", of->file, "");
	if (of->file && of->line > 0)
		bg_buffer_format(line, ":%u", of->line);
	add_text(line, line->size > 0 ? "; turns: " : "turns: ", of->turns, "");
	add_text(line, " (", of->turns_why, ")");
	if (of->turn_tax > 0) {
		bg_buffer_text(line, ", turn tax ");
		bg_format_magnitude(line, of->turn_tax);
	}
	add_text(line, line->size > 0 ? "; CPU " : "CPU ", of->cpus, "");
	add_text(line, " (", of->cpus ? of->cpus_why : NULL, ")");
	add_text(line, line->size > 0 ? "; kernel " : "kernel ", of->kernel, "");
}

void bg_evidence_add(struct bg_buffer *out, const struct bg_cell *cell, struct bg_wrap wrap)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	const char *sentence = cell->sentence;
	if (cell->reason && sentence && !strstr(sentence, cell->reason)) {
		add_text(&line, "", cell->reason, "");
		add_line(out, &line, wrap);
	}
	if (cell->launches > 0) {
		add_numbers(&line, cell);
		add_line(out, &line, wrap);
	}
	add_running(&line, cell->of);
	if (line.size > 0)
		add_line(out, &line, wrap);
}
