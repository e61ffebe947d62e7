#include "reporters/text_table.h"

#include "gate/core/arena.h"
#include "reporters/evidence.h"
#include "reporters/format.h"
#include "reporters/paint.h"
#include "reporters/short_name.h"
#include "reporters/visible.h"
#include "reporters/wrap.h"

#include <math.h>
#include <string.h>

enum column { VERDICT, NAME, METRIC, EFFECT, INTERVAL, LIMIT, MDE, LAUNCHES, LEVELS, COLUMN_COUNT };
#define FIRST_NUMBER EFFECT
#define NAME_WIDTH_MIN 20

static const char *const headings[COLUMN_COUNT] = {
	[VERDICT] = "VERDICT", [NAME] = "CASE",		[METRIC] = "METRIC",
	[EFFECT] = "CHANGE",   [INTERVAL] = "INTERVAL", [LIMIT] = "LIMIT",
	[MDE] = "MDE",	       [LAUNCHES] = "N",	[LEVELS] = "BASE -> HEAD",
};

struct row {
	const struct bg_cell *cell;	/* NULL: the note alone */
	const char *text[COLUMN_COUNT]; /* visible */
	const char *note;		/* instead of numbers, or the whole line */
};

struct table {
	struct bg_arena *arena;
	struct bg_buffer *scratch;
	struct bg_short_names short_names;
	size_t count, capacity;
	struct row *rows;
	size_t width[COLUMN_COUNT]; /* 0: a column not shown */
	size_t line_width;
};

/* What was left out of the table, of one verdict. */
struct hidden {
	size_t count;
	double least, most; /* effect */
	double highest;	    /* upper bound */
	bool measured;
};

bool bg_text_table_has(const struct bg_cell *cell)
{
	return cell->measured || cell->outcome >= BG_OUTCOME_ERROR;
}

static const char *take(struct table *table)
{
	struct bg_buffer *text = table->scratch;
	const char *taken =
		bg_arena_bytes(table->arena, text->bytes ? text->bytes : "", text->size);
	bg_buffer_clear(text);
	return taken;
}

static struct row *add_row(struct table *table)
{
	table->rows = bg_arena_grow(table->arena, table->rows, table->count, &table->capacity,
				    sizeof *table->rows);
	struct row *row = &table->rows[table->count++];
	*row = (struct row){ 0 };
	return row;
}

static const char *interval_text(struct table *table, const struct bg_cell *cell)
{
	bg_format_effect(table->scratch, cell);
	const char *both = take(table);
	return strchr(both, '(');
}

static const char *launches_text(struct table *table, const struct bg_cell *cell)
{
	bg_buffer_format(table->scratch, "%u", cell->launches);
	if (cell->confirm_launches > 0)
		bg_buffer_format(table->scratch, "+%u", cell->confirm_launches);
	return take(table);
}

static void add_numbers(struct table *table, struct row *row)
{
	const struct bg_cell *cell = row->cell;
	bg_format_change(table->scratch, cell->effect);
	row->text[EFFECT] = take(table);
	row->text[INTERVAL] = interval_text(table, cell);
	bg_format_limit(table->scratch, bg_evidence_limit(cell));
	row->text[LIMIT] = take(table);
	if (isfinite(cell->mde))
		bg_format_magnitude(table->scratch, cell->mde);
	else
		bg_buffer_text(table->scratch, "-");
	row->text[MDE] = take(table);
	row->text[LAUNCHES] = launches_text(table, cell);
	bg_format_levels(table->scratch, cell);
	row->text[LEVELS] = take(table);
}

