#include "baselines/stored_base.h"

#include "gate/verdict/session_noise.h"
#include "gate/verdict/stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	const struct bg_record_cell *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order != 0 ? order : (x->metric > y->metric) - (x->metric < y->metric);
}

static const struct bg_record_cell *find_cell(const struct bg_record *record, const char *name,
					      enum bg_metric metric)
{
	struct bg_record_cell like = { .name = name, .metric = metric };
	return bsearch(&like, record->cells, record->cell_count, sizeof like, by_name);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

#define RENAMES_MAX 64

/* The cell under the case's name or the nearest earlier one. */
static const struct bg_record_cell *find_any(const struct bg_stored_base *base,
					     const struct bg_record *record, const char *name,
					     enum bg_metric metric)
{
	for (int i = 0; name && i <= RENAMES_MAX; i++) {
		const struct bg_record_cell *cell = find_cell(record, name, metric);
		if (cell || !base->old_name)
			return cell;
		name = base->old_name(name, base->context);
	}
	return NULL;
}

/* Why a stored cell is not comparable with this case; NULL where it is. */
static const char *difference(const struct bg_record_cell *cell, const struct bg_case_result *of,
			      struct bg_arena *arena)
{
	if (!same_text(cell->hash, of->hash))
		return "the stored session defines this case otherwise";
	if (!same_text(cell->kernel, of->kernel))
		return bg_arena_format(arena, "the library ran kernel %s then and %s now",
				       cell->kernel ? cell->kernel : "unknown",
				       of->kernel ? of->kernel : "unknown");
	return NULL;
}

static void take_sessions(struct bg_stored *stored, const struct bg_stored_base *base,
			  const struct bg_case_result *of, enum bg_metric metric,
			  struct bg_arena *arena)
{
	double variance = 0;
	size_t with_variance = 0;
	stored->level = bg_arena_array(arena, base->count, sizeof *stored->level);
	stored->why = base->count > 0 ? "the stored sessions did not measure this" : base->none_why;
	for (size_t i = 0; i < base->count; i++) {
		const struct bg_record_cell *cell =
			find_any(base, &base->sessions[i], of->name, metric);
		const char *why = cell ? difference(cell, of, arena) : NULL;
		if (why)
			stored->why = why;
		if (!cell || why)
			continue;
		stored->level[stored->count++] = cell->level;
		if (isfinite(cell->variance)) {
			variance += cell->variance;
			with_variance++;
		}
	}
	stored->variance = with_variance > 0 ? variance / (double)with_variance : (double)NAN;
	if (stored->count > 0)
		stored->why = NULL;
}

/* Noise of the class, from the levels of every case as head defines it, over all sessions. */
static double class_noise(const struct bg_result *result, const struct bg_stored_base *base,
			  enum bg_metric metric, struct bg_arena *arena)
{
	size_t most = base->history_count * result->case_count;
	struct bg_level_track *tracks = bg_arena_array(arena, result->case_count, sizeof *tracks);
	double *levels = bg_arena_array(arena, most, sizeof *levels);
	double *scratch = bg_arena_array(arena, most, sizeof *scratch);
	size_t used = 0;
	for (size_t i = 0; i < result->case_count; i++) {
		tracks[i].level = &levels[used];
		for (size_t j = 0; j < base->history_count; j++) {
			const struct bg_record_cell *cell =
				find_any(base, &base->history[j], result->cases[i].name, metric);
			if (!cell || difference(cell, &result->cases[i], arena))
				continue;
			levels[used++] = cell->level;
			tracks[i].count++;
		}
	}
	return bg_session_noise(tracks, result->case_count, BG_STORED_SESSIONS_MIN, scratch);
}

static bool any_has(const struct bg_stored_base *base, const char *name)
{
	for (size_t i = 0; i < base->count; i++)
		for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++)
			if (find_any(base, &base->sessions[i], name, m))
				return true;
	return false;
}

