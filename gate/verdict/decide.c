#include "gate/verdict/decide.h"

#include "gate/verdict/exit.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/look.h"
#include "gate/verdict/stored.h"
#include "gate/verdict/sentence.h"

#include <math.h>
#include <stdlib.h>

#define ERROR_BUDGET .05
#define ADVISORY_ERROR_BUDGET .01

/* A finite ratio from a logarithm. */
static double ratio_of(double logarithm)
{
	return fmin(expm1(fmin(logarithm, 700)), BG_RATIO_MAX);
}

static void fill_numbers(struct bg_cell *cell, const struct bg_standing *standing)
{
	cell->launches = standing->launches;
	cell->base = standing->base;
	cell->head = standing->head;
	cell->measured = standing->ratio && standing->launches > 0;
	if (!cell->measured)
		return;
	cell->effect = ratio_of(standing->center);
	cell->low = ratio_of(standing->low);
	cell->high = ratio_of(standing->high);
	cell->mde = isfinite(standing->mde) ? ratio_of(standing->mde) : (double)NAN;
	if (cell->metric == BG_METRIC_TIME && standing->head > 0)
		cell->items_per_s = fmin(standing->of->items_per_step / standing->head, 1e300);
}

/* REGRESSED needs its confirmation. */
static enum bg_verdict final_verdict(const struct bg_standing *standing,
				     const struct bg_second_look *second)
{
	if (standing->verdict != BG_REGRESSED || second->confirmed)
		return standing->verdict;
	return second->launches < BG_CONFIRM_LAUNCHES ? BG_INCONCLUSIVE : BG_UNSTABLE;
}

/* Beyond its limit as far as can be seen, with nothing that excludes 5 %. */
static bool is_doubtful(const struct bg_standing *standing, const struct bg_second_look *second)
{
	if (standing->verdict == BG_MISTRUSTED)
		return true;
	if (standing->verdict == BG_REGRESSED)
		return second->doubtful;
	if (standing->launches == 0)
		return false;
	if (!standing->ratio)
		return standing->odd * 2 > standing->launches;
	/* Where launches depend on each other or have two modes, the interval excludes nothing. */
	bool trusted = standing->doubt != BG_DOUBT_CORRELATED && standing->doubt != BG_DOUBT_MODES;
	return bg_beyond_and_open(standing->center, trusted ? standing->high : INFINITY,
				  standing->limit);
}

static void fill_measured(struct bg_cell *cell, const struct bg_standing *standing,
			  const struct bg_report *report, struct bg_arena *arena)
{
	struct bg_second_look second = { .launches = 0 };
	if (standing->verdict == BG_REGRESSED)
		bg_second_look_take(&second, standing);
	cell->of = standing->of;
	cell->metric = standing->series->metric;
	cell->margin = standing->margin;
	cell->floor = standing->floor;
	cell->mde = (double)NAN;
	fill_numbers(cell, standing);
	cell->confirm_launches = second.launches;
	if (second.launches >= BG_CONFIRM_LAUNCHES)
		cell->confirmed = second.confirmed ? BG_CONFIRMED : BG_NOT_CONFIRMED;
	cell->verdict = final_verdict(standing, &second);
	cell->outcome =
		bg_outcome_of(cell->verdict, report->strict, is_doubtful(standing, &second));
	cell->reason = bg_reason_measured(arena, report->result, standing, &second);
	cell->sentence = bg_sentence_cell(arena, cell);
}

/* Against stored sessions there is one look, and no confirmation. */
static void fill_stored(struct bg_cell *cell, const struct bg_standing *standing,
			const struct bg_report *report, struct bg_arena *arena)
{
	cell->of = standing->of;
	cell->metric = standing->series->metric;
	cell->margin = standing->margin;
	cell->floor = standing->floor;
	cell->mde = (double)NAN;
	fill_numbers(cell, standing);
	cell->verdict = standing->verdict;
	bool doubtful = standing->launches == 0 ||
			bg_beyond_and_open(standing->center, standing->high, standing->limit);
	cell->outcome = bg_outcome_of(cell->verdict, report->strict, doubtful);
	cell->reason = bg_stored_reason(standing, arena);
	cell->sentence = bg_sentence_cell(arena, cell);
}

