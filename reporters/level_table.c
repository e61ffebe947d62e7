#include "reporters/level_table.h"

#include "gate/core/arena.h"
#include "reporters/format.h"
#include "reporters/paint.h"
#include "reporters/visible.h"

#include <string.h>

enum column { NAME, METRIC, LEVEL, RANGE, RATE, LAUNCHES, COLUMN_COUNT };
#define NAME_WIDTH_MIN 20
#define GAP 2

static const char *const headings[COLUMN_COUNT] = {
	[NAME] = "CASE",	   [METRIC] = "METRIC",	  [LEVEL] = "MEDIAN",
	[RANGE] = "OVER LAUNCHES", [RATE] = "THROUGHPUT", [LAUNCHES] = "N",
};

struct table {
	struct bg_arena *arena;
	struct bg_buffer *scratch;
	size_t count;
	const char *(*rows)[COLUMN_COUNT]; /* visible; row 0 is the heading */
	size_t width[COLUMN_COUNT];
};

static size_t columns(const char *text)
{
	return bg_visible_columns(text, strlen(text));
}

static const char *take(struct table *table)
{
	struct bg_buffer *text = table->scratch;
	const char *taken =
		bg_arena_bytes(table->arena, text->bytes ? text->bytes : "", text->size);
	bg_buffer_clear(text);
	return taken;
}

/* FLOP/s or B/s where the workload counts them, else items. */
static void add_rate(struct bg_buffer *out, const struct bg_cell *cell)
{
	const struct bg_case_result *of = cell->of;
	if (cell->metric != BG_METRIC_TIME || !(cell->head > 0))
		return;
	if (of->flops_per_step > 0)
		bg_format_quantity_rate(out, of->flops_per_step / cell->head, "FLOP/s");
	else if (of->bytes_per_step > 0)
		bg_format_quantity_rate(out, of->bytes_per_step / cell->head, "B/s");
	else if (cell->items_per_s > 0)
		bg_format_rate(out, cell->items_per_s);
}

static void add_row(struct table *table, const struct bg_cell *cell)
{
	const struct bg_metric_info *info = bg_metric_info(cell->metric);
	const char **row = table->rows[table->count++];
	bg_visible_add(table->scratch, cell->of->name, BG_VISIBLE_LINE);
	row[NAME] = take(table);
	row[METRIC] = info->name;
	bg_format_level(table->scratch, cell->head, info->unit);
	row[LEVEL] = take(table);
	bg_format_level(table->scratch, cell->alone_low, info->unit);
	bg_buffer_text(table->scratch, " .. ");
	bg_format_level(table->scratch, cell->alone_high, info->unit);
	row[RANGE] = take(table);
	add_rate(table->scratch, cell);
	row[RATE] = take(table);
	bg_buffer_format(table->scratch, "%u", cell->alone);
	row[LAUNCHES] = take(table);
}

static void measure(struct table *table, size_t width)
{
	size_t others = 0;
	for (int column = 0; column < COLUMN_COUNT; column++)
		for (size_t i = 0; i < table->count; i++)
			if (columns(table->rows[i][column]) > table->width[column])
				table->width[column] = columns(table->rows[i][column]);
	for (int column = METRIC; column < COLUMN_COUNT; column++)
		others += GAP + table->width[column];
	size_t room = width > others + NAME_WIDTH_MIN ? width - others : NAME_WIDTH_MIN;
	if (table->width[NAME] > room)
		table->width[NAME] = room;
}

static void print_row(struct bg_buffer *out, const struct table *table, size_t row)
{
	for (int column = 0; column < COLUMN_COUNT; column++) {
		BG_AUTO(bg_buffer_release) struct bg_buffer cut;
		bg_buffer_init(&cut, (size_t)1 << 16);
		size_t width = table->width[column];
		bg_visible_cut(&cut, table->rows[row][column], width < 8 ? 8 : width);
		const char *text = cut.bytes ? cut.bytes : "";
		int pad = (int)(width > columns(text) ? width - columns(text) : 0);
		bool left = column == NAME || column == METRIC;
		bg_buffer_format(out, "%s%*s%s%*s", column > 0 ? "  " : "", left ? 0 : pad, "",
				 text, left ? pad : 0, "");
	}
	bg_buffer_text(out, "\n");
}

void bg_level_table_add(struct bg_buffer *out, const struct bg_report_view *view, size_t width)
{
	const struct bg_report *report = view->report;
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	BG_AUTO(bg_buffer_release) struct bg_buffer scratch;
	bg_buffer_init(&scratch, (size_t)1 << 20);
	struct table table = { .arena = &arena, .scratch = &scratch, .count = 1 };
	table.rows = bg_arena_array(&arena, BG_LEVEL_ROWS_MAX + 1, sizeof *table.rows);
	memcpy(table.rows[0], headings, sizeof headings);
	size_t hidden = 0;
	for (size_t i = 0; i < report->cell_count; i++) {
		if (report->cells[i].alone == 0)
			continue;
		if (table.count <= BG_LEVEL_ROWS_MAX)
			add_row(&table, &report->cells[i]);
		else
			hidden++;
	}
	if (table.count == 1)
		return;
	measure(&table, width);
	bg_buffer_text(out, "\n");
	bg_paint_add(out, "Head alone", BG_PAINT_BOLD, view->color);
	bg_buffer_text(out, "\n");
	for (size_t i = 0; i < table.count; i++)
		print_row(out, &table, i);
	if (hidden > 0)
		bg_buffer_format(out, "... and %zu more, each in report.json\n", hidden);
}
