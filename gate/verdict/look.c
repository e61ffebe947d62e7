#include "gate/verdict/look.h"

#include "gate/verdict/decide.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/moderate.h"
#include "gate/verdict/student.h"

#include <math.h>

const unsigned bg_looks[BG_LOOK_COUNT] = { 6, 10, 16, 24 };

/* Each look's share of the error budgets; they add up to one (Bonferroni over looks). */
static const double spend[BG_LOOK_COUNT] = { .1, .2, .3, .4 };
#define FAIL_ERROR .05		/* of a suite, split evenly over its judged cells */
#define ADVISORY_FAIL_ERROR .01 /* of a suite, over its advisory cells */
#define PASS_ERROR .01		/* of a cell */
#define MISSED_ERROR .1		/* behind "smallest visible": nine in ten are seen */

/* Levels and logarithms beyond these are no measurement; within them nothing here overflows. */
#define LEVEL_MAX 1e300
#define LOG_MAX 690

/*
 * Step classes: decades of base's level. Short steps are noisier than long ones (a 1 us timer tick
 * is .1 % of a millisecond), a decade is narrow enough for that and wide enough to hold kin.
 */
#define CLASSES 25
#define CLASS_OF_ONE 12

struct class_pool {
	struct bg_pool pool;
	bool fitted;
	struct bg_quantiles quantiles;
};

struct replay {
	size_t count;
	struct bg_standing *standing;
	size_t judged, advisory;	     /* cells that share each budget */
	struct class_pool (*pools)[CLASSES]; /* by metric */
	/* Of the look being taken: */
	unsigned launches;
	double fail_error, advisory_error, pass_error;
	struct bg_discrete_rule rule;
	struct bg_quantiles discrete;
};

unsigned bg_look_next(unsigned launches)
{
	for (size_t i = 0; i < BG_LOOK_COUNT; i++)
		if (bg_looks[i] > launches)
			return bg_looks[i];
	return 0;
}

/* Index of the first datum nothing can be concluded from, count where there is none. */
static size_t first_bad(const struct bg_datum *datum, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double base = datum[i].base, head = datum[i].head;
		if (!(base >= 0 && base <= LEVEL_MAX && head >= 0 && head <= LEVEL_MAX))
			return i;
		if (base > 0 && head > 0 && !(fabs(datum[i].x) <= LOG_MAX))
			return i;
	}
	return count;
}

static void check(struct bg_standing *standing)
{
	const struct bg_series *series = standing->series;
	size_t judge = first_bad(series->judge, series->judge_count);
	size_t confirm = first_bad(series->confirm, series->confirm_count);
	if (judge < series->judge_count)
		standing->bad_launch = judge + 1;
	else if (confirm < series->confirm_count)
		standing->bad_launch = series->judge_count + confirm + 1;
	if (standing->bad_launch > 0)
		standing->verdict = BG_MISTRUSTED;
}

static void collect(struct replay *replay, const struct bg_result *result, struct bg_arena *arena)
{
	size_t count = 0;
	for (size_t i = 0; i < result->case_count; i++)
		if (result->cases[i].state == BG_CASE_MEASURED)
			count += result->cases[i].series_count;
	replay->standing = bg_arena_array(arena, count, sizeof *replay->standing);
	for (size_t i = 0; i < result->case_count; i++) {
		const struct bg_case_result *of = &result->cases[i];
		for (size_t j = 0; of->state == BG_CASE_MEASURED && j < of->series_count; j++) {
			struct bg_standing *standing = &replay->standing[replay->count++];
			standing->of = of;
			standing->series = &of->series[j];
			standing->info = bg_metric_info(of->series[j].metric);
			standing->margin = of->margin[of->series[j].metric];
			standing->floor = of->floor[of->series[j].metric];
			standing->verdict = BG_INCONCLUSIVE;
			standing->mde = (double)NAN;
			*(standing->info->advisory ? &replay->advisory : &replay->judged) += 1;
			check(standing);
		}
	}
}

static unsigned class_of(double level)
{
	double decade = floor(log10(level)) + CLASS_OF_ONE;
	return (unsigned)fmin(fmax(decade, 0), CLASSES - 1);
}

/* Brings a cell's contribution to the pools up to its latest look. */
static void refresh(struct bg_standing *standing, const struct bg_sample *sample)
{
	standing->own_launches = sample->launches;
	standing->pooled = !standing->info->discrete && !sample->zeros;
	if (!standing->pooled)
		return;
	standing->step_class = class_of(sample->base);
	bg_estimate_take(&standing->own, sample->x, sample->launches);
}

static void set_quantiles(struct bg_quantiles *ret, double fail, double pass, double df)
{
	ret->fail = bg_student_quantile(fail, df);
	ret->pass = bg_student_quantile(pass, df);
	ret->power = bg_student_quantile(MISSED_ERROR, df);
}

