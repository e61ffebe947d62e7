#include "sweeps/launch.h"

#include "gate/core/clock.h"
#include "sweeps/identity.h"
#include "sweeps/warmup.h"

#include <math.h>
#include <string.h>

#define PREPARE_LIMIT_S 120.
/* Aimed at when calls are packed into a step: the machine may speed up by half and 1 ms still
 * holds. */
#define STEP_AIM_S 1.5e-3
#define STEP_MIN_S 1e-3
#define INNER_MAX 1e9
/* Of a worker elsewhere: so many round trips that the wire is a small part of a step's wait. */
#define ROUND_TRIPS_A_STEP 8
#define REMOTE_STEP_MAX_S .5
/* Nor do its own waits for a core show: a step is longer than two of them. */
#define REMOTE_STEP_MIN_S .01
#define WORK_SHARE_MIN .1 /* of the wait for prepare: less CPU time is a client's */

static bool both_ok(const struct bg_arm_outcome outcome[2])
{
	return outcome[0].state == BG_ARM_OK && outcome[1].state == BG_ARM_OK;
}

static enum bg_status call(struct bg_session *session, size_t which,
			   const struct bg_request *request, struct bg_reply *reply,
			   struct bg_arm_outcome *outcome, struct bg_error *err)
{
	struct bg_arm *arm = &session->arm[which];
	enum bg_status status =
		bg_link_call(&arm->link, request, PREPARE_LIMIT_S, reply, session->arena, err);
	if (status == BG_E_INTERRUPTED)
		return status;
	if (status != BG_OK) {
		outcome->state = BG_ARM_FAILED;
		outcome->reason = bg_arena_text(session->arena, err->text);
		bg_error_clear(err);
	} else if (!reply->ok) {
		outcome->state = BG_ARM_FAILED;
		outcome->reason =
			bg_arena_format(session->arena, "%s: %s", arm->worker_name,
					reply->reason ? reply->reason : "no reason given");
	}
	return BG_OK;
}

/*
 * Our CPUs' numbers may mean nothing where the worker runs: it may refuse. What the exchange takes
 * is the wire's own time.
 */
static enum bg_status pin_elsewhere(struct bg_session *session, size_t which,
				    const struct bg_request *request,
				    struct bg_arm_outcome *outcome, struct bg_error *err)
{
	struct bg_arm *arm = &session->arm[which];
	struct bg_reply reply;
	enum bg_status status =
		bg_link_call(&arm->link, request, PREPARE_LIMIT_S, &reply, session->arena, err);
	arm->round_trip_s = 1e-9 * (double)arm->link.exchange_ns;
	if (status == BG_OK || status == BG_E_INTERRUPTED)
		return status;
	outcome->state = BG_ARM_FAILED;
	outcome->reason = bg_arena_text(session->arena, err->text);
	bg_error_clear(err);
	return BG_OK;
}

static enum bg_status pin(struct bg_session *session, struct bg_case_run *run, size_t which,
			  struct bg_arm_outcome *outcome, struct bg_error *err)
{
	unsigned cpus[BG_CPUS_MAX];
	struct bg_request request = { .op = BG_OP_PIN, .cpus = cpus };
	for (unsigned cpu = 0; cpu < BG_CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &run->cpus))
			cpus[request.cpu_count++] = cpu;
	/* Both arms are elsewhere: on the same cores there, whichever they are. */
	for (unsigned cpu = 0; request.cpu_count == 0 && cpu < run->cores && cpu < BG_CPUS_MAX;
	     cpu++)
		cpus[cpu] = cpu;
	if (request.cpu_count == 0)
		request.cpu_count = run->cores;
	struct bg_reply reply;
	if (session->arm[which].remote)
		return pin_elsewhere(session, which, &request, outcome, err);
	enum bg_status status = call(session, which, &request, &reply, outcome, err);
	if (status != BG_OK || outcome->state != BG_ARM_OK)
		return status;
	bool same = reply.cpu_count == request.cpu_count;
	for (size_t i = 0; same && i < reply.cpu_count; i++)
		same = reply.cpus[i] == cpus[i];
	if (!same)
		bg_condition_add(session, "%s runs on other cores than it was asked to",
				 session->arm[which].worker_name);
	return BG_OK;
}

