#include "gate/verdict/sentence.h"

#include "gate/core/text.h"
#include "gate/verdict/exit.h"

#include <math.h>
#include <string.h>

struct scale {
	double size;
	const char *unit;
};

static const struct scale bytes[] = {
	{ 0x1p40, "TiB" }, { 0x1p30, "GiB" }, { 0x1p20, "MiB" }, { 0x1p10, "KiB" }, { 1, "B" }
};
static const struct scale seconds[] = {
	{ 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" }
};
static const struct scale joules[] = { { 1, "J" }, { 1e-3, "mJ" }, { 1e-6, "uJ" } };
static const struct scale watts[] = { { 1, "W" } };

/* Removes zeros at the end of a fraction, and a bare point. */
static const char *shorten(char *text)
{
	if (strchr(text, 'e') || !strchr(text, '.'))
		return text;
	char *end = text + strlen(text);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		*--end = '\0';
	return text;
}

/* The largest unit the value has one of; the smallest unit for less, the largest for zero. */
static const struct scale *scale_of(double value, const struct scale *scale, size_t count)
{
	size_t i = 0;
	while (value != 0 && i + 1 < count && fabs(value) < scale[i].size * (1 - 1e-9))
		i++;
	return &scale[i];
}

#define SCALE_OF(value, scales) scale_of(value, scales, sizeof(scales) / sizeof *(scales))

const char *bg_quantity_text(struct bg_arena *arena, double value, const char *unit)
{
	const struct scale *scale = SCALE_OF(value, watts);
	if (strcmp(unit, "bytes") == 0)
		scale = value == 0 ? &bytes[4] : SCALE_OF(value, bytes);
	else if (strcmp(unit, "s") == 0)
		scale = SCALE_OF(value, seconds);
	else if (strcmp(unit, "J") == 0)
		scale = SCALE_OF(value, joules);
	char text[BG_FIXED_SIZE];
	bg_text_fixed(text, value / scale->size, 3);
	return bg_arena_format(arena, "%s %s", shorten(text), scale->unit);
}

/* "+6.1": a change always shows its sign. */
static const char *percent(char text[BG_FIXED_SIZE + 1], double ratio)
{
	bg_text_fixed(text + 1, ratio * 100, 1);
	if (text[1] == '-')
		return text + 1;
	text[0] = '+';
	return text;
}

static const char *limit_text(struct bg_arena *arena, const struct bg_cell *cell)
{
	if (cell->floor > cell->margin * cell->base)
		return bg_quantity_text(arena, cell->floor, bg_metric_info(cell->metric)->unit);
	char text[BG_FIXED_SIZE];
	bg_text_fixed(text, cell->margin * 100, 2);
	return bg_arena_format(arena, "%s %%", shorten(text));
}

/* "+6.1 % (+4.9..+7.3)", or the levels where a zero leaves no ratio. */
static const char *change_text(struct bg_arena *arena, const struct bg_cell *cell)
{
	const char *unit = bg_metric_info(cell->metric)->unit;
	if (!cell->measured)
		return bg_arena_format(arena, "%s -> %s", bg_quantity_text(arena, cell->base, unit),
				       bg_quantity_text(arena, cell->head, unit));
	char effect[BG_FIXED_SIZE + 1], low[BG_FIXED_SIZE + 1], high[BG_FIXED_SIZE + 1];
	if (cell->low == cell->high)
		return bg_arena_format(arena, "%s %% (exact)", percent(effect, cell->effect));
	if (cell->high >= BG_RATIO_MAX)
		return bg_arena_format(arena, "%s %% (unbounded)", percent(effect, cell->effect));
	return bg_arena_format(arena, "%s %% (%s..%s)", percent(effect, cell->effect),
			       percent(low, cell->low), percent(high, cell->high));
}

/* "time 12.3 ms (12.1 ms..12.6 ms) on head alone, 10 launches: why" */
static const char *alone_text(struct bg_arena *arena, const struct bg_cell *cell)
{
	const struct bg_metric_info *info = bg_metric_info(cell->metric);
	return bg_arena_format(arena, "%s %s (%s..%s) on head alone, %u launch%s%s%s", info->name,
			       bg_quantity_text(arena, cell->head, info->unit),
			       bg_quantity_text(arena, cell->alone_low, info->unit),
			       bg_quantity_text(arena, cell->alone_high, info->unit), cell->alone,
			       cell->alone == 1 ? "" : "es", cell->reason ? ": " : "",
			       cell->reason ? cell->reason : "");
}

const char *bg_sentence_cell(struct bg_arena *arena, const struct bg_cell *cell)
{
	const char *name = bg_metric_info(cell->metric)->name;
	const char *reason = cell->reason ? cell->reason : "";
	if (cell->alone > 0)
		return alone_text(arena, cell);
	if (cell->launches == 0)
		return bg_arena_format(arena, "%s not measured%s%s", name, *reason ? ": " : "",
				       reason);
	return bg_arena_format(
		arena, "%s %s, limit %s, %u launch%s%s%s%s", name, change_text(arena, cell),
		limit_text(arena, cell), cell->launches, cell->launches == 1 ? "" : "es",
		cell->confirmed == BG_CONFIRMED ? ", confirmed" : "", *reason ? ": " : "", reason);
}

/* "gemm/m=8 time +6.1 %", or what happened instead. */
static const char *worst_text(struct bg_arena *arena, const struct bg_cell *cell)
{
	char effect[BG_FIXED_SIZE + 1];
	const char *name = bg_metric_info(cell->metric)->name;
	if (cell->measured)
		return bg_arena_format(arena, "%s %s %s %%", cell->of->name, name,
				       percent(effect, cell->effect));
	if (cell->launches > 0)
		return bg_arena_format(arena, "%s %s %s", cell->of->name, name,
				       change_text(arena, cell));
	return bg_arena_format(arena, "%s %s: %s", cell->of->name, bg_verdict_name(cell->verdict),
			       cell->reason ? cell->reason : "");
}

/* " (2 INCONCLUSIVE, 1 BROKEN)", or nothing. */
static const char *not_judged_text(struct bg_arena *arena, const struct bg_report *report)
{
	const char *list = "";
	for (size_t i = 0; i < BG_VERDICT_COUNT; i++)
		if (report->count[i] > 0 && !bg_verdict_is_judged((enum bg_verdict)i))
			list = bg_arena_format(arena, "%s%s%zu %s", list, *list ? ", " : "",
					       report->count[i],
					       bg_verdict_name((enum bg_verdict)i));
	return *list ? bg_arena_format(arena, " (%s)", list) : "";
}

const char *bg_sentence_report(struct bg_arena *arena, const struct bg_report *report)
{
	if (report->cell_count == 0)
		return bg_arena_format(arena, "%s: there were no cells to judge", report->verdict);
	size_t worse = report->count[BG_REGRESSED] + report->count[BG_INCORRECT] +
		       report->count[BG_FAILED] + report->count[BG_SUSPICIOUS] +
		       report->count[BG_MISSING];
	const char *missing = not_judged_text(arena, report);
	const char *plural = report->cell_count == 1 ? "" : "s";
	const struct bg_cell *worst = report->worst_first[0];
	const char *text;
	if (worse == 0 && report->result->comparison == BG_COMPARISON_NOTHING)
		text = bg_arena_format(arena, "%s: %zu of %zu cell%s measured, nothing compared%s",
				       report->verdict, report->judged, report->cell_count, plural,
				       missing);
	else if (worse > 0)
		text = bg_arena_format(arena, "%s: %zu of %zu cell%s worse, %zu not judged%s",
				       report->verdict, worse, report->cell_count, plural,
				       report->not_judged, missing);
	else
		text = bg_arena_format(arena,
				       "%s: %zu of %zu cell%s judged, none worse, %zu not judged%s",
				       report->verdict, report->judged, report->cell_count, plural,
				       report->not_judged, missing);
	/* What passed because there was nothing to compare with must not look compared. */
	if (report->count[BG_NEW] > 0 && report->exit_code != 3 &&
	    report->result->comparison != BG_COMPARISON_NOTHING)
		text = bg_arena_format(arena, "%s; %zu of them new, compared with nothing", text,
				       report->count[BG_NEW]);
	if (worst->outcome == BG_OUTCOME_FAILURE || worst->outcome == BG_OUTCOME_ERROR)
		return bg_arena_format(arena, "%s; worst %s", text, worst_text(arena, worst));
	if (report->exit_code == 3 && report->judged > 0)
		return bg_arena_format(arena, "%s; %zu new or removed, which --strict refuses",
				       text, report->count[BG_NEW] + report->count[BG_REMOVED]);
	return text;
}
