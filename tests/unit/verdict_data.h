#ifndef BG_TESTS_VERDICT_DATA_H
#define BG_TESTS_VERDICT_DATA_H
/* Results made by hand or drawn from a noise model, for tests of the rule. */
#include "gate/core/random.h"
#include "gate/verdict/decide.h"

#include <math.h>
#include <string.h>

/* A suite of `count` measured cases without series. */
static inline void data_suite(struct bg_result *ret, size_t count, struct bg_arena *arena)
{
	*ret = (struct bg_result){ .suite = "smoke", .case_count = count };
	ret->cases = bg_arena_array(arena, count, sizeof *ret->cases);
	for (size_t i = 0; i < count; i++) {
		struct bg_case_result *of = &ret->cases[i];
		of->name = bg_arena_format(arena, "work/n=%zu", i);
		of->workload = "work";
		for (size_t m = 0; m < BG_METRIC_COUNT; m++) {
			of->margin[m] = bg_metric_info((enum bg_metric)m)->margin;
			of->floor[m] = bg_metric_info((enum bg_metric)m)->floor;
		}
	}
}

/* A new, empty series of a case; metrics must be added in their order. */
static inline struct bg_series *data_series(struct bg_case_result *of, enum bg_metric metric,
					    struct bg_arena *arena)
{
	struct bg_series *grown = bg_arena_array(arena, of->series_count + 1, sizeof *grown);
	if (of->series_count > 0)
		memcpy(grown, of->series, of->series_count * sizeof *grown);
	of->series = grown;
	struct bg_series *series = &of->series[of->series_count++];
	*series = (struct bg_series){ .metric = metric };
	series->judge = bg_arena_array(arena, BG_LAUNCHES_MAX, sizeof *series->judge);
	series->confirm = bg_arena_array(arena, BG_LAUNCHES_MAX, sizeof *series->confirm);
	return series;
}

static inline struct bg_datum data_levels(double base, double head)
{
	return (struct bg_datum){ .x = log(head / base), .base = base, .head = head };
}

/* A launch with this log ratio at a level of base. */
static inline struct bg_datum data_ratio(double base, double x)
{
	return (struct bg_datum){ .x = x, .base = base, .head = base * exp(x) };
}

static inline void data_judge(struct bg_series *series, struct bg_datum datum)
{
	series->judge[series->judge_count++] = datum;
}

static inline void data_confirm(struct bg_series *series, struct bg_datum datum)
{
	series->confirm[series->confirm_count++] = datum;
}

enum data_noise {
	DATA_NORMAL,
	DATA_CONTAMINATED, /* a tenth of the launches five times noisier */
	DATA_T3,	   /* Student's t with 3 degrees of freedom, scaled to variance 1 */
	DATA_CORRELATED,   /* AR(1), .3 */
	DATA_CORRELATED_6, /* AR(1), .6 */
};

/* The next launch's noise, sd 1 (contaminated: 1 for nine of ten); *state is the last one's. */
static inline double data_noise(struct bg_random *random, enum data_noise kind, double *state)
{
	double z = bg_random_normal(random), rho = kind == DATA_CORRELATED_6 ? .6 : .3, chi2 = 0;
	switch (kind) {
	case DATA_CONTAMINATED:
		return bg_random_unit(random) < .1 ? 5 * z : z;
	case DATA_T3:
		for (int i = 0; i < 3; i++) {
			double y = bg_random_normal(random);
			chi2 += y * y;
		}
		return z / sqrt(chi2);
	case DATA_CORRELATED:
	case DATA_CORRELATED_6:
		*state = isnan(*state) ? z : rho * *state + sqrt(1 - rho * rho) * z;
		return *state;
	case DATA_NORMAL:
		break;
	}
	return z;
}

/* Fills a time series with launches of sd around shift, at a base level of 10 ms. */
static inline void data_fill(struct bg_series *series, struct bg_random *random,
			     enum data_noise kind, double shift, double sd, size_t count)
{
	double state = (double)NAN;
	for (size_t i = 0; i < count; i++)
		data_judge(series, data_ratio(.01, shift + sd * data_noise(random, kind, &state)));
	state = (double)NAN;
	for (size_t i = 0; i < BG_CONFIRM_LAUNCHES; i++)
		data_confirm(series,
			     data_ratio(.01, shift + sd * data_noise(random, kind, &state)));
}
#endif
