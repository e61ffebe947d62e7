#include "gate/cli/gate_session.h"

#include "baselines/swap.h"
#include "gate/cli/gate_result.h"
#include "sweeps/alias.h"
#include "sweeps/removal.h"

#include <string.h>

/* A metric that a suite judges and this version does not measure; NULL where there is none. */
static const char *unmeasured_metric(const struct bg_suite *suite)
{
	for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++)
		if (suite->judge[m] && m != BG_METRIC_TIME && m != BG_METRIC_TIME_MEAN &&
		    m != BG_METRIC_HOST_PEAK)
			return bg_metric_info(m)->name;
	return NULL;
}

/* What a suite asks for and this version does not do is refused, not passed over. */
static enum bg_status refuse_unsupported(const struct bg_suite *suite, struct bg_error *err)
{
	const char *metric = unmeasured_metric(suite);
	if (metric)
		return bg_fail(err, BG_E_INPUT, "%s: judge: %s is not measured by this version",
			       suite->file, metric);
	return BG_OK;
}

/* What head's suite says of names that it had or has no more. */
static enum bg_status check_names(const struct bg_gate_session *gs, struct bg_error *err)
{
	const struct bg_suite *suite = &gs->gate->head_suite;
	/* With --axis the cases are not the suite's own. */
	const struct bg_name_map *names = gs->filter.axis_count == 0 ? &gs->head_cases.names : NULL;
	enum bg_status status = bg_aliases_check(suite, names, gs->gate->arena, err);
	return status == BG_OK ? bg_removed_check(suite, names, gs->gate->arena, err) : status;
}

static enum bg_status expand(struct bg_gate_session *ret, struct bg_gate *gate,
			     const struct bg_catalogue *catalogue, struct bg_error *err)
{
	const struct bg_gate_options *options = gate->options;
	ret->filter = (struct bg_filter){ .glob_count = options->only.count,
					  .globs = options->only.values,
					  .axis_count = options->axes.count,
					  .axes = options->axes.values };
	enum bg_status status = bg_cases_expand(&ret->head_cases, &gate->head_suite, catalogue,
						&ret->filter, gate->arena, err);
	if (status == BG_OK)
		status = check_names(ret, err);
	if (status != BG_OK || !gate->have_base_suite)
		return status;
	/*
	 * --only speaks of head's names; base's may be others. What base's suite says wrong is no
	 * fault of head's.
	 */
	struct bg_filter whole = { .axis_count = options->axes.count,
				   .axes = options->axes.values,
				   .lenient = true };
	struct bg_error in_base = BG_ERROR_INIT;
	if (bg_cases_expand(&ret->base_cases, &gate->base_suite, catalogue, &whole, gate->arena,
			    &in_base) != BG_OK)
		ret->base_cases.count = 0; /* base has no such axis: all is new */
	return BG_OK;
}

/* A build that failed settles every case that would have been measured. */
static void settle_builds(struct bg_gate_session *gs)
{
	const struct bg_gate *gate = gs->gate;
	const char *base = gate->build_fault[0], *head = gate->build_fault[1];
	for (size_t i = 0; (base || head) && i < gs->session.run_count; i++) {
		struct bg_case_run *run = &gs->session.runs[i];
		struct bg_case_result *result = run->result;
		bool no_base = base || run->alone;
		result->state = no_base && head ? BG_CASE_BROKEN
				: head		? BG_CASE_FAILED
						: BG_CASE_NEW;
		run->alone = no_base;
		result->reason =
			head ? head
			     : bg_arena_format(gate->arena, "nothing to compare with: %s", base);
	}
}

/* Where a tree lacks the suite's own worker, what workers run in it settles. */
static void settle_workers(struct bg_gate_session *gs)
{
	const struct bg_gate *gate = gs->gate;
	const char *base = gate->no_worker[0], *head = gate->no_worker[1];
	for (size_t i = 0; (base || head) && i < gs->session.run_count; i++) {
		struct bg_case_run *run = &gs->session.runs[i];
		enum bg_case_state state = run->result->state;
		if (run->of->entry->use != BG_USE_BUILTIN ||
		    (state != BG_CASE_MEASURED && state != BG_CASE_NEW))
			continue;
		bool no_base = base || run->alone;
		run->result->state = no_base && head ? BG_CASE_BROKEN
				     : head	     ? BG_CASE_FAILED
						     : BG_CASE_NEW;
		if (head)
			run->result->reason = head;
		else if (!run->alone)
			run->result->reason =
				bg_arena_format(gate->arena, "nothing to compare with: %s", base);
		run->alone = no_base;
	}
}

static void set_arms(struct bg_gate_session *gs)
{
	struct bg_gate *gate = gs->gate;
	const char *dir[2] = { gate->trees.base, gate->trees.head };
	static const char *const name[2] = { "base", "head" };
	static const char *const worker[2] = { "worker of base", "worker of head" };
	for (size_t i = 0; i < 2; i++)
		gs->session.arm[i] = (struct bg_arm){
			.place = { .name = name[i], .dir = dir[i], .envp = gate->environment[i] },
			.worker = gate->worker[i],
			.worker_name = worker[i],
			.chosen = gate->chosen_worker[i],
			.remote = gate->remote[i],
			.log_fd = gate->log_fd[i],
		};
}

