#include "sweeps/session.h"

#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "gate/core/text.h"
#include "sweeps/launch.h"

#include <math.h>
#include <string.h>

void bg_session_init(struct bg_session *session, const struct bg_session_options *options,
		     struct bg_result *result, struct bg_arena *arena)
{
	*session = (struct bg_session){ .options = *options, .result = result, .arena = arena };
	CPU_ZERO(&session->allowed);
	if (options->cpus)
		session->allowed = *options->cpus;
	else if (sched_getaffinity(0, sizeof session->allowed, &session->allowed) != 0)
		CPU_SET(0, &session->allowed);
	bg_topology_read(&session->topology, "", &session->allowed);
	bg_quota_read(&session->quota, "");
	bg_random_init(&session->order, options->seed, "order");
	bg_random_init(&session->jitter, options->seed, "jitter");
	bg_hash_seed_init(&session->hash_seed, options->seed);
	session->started_ns = bg_clock_ns();
}

double bg_session_elapsed_s(const struct bg_session *session)
{
	if (session->result->virtual_clock)
		return session->virtual_s;
	return (double)(bg_clock_ns() - session->started_ns) * 1e-9;
}

/*
 * Whole steps of live workers: on their core, which our sleep leaves to them; a request then costs
 * 4 us instead of 60, and the core never falls idle between steps (A/A sd of gemm 512^3 .6 %
 * instead of 1.0 %). Everything else: off the cores that are measured, where others are left, since
 * a stop must come on time.
 */
static void place_parent(struct bg_session *session, const struct bg_case_run *run)
{
	cpu_set_t place;
	bool whole_steps = run->of->entry->use != BG_USE_EXEC && run->turn_ns == 0;
	CPU_XOR(&place, &session->allowed, &run->cpus);
	CPU_AND(&place, &place, &session->allowed);
	if (whole_steps && run->cores == 1)
		place = run->cpus;
	if (CPU_COUNT(&place) == 0 || CPU_COUNT(&run->cpus) == 0)
		place = session->allowed;
	(void)sched_setaffinity(0, sizeof place, &place);
}

static double estimate_left_s(const struct bg_session *session, unsigned looks_end)
{
	double left_s = 0;
	for (size_t i = 0; i < session->run_count; i++) {
		const struct bg_case_run *run = &session->runs[i];
		if (!run->open)
			continue;
		if (!run->ready)
			return NAN;
		double launch_s = run->launch_cost_s + run->pairs * run->pair_cost_s;
		unsigned left = run->launches < looks_end ? looks_end - run->launches : 1;
		left_s += launch_s * left;
	}
	return left_s;
}

static double round_cost_s(const struct bg_session *session)
{
	double cost_s = 0;
	for (size_t i = 0; i < session->run_count; i++)
		if (session->runs[i].open)
			cost_s += session->runs[i].launch_cost_s +
				  session->runs[i].pairs * session->runs[i].pair_cost_s;
	return cost_s;
}

static size_t open_count(const struct bg_session *session)
{
	size_t count = 0;
	for (size_t i = 0; i < session->run_count; i++)
		count += session->runs[i].open;
	return count;
}

/* Cases without a verdict: those that only hope for a better word have one. */
static size_t undecided_count(const struct bg_session *session)
{
	size_t count = 0;
	for (size_t i = 0; i < session->run_count; i++)
		count += session->runs[i].open && !session->runs[i].wish;
	return count;
}

static void tell_progress(struct bg_session *session, enum bg_phase phase, unsigned round,
			  const struct bg_case_run *run)
{
	if (!session->options.progress)
		return;
	struct bg_progress progress = {
		.phase = phase,
		.round = round,
		.cases = session->run_count,
		.cases_left = open_count(session),
		.case_name = run->result->name,
		.elapsed_s = bg_session_elapsed_s(session),
		.budget_s = session->options.budget_s,
		.left_s = estimate_left_s(session, bg_looks[0]),
	};
	session->options.progress(session->options.progress_context, &progress);
}

