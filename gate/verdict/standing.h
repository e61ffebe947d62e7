#ifndef BG_VERDICT_STANDING_H
#define BG_VERDICT_STANDING_H
/* Where one measured cell stands after the looks taken so far, before confirmation. */
#include "gate/verdict/estimate.h"
#include "gate/verdict/report.h"

/* Why a look left the cell open. */
enum bg_doubt {
	BG_DOUBT_NONE,
	BG_DOUBT_NOISE,	     /* the limit lies within the interval */
	BG_DOUBT_CORRELATED, /* neighbouring launches depend on each other */
	BG_DOUBT_MODES,	     /* several launches are far worse than the rest */
	BG_DOUBT_MAXIMUM,    /* the highest launch of head is beyond the limit */
	BG_DOUBT_ZEROS,	     /* zero in some launches: there is no ratio, and they disagree */
};

struct bg_standing {
	const struct bg_case_result *of;
	const struct bg_series *series;
	const struct bg_metric_info *info;
	double margin, floor; /* in force: a ratio, and in the metric's unit */

	/* The pool's view: the latest estimate, also after the cell was decided. */
	struct bg_estimate own; /* not moderated */
	unsigned own_launches;	/* behind it; 0: none */
	unsigned step_class;
	bool pooled; /* own is of positive levels of a continuous metric */

	/* The verdict's view: the look that decided, or the last one taken. */
	enum bg_verdict verdict; /* INCONCLUSIVE: still open. Never UNSTABLE */
	enum bg_doubt doubt;
	double lag1;	   /* CORRELATED */
	unsigned odd;	   /* MODES, ZEROS: so many launches */
	double maximum;	   /* MAXIMUM: ln of head's highest over base's */
	unsigned launches; /* behind the numbers below; 0: there are none */
	bool ratio;	   /* the five logarithms below exist: no level was zero */
	double center, low, high;
	double limit; /* worse means beyond this: the margin, or the floor where that is more */
	double mde;   /* smallest change visible; NaN where undefined */
	double base, head; /* medians */
	bool hopeful;	   /* NOT_WORSE is proved, IMPROVED is likely: a further look may tell */
	size_t bad_launch; /* MISTRUSTED: the first launch whose data are no numbers, from 1 */
};
#endif
