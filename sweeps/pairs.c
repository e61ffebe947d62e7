#include "sweeps/launch.h"

#include <math.h>

#define PAIRS_MIN 20
#define PAIRS_MAX 80
#define PAIRS_FIRST 40
#define PAIRS_EXEC 20
#define PAIRS_LONG_MIN 2
/* sd of a launch that no number of pairs takes away: memory layout, about .3 % (design: section 1)
 */
#define LAUNCH_SD_MIN .003

bool bg_pair_order_next(struct bg_pair_order *order, struct bg_random *random)
{
	if (order->second_of_block)
		order->head_first = !order->head_first;
	else
		order->head_first = bg_random_next(random) >> 63;
	order->second_of_block = !order->second_of_block;
	return order->head_first;
}

unsigned bg_void_allowance(unsigned pairs)
{
	return pairs / 2 + 2;
}

void bg_pair_log_init(struct bg_pair_log *log, unsigned pairs, struct bg_arena *arena)
{
	*log = (struct bg_pair_log){ .capacity = pairs };
	log->base = bg_arena_array(arena, pairs, sizeof *log->base);
	log->head = bg_arena_array(arena, pairs, sizeof *log->head);
	log->head_first = bg_arena_array(arena, pairs, sizeof *log->head_first);
}

static double variance_of_launches(const struct bg_case_run *run, size_t *count)
{
	const struct bg_series *series = bg_series_find(run->result, BG_METRIC_TIME);
	*count = series ? series->judge_count : 0;
	if (*count < 3)
		return 0;
	double mean = 0, sum = 0;
	for (size_t i = 0; i < *count; i++)
		mean += series->judge[i].x / (double)*count;
	for (size_t i = 0; i < *count; i++)
		sum += (series->judge[i].x - mean) * (series->judge[i].x - mean);
	return sum / (double)(*count - 1);
}

/* Pairs of over a second are too dear for twenty: as many as take about twenty seconds. */
static unsigned limit_long_pairs(unsigned pairs, double pair_s)
{
	if (pair_s <= 1)
		return pairs;
	double most = ceil(PAIRS_MIN / pair_s);
	if (most < PAIRS_LONG_MIN)
		most = PAIRS_LONG_MIN;
	return most < pairs ? (unsigned)most : pairs;
}

unsigned bg_pairs_wanted(const struct bg_case_run *run)
{
	bool is_exec = run->of->entry->use == BG_USE_EXEC;
	unsigned first = is_exec ? PAIRS_EXEC : PAIRS_FIRST;
	double pair_s = run->pair_cost_s > 0 ? run->pair_cost_s : 2 * run->step_s;
	size_t count;
	double total = variance_of_launches(run, &count);
	if (count < 3 || run->pair_cost_s <= 0 || is_exec || run->alone)
		return limit_long_pairs(first, pair_s);
	double of_pairs = run->pair_variance;
	double of_launch = total - of_pairs / (double)run->pairs;
	if (of_launch < LAUNCH_SD_MIN * LAUNCH_SD_MIN)
		of_launch = LAUNCH_SD_MIN * LAUNCH_SD_MIN;
	double n = sqrt(of_pairs / of_launch) * sqrt(run->launch_cost_s / run->pair_cost_s);
	if (!(n > PAIRS_MIN))
		n = PAIRS_MIN;
	if (n > PAIRS_MAX)
		n = PAIRS_MAX;
	return limit_long_pairs((unsigned)n, pair_s);
}