enum bg_status bg_session_launch(struct bg_session *session, struct bg_case_run *run,
				 enum bg_phase phase, struct bg_error *err)
{
	/* A case settled earlier in this very round (its workload vanished) has nothing to run. */
	if (!run->open || !bg_case_runs(run))
		return BG_OK;
	place_parent(session, run);
	if (run->of->entry->use == BG_USE_EXEC)
		return bg_exec_launch(session, run, phase, err);
	return bg_step_launch(session, run, phase, err);
}

/* Cases of one worker follow each other, where the first of them stood: it is started once. */
static void gather_workers(struct bg_session *session, size_t *order)
{
	size_t count = session->run_count, group_count = 1, gathered = 0;
	for (size_t i = 0; i < count; i++)
		if (session->runs[i].of->worker_group >= group_count)
			group_count = session->runs[i].of->worker_group + 1;
	struct bg_arena scratch = BG_ARENA_INIT;
	/* Lists of places, one a group: the first and last + 1, and each one's next + 1. */
	size_t *first = bg_arena_array(&scratch, group_count, sizeof *first);
	size_t *last = bg_arena_array(&scratch, group_count, sizeof *last);
	size_t *next = bg_arena_array(&scratch, count, sizeof *next);
	size_t *shuffled = bg_arena_array(&scratch, count, sizeof *shuffled);
	for (size_t i = 0; i < count; i++) {
		size_t group = session->runs[order[i]].of->worker_group;
		shuffled[i] = order[i];
		if (last[group])
			next[last[group] - 1] = i + 1;
		else
			first[group] = i + 1;
		last[group] = i + 1;
	}
	for (size_t i = 0; i < count; i++) {
		size_t *group = &first[session->runs[shuffled[i]].of->worker_group];
		for (size_t place = *group; place; place = next[place - 1])
			order[gathered++] = shuffled[place - 1];
		*group = 0;
	}
	bg_arena_release(&scratch);
}

/* One launch of every open case, in a random order; fresh workers for all of them. */
static enum bg_status run_round(struct bg_session *session, enum bg_phase phase, unsigned round,
				struct bg_error *err)
{
	size_t *order = bg_arena_array(session->arena, session->run_count, sizeof *order);
	for (size_t i = 0; i < session->run_count; i++)
		order[i] = i;
	bg_random_shuffle(&session->order, order, session->run_count);
	gather_workers(session, order);
	bg_hash_seed_draw(&session->hash_seed);
	enum bg_status status = BG_OK;
	for (size_t i = 0; i < session->run_count && status == BG_OK; i++) {
		struct bg_case_run *run = &session->runs[order[i]];
		if (!run->open)
			continue;
		tell_progress(session, phase, round, run);
		status = bg_session_launch(session, run, phase, err);
	}
	bg_workers_close(session);
	session->launch_number++;
	return status;
}

static void end_with(struct bg_session *session, enum bg_ending ending, const char *why)
{
	session->result->ending = ending;
	session->result->ending_why = why;
}

static bool out_of_budget(struct bg_session *session)
{
	double left_s = session->options.budget_s - bg_session_elapsed_s(session);
	if (round_cost_s(session) <= left_s)
		return false;
	if (undecided_count(session) == 0)
		return true;
	double more_s = estimate_left_s(session, bg_looks[BG_LOOK_COUNT - 1]) - left_s;
	const char *why = "the time allowed is too short even for one launch of each case; "
			  "raise --budget";
	if (more_s > 0)
		why = bg_arena_format(session->arena,
				      "the time allowed ended; at most about %.0f more %s needed",
				      ceil(more_s > 90 ? more_s / 60 : more_s),
				      more_s > 90 ? "minutes are" : "seconds are");
	end_with(session, BG_END_BUDGET, why);
	return true;
}

/* Which cases go on, from the data so far. */
static void update_needs(struct bg_session *session, struct bg_need *need, enum bg_phase phase)
{
	struct bg_arena scratch = BG_ARENA_INIT;
	bg_decide_needs(need, session->result, session->options.launches_max, &scratch);
	bg_arena_release(&scratch);
	for (size_t i = 0; i < session->run_count; i++) {
		struct bg_case_run *run = &session->runs[i];
		const struct bg_need *of = &need[run->place];
		bool wanted = phase == BG_PHASE_JUDGE ? of->launches : of->confirm;
		if (run->alone)
			wanted = phase == BG_PHASE_JUDGE &&
				 run->launches < session->options.alone_launches;
		run->wish = phase == BG_PHASE_JUDGE && of->wish && !of->launches;
		run->open = bg_case_runs(run) && (wanted || run->wish);
	}
}

