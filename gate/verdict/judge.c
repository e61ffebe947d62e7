#include "gate/verdict/judge.h"

#include <assert.h>
#include <math.h>

/* The rule's figures; docs/verdict.md says where each comes from. */
#define LAG1_MAX 0.3
#define LAG1_FROM 10	     /* launches below which a correlation says nothing */
#define MODE_ONE_IN 16	     /* one far launch in so many is a spike, more are a second mode */
#define MODE_DEVIATIONS 5    /* far: so many deviations of the trimmed data, and beyond the limit */
#define VANISHED 0.03	     /* a cell at this share of base has lost its work */
#define TRIM_EFFICIENCY 1.13 /* variance of the trimmed mean over that of the mean, normal data */

void bg_sample_take(struct bg_sample *ret, const struct bg_datum *datum, unsigned launches)
{
	assert(launches >= 1 && launches <= BG_LAUNCHES_MAX);
	double level[BG_LAUNCHES_MAX];
	ret->launches = launches;
	ret->datum = datum;
	ret->zeros = false;
	for (unsigned i = 0; i < launches; i++) {
		ret->x[i] = datum[i].x;
		ret->zeros |= datum[i].base == 0 || datum[i].head == 0;
		level[i] = datum[i].base;
	}
	ret->base = bg_estimate_median(level, launches);
	for (unsigned i = 0; i < launches; i++)
		level[i] = datum[i].head;
	ret->head = bg_estimate_median(level, launches);
}

double bg_limit(double margin, double floor, double base)
{
	return fmax(log1p(margin), log1p(floor / base));
}

/* Numbers common to all looks. */
static void begin(struct bg_standing *standing, const struct bg_sample *sample)
{
	standing->launches = sample->launches;
	standing->base = sample->base;
	standing->head = sample->head;
	standing->ratio = !sample->zeros;
	standing->doubt = BG_DOUBT_NONE;
	standing->mde = (double)NAN;
	if (standing->ratio)
		standing->limit = bg_limit(standing->margin, standing->floor, sample->base);
}

static void smallest_visible(struct bg_standing *standing, double spread,
			     const struct bg_quantiles *quantiles)
{
	standing->mde = standing->limit + (quantiles->fail + quantiles->power) * spread *
						  sqrt(TRIM_EFFICIENCY / standing->launches);
}

void bg_judge_compare(struct bg_standing *standing)
{
	if (standing->low > standing->limit + BG_LIMIT_ROUNDING)
		standing->verdict = BG_REGRESSED;
	else if (standing->high > standing->limit + BG_LIMIT_ROUNDING)
		standing->doubt = BG_DOUBT_NOISE;
	else if (standing->high >= -standing->limit - BG_LIMIT_ROUNDING)
		standing->verdict = BG_NOT_WORSE;
	else if (standing->center < log(VANISHED))
		standing->verdict = BG_SUSPICIOUS;
	else
		standing->verdict = BG_IMPROVED;
}

static void reopen(struct bg_standing *standing, enum bg_doubt doubt)
{
	standing->verdict = BG_INCONCLUSIVE;
	standing->doubt = doubt;
}

static bool says_pass(const struct bg_standing *standing)
{
	return standing->verdict == BG_NOT_WORSE || standing->verdict == BG_IMPROVED ||
	       standing->verdict == BG_SUSPICIOUS;
}

/* Launches so much worse than the rest that trimming them away would hide a second mode. */
static unsigned far_launches(const struct bg_standing *standing, const struct bg_sample *sample,
			     double variance)
{
	double far = standing->center + fmax(standing->limit, MODE_DEVIATIONS * sqrt(variance));
	unsigned count = 0;
	for (unsigned i = 0; i < sample->launches; i++)
		count += sample->x[i] > far;
	return count;
}

void bg_judge_continuous(struct bg_standing *standing, const struct bg_sample *sample,
			 const struct bg_estimate *moderated, const struct bg_quantiles *quantiles)
{
	begin(standing, sample);
	double error = sqrt(moderated->variance / sample->launches);
	standing->center = moderated->center;
	standing->low = moderated->center - quantiles->fail * error;
	standing->high = moderated->center + quantiles->pass * error;
	smallest_visible(standing, sqrt(moderated->variance), quantiles);
	bg_judge_compare(standing);
	if (sample->launches >= LAG1_FROM) {
		standing->lag1 = bg_estimate_lag1(sample->x, sample->launches);
		if (standing->lag1 > LAG1_MAX)
			reopen(standing, BG_DOUBT_CORRELATED);
	}
	standing->odd = far_launches(standing, sample, moderated->variance);
	if (says_pass(standing) && standing->odd * MODE_ONE_IN > sample->launches)
		reopen(standing, BG_DOUBT_MODES);
}

void bg_judge_discrete(struct bg_standing *standing, const struct bg_sample *sample,
		       const struct bg_discrete_rule *rule, const struct bg_quantiles *quantiles)
{
	begin(standing, sample);
	if (bg_discrete_constant(sample->datum, sample->launches)) {
		standing->center = standing->low = standing->high =
			log(sample->head) - log(sample->base);
		standing->mde = standing->limit;
		bg_judge_compare(standing);
		return;
	}
	struct bg_interval interval;
	double spread = bg_discrete_interval(&interval, sample->x, sample->launches,
					     standing->info->quantum / sample->base, rule);
	standing->center = interval.center;
	standing->low = interval.low;
	standing->high = interval.high;
	smallest_visible(standing, spread, quantiles);
	bg_judge_compare(standing);
	double base, head;
	bg_discrete_maxima(&base, &head, sample->datum, sample->launches);
	standing->maximum = log(head) - log(base);
	if (says_pass(standing) &&
	    standing->maximum >
		    bg_limit(standing->margin, standing->floor, base) + BG_LIMIT_ROUNDING)
		reopen(standing, BG_DOUBT_MAXIMUM);
}

unsigned bg_sample_beyond(unsigned *ret_vanished, const struct bg_sample *sample, double margin,
			  double floor)
{
	unsigned beyond = 0;
	*ret_vanished = 0;
	for (unsigned i = 0; i < sample->launches; i++) {
		double base = sample->datum[i].base, more = sample->datum[i].head - base;
		double limit = fmax(floor, margin * base);
		beyond += more > limit * (1 + BG_LIMIT_ROUNDING);
		*ret_vanished += sample->datum[i].head == 0 && base > floor;
	}
	return beyond;
}

/* Nothing on either side is exactly no change; the one case of zeros that has a ratio. */
static void judge_nothing(struct bg_standing *standing)
{
	standing->ratio = true;
	standing->center = standing->low = standing->high = 0;
	standing->limit = log1p(standing->margin);
	standing->verdict = BG_NOT_WORSE;
}

void bg_judge_zeros(struct bg_standing *standing, const struct bg_sample *sample)
{
	unsigned vanished;
	begin(standing, sample);
	if (sample->base == 0 && sample->head == 0 &&
	    bg_discrete_constant(sample->datum, sample->launches)) {
		judge_nothing(standing);
		return;
	}
	standing->odd = bg_sample_beyond(&vanished, sample, standing->margin, standing->floor);
	if (vanished == sample->launches)
		standing->verdict = BG_SUSPICIOUS;
	else if (standing->odd == sample->launches)
		standing->verdict = BG_REGRESSED;
	else if (standing->odd == 0)
		standing->verdict = BG_NOT_WORSE;
	else
		standing->doubt = BG_DOUBT_ZEROS;
}