static enum bg_arm_state state_of(enum bg_prepared prepared)
{
	switch (prepared) {
	case BG_PREPARED_READY:
		return BG_ARM_OK;
	case BG_PREPARED_UNSUPPORTED:
		return BG_ARM_UNSUPPORTED;
	case BG_PREPARED_OUT_OF_MEMORY:
		return BG_ARM_OUT_OF_MEMORY;
	case BG_PREPARED_INCORRECT:
		return BG_ARM_INCORRECT;
	case BG_PREPARED_FAILED:
		break;
	}
	return BG_ARM_FAILED;
}

/* CPU time of the worker's processes so far, those that a wrapper started since included. */
static uint64_t worker_cpu_ns(struct bg_arm *arm)
{
	struct bg_tree_usage usage;
	(void)bg_tree_list(&arm->link.tree);
	bg_tree_usage(&usage, &arm->link.tree);
	return usage.cpu_ns;
}

/*
 * A worker in a container has this host's boot id, but the processes that work are not our
 * command's: they can neither be stopped nor watched. Preparing computes, on a core of its own.
 */
static void look_for_work(struct bg_session *session, size_t which, uint64_t before_ns)
{
	struct bg_arm *arm = &session->arm[which];
	uint64_t cpu_ns = worker_cpu_ns(arm) - before_ns;
	if (!arm->chosen || arm->remote ||
	    (double)cpu_ns >= WORK_SHARE_MIN * (double)arm->link.exchange_ns)
		return;
	arm->remote = true;
	bg_condition_add(session,
			 "%s works in processes that are not its command's (a container?): its "
			 "waits cannot be seen",
			 arm->worker_name);
}

enum bg_status bg_arm_prepare(struct bg_session *session, struct bg_case_run *run, size_t which,
			      struct bg_reply *reply, struct bg_arm_outcome *outcome,
			      struct bg_error *err)
{
	enum bg_status status = pin(session, run, which, outcome, err);
	if (status != BG_OK || outcome->state != BG_ARM_OK)
		return status;
	struct bg_request request = {
		.op = BG_OP_PREPARE,
		.workload = run->of->workload ? run->of->workload : run->of->entry->word,
		.engine = run->of->engine,
		.axis_count = run->of->axis_count,
		.axes = run->of->axes,
		.seed = bg_hash(session->options.seed ^ BG_HASH_INIT, run->result->name,
				strlen(run->result->name)),
		.head = which == 1,
		.launch = session->launch_number,
	};
	uint64_t before_ns = worker_cpu_ns(&session->arm[which]);
	status = call(session, which, &request, reply, outcome, err);
	if (status != BG_OK || outcome->state != BG_ARM_OK)
		return status;
	outcome->state = state_of(reply->prepared);
	if (outcome->state != BG_ARM_OK)
		outcome->reason =
			bg_arena_format(session->arena, "%s: %s", session->arm[which].place.name,
					reply->reason ? reply->reason : "no reason given");
	else if (!reply->virtual_clock)
		look_for_work(session, which, before_ns);
	return BG_OK;
}

/* What a step must last; a worker elsewhere answers no sooner than the wire lets it. */
static double least_step_s(const struct bg_session *session)
{
	double resolution_s = 1e-9 * (double)bg_clock_resolution_ns();
	double least_s = 1000 * resolution_s > STEP_MIN_S ? 1500 * resolution_s : STEP_AIM_S;
	for (size_t i = 0; i < 2; i++) {
		const struct bg_arm *arm = &session->arm[i];
		if (!arm->remote)
			continue;
		double wire_s = ROUND_TRIPS_A_STEP * arm->round_trip_s;
		wire_s = wire_s < REMOTE_STEP_MAX_S ? wire_s : REMOTE_STEP_MAX_S;
		least_s = fmax(least_s, fmax(wire_s, REMOTE_STEP_MIN_S));
	}
	return least_s;
}