static bool was_measured(const struct bg_case_result *of)
{
	return of->series_count > 0 && (of->state == BG_CASE_MEASURED || of->state == BG_CASE_NEW);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **sort_names(const struct bg_result *result, struct bg_arena *arena)
{
	const char **names = bg_arena_array(arena, result->case_count, sizeof *names);
	for (size_t i = 0; i < result->case_count; i++)
		names[i] = result->cases[i].name;
	qsort(names, result->case_count, sizeof *names, by_text);
	return names;
}

/* The workload of a canonical name: what stands before its axes. */
static const char *workload_of(const char *name, struct bg_arena *arena)
{
	return bg_arena_bytes(arena, name, strcspn(name, "/"));
}

static void add_missing_case(struct bg_result *result, size_t *capacity,
			     const struct bg_record_cell *cell, struct bg_arena *arena)
{
	result->cases = bg_arena_grow(arena, result->cases, result->case_count, capacity,
				      sizeof *result->cases);
	struct bg_case_result *of = &result->cases[result->case_count++];
	*of = (struct bg_case_result){
		.name = cell->name,
		.workload = workload_of(cell->name, arena),
		.hash = cell->hash,
		.file = result->suite_file,
		.state = BG_CASE_MISSING,
		.reason = "the stored sessions have this case, head's suite does not",
		.error = (double)NAN,
		.tolerance = (double)NAN,
	};
	for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++) {
		of->margin[m] = bg_metric_info(m)->margin;
		of->floor[m] = bg_metric_info(m)->floor;
	}
}

static void add_missing(struct bg_result *result, const struct bg_stored_base *base,
			struct bg_arena *arena)
{
	size_t count = result->case_count, capacity = count, most = 0, gone_count = 0;
	const char **names = sort_names(result, arena);
	for (size_t i = 0; i < base->count; i++)
		most += base->sessions[i].cell_count;
	struct bg_record_cell *gone = bg_arena_array(arena, most, sizeof *gone);
	for (size_t i = 0; i < base->count; i++)
		for (size_t k = 0; k < base->sessions[i].cell_count; k++) {
			const struct bg_record_cell *cell = &base->sessions[i].cells[k];
			if (!bsearch(&cell->name, names, count, sizeof *names, by_text))
				gone[gone_count++] = *cell;
		}
	qsort(gone, gone_count, sizeof *gone, by_name);
	for (size_t i = 0; i < gone_count; i++)
		if (i == 0 || strcmp(gone[i].name, gone[i - 1].name) != 0)
			add_missing_case(result, &capacity, &gone[i], arena);
}

void bg_stored_base_attach(struct bg_result *result, const struct bg_stored_base *base,
			   struct bg_arena *arena)
{
	double tau0[BG_METRIC_COUNT];
	for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++)
		tau0[m] = bg_metric_info(m)->advisory ? (double)NAN
						      : class_noise(result, base, m, arena);
	for (size_t i = 0; i < result->case_count; i++) {
		struct bg_case_result *of = &result->cases[i];
		if (!was_measured(of))
			continue;
		bool is_new = base->count > 0 && !any_has(base, of->name);
		of->state = is_new ? BG_CASE_NEW : BG_CASE_MEASURED;
		of->reason = is_new ? "nothing to compare with: the stored sessions have no such "
				      "case"
				    : NULL;
		for (size_t k = 0; k < of->series_count && !is_new; k++) {
			struct bg_series *series = &of->series[k];
			series->stored = bg_arena_alloc(arena, sizeof *series->stored);
			take_sessions(series->stored, base, of, series->metric, arena);
			series->stored->tau0 = tau0[series->metric];
		}
	}
	if (base->add_missing)
		add_missing(result, base, arena);
	result->comparison = BG_COMPARISON_STORED;
}

const char *bg_class_difference(const char *of_base, const char *of_head, struct bg_arena *arena)
{
	if (of_base && of_head && strcmp(of_base, of_head) == 0)
		return NULL;
	return bg_arena_format(arena,
			       "another machine: base was measured on runner class %s, head on %s",
			       of_base ? of_base : "unknown", of_head ? of_head : "unknown");
}