static enum bg_verdict verdict_of_state(enum bg_case_state state)
{
	switch (state) {
	case BG_CASE_IDENTICAL:
		return BG_UNCHANGED_BY_IDENTITY;
	case BG_CASE_NEW:
		return BG_NEW;
	case BG_CASE_REMOVED:
		return BG_REMOVED;
	case BG_CASE_MISSING:
		return BG_MISSING;
	case BG_CASE_SKIPPED:
		return BG_SKIPPED;
	case BG_CASE_FAILED:
		return BG_FAILED;
	case BG_CASE_INCORRECT:
		return BG_INCORRECT;
	case BG_CASE_BROKEN:
		return BG_BROKEN;
	case BG_CASE_NO_BASELINE:
		return BG_NO_BASELINE;
	case BG_CASE_MISTRUSTED:
		return BG_MISTRUSTED;
	case BG_CASE_MEASURED:
	case BG_CASE_UNMEASURED:
		break;
	}
	return BG_INCONCLUSIVE;
}

/* One cell stands for a case without data: its time, which every case has. */
static void fill_state(struct bg_cell *cell, const struct bg_case_result *of,
		       const struct bg_report *report, struct bg_arena *arena)
{
	cell->of = of;
	cell->metric = BG_METRIC_TIME;
	cell->verdict = verdict_of_state(of->state);
	cell->outcome = bg_outcome_of(cell->verdict, report->strict, false);
	cell->margin = of->margin[BG_METRIC_TIME];
	cell->floor = of->floor[BG_METRIC_TIME];
	cell->mde = (double)NAN;
	cell->reason = bg_reason_state(of, report->result);
	cell->sentence = bg_sentence_cell(arena, cell);
}

static bool levels_are_numbers(const struct bg_series *series)
{
	for (size_t i = 0; i < series->judge_count; i++)
		if (!(series->judge[i].head >= 0 && series->judge[i].head <= 1e300))
			return false;
	return true;
}

/* What head alone showed of a case that has no base arm. */
static void fill_alone(struct bg_cell *cell, const struct bg_series *series, struct bg_arena *arena)
{
	double level[BG_LAUNCHES_MAX];
	const struct bg_case_result *of = cell->of;
	cell->metric = series->metric;
	cell->margin = of->margin[series->metric];
	cell->floor = of->floor[series->metric];
	cell->alone = (unsigned)series->judge_count;
	cell->alone_low = HUGE_VAL;
	for (size_t i = 0; i < series->judge_count; i++) {
		level[i] = series->judge[i].head;
		cell->alone_low = fmin(cell->alone_low, level[i]);
		cell->alone_high = fmax(cell->alone_high, level[i]);
	}
	cell->head = bg_estimate_median(level, cell->alone);
	if (cell->metric == BG_METRIC_TIME && cell->head > 0)
		cell->items_per_s = fmin(of->items_per_step / cell->head, 1e300);
	cell->sentence = bg_sentence_cell(arena, cell);
}

/* One cell a metric that head alone gave a level of; else one for the case. */
static void fill_unmeasured(struct bg_report *report, const struct bg_case_result *of,
			    struct bg_arena *arena)
{
	size_t before = report->cell_count;
	for (size_t i = 0; i < of->series_count; i++) {
		const struct bg_series *series = &of->series[i];
		if (bg_metric_info(series->metric)->advisory || series->judge_count == 0 ||
		    !levels_are_numbers(series))
			continue;
		struct bg_cell *cell = &report->cells[report->cell_count++];
		fill_state(cell, of, report, arena);
		fill_alone(cell, series, arena);
	}
	if (report->cell_count == before)
		fill_state(&report->cells[report->cell_count++], of, report, arena);
}

/* An advisory metric speaks up only where it found something. */
static bool is_reported(const struct bg_standing *standing)
{
	return !standing->info->advisory || standing->verdict == BG_REGRESSED;
}

static void fill_cells(struct bg_report *report, const struct bg_standing *standing, size_t count,
		       struct bg_arena *arena)
{
	const struct bg_result *result = report->result;
	size_t most = count + result->case_count;
	for (size_t i = 0; i < result->case_count; i++)
		most += result->cases[i].series_count;
	report->cells = bg_arena_array(arena, most, sizeof *report->cells);
	for (size_t i = 0; i < result->case_count; i++) {
		const struct bg_case_result *of = &result->cases[i];
		size_t before = report->cell_count;
		bool measured = false;
		for (; count > 0 && standing->of == of; standing++, count--) {
			measured |= !standing->info->advisory;
			if (result->comparison == BG_COMPARISON_STORED)
				fill_stored(&report->cells[report->cell_count++], standing, report,
					    arena);
			else if (is_reported(standing))
				fill_measured(&report->cells[report->cell_count++], standing,
					      report, arena);
		}
		if (report->cell_count == before && !measured)
			fill_unmeasured(report, of, arena);
	}
}