/* What prepare says of the case, kept once; head's word where both speak. */
static void note_prepared(struct bg_session *session, struct bg_case_run *run,
			  const struct bg_reply reply[2])
{
	struct bg_case_result *result = run->result;
	result->kernel = reply[1].kernel;
	if (bg_arm_remote(session, run))
		result->cpus = result->cpus_why = NULL;
	result->error = reply[1].error;
	result->tolerance = reply[1].tolerance;
	if (reply[0].kernel && reply[1].kernel && strcmp(reply[0].kernel, reply[1].kernel) != 0)
		bg_condition_add(session, "%s: base runs kernel %s, head runs %s", result->name,
				 reply[0].kernel, reply[1].kernel);
	if (run->inner > 0)
		return;
	double call_s = reply[0].call_s < reply[1].call_s ? reply[0].call_s : reply[1].call_s;
	double resolution_s = 1e-9 * (double)bg_clock_resolution_ns();
	double least_s = least_step_s(session);
	double inner = call_s > 0 ? ceil(least_s / call_s) : 1;
	/* A call that reaches the least by itself is a step of its own. */
	bool near = !bg_arm_remote(session, run);
	if (near && call_s >= STEP_MIN_S && call_s >= 1000 * resolution_s)
		inner = 1;
	run->inner = (uint64_t)(inner < INNER_MAX ? inner : INNER_MAX);
	result->items_per_step = reply[1].items;
	result->flops_per_step = reply[1].flops;
	result->bytes_per_step = reply[1].bytes;
}

static enum bg_status prepare_both(struct bg_session *session, struct bg_case_run *run,
				   struct bg_reply reply[2], struct bg_arm_outcome outcome[2],
				   struct bg_error *err)
{
	enum bg_status status = bg_workers_open(session, run, outcome, err);
	if (status != BG_OK || !both_ok(outcome))
		return status;
	size_t first = session->launch_number % 2;
	for (size_t i = 0; i < 2 && status == BG_OK; i++)
		if ((first ^ i) >= bg_first_arm(run))
			status = bg_arm_prepare(session, run, first ^ i, &reply[first ^ i],
						&outcome[first ^ i], err);
	if (run->alone)
		reply[0] = reply[1];
	if (status == BG_OK && both_ok(outcome))
		note_prepared(session, run, reply);
	return status;
}

static enum bg_status run_pairs(struct bg_stepper *stepper, struct bg_pair_log *pairs,
				struct bg_arm_outcome outcome[2], struct bg_error *err)
{
	struct bg_session *session = stepper->session;
	struct bg_pair_order order = { 0 };
	unsigned allowance = bg_void_allowance(pairs->capacity);
	double inner = (double)stepper->run->inner;
	while (pairs->count < pairs->capacity && pairs->voided < allowance) {
		struct bg_step_pair pair;
		bool head_first = bg_pair_order_next(&order, &session->order);
		enum bg_status status = bg_step_pair_run(stepper, head_first, &pair, outcome, err);
		if (status != BG_OK || !both_ok(outcome))
			return status;
		if (pair.voided) {
			bg_condition_add(session, "%s: %s", stepper->run->result->name,
					 pair.voided);
			pairs->voided++;
			continue;
		}
		if (!stepper->run->alone)
			pairs->base[pairs->count] = pair.time_s[0] / inner;
		pairs->head[pairs->count] = pair.time_s[1] / inner;
		pairs->head_first[pairs->count++] = head_first;
	}
	return BG_OK;
}

static enum bg_status finish_both(struct bg_session *session, struct bg_case_run *run,
				  enum bg_phase phase, struct bg_arm_outcome outcome[2],
				  struct bg_error *err)
{
	struct bg_reply reply[2] = { { .ok = false }, { .ok = false } };
	struct bg_request request = { .op = BG_OP_FINISH };
	for (size_t i = bg_first_arm(run); i < 2; i++) {
		if (run->freeze_idle && !session->arm[i].remote)
			bg_tree_continue(&session->arm[i].link.tree);
		enum bg_status status = call(session, i, &request, &reply[i], &outcome[i], err);
		if (status != BG_OK)
			return status;
	}
	if (!both_ok(outcome))
		return BG_OK;
	for (enum bg_metric metric = 0; metric < BG_METRIC_COUNT; metric++)
		if (metric != BG_METRIC_TIME && metric != BG_METRIC_TIME_MEAN)
			bg_record_metric(session, run, phase, metric, reply[0].metric[metric],
					 reply[1].metric[metric]);
	return BG_OK;
}

static void note_costs(struct bg_session *session, struct bg_case_run *run, double pairs_s,
		       double whole_s, unsigned pairs)
{
	double weight = 1. / (double)(run->launches ? run->launches : 1);
	double pair_s = pairs ? pairs_s / (double)pairs : 0;
	run->pair_cost_s += (pair_s - run->pair_cost_s) * weight;
	run->launch_cost_s += (whole_s - pairs_s - run->launch_cost_s) * weight;
	(void)session;
}

