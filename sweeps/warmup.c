#include "sweeps/warmup.h"

#include "gate/core/clock.h"
#include "sweeps/median.h"

#include <math.h>

#define WARM_MIN 6
#define WARM_MAX 16
#define WARM_LIMIT_NS (500 * BG_NS_PER_MS)
#define STEADY .03
#define TURNS_MIN 2
#define TRIALS 3
#define TRIALS_MAX 9
#define TAX_MAX .10
#define CPU_TIME_AGREES .25
#define BLOCKED_MAX .02

static double median3(const double *v)
{
	double sorted[3] = { v[0], v[1], v[2] };
	return bg_median(sorted, 3);
}

/* The last three of each arm agree with the three before. */
static bool is_steady(const double (*times)[2], unsigned count)
{
	if (count < WARM_MIN)
		return false;
	for (size_t arm = 0; arm < 2; arm++) {
		double before[3], after[3];
		for (unsigned i = 0; i < 3; i++) {
			before[i] = times[count - 6 + i][arm];
			after[i] = times[count - 3 + i][arm];
		}
		if (fabs(median3(after) / median3(before) - 1) > STEADY)
			return false;
	}
	return true;
}

struct trial {
	unsigned count, voids;
	double cpu[2][TRIALS_MAX], blocked[2][TRIALS_MAX];
	const char *voided;
};

static bool both_ok(const struct bg_arm_outcome outcome[2])
{
	return outcome[0].state == BG_ARM_OK && outcome[1].state == BG_ARM_OK;
}

/* Adds pairs, whole and sliced, up to `count`. */
static enum bg_status run_trials(struct bg_stepper *stepper, struct trial *trial, unsigned count,
				 uint64_t turn_ns, struct bg_arm_outcome outcome[2],
				 struct bg_error *err)
{
	while (trial->count < count) {
		unsigned i = trial->count++;
		struct bg_step_pair whole, sliced;
		stepper->run->turn_ns = 0;
		enum bg_status status = bg_step_pair_run(stepper, i % 2, &whole, outcome, err);
		stepper->run->turn_ns = turn_ns;
		if (status == BG_OK && both_ok(outcome))
			status = bg_step_pair_run(stepper, i % 2, &sliced, outcome, err);
		if (status != BG_OK || !both_ok(outcome))
			return status;
		if (sliced.voided && i > 0) {
			trial->voided = sliced.voided;
			trial->voids++;
		}
		for (size_t arm = 0; arm < 2; arm++) {
			trial->cpu[arm][i] = sliced.cpu_s[arm] / whole.cpu_s[arm];
			trial->blocked[arm][i] = 1 - whole.cpu_s[arm] / whole.time_s[arm];
		}
	}
	return BG_OK;
}

static double median_of(const double *values, unsigned count)
{
	double sorted[TRIALS_MAX];
	for (unsigned i = 0; i < count; i++)
		sorted[i] = values[i];
	return bg_median(sorted, count);
}

static double tax_of(const struct trial *trial)
{
	return (median_of(trial->cpu[0], trial->count) + median_of(trial->cpu[1], trial->count)) /
		       2 -
	       1;
}

static const char *objection(const struct bg_stepper *stepper, const struct trial *trial)
{
	struct bg_arena *arena = stepper->session->arena;
	/* One spoiled pair is the machine's doing, most of them are the program's. */
	if (trial->voids * 2 > trial->count - 1)
		return trial->voided;
	for (size_t arm = 0; arm < 2; arm++) {
		const char *name = stepper->session->arm[arm].place.name;
		double cpu = median_of(trial->cpu[arm], trial->count);
		double blocked = median_of(trial->blocked[arm], trial->count);
		if (blocked > BLOCKED_MAX)
			return bg_arena_format(
				arena,
				"%s waits %.0f %% of its time (limit 2 %%), and waits "
				"go on while it is stopped",
				name, blocked * 100);
		if (!(fabs(log(cpu)) <= log1p(CPU_TIME_AGREES)))
			return bg_arena_format(
				arena,
				"%s needs %+.0f %% CPU time when stopped and continued "
				"(limit 25 %%)",
				name, (cpu - 1) * 100);
	}
	return NULL;
}

static enum bg_status choose_turns(struct bg_stepper *stepper, struct bg_arm_outcome outcome[2],
				   struct bg_error *err)
{
	struct bg_case_run *run = stepper->run;
	struct bg_case_result *result = run->result;
	result->turns = "whole step";
	if (run->of->entry->turns == BG_TURNS_STEP) {
		result->turns = "step";
		result->turns_why = "turns: step in the suite";
		return BG_OK;
	}
	const struct bg_arm *remote = bg_arm_remote(stepper->session, run);
	if (remote && !stepper->virtual_clock) {
		result->turns = "step";
		result->turns_why = bg_arena_format(
			stepper->session->arena,
			"%s is not known to run on this host, where it could be stopped",
			remote->worker_name);
		return BG_OK;
	}
	/* Turns are between two arms. */
	if (run->alone || stepper->virtual_clock ||
	    run->step_s < TURNS_MIN * 1e-9 * (double)BG_TURN_NS)
		return BG_OK;
	for (uint64_t turn_ns = BG_TURN_NS;; turn_ns *= 2) {
		struct trial trial = { .voided = NULL };
		enum bg_status status = run_trials(stepper, &trial, TRIALS, turn_ns, outcome, err);
		/* Before it counts, an objection has to stand against more pairs. */
		if (status == BG_OK && both_ok(outcome) && objection(stepper, &trial))
			status = run_trials(stepper, &trial, TRIALS_MAX, turn_ns, outcome, err);
		if (status != BG_OK || !both_ok(outcome))
			return status;
		const char *why = objection(stepper, &trial);
		if (why) {
			run->turn_ns = 0;
			result->turns = "step";
			result->turns_why = why;
			return BG_OK;
		}
		result->turn_tax = tax_of(&trial);
		if (result->turn_tax <= TAX_MAX || turn_ns >= BG_TURN_MAX_NS)
			break;
	}
	result->turns =
		bg_arena_format(stepper->session->arena, "%g ms", (double)run->turn_ns * 1e-6);
	return BG_OK;
}

enum bg_status bg_warm_up(struct bg_stepper *stepper, bool first_launch,
			  struct bg_arm_outcome outcome[2], struct bg_error *err)
{
	double times[WARM_MAX][2];
	uint64_t start_ns = bg_clock_ns();
	uint64_t turn_ns = stepper->run->turn_ns;
	stepper->run->turn_ns = 0;
	unsigned count = 0;
	while (count < WARM_MAX && !is_steady((const double(*)[2])times, count)) {
		struct bg_step_pair pair;
		enum bg_status status = bg_step_pair_run(stepper, count % 2, &pair, outcome, err);
		if (status != BG_OK || outcome[0].state != BG_ARM_OK ||
		    outcome[1].state != BG_ARM_OK)
			return status;
		times[count][0] = pair.time_s[0];
		times[count][1] = pair.time_s[1];
		count++;
		bool over = bg_clock_ns() - start_ns > WARM_LIMIT_NS;
		if (!stepper->virtual_clock && over && count >= 2)
			break;
	}
	stepper->run->turn_ns = turn_ns;
	stepper->run->step_s = (times[count - 1][0] + times[count - 1][1]) / 2;
	return first_launch ? choose_turns(stepper, outcome, err) : BG_OK;
}