static void add_cell(struct table *table, const struct bg_cell *cell)
{
	struct row *row = add_row(table);
	row->cell = cell;
	row->text[VERDICT] = bg_verdict_name(cell->verdict);
	row->text[METRIC] = bg_metric_info(cell->metric)->name;
	if (cell->measured) {
		add_numbers(table, row);
		return;
	}
	if (cell->launches > 0) {
		bg_format_levels(table->scratch, cell);
		bg_buffer_text(table->scratch, cell->reason ? ": " : "");
	}
	bg_visible_add(table->scratch, cell->reason, BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	row->note = take(table);
}

static void count_hidden(struct hidden *hidden, const struct bg_cell *cell)
{
	if (hidden->count++ == 0) {
		hidden->measured = true;
		hidden->least = HUGE_VAL;
		hidden->most = hidden->highest = -HUGE_VAL;
	}
	hidden->measured &= cell->measured && isfinite(cell->effect) && isfinite(cell->high);
	hidden->least = fmin(hidden->least, cell->effect);
	hidden->most = fmax(hidden->most, cell->effect);
	hidden->highest = fmax(hidden->highest, cell->high);
}

static void add_hidden(struct table *table, const struct hidden *hidden, enum bg_verdict verdict)
{
	if (hidden->count == 0)
		return;
	struct bg_buffer *text = table->scratch;
	bg_buffer_format(text, "... and %zu more %s", hidden->count, bg_verdict_name(verdict));
	if (hidden->measured && verdict == BG_NOT_WORSE) {
		bg_buffer_text(text, ", all within ±");
		bg_format_magnitude(text, fmax(hidden->most, -hidden->least));
		bg_buffer_text(text, " (upper bounds at most ");
		bg_format_change(text, hidden->highest);
		bg_buffer_text(text, ")");
	} else if (hidden->measured) {
		bg_buffer_text(text, ", ");
		bg_format_change(text, hidden->least);
		bg_buffer_text(text, " to ");
		bg_format_change(text, hidden->most);
	}
	add_row(table)->note = take(table);
}

static size_t rows_max(const struct bg_cell *cell)
{
	return cell->outcome >= BG_OUTCOME_ERROR ? BG_TABLE_RED_MAX : BG_TABLE_OTHER_MAX;
}

/* Cells come sorted by verdict, so what is hidden of one is said where its rows end. */
static void gather_rows(struct table *table, const struct bg_report *report)
{
	size_t shown[BG_VERDICT_COUNT] = { 0 };
	struct hidden hidden = { 0 };
	enum bg_verdict current = BG_VERDICT_COUNT;
	for (size_t i = 0; i < report->cell_count; i++) {
		const struct bg_cell *cell = report->worst_first[i];
		if (!bg_text_table_has(cell))
			continue;
		if (cell->verdict != current) {
			add_hidden(table, &hidden, current);
			hidden = (struct hidden){ 0 };
			current = cell->verdict;
		}
		if (shown[current]++ < rows_max(cell))
			add_cell(table, cell);
		else
			count_hidden(&hidden, cell);
	}
	add_hidden(table, &hidden, current);
}

static void name_rows(struct table *table, bool short_names)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer name;
	bg_buffer_init(&name, (size_t)1 << 20);
	for (size_t i = 0; i < table->count; i++) {
		const struct bg_cell *cell = table->rows[i].cell;
		if (!cell)
			continue;
		if (short_names)
			bg_short_names_add(&name, &table->short_names, cell->of->name);
		else
			bg_buffer_text(&name, cell->of->name);
		bg_visible_add(table->scratch, name.bytes, BG_VISIBLE_LINE);
		table->rows[i].text[NAME] = take(table);
		bg_buffer_clear(&name);
	}
}

static size_t columns(const char *text)
{
	return bg_visible_columns(text, strlen(text));
}

static void shorten_names(struct table *table)
{
	const struct bg_cell **cells = bg_arena_array(table->arena, table->count, sizeof *cells);
	size_t count = 0;
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].cell)
			cells[count++] = table->rows[i].cell;
	bg_short_names_init(&table->short_names, cells, count, table->arena);
	name_rows(table, true);
}

static void measure_column(struct table *table, int column)
{
	size_t widest = 0;
	for (size_t i = 0; i < table->count; i++) {
		const char *text = table->rows[i].text[column];
		if (text && columns(text) > widest)
			widest = columns(text);
	}
	if (widest > 0 && widest < columns(headings[column]))
		widest = columns(headings[column]);
	table->width[column] = widest;
}

/* Spaces before a column. */
static size_t gap_of(int column)
{
	switch (column) {
	case VERDICT:
		return 0;
	case INTERVAL:
	case LIMIT:
	case MDE:
	case LAUNCHES:
		return 1;
	default:
		return 2;
	}
}

/* All columns but the name's, with the spaces of all. */
static size_t width_of_others(const struct table *table)
{
	size_t width = gap_of(NAME);
	for (int column = 0; column < COLUMN_COUNT; column++)
		if (column != NAME && table->width[column] > 0)
			width += table->width[column] + gap_of(column);
	return width;
}

static bool fits(const struct table *table)
{
	return width_of_others(table) + table->width[NAME] <= table->line_width;
}

static bool has_one_metric(const struct table *table)
{
	const struct bg_cell *first = NULL;
	for (size_t i = 0; i < table->count; i++) {
		const struct bg_cell *cell = table->rows[i].cell;
		if (cell && first && cell->metric != first->metric)
			return false;
		if (!first)
			first = cell;
	}
	return true;
}

/* The limit of a metric where all rows share it; false where they differ. */
static bool shared_limit(double *ret, const struct table *table, enum bg_metric metric)
{
	bool found = false;
	for (size_t i = 0; i < table->count; i++) {
		const struct bg_cell *cell = table->rows[i].cell;
		if (!cell || !cell->measured || cell->metric != metric)
			continue;
		if (found && bg_evidence_limit(cell) != *ret)
			return false;
		*ret = bg_evidence_limit(cell);
		found = true;
	}
	return found;
}

static bool limits_are_shared(const struct table *table)
{
	double limit;
	for (size_t i = 0; i < table->count; i++) {
		const struct bg_cell *cell = table->rows[i].cell;
		if (cell && cell->measured && !shared_limit(&limit, table, cell->metric))
			return false;
	}
	return true;
}