/* Launches that were dropped (spoiled pairs) are made up for, but not without end. */
#define ROUNDS_MAX(launches) ((launches) + (launches) / 2 + 2)

static enum bg_status judge(struct bg_session *session, struct bg_need *need, struct bg_error *err)
{
	unsigned limit = ROUNDS_MAX(session->options.launches_max);
	for (unsigned round = 0; round < limit && open_count(session) > 0; round++) {
		if (out_of_budget(session))
			return BG_OK;
		enum bg_status status = run_round(session, BG_PHASE_JUDGE, round, err);
		if (status != BG_OK)
			return status;
		session->result->launches++;
		update_needs(session, need, BG_PHASE_JUDGE);
	}
	if (undecided_count(session) > 0)
		end_with(session, BG_END_LAUNCHES_MAX,
			 "too many launches were spoiled, see the notes; a quieter machine is "
			 "needed");
	else if (session->result->comparison == BG_COMPARISON_ARMS &&
		 session->options.launches_max < bg_looks[BG_LOOK_COUNT - 1])
		session->result->ending = BG_END_LAUNCHES_MAX;
	return BG_OK;
}

static enum bg_status confirm(struct bg_session *session, struct bg_need *need,
			      struct bg_error *err)
{
	update_needs(session, need, BG_PHASE_CONFIRM);
	if (open_count(session) == 0)
		return BG_OK;
	if (session->options.reshuffle)
		session->options.reshuffle(session->options.reshuffle_context);
	unsigned limit = ROUNDS_MAX(BG_CONFIRM_LAUNCHES);
	for (unsigned round = 0; round < limit && open_count(session) > 0; round++) {
		if (out_of_budget(session))
			return BG_OK;
		enum bg_status status = run_round(session, BG_PHASE_CONFIRM, round, err);
		if (status != BG_OK)
			return status;
		update_needs(session, need, BG_PHASE_CONFIRM);
	}
	return BG_OK;
}

static const char *why_no_launch(const struct bg_session *session)
{
	switch (session->result->ending) {
	case BG_END_INTERRUPTED:
		return "interrupted before its first launch";
	case BG_END_BUDGET:
		return "the time allowed ended before its first launch";
	case BG_END_COMPLETE:
	case BG_END_LAUNCHES_MAX:
		break;
	}
	return "every launch was spoiled, see conditions";
}

/* A case that never had a launch says so; one that was settled keeps its pairs but no data. */
static void close_unmeasured(struct bg_session *session)
{
	for (size_t i = 0; i < session->run_count; i++) {
		struct bg_case_run *run = &session->runs[i];
		struct bg_case_result *result = run->result;
		if (bg_case_runs(run) && run->launches > 0)
			continue;
		result->series_count = 0;
		if (!bg_case_runs(run))
			continue;
		if (result->state == BG_CASE_NEW &&
		    session->result->comparison == BG_COMPARISON_ARMS) {
			result->reason = bg_arena_format(session->arena, "%s; it was not run: %s",
							 result->reason, why_no_launch(session));
			continue;
		}
		result->state = BG_CASE_UNMEASURED;
		result->reason = why_no_launch(session);
	}
}

enum bg_status bg_session_run(struct bg_session *session, struct bg_error *err)
{
	struct bg_need *need =
		bg_arena_array(session->arena, session->result->case_count, sizeof *need);
	cpu_set_t ours;
	bool have_ours = sched_getaffinity(0, sizeof ours, &ours) == 0;
	bg_session_place(session);
	enum bg_status status = judge(session, need, err);
	if (status == BG_OK)
		status = confirm(session, need, err);
	bg_workers_close(session);
	if (status == BG_E_INTERRUPTED) {
		end_with(session, BG_END_INTERRUPTED, "interrupted; what was finished is kept");
		bg_error_clear(err);
		status = BG_OK;
	}
	close_unmeasured(session);
	if (have_ours)
		(void)sched_setaffinity(0, sizeof ours, &ours);
	session->result->seconds = bg_session_elapsed_s(session);
	return status;
}
