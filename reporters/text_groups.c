#include "reporters/text_groups.h"

#include "gate/core/arena.h"
#include "reporters/paint.h"
#include "reporters/visible.h"
#include "reporters/wrap.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 6

struct entry {
	const struct bg_cell *cell;
	size_t rank; /* its place among the worst */
};

/* A run of entries in the sorted list. */
struct group {
	const struct entry *entries;
	size_t count;
};

static const char *reason_of(const struct bg_cell *cell)
{
	return cell->reason ? cell->reason : "";
}

static int by_reason(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->cell->verdict != y->cell->verdict)
		return (int)x->cell->verdict - (int)y->cell->verdict;
	int order = strcmp(reason_of(x->cell), reason_of(y->cell));
	return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Worst first again, by each group's first cell. */
static int by_rank(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return (x->entries->rank > y->entries->rank) - (x->entries->rank < y->entries->rank);
}

static bool belongs(const struct bg_cell *cell, bool not_judged, enum bg_comparison comparison)
{
	if (not_judged)
		return cell->outcome == BG_OUTCOME_SKIPPED;
	/* A plain run's levels stand in their own table. */
	return cell->outcome == BG_OUTCOME_PASS && !cell->measured &&
	       !(cell->alone > 0 && comparison == BG_COMPARISON_NOTHING);
}

static size_t gather(struct group **ret, const struct bg_report *report, bool not_judged,
		     struct bg_arena *arena)
{
	struct entry *entries = bg_arena_array(arena, report->cell_count, sizeof *entries);
	struct group *groups = bg_arena_array(arena, report->cell_count, sizeof *groups);
	size_t count = 0, group_count = 0;
	for (size_t i = 0; i < report->cell_count; i++)
		if (belongs(report->worst_first[i], not_judged, report->result->comparison))
			entries[count++] = (struct entry){ report->worst_first[i], i };
	qsort(entries, count, sizeof *entries, by_reason);
	for (size_t i = 0; i < count; i++) {
		const struct bg_cell *cell = entries[i].cell,
				     *first = group_count > 0
						      ? groups[group_count - 1].entries->cell
						      : NULL;
		if (!first || first->verdict != cell->verdict ||
		    strcmp(reason_of(first), reason_of(cell)) != 0)
			groups[group_count++] = (struct group){ &entries[i], 0 };
		groups[group_count - 1].count++;
	}
	qsort(groups, group_count, sizeof *groups, by_rank);
	*ret = groups;
	return group_count;
}

static bool has_one_metric(const struct group *group)
{
	for (size_t i = 1; i < group->count; i++)
		if (group->entries[i].cell->metric != group->entries[0].cell->metric)
			return false;
	return true;
}

static void add_names(struct bg_buffer *line, const struct group *group, bool one_metric)
{
	for (size_t i = 0; i < group->count && i < NAMES_MAX; i++) {
		bg_buffer_text(line, i > 0 ? ", " : "");
		bg_visible_add(line, group->entries[i].cell->of->name, BG_VISIBLE_LINE);
		if (!one_metric)
			bg_buffer_format(line, " %s",
					 bg_metric_info(group->entries[i].cell->metric)->name);
	}
	if (group->count > NAMES_MAX)
		bg_buffer_format(line, " and %zu more", group->count - NAMES_MAX);
}

static void add_group(struct bg_buffer *out, const struct group *group,
		      const struct bg_report_view *view, size_t width)
{
	const struct bg_cell *cell = group->entries->cell;
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	bg_buffer_text(out, "  ");
	bg_paint_add(out, bg_verdict_name(cell->verdict), bg_paint_of(cell), view->color);
	bool one_metric = has_one_metric(group);
	bg_buffer_format(&line, " (%zu %s%s%s)", group->count, group->count == 1 ? "cell" : "cells",
			 one_metric ? " of " : "",
			 one_metric ? bg_metric_info(cell->metric)->name : "");
	if (cell->reason) {
		bg_buffer_text(&line, ": ");
		bg_visible_add_some(&line, cell->reason, 2000,
				    BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	}
	bg_wrap_add(out, line.bytes ? line.bytes : "", (struct bg_wrap){ 6, width });
	bg_buffer_clear(&line);
	bg_buffer_text(out, "\n      ");
	add_names(&line, group, one_metric);
	bg_wrap_add(out, line.bytes, (struct bg_wrap){ 6, width });
	bg_buffer_text(out, "\n");
}

void bg_text_groups_add(struct bg_buffer *out, const struct bg_report_view *view, size_t width,
			bool not_judged)
{
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct group *groups;
	size_t count = gather(&groups, view->report, not_judged, &arena), hidden = 0;
	if (count == 0)
		return;
	bg_buffer_text(out, "\n");
	bg_paint_add(out, not_judged ? "Not judged" : "Not compared", BG_PAINT_BOLD, view->color);
	bg_buffer_text(out, "\n");
	for (size_t i = 0; i < count; i++) {
		if (i < BG_GROUPS_MAX)
			add_group(out, &groups[i], view, width);
		else
			hidden += groups[i].count;
	}
	if (hidden > 0)
		bg_buffer_format(out, "  ... and %zu more, each in report.json with its reason\n",
				 hidden);
}
