#ifndef BG_VERDICT_CONFIRM_H
#define BG_VERDICT_CONFIRM_H
/* Does a regression show again in fresh launches that had no part in finding it? */
#include "gate/verdict/standing.h"

struct bg_second_look {
	unsigned launches; /* fresh ones looked at; below BG_CONFIRM_LAUNCHES: not taken */
	bool confirmed;
	bool ratio;	    /* center and low exist */
	double center, low; /* logarithms */
	bool doubtful;	    /* not confirmed, but still beyond the limit, and 5 % not excluded */
};

/*
 * One look at the first BG_CONFIRM_LAUNCHES confirmation launches of a cell that stands at
 * REGRESSED, with its own variance only: worse by more than half the margin (and half the floor),
 * with an error of 5 %.
 */
void bg_second_look_take(struct bg_second_look *ret, const struct bg_standing *standing);

/* True where a change of this size or more stays possible up to `high` (logarithms). */
bool bg_beyond_and_open(double center, double high, double limit);
#endif
