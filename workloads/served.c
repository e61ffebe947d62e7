#include "workloads/served.h"

#include "gate/core/clock.h"
#include "gate/core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALIBRATE_MIN_NS (5 * BG_NS_PER_MS)
#define CALIBRATE_MAX_NS (200 * BG_NS_PER_MS)
#define CALIBRATE_CALLS 3
#define CALIBRATE_CALLS_MAX 100000

static uint64_t thread_cpu_ns(void)
{
	struct timespec used;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * BG_NS_PER_S + (uint64_t)used.tv_nsec;
}

static void drop(struct bg_served *served)
{
	if (served->kind == BG_SERVED_OPERATION)
		served->operation->teardown(served->state);
	served->kind = BG_SERVED_NONE;
	served->operation = NULL;
	served->state = NULL;
}

static enum bg_prepared prepared_of(enum bg_answer answer)
{
	switch (answer) {
	case BG_ANSWER_OK:
		return BG_PREPARED_READY;
	case BG_ANSWER_UNSUPPORTED:
		return BG_PREPARED_UNSUPPORTED;
	case BG_ANSWER_OUT_OF_MEMORY:
		return BG_PREPARED_OUT_OF_MEMORY;
	case BG_ANSWER_INCORRECT:
		return BG_PREPARED_INCORRECT;
	case BG_ANSWER_FAILED:
		break;
	}
	return BG_PREPARED_FAILED;
}

static void refuse(struct bg_served *served, struct bg_reply *reply, enum bg_answer answer,
		   struct bg_arena *arena)
{
	reply->prepared = prepared_of(answer);
	reply->reason =
		bg_arena_text(arena, served->why.text[0] ? served->why.text : "no reason given");
	drop(served);
}

static void prepare_replay(struct bg_served *served, const struct bg_request *request,
			   struct bg_reply *reply, struct bg_arena *arena)
{
	struct bg_error err = BG_ERROR_INIT;
	if (bg_replay_prepare(&served->replay, request, &err) != BG_OK) {
		snprintf(served->why.text, sizeof served->why.text, "%.500s", err.text);
		refuse(served, reply, BG_ANSWER_FAILED, arena);
		return;
	}
	served->kind = BG_SERVED_REPLAY;
	reply->call_s = served->replay.model.duration_s;
	reply->items = 1;
	reply->error = 0;
	reply->tolerance = 1e-6;
	reply->virtual_clock = true;
	reply->kernel = "model";
	if (bg_replay_befalls(served->replay.wrong, request->head)) {
		reply->error = .5;
		snprintf(served->why.text, sizeof served->why.text,
			 "the result is off by 0.5, allowed is 1e-06 (planted)");
		refuse(served, reply, BG_ANSWER_INCORRECT, arena);
	}
}

static const char *axis_value(const struct bg_request *request,
			      const struct bg_operation_axis *axis)
{
	for (size_t i = 0; i < request->axis_count; i++)
		if (strcmp(request->axes[i].name, axis->name) == 0)
			return request->axes[i].value;
	return axis->fallback;
}

static bool is_word_of(const struct bg_operation_axis *axis, const char *text)
{
	for (size_t i = 0; i < axis->word_count; i++)
		if (strcmp(axis->words[i], text) == 0)
			return true;
	return axis->word_count == 0;
}

static bool take_coordinate(struct bg_coordinate *ret, const struct bg_operation_axis *axis,
			    const char *text)
{
	*ret = (struct bg_coordinate){ .name = axis->name, .text = text };
	if (axis->kind == BG_OPERATION_WORD)
		return is_word_of(axis, text);
	if (!bg_text_to_double(&ret->number, text, axis->min, axis->max))
		return false;
	ret->integer = axis->kind == BG_OPERATION_INTEGER ? (int64_t)ret->number : 0;
	return axis->kind == BG_OPERATION_NUMBER || (double)ret->integer == ret->number;
}

/* An axis that the operation lacks would be silently ignored: refused instead. */
static bool make_point(struct bg_served *served, const struct bg_request *request,
		       struct bg_coordinate *coordinates)
{
	const struct bg_operation *operation = served->operation;
	size_t known = 0;
	for (size_t i = 0; i < operation->axis_count; i++) {
		const struct bg_operation_axis *axis = &operation->axes[i];
		const char *value = axis_value(request, axis);
		known += value != axis->fallback;
		if (take_coordinate(&coordinates[i], axis, value))
			continue;
		snprintf(served->why.text, sizeof served->why.text, "%s=%.100s is not allowed",
			 axis->name, value);
		return false;
	}
	if (known == request->axis_count)
		return true;
	snprintf(served->why.text, sizeof served->why.text,
		 "%s of %s has no such axis among those asked for", operation->name,
		 operation->engine);
	return false;
}

/* run x calls and finish; the first bad answer ends it. */
static enum bg_answer run_calls(struct bg_served *served, uint64_t calls)
{
	const struct bg_operation *operation = served->operation;
	enum bg_answer answer = BG_ANSWER_OK;
	for (uint64_t i = 0; i < calls && answer == BG_ANSWER_OK; i++)
		answer = operation->run(served->state, &served->why);
	if (answer == BG_ANSWER_OK && operation->finish)
		answer = operation->finish(served->state, &served->why);
	return answer;
}

