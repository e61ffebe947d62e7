#include "gate/verdict/confirm.h"

#include "gate/verdict/decide.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/student.h"

#include <math.h>

#define CONFIRM_ERROR .05
#define EXCLUDE_ERROR .01 /* of saying that a change of 5 % is excluded */
#define NEVER_MISSED .05  /* the slowdown that must not go unsaid */

bool bg_beyond_and_open(double center, double high, double limit)
{
	return center > limit + BG_LIMIT_ROUNDING && high >= log1p(NEVER_MISSED);
}

static void interval_of(struct bg_interval *ret, const struct bg_sample *sample,
			const struct bg_metric_info *info)
{
	if (info->discrete && bg_discrete_constant(sample->datum, sample->launches)) {
		ret->center = ret->low = ret->high = log(sample->head) - log(sample->base);
		return;
	}
	if (info->discrete) {
		double df = sample->launches - 1;
		struct bg_discrete_rule rule = {
			.rank_low = bg_signed_rank_critical(sample->launches, CONFIRM_ERROR),
			.rank_high = bg_signed_rank_critical(sample->launches, EXCLUDE_ERROR),
			.t_low = bg_student_quantile(CONFIRM_ERROR, df),
			.t_high = bg_student_quantile(EXCLUDE_ERROR, df),
		};
		bg_discrete_interval(ret, sample->x, sample->launches, info->quantum / sample->base,
				     &rule);
		return;
	}
	struct bg_estimate estimate;
	bg_estimate_take(&estimate, sample->x, sample->launches);
	double error = sqrt(estimate.variance / sample->launches);
	ret->center = estimate.center;
	ret->low = estimate.center - bg_student_quantile(CONFIRM_ERROR, estimate.df) * error;
	ret->high = estimate.center + bg_student_quantile(EXCLUDE_ERROR, estimate.df) * error;
}

void bg_second_look_take(struct bg_second_look *ret, const struct bg_standing *standing)
{
	*ret = (struct bg_second_look){ .doubtful = true };
	const struct bg_series *series = standing->series;
	if (series->confirm_count < BG_CONFIRM_LAUNCHES) {
		ret->launches = (unsigned)series->confirm_count;
		return;
	}
	struct bg_sample sample;
	bg_sample_take(&sample, series->confirm, BG_CONFIRM_LAUNCHES);
	ret->launches = BG_CONFIRM_LAUNCHES;
	double margin = standing->margin / 2, floor = standing->floor / 2;
	if (sample.zeros) {
		unsigned vanished, beyond = bg_sample_beyond(&vanished, &sample, margin, floor);
		ret->confirmed = beyond == sample.launches;
		ret->doubtful = beyond > 0;
		return;
	}
	struct bg_interval interval;
	interval_of(&interval, &sample, standing->info);
	ret->ratio = true;
	ret->center = interval.center;
	ret->low = interval.low;
	ret->confirmed = interval.low > bg_limit(margin, floor, sample.base) + BG_LIMIT_ROUNDING;
	ret->doubtful =
		bg_beyond_and_open(interval.center, interval.high,
				   bg_limit(standing->margin, standing->floor, sample.base));
}
