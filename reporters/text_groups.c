#include "reporters/text_groups.h"

#include "gate/core/arena.h"
#include "reporters/groups.h"
#include "reporters/paint.h"
#include "reporters/visible.h"
#include "reporters/wrap.h"

#define NAMES_MAX 6

static void add_names(struct bg_buffer *line, const struct bg_group *group, bool one_metric)
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

static void add_group(struct bg_buffer *out, const struct bg_group *group,
		      const struct bg_report_view *view, size_t width)
{
	const struct bg_cell *cell = group->entries->cell;
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	bg_buffer_text(out, "  ");
	bg_paint_add(out, bg_verdict_name(cell->verdict), bg_paint_of(cell), view->color);
	bool one_metric = bg_group_has_one_metric(group);
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
	struct bg_group *groups;
	enum bg_group_kind kind = not_judged ? BG_GROUP_SKIPPED : BG_GROUP_NOT_COMPARED;
	size_t count = bg_groups_gather(&groups, view->report, kind, &arena), hidden = 0;
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