/* Failures first, then what may be one; within an outcome by this order, then the larger effect. */
static const unsigned char rank_of[BG_VERDICT_COUNT] = {
	[BG_FAILED] = 0,      [BG_INCORRECT] = 1,
	[BG_MISSING] = 2,     [BG_REGRESSED] = 3,
	[BG_SUSPICIOUS] = 4,  [BG_BROKEN] = 5,
	[BG_NO_BASELINE] = 6, [BG_MISTRUSTED] = 7,
	[BG_UNSTABLE] = 8,    [BG_INCONCLUSIVE] = 9,
	[BG_SKIPPED] = 10,    [BG_NEW] = 11,
	[BG_REMOVED] = 12,    [BG_NOT_WORSE] = 13,
	[BG_IMPROVED] = 14,   [BG_UNCHANGED_BY_IDENTITY] = 15,
};

/* Where there is no ratio the change is from or to zero: as large as can be. */
static double effect_of(const struct bg_cell *cell)
{
	return cell->measured || cell->launches == 0 ? cell->effect : BG_RATIO_MAX;
}

static int worse_first(const void *a, const void *b)
{
	const struct bg_cell *x = *(const struct bg_cell *const *)a;
	const struct bg_cell *y = *(const struct bg_cell *const *)b;
	if (x->outcome != y->outcome)
		return x->outcome < y->outcome ? 1 : -1;
	if (x->verdict != y->verdict)
		return rank_of[x->verdict] < rank_of[y->verdict] ? -1 : 1;
	double effect_x = effect_of(x), effect_y = effect_of(y);
	if (effect_x != effect_y)
		return effect_x > effect_y ? -1 : 1;
	return x < y ? -1 : 1; /* the suite's order */
}

void bg_decide(struct bg_report *ret, const struct bg_result *result, bool strict,
	       struct bg_arena *arena)
{
	struct bg_arena scratch = BG_ARENA_INIT;
	struct bg_standing *standing;
	size_t count = result->comparison == BG_COMPARISON_STORED
			       ? bg_stored_judge(&standing, result, &scratch)
			       : bg_looks_replay(&standing, result, &scratch);
	*ret = (struct bg_report){ .result = result,
				   .strict = strict,
				   .error_budget = ERROR_BUDGET };
	for (size_t i = 0; i < count; i++)
		if (standing[i].info->advisory)
			ret->error_budget = ERROR_BUDGET + ADVISORY_ERROR_BUDGET;
	fill_cells(ret, standing, count, arena);
	bg_arena_release(&scratch);
	bg_report_count(ret);
	ret->worst_first = bg_arena_array(arena, ret->cell_count, sizeof *ret->worst_first);
	for (size_t i = 0; i < ret->cell_count; i++)
		ret->worst_first[i] = &ret->cells[i];
	qsort(ret->worst_first, ret->cell_count, sizeof *ret->worst_first, worse_first);
	ret->sentence = bg_sentence_report(arena, ret);
}

/* More launches help an open cell as far as a further look, or, short of the first, some numbers.
 */
static bool wants_launches(const struct bg_standing *standing, unsigned launches_max)
{
	size_t count = standing->series->judge_count;
	if (standing->verdict != BG_INCONCLUSIVE || standing->info->advisory)
		return false;
	unsigned next = bg_look_next((unsigned)(count < BG_LAUNCHES_MAX ? count : BG_LAUNCHES_MAX));
	if (launches_max < bg_looks[0])
		return count < launches_max;
	return next > 0 && next <= launches_max;
}

static bool wants_label(const struct bg_standing *standing, unsigned launches_max)
{
	unsigned next = bg_look_next((unsigned)standing->series->judge_count);
	unsigned most = launches_max < BG_LOOK_IMPROVED_MAX ? launches_max : BG_LOOK_IMPROVED_MAX;
	return standing->hopeful && next > 0 && next <= most;
}

void bg_decide_needs(struct bg_need *need, const struct bg_result *result, unsigned launches_max,
		     struct bg_arena *arena)
{
	struct bg_standing *standing;
	size_t count = bg_looks_replay(&standing, result, arena);
	for (size_t i = 0; i < result->case_count; i++) {
		const struct bg_case_result *of = &result->cases[i];
		bool open = of->state == BG_CASE_UNMEASURED ||
			    (of->state == BG_CASE_MEASURED && of->series_count == 0);
		need[i] = (struct bg_need){ .launches = open && result->launches < launches_max };
		for (; count > 0 && standing->of == of; standing++, count--) {
			need[i].wish |= wants_label(standing, launches_max);
			need[i].launches |= wants_launches(standing, launches_max);
			need[i].confirm |= standing->verdict == BG_REGRESSED &&
					   standing->series->confirm_count < BG_CONFIRM_LAUNCHES;
		}
	}
}