/* The file that a case runs in an arm's tree, relative to it; NULL where it is elsewhere. */
static const char *own_file(const struct bg_case *of)
{
	const char *file = of->entry->use == BG_USE_PLUGIN    ? of->entry->path
			   : of->entry->use == BG_USE_PROGRAM ? of->worker[0]
			   : of->entry->use == BG_USE_EXEC    ? of->command[0]
							      : NULL;
	return file && strchr(file, '/') && file[0] != '/' ? file : NULL;
}

static void renew_programs(struct bg_gate_session *gs)
{
	for (size_t i = 0; i < gs->session.run_count; i++) {
		const char *file = own_file(gs->session.runs[i].of);
		for (size_t arm = 0; file && arm < 2; arm++)
			bg_file_renew(gs->session.arm[arm].place.dir, file);
	}
}

static void reshuffle(void *context)
{
	struct bg_gate_session *gs = context;
	const char *remark = NULL;
	bool swapped = false;
	struct bg_error err = BG_ERROR_INIT;
	if (bg_worktrees_swap(&gs->gate->trees, &swapped, &remark, gs->gate->arena, &err) != BG_OK)
		remark = bg_arena_text(gs->gate->arena, err.text);
	if (swapped) {
		struct bg_arm_place *base = &gs->session.arm[0].place,
				    *head = &gs->session.arm[1].place;
		const char *dir = base->dir;
		const char *const *envp = base->envp;
		base->dir = head->dir;
		base->envp = head->envp; /* it may name the path */
		head->dir = dir;
		head->envp = envp;
		gs->swapped = true;
	} else if (remark) {
		bg_condition_add(&gs->session, "%s", remark);
	}
	renew_programs(gs);
}

static cpu_set_t given_cpus(const struct bg_gate_options *options)
{
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	for (size_t i = 0; i < options->cpus.count; i++)
		CPU_SET(options->cpus.values[i], &cpus);
	return cpus;
}

#define STORED_LAUNCHES 10

/* What is new shows that it runs, and its level; a plain run is there for the levels. */
static unsigned alone_launches(const struct bg_gate *gate)
{
	unsigned most = (unsigned)gate->options->launches_max;
	if (gate->comparison == BG_COMPARISON_ARMS)
		return 1;
	/* One look at the session as a whole: it differs from others by more than launches do. */
	if (gate->comparison == BG_COMPARISON_STORED)
		return most < STORED_LAUNCHES ? most : STORED_LAUNCHES;
	return most;
}

enum bg_status bg_gate_plan(struct bg_gate_session *ret, struct bg_gate *gate,
			    const struct bg_catalogue *catalogue, struct bg_error *err)
{
	const struct bg_gate_options *options = gate->options;
	ret->gate = gate;
	enum bg_status status = refuse_unsupported(&gate->head_suite, err);
	if (status == BG_OK)
		status = expand(ret, gate, catalogue, err);
	if (status != BG_OK)
		return status;
	cpu_set_t cpus = given_cpus(options), allowed;
	if (options->cpus.count > 0 && sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
		CPU_AND(&allowed, &allowed, &cpus);
		if (!CPU_EQUAL(&allowed, &cpus))
			return bg_fail(err, BG_E_USAGE,
				       "--cpus: not all of these CPUs exist or may be used here");
	}
	struct bg_session_options session = { .seed = options->seed,
					      .budget_s = options->budget_s,
					      .timeout_s = options->timeout_s,
					      .launches_max = (unsigned)options->launches_max,
					      .alone_launches = alone_launches(gate),
					      .identify = !options->aa && !options->base_worker &&
							  !options->head_worker,
					      .cpus = options->cpus.count ? &cpus : NULL,
					      .progress = bg_progress_show,
					      .progress_context = gate->progress,
					      .reshuffle = reshuffle,
					      .reshuffle_context = ret };
	bg_gate_result_start(&ret->result, gate);
	bg_session_init(&ret->session, &session, &ret->result, gate->arena);
	ret->session.options.cpus = NULL; /* cpus is ours; the session has its copy */
	set_arms(ret);
	struct bg_plan_input input = { .base_suite =
					       gate->have_base_suite ? &gate->base_suite : NULL,
				       .head_suite = &gate->head_suite,
				       .base = gate->have_base_suite ? &ret->base_cases : NULL,
				       .head = &ret->head_cases,
				       .filter = &ret->filter,
				       .comparison = gate->comparison,
				       .base_lacks = gate->base_lacks,
				       .suite_carried = gate->suite_carried,
				       .same_workers = gate->same_workers };
	bg_plan_make(&ret->session, &input);
	settle_builds(ret);
	settle_workers(ret);
	const char *lost = gate->have_base_suite ? unmeasured_metric(&gate->base_suite) : NULL;
	if (lost)
		bg_condition_add(&ret->session,
				 "base's suite judges %s, which this version does not measure",
				 lost);
	if (gate->dirty && !gate->from_worktree)
		bg_condition_add(&ret->session, "the work tree has changes that are not committed; "
						"the commits were judged, not the changes");
	for (size_t i = 0; i < gate->remarks.count; i++)
		bg_condition_add(&ret->session, "%s", gate->remarks.values[i]);
	return BG_OK;
}

enum bg_status bg_gate_measure(struct bg_gate_session *gate_session, struct bg_error *err)
{
	return bg_session_run(&gate_session->session, err);
}