static enum bg_status measure(struct bg_session *session, struct bg_case_run *run,
			      enum bg_phase phase, bool virtual_clock,
			      struct bg_arm_outcome outcome[2], struct bg_error *err)
{
	struct bg_stepper stepper;
	double start_s = bg_session_elapsed_s(session);
	bg_stepper_init(&stepper, session, run, virtual_clock);
	enum bg_status status = bg_warm_up(&stepper, !run->ready, outcome, err);
	double warm_s = bg_session_elapsed_s(session);
	struct bg_pair_log pairs;
	run->pairs = bg_pairs_wanted(run);
	bg_pair_log_init(&pairs, run->pairs, session->arena);
	if (status == BG_OK && both_ok(outcome))
		status = run_pairs(&stepper, &pairs, outcome, err);
	bg_stepper_release(&stepper);
	double end_s = bg_session_elapsed_s(session);
	if (status != BG_OK || !both_ok(outcome))
		return status;
	run->ready = true;
	bg_record_pairs(session, run, phase, &pairs);
	note_costs(session, run, end_s - warm_s, end_s - start_s, pairs.count + pairs.voided);
	return finish_both(session, run, phase, outcome, err);
}

/* Only our own replay may run on a clock that is not ours, and then on both arms. */
static bool is_virtual(struct bg_session *session, const struct bg_case_run *run,
		       const struct bg_reply reply[2], struct bg_arm_outcome outcome[2])
{
	const struct bg_workload_entry *entry = run->of->entry;
	bool may = entry->use == BG_USE_BUILTIN && strcmp(entry->word, "replay") == 0;
	if (may && reply[0].virtual_clock && reply[1].virtual_clock)
		return true;
	for (size_t i = 0; i < 2; i++)
		if (reply[i].virtual_clock)
			outcome[i] = (struct bg_arm_outcome){
				BG_ARM_MISTRUSTED,
				bg_arena_format(session->arena, "%s runs on a clock of its own",
						session->arm[i].worker_name)
			};
	return false;
}

/* A built-in whose workers are the same bytes on the same input: the commit cannot matter. */
static bool is_identical(struct bg_session *session, const struct bg_case_run *run)
{
	static const char ours[] = "batchgate ";
	struct bg_identity_side side[2];
	if (!session->options.identify || run->ready || run->alone ||
	    run->of->entry->use != BG_USE_BUILTIN || strcmp(run->of->entry->word, "replay") == 0)
		return false;
	for (size_t i = 0; i < 2; i++) {
		const struct bg_link *link = &session->arm[i].link;
		if (!link->hello.program || strncmp(link->hello.program, ours, strlen(ours)) != 0)
			return false;
		side[i] = (struct bg_identity_side){ link->pid, session->arm[i].place.dir };
	}
	BG_AUTO(bg_arena_release) struct bg_arena scratch = BG_ARENA_INIT;
	return bg_identity_same(&side[0], &side[1], &scratch);
}

enum bg_status bg_step_launch(struct bg_session *session, struct bg_case_run *run,
			      enum bg_phase phase, struct bg_error *err)
{
	struct bg_arm_outcome outcome[2] = { { BG_ARM_OK, NULL }, { BG_ARM_OK, NULL } };
	struct bg_reply reply[2] = { { .ok = false }, { .ok = false } };
	enum bg_status status =
		run->find_cores ? bg_step_probe(session, run->of->worker_group, err) : BG_OK;
	if (status != BG_OK || !run->open)
		return status;
	status = prepare_both(session, run, reply, outcome, err);
	if (status == BG_OK && both_ok(outcome) && is_identical(session, run)) {
		run->result->state = BG_CASE_IDENTICAL;
		run->result->reason = "both arms' own workers are the same program, byte for byte "
				      "where it runs; --aa measures it";
		run->open = false;
	} else if (status == BG_OK && both_ok(outcome)) {
		bool virtual_clock = is_virtual(session, run, reply, outcome);
		session->result->virtual_clock |= virtual_clock;
		if (both_ok(outcome))
			status = measure(session, run, phase, virtual_clock, outcome, err);
	}
	if (status != BG_OK || !both_ok(outcome))
		bg_workers_close(session);
	if (status == BG_OK && !both_ok(outcome))
		bg_case_settle(session, run, outcome);
	return status;
}
