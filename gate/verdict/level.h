#ifndef BG_VERDICT_LEVEL_H
#define BG_VERDICT_LEVEL_H
/* How high a metric stood in one session: what is stored, and what stored sessions are held to. */
#include "gate/verdict/result.h"

struct bg_level {
	double center;	 /* of ln level over launches, as bg_estimate_take centres data */
	double variance; /* of ln level of one launch; NaN of a single launch */
	unsigned launches;
};

/*
 * Head's level over a series' launches.
 * returns  false where there is none: no launches, or a level that is not finite and above 0
 */
bool bg_level_take(struct bg_level *ret, const struct bg_series *series);
#endif
