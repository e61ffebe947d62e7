#include "gate/verdict/stored.h"

#include "gate/core/text.h"
#include "gate/verdict/decide.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/level.h"
#include "gate/verdict/student.h"

#include <math.h>

#define FAIL_ERROR .05	/* of a suite, split evenly over its cells */
#define PASS_ERROR .01	/* of a cell */
#define MISSED_ERROR .1 /* behind "smallest visible" */
#define PRIOR_DF 4	/* weight of tau0 beside the sessions' own spread */

static double mean_of(const double *values, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* Variance of ln level between sessions. */
static double between(const struct bg_stored *stored, double mean)
{
	double sum = PRIOR_DF * stored->tau0 * stored->tau0;
	for (size_t i = 0; i < stored->count; i++)
		sum += (stored->level[i] - mean) * (stored->level[i] - mean);
	double tau2 = sum / (double)(stored->count + PRIOR_DF - 1);
	return stored->variance > tau2 ? stored->variance : tau2;
}

static void judge(struct bg_standing *standing, double fail_error)
{
	const struct bg_stored *stored = standing->series->stored;
	struct bg_level head;
	standing->verdict = BG_NO_BASELINE;
	if (!bg_level_take(&head, standing->series)) {
		standing->verdict = BG_MISTRUSTED;
		standing->bad_launch = 1;
		return;
	}
	standing->head = exp(head.center);
	if (!stored || stored->count == 0)
		return;
	double mean = mean_of(stored->level, stored->count);
	standing->launches = head.launches;
	standing->ratio = true;
	standing->base = exp(mean);
	standing->center = head.center - mean;
	standing->limit = bg_limit(standing->margin, standing->floor, standing->base);
	standing->low = -HUGE_VAL;
	standing->high = HUGE_VAL;
	if (!isfinite(stored->tau0))
		return;
	double k = (double)stored->count, df = k + PRIOR_DF - 1;
	double own = isfinite(head.variance) ? head.variance / head.launches : 0;
	double quantum = standing->info->quantum / standing->base;
	own = fmax(own, quantum * quantum / head.launches);
	double error = sqrt(between(stored, mean) * (1 + 1 / k) + own);
	double fail = bg_student_quantile(fail_error, df);
	standing->low = standing->center - fail * error;
	standing->high = standing->center + bg_student_quantile(PASS_ERROR, df) * error;
	standing->mde = standing->limit + (fail + bg_student_quantile(MISSED_ERROR, df)) * error;
	standing->verdict = BG_INCONCLUSIVE;
	bg_judge_compare(standing);
}

static size_t collect(struct bg_standing *standing, const struct bg_result *result)
{
	size_t count = 0;
	for (size_t i = 0; i < result->case_count; i++) {
		const struct bg_case_result *of = &result->cases[i];
		for (size_t j = 0; of->state == BG_CASE_MEASURED && j < of->series_count; j++) {
			const struct bg_series *series = &of->series[j];
			const struct bg_metric_info *info = bg_metric_info(series->metric);
			if (info->advisory)
				continue;
			standing[count++] =
				(struct bg_standing){ .of = of,
						      .series = series,
						      .info = info,
						      .margin = of->margin[series->metric],
						      .floor = of->floor[series->metric],
						      .mde = (double)NAN };
		}
	}
	return count;
}

size_t bg_stored_judge(struct bg_standing **ret, const struct bg_result *result,
		       struct bg_arena *arena)
{
	size_t most = 0;
	for (size_t i = 0; i < result->case_count; i++)
		most += result->cases[i].series_count;
	struct bg_standing *standing = bg_arena_array(arena, most, sizeof *standing);
	size_t count = collect(standing, result);
	for (size_t i = 0; i < count; i++)
		judge(&standing[i], FAIL_ERROR / (double)count);
	*ret = standing;
	return count;
}

const char *bg_stored_reason(const struct bg_standing *standing, struct bg_arena *arena)
{
	const struct bg_stored *stored = standing->series->stored;
	char number[BG_FIXED_SIZE];
	switch (standing->verdict) {
	case BG_MISTRUSTED:
		return "head has no finite, positive level";
	case BG_NO_BASELINE:
		if (!stored || stored->count == 0)
			return stored && stored->why ? stored->why : "no session is stored";
		return bg_arena_format(arena,
				       "how much sessions of this runner class differ is not known "
				       "before %d of them are recorded: measure a base arm "
				       "(batchgate gate), or record more",
				       BG_STORED_SESSIONS_MIN);
	case BG_INCONCLUSIVE:
		return bg_arena_format(
			arena,
			"%zu stored session%s can show a change of %s %% or more; a base arm "
			"(batchgate gate without --stored) sees smaller ones",
			stored->count, stored->count == 1 ? "" : "s",
			bg_text_fixed(number, 100 * expm1(fmin(standing->mde, log1p(BG_RATIO_MAX))),
				      1));
	case BG_SUSPICIOUS:
		return "next to nothing is left: did the work vanish?";
	default:
		return NULL;
	}
}
