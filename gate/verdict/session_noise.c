#include "gate/verdict/session_noise.h"

#include <math.h>
#include <stdlib.h>

#define MAD_TO_SD 1.4826 /* of normal data */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double bg_session_noise(const struct bg_level_track *tracks, size_t count, size_t sessions_min,
			double *scratch)
{
	size_t differences = 0, longest = 0;
	for (size_t i = 0; i < count; i++) {
		if (tracks[i].count > longest)
			longest = tracks[i].count;
		for (size_t j = 1; j < tracks[i].count; j++)
			scratch[differences++] = fabs(tracks[i].level[j] - tracks[i].level[j - 1]);
	}
	if (longest < sessions_min || differences == 0)
		return (double)NAN;
	qsort(scratch, differences, sizeof *scratch, ascending);
	double median = (scratch[(differences - 1) / 2] + scratch[differences / 2]) / 2;
	return MAD_TO_SD * median / sqrt(2);
}
