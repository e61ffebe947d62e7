#ifndef BG_VERDICT_SESSION_NOISE_H
#define BG_VERDICT_SESSION_NOISE_H
/* How much the level of an unchanged case differs between sessions of one runner class. Pure. */
#include <stddef.h>

/* The levels (ln) of one cell over the sessions that have it, in the order of history. */
struct bg_level_track {
	size_t count;
	const double *level;
};

/*
 * tau0: the standard deviation of a session's ln level, from differences of neighbouring sessions:
 * 1.4826 median |d| / sqrt 2 over all tracks, so that a commit that did change something, being
 * one difference of many, does not count.
 *
 * scratch  room for the sum of all counts
 * returns  NaN where no track has sessions_min sessions
 * cost     O(n log n)
 */
double bg_session_noise(const struct bg_level_track *tracks, size_t count, size_t sessions_min,
			double *scratch);
#endif
