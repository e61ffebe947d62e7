#include "sweeps/launch.h"
#include "sweeps/probe.h"

#include <math.h>

static struct bg_exec_setup make_setup(struct bg_session *session, struct bg_case_run *run)
{
	double timeout_s = run->of->entry->timeout_s;
	return (struct bg_exec_setup){
		.arm = { &session->arm[0].place, &session->arm[1].place },
		.command = { run->of->command, run->of->command },
		.cpus = run->cpus,
		.cores = run->cores,
		.turn_ns = run->turn_ns,
		.timeout_s = timeout_s > 0 ? timeout_s : session->options.timeout_s,
		.jitter = &session->jitter,
		.forest = &session->forest,
	};
}

static void note_strays(struct bg_session *session, struct bg_case_run *run, size_t strays)
{
	if (strays > 0)
		bg_condition_add(session,
				 "%s: left processes running after it ended; they were killed",
				 run->result->name);
}

/* Keeps what the probe found; an arm that failed is told by its outcome. */
static void note_probe(struct bg_session *session, struct bg_case_run *run,
		       const struct bg_probe *probe)
{
	struct bg_case_result *result = run->result;
	char cpus[256];
	run->cpus = probe->cpus;
	run->cores = probe->cores;
	run->turn_ns = probe->turn_ns;
	run->step_s = probe->step_s;
	bg_cpus_text(cpus, sizeof cpus, &probe->cpus);
	result->cpus = bg_arena_text(session->arena, cpus);
	result->cpus_why = probe->cpus_why;
	result->turns = probe->turns;
	result->turns_why = probe->turns_why;
	result->turn_tax = probe->turn_tax;
	note_strays(session, run, probe->strays);
}

static enum bg_status probe_case(struct bg_session *session, struct bg_case_run *run,
				 struct bg_arm_outcome outcome[2], struct bg_error *err)
{
	struct bg_exec_setup setup = make_setup(session, run);
	struct bg_probe_plan plan = { .setup = &setup,
				      .topology = &session->topology,
				      .turns = run->of->entry->turns,
				      .threads = run->of->entry->threads,
				      .alone = run->alone };
	struct bg_probe probe;
	enum bg_status status = bg_probe_run(&probe, &plan, session->arena, err);
	if (status != BG_OK)
		return status;
	for (size_t i = 0; i < 2; i++)
		if (!probe.ok[i])
			outcome[i] = (struct bg_arm_outcome){ BG_ARM_FAILED, probe.reason[i] };
	if (probe.ok[0] && probe.ok[1])
		note_probe(session, run, &probe);
	return BG_OK;
}

/* Design: section 1, "Under a quota smaller than cores + .2, wall time is not judged". */
static bool quota_forbids(struct bg_session *session, struct bg_case_run *run)
{
	if (session->quota.cores >= (double)run->cores + BG_QUOTA_SLACK)
		return false;
	run->result->state = BG_CASE_UNMEASURED;
	run->result->reason = bg_arena_format(
		session->arena,
		"the CPU quota of %.2g cores is less than the case's %u and %.1g to spare: wall "
		"time under throttling is not judged",
		session->quota.cores, run->cores, BG_QUOTA_SLACK);
	run->open = false;
	return true;
}

static void stop_slicing(struct bg_session *session, struct bg_case_run *run, const char *why)
{
	run->turn_ns = 0;
	run->result->turns = "step";
	run->result->turns_why =
		bg_arena_format(session->arena, "three pairs in a row were spoiled: %s", why);
	run->result->turn_tax = 0;
}

#define SLICING_VOIDS_MAX 3

static bool is_failure(const struct bg_exec_pair *pair, struct bg_arm_outcome outcome[2],
		       struct bg_arena *arena)
{
	for (size_t i = 0; i < 2; i++)
		if (!pair->ran[i].ok)
			outcome[i] = (struct bg_arm_outcome){
				BG_ARM_FAILED, bg_arena_text(arena, pair->ran[i].reason)
			};
	return !pair->ran[0].ok || !pair->ran[1].ok;
}

