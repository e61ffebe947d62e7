#ifndef BG_VERDICT_JUDGE_H
#define BG_VERDICT_JUDGE_H
/* One cell at one look: its interval against its limit. Pure; no allocation. */
#include "gate/verdict/discrete.h"
#include "gate/verdict/standing.h"

/* Two results of exactly the margin differ by rounding only: within this they are equal. */
#define BG_LIMIT_ROUNDING 1e-9

/* Student quantiles for one count of degrees of freedom. */
struct bg_quantiles {
	double fail;  /* error of calling it worse */
	double pass;  /* error of calling it not worse */
	double power; /* one in ten, for the smallest visible change */
};

/* The data of the first `launches` launches, and what they say of levels. */
struct bg_sample {
	unsigned launches;
	const struct bg_datum *datum;
	double x[BG_LAUNCHES_MAX];
	double base, head; /* medians */
	bool zeros;	   /* some level is zero: no ratio */
};

/* launches: 1 .. BG_LAUNCHES_MAX and at most what datum has. */
void bg_sample_take(struct bg_sample *ret, const struct bg_datum *datum, unsigned launches);

/*
 * The limit in logarithms: margin, or floor at this level of base where that is more. Worse is what
 * is beyond both, so that one interval against one limit decides both.
 */
double bg_limit(double margin, double floor, double base);

/* How many launches are beyond both margin and floor; *ret_vanished: to zero from beyond floor. */
unsigned bg_sample_beyond(unsigned *ret_vanished, const struct bg_sample *sample, double margin,
			  double floor);

/* The verdict, or the doubt, of an interval against its limit; both are set, the verdict is open.
 */
void bg_judge_compare(struct bg_standing *standing);

/*
 * Each takes one look: sets all numbers of the standing, and its verdict or doubt.
 * continuous  own is moderated already, quantiles are for its df
 * discrete    quantiles are for launches - 1
 * zeros       for a sample with zeros: no statistics, all launches must agree
 */
void bg_judge_continuous(struct bg_standing *standing, const struct bg_sample *sample,
			 const struct bg_estimate *moderated, const struct bg_quantiles *quantiles);
void bg_judge_discrete(struct bg_standing *standing, const struct bg_sample *sample,
		       const struct bg_discrete_rule *rule, const struct bg_quantiles *quantiles);
void bg_judge_zeros(struct bg_standing *standing, const struct bg_sample *sample);
#endif