/* Whole names where there is room; else short ones, no limits, no MDE, in the end cut names. */
static void lay_out(struct table *table)
{
	name_rows(table, false);
	for (int column = 0; column < COLUMN_COUNT; column++)
		measure_column(table, column);
	if (has_one_metric(table))
		table->width[METRIC] = 0;
	if (!fits(table)) {
		shorten_names(table);
		measure_column(table, NAME);
	}
	if (!fits(table) && limits_are_shared(table))
		table->width[LIMIT] = 0;
	if (width_of_others(table) + NAME_WIDTH_MIN > table->line_width)
		table->width[MDE] = 0;
	if (!fits(table)) {
		size_t others = width_of_others(table);
		table->width[NAME] = table->line_width > others + NAME_WIDTH_MIN
					     ? table->line_width - others
					     : NAME_WIDTH_MIN;
	}
}

static void pad(struct bg_buffer *out, size_t count)
{
	bg_buffer_format(out, "%*s", (int)count, "");
}

static void add_column(struct bg_buffer *out, const struct table *table, int column,
		       const char *text)
{
	size_t width = table->width[column];
	if (width == 0)
		return;
	BG_AUTO(bg_buffer_release) struct bg_buffer cut;
	bg_buffer_init(&cut, (size_t)1 << 16);
	bg_visible_cut(&cut, text, width < 8 ? 8 : width);
	size_t used = cut.bytes ? columns(cut.bytes) : 0;
	bool left = column == VERDICT || column == NAME || column == METRIC || column == INTERVAL;
	pad(out, gap_of(column) + (left ? 0 : width - used));
	bg_buffer_add(out, cut.bytes, cut.size);
	pad(out, left ? width - used : 0);
}

static void print_heading(struct bg_buffer *out, const struct table *table, bool color)
{
	struct bg_buffer *line = table->scratch;
	for (int column = 0; column < COLUMN_COUNT; column++)
		add_column(line, table, column, headings[column]);
	bg_paint_add(out, line->bytes, BG_PAINT_BOLD, color);
	bg_buffer_text(out, "\n");
	bg_buffer_clear(line);
}

/* In the room the numbers have; the details say the whole. */
static void add_note(struct bg_buffer *out, const struct table *table, const char *note)
{
	size_t used = table->width[VERDICT] + table->width[NAME] + table->width[METRIC] + 6;
	bg_buffer_text(out, "  ");
	bg_visible_clip(out, note, table->line_width > used + 20 ? table->line_width - used : 20);
}

static void print_row(struct bg_buffer *out, const struct table *table, const struct row *row,
		      const struct bg_report_view *view)
{
	if (!row->cell) {
		bg_buffer_format(out, "%s\n", row->note);
		return;
	}
	bg_paint_add(out, row->text[VERDICT], bg_paint_of(row->cell), view->color);
	pad(out, table->width[VERDICT] - columns(row->text[VERDICT]));
	add_column(out, table, NAME, row->text[NAME]);
	add_column(out, table, METRIC, row->text[METRIC]);
	if (row->note)
		add_note(out, table, row->note);
	for (int column = FIRST_NUMBER; column < COLUMN_COUNT && !row->note; column++)
		add_column(out, table, column, row->text[column]);
	bg_buffer_text(out, "\n");
}

/* What the heading cannot say: metric and limits where they have no column, short names. */
static void print_legend(struct bg_buffer *out, const struct table *table)
{
	struct bg_buffer *line = table->scratch;
	const char *before = "LIMIT ";
	for (int metric = 0; metric < BG_METRIC_COUNT && table->width[LIMIT] == 0; metric++) {
		double limit;
		if (!shared_limit(&limit, table, (enum bg_metric)metric))
			continue;
		bg_buffer_text(line, before);
		bg_format_limit(line, limit);
		bg_buffer_format(line, " for %s", bg_metric_info((enum bg_metric)metric)->name);
		before = ", ";
	}
	bg_buffer_text(line, line->size > 0 ? "; " : "");
	if (table->width[FIRST_NUMBER] > 0)
		bg_buffer_text(line, "CHANGE: head against base, positive is worse");
	if (table->width[MDE] > 0)
		bg_buffer_text(line, "; MDE: smallest change N launches would show");
	if (line->size > 0) {
		bg_wrap_add(out, line->bytes, (struct bg_wrap){ 0, table->line_width });
		bg_buffer_text(out, "\n");
		bg_buffer_clear(line);
	}
	bg_short_names_explain(out, &table->short_names, table->line_width);
}

void bg_text_table_add(struct bg_buffer *out, const struct bg_report_view *view, size_t width)
{
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	BG_AUTO(bg_buffer_release) struct bg_buffer scratch;
	bg_buffer_init(&scratch, (size_t)1 << 20);
	struct table table = { .arena = &arena,
			       .scratch = &scratch,

			       .line_width = width };
	gather_rows(&table, view->report);
	if (table.count == 0)
		return;
	lay_out(&table);
	bg_buffer_text(out, "\n");
	print_heading(out, &table, view->color);
	for (size_t i = 0; i < table.count; i++)
		print_row(out, &table, &table.rows[i], view);
	print_legend(out, &table);
}
