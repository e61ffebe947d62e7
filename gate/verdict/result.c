#include "gate/verdict/result.h"

struct bg_series *bg_series_find(const struct bg_case_result *result, enum bg_metric metric)
{
	for (size_t i = 0; i < result->series_count; i++)
		if (result->series[i].metric == metric)
			return &result->series[i];
	return NULL;
}