static void begin_look(struct replay *replay, size_t look)
{
	double h = replay->launches = bg_looks[look];
	replay->fail_error =
		FAIL_ERROR * spend[look] / (double)(replay->judged ? replay->judged : 1);
	replay->advisory_error = ADVISORY_FAIL_ERROR * spend[look] /
				 (double)(replay->advisory ? replay->advisory : 1);
	replay->pass_error = PASS_ERROR * spend[look];
	set_quantiles(&replay->discrete, replay->fail_error, replay->pass_error, h - 1);
	replay->rule.rank_low = bg_signed_rank_critical(replay->launches, replay->fail_error);
	replay->rule.rank_high = bg_signed_rank_critical(replay->launches, replay->pass_error);
	replay->rule.t_low = replay->discrete.fail;
	replay->rule.t_high = replay->discrete.pass;
	for (size_t i = 0; i < BG_METRIC_COUNT; i++)
		for (size_t j = 0; j < CLASSES; j++)
			replay->pools[i][j] = (struct class_pool){ .fitted = false };
}

/* All cells whose look this is have the same df of their own, so a pool has one set of quantiles.
 */
static const struct class_pool *fitted_pool(struct replay *replay,
					    const struct bg_standing *standing)
{
	struct class_pool *at = &replay->pools[standing->series->metric][standing->step_class];
	if (!at->fitted) {
		bg_pool_fit(&at->pool);
		set_quantiles(&at->quantiles,
			      standing->info->advisory ? replay->advisory_error
						       : replay->fail_error,
			      replay->pass_error, standing->own.df + at->pool.prior_df);
		at->fitted = true;
	}
	return at;
}

static void judge(struct replay *replay, struct bg_standing *standing)
{
	struct bg_sample sample;
	bg_sample_take(&sample, standing->series->judge, replay->launches);
	if (sample.zeros) {
		bg_judge_zeros(standing, &sample);
	} else if (standing->info->discrete) {
		bg_judge_discrete(standing, &sample, &replay->rule, &replay->discrete);
	} else {
		const struct class_pool *at = fitted_pool(replay, standing);
		struct bg_estimate moderated = standing->own;
		bg_pool_moderate(&at->pool, &moderated);
		bg_judge_continuous(standing, &sample, &moderated, &at->quantiles);
	}
}

/* The proof stands whatever a later look cannot tell; that it may be an improvement is seen. */
static void set_hopeful(struct bg_standing *standing)
{
	standing->hopeful = standing->verdict == BG_NOT_WORSE && !standing->info->advisory &&
			    standing->ratio && standing->center < -standing->limit;
}

static void take_further(struct replay *replay, struct bg_standing *standing)
{
	struct bg_standing proved = *standing;
	standing->verdict = BG_INCONCLUSIVE;
	judge(replay, standing);
	if (standing->verdict == BG_INCONCLUSIVE)
		*standing = proved;
	set_hopeful(standing);
}

static void take_look(struct replay *replay, size_t look)
{
	begin_look(replay, look);
	for (size_t i = 0; i < replay->count; i++) {
		struct bg_standing *standing = &replay->standing[i];
		if (standing->verdict == BG_MISTRUSTED)
			continue;
		if (standing->series->judge_count >= replay->launches) {
			struct bg_sample sample;
			bg_sample_take(&sample, standing->series->judge, replay->launches);
			refresh(standing, &sample);
		}
		if (standing->pooled)
			bg_pool_add(
				&replay->pools[standing->series->metric][standing->step_class].pool,
				&standing->own);
	}
	for (size_t i = 0; i < replay->count; i++) {
		struct bg_standing *standing = &replay->standing[i];
		if (standing->own_launches != replay->launches)
			continue;
		if (standing->hopeful && replay->launches <= BG_LOOK_IMPROVED_MAX) {
			take_further(replay, standing);
		} else if (standing->verdict == BG_INCONCLUSIVE) {
			judge(replay, standing);
			set_hopeful(standing);
		}
	}
}

/* Too few launches for a look: the numbers are shown, with an interval of the first look's errors.
 */
static void preview(struct replay *replay, struct bg_standing *standing)
{
	struct bg_sample sample;
	struct bg_quantiles quantiles = { INFINITY, INFINITY, INFINITY };
	struct bg_estimate estimate = { .variance = 1 };
	bg_sample_take(&sample, standing->series->judge, (unsigned)standing->series->judge_count);
	if (sample.zeros) {
		bg_judge_zeros(standing, &sample);
	} else {
		estimate.center = sample.x[0];
		if (sample.launches >= 2) {
			bg_estimate_take(&estimate, sample.x, sample.launches);
			set_quantiles(&quantiles, replay->fail_error, replay->pass_error,
				      estimate.df);
		}
		bg_judge_continuous(standing, &sample, &estimate, &quantiles);
	}
	standing->verdict = BG_INCONCLUSIVE;
}

size_t bg_looks_replay(struct bg_standing **ret, const struct bg_result *result,
		       struct bg_arena *arena)
{
	struct replay replay = { .count = 0 };
	collect(&replay, result, arena);
	replay.pools = bg_arena_array(arena, BG_METRIC_COUNT, sizeof *replay.pools);
	for (size_t look = 0; look < BG_LOOK_COUNT; look++)
		take_look(&replay, look);
	begin_look(&replay, 0);
	for (size_t i = 0; i < replay.count; i++) {
		struct bg_standing *standing = &replay.standing[i];
		if (standing->verdict == BG_INCONCLUSIVE && standing->launches == 0 &&
		    standing->series->judge_count > 0)
			preview(&replay, standing);
	}
	*ret = replay.standing;
	return replay.count;
}
