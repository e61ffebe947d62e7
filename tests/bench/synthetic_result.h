#ifndef BG_TESTS_SYNTHETIC_RESULT_H
#define BG_TESTS_SYNTHETIC_RESULT_H
/*
 * A result as a run would have made it, drawn from a seed: for tests that need many cells, and for
 * measuring what deciding and reporting cost.
 */
#include "gate/core/arena.h"
#include "gate/core/random.h"
#include "gate/verdict/result.h"

#include <math.h>

#define SYNTHETIC_CONFIRM 10 /* launches, of cases that are slower */

struct synthetic {
	size_t case_count; /* 1 .. BG_CASES_MAX */
	unsigned launches; /* 1 .. BG_LAUNCHES_MAX */
	unsigned pairs;	   /* a launch; 0 keeps no pairs */
	uint64_t seed;
	double sd;	     /* of ln(head/base) over launches: .006 is usual */
	double slower_share; /* of cases that are slower by `slowdown` */
	double slowdown;     /* ratio: .05 */
};

static inline void synthetic_pairs(struct bg_launch_pairs *ret, const struct bg_datum *datum,
				   unsigned count, struct bg_random *random, struct bg_arena *arena)
{
	ret->count = count;
	ret->base = bg_arena_array(arena, count, sizeof *ret->base);
	ret->head = bg_arena_array(arena, count, sizeof *ret->head);
	ret->head_first = bg_arena_array(arena, count, sizeof *ret->head_first);
	for (unsigned i = 0; i < count; i++) {
		ret->base[i] = datum->base * exp(.04 * bg_random_normal(random));
		ret->head[i] = datum->head * exp(.04 * bg_random_normal(random));
		ret->head_first[i] = i % 4 == 1 || i % 4 == 2;
	}
}

static inline void synthetic_case(struct bg_case_result *ret, size_t index,
				  const struct synthetic *plan, struct bg_random *random,
				  struct bg_arena *arena)
{
	*ret = (struct bg_case_result){
		.name = bg_arena_format(arena, "gemm/m=%zu,n=512,k=512,batch=%zu",
					64 * (1 + index / 100), 1 + index % 100),
		.workload = "gemm",
		.hash = bg_arena_format(arena, "%016zx", index),
		.file = "batchgate.yml",
		.line = 4,
		.state = BG_CASE_MEASURED,
		.turns = "whole step",
		.items_per_step = (double)(1 + index % 100),
		.cpus = "1",
		.cpus_why = "threads: 1",
		.kernel = "SkylakeX",
		.error = 1e-7,
		.tolerance = 1e-5,
		.series_count = 1,
	};
	ret->axis_count = 2;
	ret->axes = bg_arena_array(arena, 2, sizeof *ret->axes);
	ret->axes[0] = (struct bg_axis_text){ "m", bg_arena_format(arena, "%zu", index / 100) };
	ret->axes[1] = (struct bg_axis_text){ "batch", bg_arena_format(arena, "%zu", index % 100) };
	for (int metric = 0; metric < BG_METRIC_COUNT; metric++) {
		ret->margin[metric] = bg_metric_info((enum bg_metric)metric)->margin;
		ret->floor[metric] = bg_metric_info((enum bg_metric)metric)->floor;
	}
	double shift = bg_random_unit(random) < plan->slower_share ? log1p(plan->slowdown) : 0;
	double level = .002 * exp(2 * bg_random_unit(random));
	ret->series = bg_arena_alloc(arena, sizeof *ret->series);
	ret->series->metric = BG_METRIC_TIME;
	ret->series->judge_count = plan->launches;
	ret->series->judge = bg_arena_array(arena, plan->launches, sizeof *ret->series->judge);
	ret->series->confirm_count = shift > 0 ? SYNTHETIC_CONFIRM : 0;
	ret->series->confirm =
		bg_arena_array(arena, ret->series->confirm_count, sizeof *ret->series->confirm);
	for (size_t i = 0; i < ret->series->confirm_count; i++) {
		double x = shift + plan->sd * bg_random_normal(random);
		ret->series->confirm[i] = (struct bg_datum){ x, level, level * exp(x) };
	}
	ret->pairs_count = plan->pairs > 0 ? plan->launches : 0;
	ret->pairs = bg_arena_array(arena, ret->pairs_count, sizeof *ret->pairs);
	for (unsigned i = 0; i < plan->launches; i++) {
		double x = shift + plan->sd * bg_random_normal(random);
		double base = level * exp(.1 * bg_random_normal(random));
		ret->series->judge[i] = (struct bg_datum){ x, base, base * exp(x) };
		if (plan->pairs > 0) {
			ret->pairs[i].index = i;
			synthetic_pairs(&ret->pairs[i], &ret->series->judge[i], plan->pairs, random,
					arena);
		}
	}
}

/* Everything is owned by the arena. */
static inline void synthetic_result(struct bg_result *ret, const struct synthetic *plan,
				    struct bg_arena *arena)
{
	*ret = (struct bg_result){
		.suite = "synthetic",
		.suite_file = "batchgate.yml",
		.program = "batchgate",
		.seed = plan->seed,
		.base = { .commit = "1111111111111111111111111111111111111111",
			  .subject = "Before",
			  .how = "first parent of HEAD" },
		.head = { .commit = "2222222222222222222222222222222222222222",
			  .subject = "After",
			  .how = "HEAD" },
		.started_utc = "2026-01-02T03:04:05",
		.seconds = 60,
		.budget_s = 600,
		.launches = plan->launches,
		.runner_class_why = "drawn from a seed, not measured",
		.machine = "none",
		.case_count = plan->case_count,
	};
	struct bg_random random;
	bg_random_init(&random, plan->seed, "synthetic result");
	ret->cases = bg_arena_array(arena, plan->case_count, sizeof *ret->cases);
	for (size_t i = 0; i < plan->case_count; i++)
		synthetic_case(&ret->cases[i], i, plan, &random, arena);
}
#endif
