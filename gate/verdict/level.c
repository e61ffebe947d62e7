#include "gate/verdict/level.h"

#include "gate/verdict/estimate.h"

#include <math.h>

bool bg_level_take(struct bg_level *ret, const struct bg_series *series)
{
	double logs[BG_LAUNCHES_MAX];
	size_t count = series->judge_count;
	if (count == 0 || count > BG_LAUNCHES_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		logs[i] = log(series->judge[i].head);
		if (!isfinite(logs[i]))
			return false;
	}
	struct bg_estimate estimate = { .center = logs[0], .variance = (double)NAN };
	if (count > 1)
		bg_estimate_take(&estimate, logs, count);
	*ret = (struct bg_level){ estimate.center, estimate.variance, (unsigned)count };
	return true;
}
