#include "sweeps/launch.h"
#include "sweeps/median.h"

#include <math.h>

static struct bg_datum *add_datum(struct bg_session *session, struct bg_series *series,
				  enum bg_phase phase)
{
	bool judge = phase == BG_PHASE_JUDGE;
	struct bg_datum **data = judge ? &series->judge : &series->confirm;
	size_t *count = judge ? &series->judge_count : &series->confirm_count;
	size_t *capacity = judge ? &series->judge_capacity : &series->confirm_capacity;
	if (*count >= BG_LAUNCHES_MAX)
		return NULL;
	*data = bg_arena_grow(session->arena, *data, *count, capacity, sizeof **data);
	return &(*data)[(*count)++];
}

/* A metric gets its series with its first datum: what a case cannot give is no cell. */
static struct bg_series *series_for(struct bg_case_run *run, enum bg_metric metric)
{
	struct bg_series *series = bg_series_find(run->result, metric);
	if (series || !run->judged[metric] || run->launches > 1)
		return series;
	struct bg_case_result *result = run->result;
	size_t place = result->series_count++;
	while (place > 0 && result->series[place - 1].metric > metric) {
		result->series[place] = result->series[place - 1];
		place--;
	}
	result->series[place] = (struct bg_series){ .metric = metric };
	return &result->series[place];
}

void bg_record_metric(struct bg_session *session, struct bg_case_run *run, enum bg_phase phase,
		      enum bg_metric metric, double base, double head)
{
	if (!isfinite(base) || !isfinite(head) || base < 0 || head < 0)
		return;
	struct bg_series *series = series_for(run, metric);
	if (!series)
		return;
	struct bg_datum *datum = add_datum(session, series, phase);
	if (datum)
		*datum = (struct bg_datum){ .x = base > 0 && head > 0 ? log(head / base) : 0,
					    .base = base,
					    .head = head };
}

static double median_of(const double *values, size_t count, double *scratch)
{
	for (size_t i = 0; i < count; i++)
		scratch[i] = values[i];
	return bg_median(scratch, count);
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* Robust variance of the pairs' log ratios: (1.4826 MAD)^2, averaged over launches. */
static void note_pair_variance(struct bg_case_run *run, const struct bg_pair_log *pairs,
			       double *ratios, double *scratch)
{
	for (unsigned i = 0; i < pairs->count; i++)
		ratios[i] = log(pairs->head[i] / pairs->base[i]);
	double middle = median_of(ratios, pairs->count, scratch);
	for (unsigned i = 0; i < pairs->count; i++)
		ratios[i] = fabs(ratios[i] - middle);
	double sd = 1.4826 * median_of(ratios, pairs->count, scratch);
	double weight = 1. / (double)(run->launches ? run->launches : 1);
	run->pair_variance += (sd * sd - run->pair_variance) * weight;
}

static void keep_pairs(struct bg_session *session, struct bg_case_run *run, enum bg_phase phase,
		       const struct bg_pair_log *pairs)
{
	struct bg_case_result *result = run->result;
	unsigned index = 0;
	for (size_t i = 0; i < result->pairs_count; i++)
		index += result->pairs[i].phase == phase;
	result->pairs = bg_arena_grow(session->arena, result->pairs, result->pairs_count,
				      &result->pairs_capacity, sizeof *result->pairs);
	result->pairs[result->pairs_count++] = (struct bg_launch_pairs){
		.phase = phase,
		.index = index,
		.count = pairs->count,
		.voided = pairs->voided,
		.base = pairs->base,
		.head = pairs->head,
		.head_first = pairs->head_first,
	};
}

/* Trimmed like the ratios of pairs: exp of the trimmed mean of ln. */
static double level_of(const double *values, size_t count, double *ones, struct bg_arena *arena)
{
	for (size_t i = 0; i < count; i++)
		ones[i] = 1;
	return exp(bg_datum_time(ones, values, count, arena));
}

static void record_alone(struct bg_session *session, struct bg_case_run *run,
			 const struct bg_pair_log *pairs, double *scratch)
{
	struct bg_series *time = bg_series_find(run->result, BG_METRIC_TIME);
	struct bg_series *mean = bg_series_find(run->result, BG_METRIC_TIME_MEAN);
	struct bg_datum *datum = time ? add_datum(session, time, BG_PHASE_JUDGE) : NULL;
	if (datum)
		*datum = (struct bg_datum){ .head = level_of(pairs->head, pairs->count, scratch,
							     session->arena) };
	datum = mean ? add_datum(session, mean, BG_PHASE_JUDGE) : NULL;
	if (datum)
		*datum = (struct bg_datum){ .head = mean_of(pairs->head, pairs->count) };
}

void bg_record_pairs(struct bg_session *session, struct bg_case_run *run, enum bg_phase phase,
		     const struct bg_pair_log *pairs)
{
	if (pairs->voided > 0)
		bg_condition_add(session, "%s: pairs were spoiled and redone (see result.json)",
				 run->result->name);
	if (pairs->count == 0 || pairs->count < pairs->capacity / 2) {
		bg_condition_add(
			session,
			"%s: a launch was dropped, more than half of its pairs were spoiled",
			run->result->name);
		return;
	}
	run->launches++;
	double *scratch = bg_arena_array(session->arena, pairs->count, sizeof *scratch);
	keep_pairs(session, run, phase, pairs);
	if (run->alone) {
		record_alone(session, run, pairs, scratch);
		return;
	}
	double *ratios = bg_arena_array(session->arena, pairs->count, sizeof *ratios);
	note_pair_variance(run, pairs, ratios, scratch);
	struct bg_series *time = bg_series_find(run->result, BG_METRIC_TIME);
	struct bg_datum *datum = time ? add_datum(session, time, phase) : NULL;
	if (datum)
		*datum = (struct bg_datum){
			.x = bg_datum_time(pairs->base, pairs->head, pairs->count, session->arena),
			.base = median_of(pairs->base, pairs->count, scratch),
			.head = median_of(pairs->head, pairs->count, scratch),
		};
	struct bg_series *mean = bg_series_find(run->result, BG_METRIC_TIME_MEAN);
	datum = mean ? add_datum(session, mean, phase) : NULL;
	if (datum)
		*datum = (struct bg_datum){
			.x = bg_datum_time_mean(pairs->base, pairs->head, pairs->count),
			.base = mean_of(pairs->base, pairs->count),
			.head = mean_of(pairs->head, pairs->count),
		};
}