/* Seconds a call: doubling the calls of a sample until it lasts 5 ms, the last one tells. */
static enum bg_answer calibrate(struct bg_served *served, double *call_s)
{
	uint64_t begin_ns = bg_clock_ns();
	for (uint64_t calls = 1;; calls *= 2) {
		uint64_t start_ns = bg_clock_ns();
		enum bg_answer answer = run_calls(served, calls);
		uint64_t end_ns = bg_clock_ns();
		if (answer != BG_ANSWER_OK)
			return answer;
		*call_s = (double)(end_ns - start_ns) * 1e-9 / (double)calls;
		bool enough = end_ns - start_ns >= CALIBRATE_MIN_NS && calls >= CALIBRATE_CALLS;
		if (enough || end_ns - begin_ns > CALIBRATE_MAX_NS || calls > CALIBRATE_CALLS_MAX)
			return BG_ANSWER_OK;
	}
}

static enum bg_answer set_up(struct bg_served *served, const struct bg_request *request,
			     struct bg_reply *reply)
{
	const struct bg_operation *operation = served->operation;
	struct bg_coordinate coordinates[BG_AXES_MAX];
	struct bg_point point = { operation->axis_count, coordinates, request->seed };
	struct bg_costs costs = { 0 };
	enum bg_answer answer = BG_ANSWER_OK;
	if (!make_point(served, request, coordinates))
		return BG_ANSWER_FAILED;
	if (operation->usable)
		answer = operation->usable(&served->why);
	if (answer == BG_ANSWER_OK)
		answer = operation->setup(&served->state, &point, &served->why);
	if (answer != BG_ANSWER_OK)
		return answer;
	operation->costs(served->state, &costs);
	reply->flops = costs.flops;
	reply->bytes = costs.bytes;
	reply->items = costs.items;
	answer = run_calls(served, 1);
	if (answer == BG_ANSWER_OK && operation->verify)
		answer = operation->verify(served->state, &reply->error, &reply->tolerance,
					   &served->why);
	return answer == BG_ANSWER_OK ? calibrate(served, &reply->call_s) : answer;
}

static void prepare_operation(struct bg_served *served, const struct bg_modules *modules,
			      const struct bg_request *request, struct bg_reply *reply,
			      struct bg_arena *arena)
{
	const struct bg_loaded_operation *loaded =
		bg_modules_find(modules, request->workload, request->engine);
	if (!loaded) {
		snprintf(served->why.text, sizeof served->why.text,
			 "no module offers %.100s%s%.100s; batchgate list says which are there",
			 request->workload, request->engine ? " of " : "",
			 request->engine ? request->engine : "");
		refuse(served, reply, BG_ANSWER_UNSUPPORTED, arena);
		return;
	}
	served->operation = loaded->operation;
	served->kind = BG_SERVED_OPERATION;
	enum bg_answer answer = set_up(served, request, reply);
	const char *kernel = loaded->module->kernel ? loaded->module->kernel() : NULL;
	reply->kernel = kernel ? bg_arena_text(arena, kernel) : NULL;
	if (answer != BG_ANSWER_OK)
		refuse(served, reply, answer, arena);
}

void bg_served_prepare(struct bg_served *served, const struct bg_modules *modules,
		       const struct bg_request *request, struct bg_reply *reply,
		       struct bg_arena *arena)
{
	drop(served);
	served->why.text[0] = '\0';
	reply->prepared = BG_PREPARED_READY;
	reply->error = reply->tolerance = NAN;
	if (strcmp(request->workload, bg_replay_info.name) == 0)
		prepare_replay(served, request, reply, arena);
	else
		prepare_operation(served, modules, request, reply, arena);
}

/*
 * The planted slowdown is a share of the CPU time, not of the clock's: a step that is stopped and
 * continued in turns is slowed by as much as a whole one.
 */
static void wait_longer(double inject, uint64_t since_cpu_ns)
{
	uint64_t used_ns = thread_cpu_ns() - since_cpu_ns;
	uint64_t until_ns = since_cpu_ns + used_ns + (uint64_t)((double)used_ns * inject);
	while (thread_cpu_ns() < until_ns)
		;
}

static double step_replay(struct bg_served *served, uint64_t inner)
{
	struct bg_replay *replay = &served->replay;
	if (bg_replay_befalls(replay->crash, replay->at.head))
		abort();
	if (bg_replay_befalls(replay->fail, replay->at.head)) {
		snprintf(served->why.text, sizeof served->why.text, "the step failed (planted)");
		return -1;
	}
	double time_s = bg_replay_time_s(&replay->model, &replay->at) * (1 + served->inject);
	replay->at.step++;
	return round(time_s * 1e9 * (double)inner);
}

double bg_served_step(struct bg_served *served, uint64_t inner)
{
	if (served->kind == BG_SERVED_REPLAY)
		return step_replay(served, inner);
	uint64_t start_cpu_ns = served->inject > 0 ? thread_cpu_ns() : 0;
	uint64_t start_ns = bg_clock_ns();
	enum bg_answer answer = run_calls(served, inner);
	if (served->inject > 0)
		wait_longer(served->inject, start_cpu_ns);
	uint64_t end_ns = bg_clock_ns();
	if (answer == BG_ANSWER_OK)
		return (double)(end_ns - start_ns);
	if (!served->why.text[0])
		snprintf(served->why.text, sizeof served->why.text, "no reason given");
	return -1;
}

void bg_served_finish(struct bg_served *served, struct bg_reply *reply)
{
	for (enum bg_metric metric = 0; metric < BG_METRIC_COUNT; metric++)
		reply->metric[metric] = NAN;
	if (served->kind == BG_SERVED_REPLAY && served->replay.model.memory_bytes > 0)
		reply->metric[BG_METRIC_HOST_PEAK] =
			bg_replay_memory_bytes(&served->replay.model, &served->replay.at);
	drop(served);
}