static void void_pair(struct bg_session *session, struct bg_case_run *run,
		      struct bg_pair_log *pairs, const struct bg_exec_pair *pair)
{
	pairs->voided++;
	bg_condition_add(session, "%s: %s", run->result->name, pair->voided);
	bool idle = pair->ran[0].idle_share > .01 || pair->ran[1].idle_share > .01;
	if (run->turn_ns > 0 && idle && ++run->idle_voids >= SLICING_VOIDS_MAX)
		stop_slicing(session, run, pair->voided);
}

static enum bg_status run_pairs(struct bg_session *session, struct bg_case_run *run,
				struct bg_pair_log *pairs, struct bg_arm_outcome outcome[2],
				struct bg_error *err)
{
	struct bg_pair_order order = { 0 };
	unsigned allowance = bg_void_allowance(pairs->capacity);
	uint64_t throttled = bg_quota_throttled(&session->quota);
	while (pairs->count < pairs->capacity && pairs->voided < allowance) {
		struct bg_exec_setup setup = make_setup(session, run);
		struct bg_exec_pair pair;
		bool head_first = bg_pair_order_next(&order, &session->order);
		bg_hash_seed_draw(&session->hash_seed); /* every pair is of fresh processes */
		enum bg_status status = bg_exec_pair_run(&pair, &setup, run->alone || head_first,
							 run->alone ? 1 : 2, err);
		if (status != BG_OK)
			return status;
		if (run->alone)
			pair.ran[0] = (struct bg_ran){ .ok = true };
		note_strays(session, run, pair.ran[0].strays + pair.ran[1].strays);
		if (is_failure(&pair, outcome, session->arena))
			return BG_OK;
		uint64_t now = bg_quota_throttled(&session->quota);
		if (now != throttled)
			pair.voided = "throttled by the CPU quota";
		throttled = now;
		if (pair.voided) {
			void_pair(session, run, pairs, &pair);
			continue;
		}
		run->idle_voids = 0;
		pairs->base[pairs->count] = pair.ran[0].time_s;
		pairs->head[pairs->count] = pair.ran[1].time_s;
		pairs->head_first[pairs->count++] = head_first;
	}
	return BG_OK;
}

enum bg_status bg_exec_launch(struct bg_session *session, struct bg_case_run *run,
			      enum bg_phase phase, struct bg_error *err)
{
	struct bg_arm_outcome outcome[2] = { { BG_ARM_OK, NULL }, { BG_ARM_OK, NULL } };
	enum bg_status status = BG_OK;
	if (!run->ready) {
		status = probe_case(session, run, outcome, err);
		if (status == BG_OK && outcome[0].state == BG_ARM_OK &&
		    outcome[1].state == BG_ARM_OK && quota_forbids(session, run))
			return BG_OK;
	}
	struct bg_pair_log pairs = { 0 };
	double start_s = bg_session_elapsed_s(session);
	if (status == BG_OK && outcome[0].state == BG_ARM_OK && outcome[1].state == BG_ARM_OK) {
		run->ready = true;
		run->pairs = bg_pairs_wanted(run);
		bg_pair_log_init(&pairs, run->pairs, session->arena);
		status = run_pairs(session, run, &pairs, outcome, err);
	}
	if (status != BG_OK)
		return status;
	if (outcome[0].state != BG_ARM_OK || outcome[1].state != BG_ARM_OK) {
		bg_case_settle(session, run, outcome);
		return BG_OK;
	}
	bg_record_pairs(session, run, phase, &pairs);
	double cost_s =
		(bg_session_elapsed_s(session) - start_s) / (double)(pairs.count + pairs.voided);
	run->pair_cost_s = run->pair_cost_s > 0 ? (run->pair_cost_s + cost_s) / 2 : cost_s;
	return BG_OK;
}
