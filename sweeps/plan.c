#include "sweeps/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
	const struct bg_case *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

/* Pointers to a list's cases, sorted by name, for finding. */
static const struct bg_case **sort_cases(const struct bg_case_list *list, struct bg_arena *arena)
{
	const struct bg_case **sorted = bg_arena_array(arena, list->count, sizeof *sorted);
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = &list->cases[i];
	qsort(sorted, list->count, sizeof *sorted, compare_names);
	return sorted;
}

static const struct bg_case *find_case(const struct bg_case **sorted, size_t count,
				       const struct bg_case *like)
{
	const struct bg_case **found = bsearch(&like, sorted, count, sizeof *sorted, compare_names);
	return found ? *found : NULL;
}

/* The narrowest that says something: workload, suite, the metric's own default. */
static double narrowest(double of_workload, double of_suite, double fallback)
{
	if (!isnan(of_workload))
		return of_workload;
	return isnan(of_suite) ? fallback : of_suite;
}

static void set_margins(struct bg_case_result *result, const struct bg_case *policy,
			const struct bg_suite *of_suite)
{
	const struct bg_margins *workload = &policy->entry->margins;
	const struct bg_margins *suite = &of_suite->margins;
	for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++) {
		const struct bg_metric_info *info = bg_metric_info(m);
		result->margin[m] = narrowest(workload->margin[m], suite->margin[m], info->margin);
		result->floor[m] = narrowest(workload->floor[m], suite->floor[m], info->floor);
	}
}

static void describe(struct bg_case_result *result, const struct bg_case *of)
{
	*result = (struct bg_case_result){
		.name = of->name,
		.workload = of->entry->name,
		.hash = of->hash,
		.file = of->suite->file,
		.line = of->entry->mark.line,
		.axis_count = of->axis_count,
		.axes = of->axes,
		.error = NAN,
		.tolerance = NAN,
	};
}

static void set_state(struct bg_case_result *result, enum bg_case_state state, const char *reason)
{
	result->state = state;
	result->reason = reason;
}

/* What a case of head's suite is, before anything ran. */
static void classify(struct bg_session *session, const struct bg_plan_input *input,
		     const struct bg_case *head, const struct bg_case *base,
		     struct bg_case_result *result)
{
	bool is_replay =
		head->entry->use == BG_USE_BUILTIN && strcmp(head->entry->word, "replay") == 0;
	if (head->skip)
		set_state(result, BG_CASE_SKIPPED, head->skip);
	else if (input->comparison == BG_COMPARISON_NOTHING)
		set_state(result, BG_CASE_NEW, "a plain run compares nothing");
	else if (input->comparison == BG_COMPARISON_STORED)
		set_state(result, BG_CASE_MEASURED, NULL);
	else if (!input->base)
		set_state(result, BG_CASE_NEW,
			  bg_arena_format(session->arena, "nothing to compare with: %s",
					  input->base_lacks));
	else if (!base && !input->suite_carried)
		set_state(result, BG_CASE_NEW,
			  "nothing to compare with: base's suite has no such case");
	else if (base && !input->suite_carried && strcmp(base->hash, head->hash) != 0)
		set_state(result, BG_CASE_NEW,
			  "nothing to compare with: base defines this case otherwise");
	else if (input->same_workers && head->entry->use == BG_USE_BUILTIN && !is_replay)
		set_state(result, BG_CASE_IDENTICAL,
			  "both arms run the same program on the same input; --aa measures it");
	else
		set_state(result, BG_CASE_MEASURED, NULL);
}

static void start_series(struct bg_session *session, struct bg_case_run *run,
			 const struct bg_suite *policy)
{
	struct bg_case_result *result = run->result;
	result->series = bg_arena_array(session->arena, BG_METRIC_COUNT, sizeof *result->series);
	for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++)
		run->judged[m] = bg_metric_info(m)->judged || policy->judge[m];
	result->series[result->series_count++].metric = BG_METRIC_TIME;
	result->series[result->series_count++].metric = BG_METRIC_TIME_MEAN;
}

static void add_run(struct bg_session *session, const struct bg_case *of, size_t place,
		    const struct bg_suite *policy)
{
	struct bg_case_run *run = &session->runs[session->run_count++];
	run->result = &session->result->cases[place];
	run->of = of;
	run->place = place;
	run->alone = run->result->state == BG_CASE_NEW ||
		     session->result->comparison != BG_COMPARISON_ARMS;
	start_series(session, run, policy);
}

static void add_missing(struct bg_session *session, const struct bg_plan_input *input)
{
	struct bg_result *result = session->result;
	if (!input->base)
		return;
	const struct bg_case **of_head = sort_cases(input->head, session->arena);
	for (size_t i = 0; i < input->base->count; i++) {
		const struct bg_case *base = &input->base->cases[i];
		if (find_case(of_head, input->head->count, base))
			continue;
		struct bg_case_result *missing = &result->cases[result->case_count++];
		describe(missing, base);
		set_margins(missing, base, base->suite);
		set_state(missing, BG_CASE_MISSING, "base's suite has this case, head's does not");
	}
}

void bg_plan_make(struct bg_session *session, const struct bg_plan_input *input)
{
	struct bg_result *result = session->result;
	size_t base_count = input->base ? input->base->count : 0;
	size_t most = input->head->count + base_count;
	result->cases = bg_arena_array(session->arena, most, sizeof *result->cases);
	session->runs = bg_arena_array(session->arena, input->head->count, sizeof *session->runs);
	const struct bg_case **of_base =
		input->base ? sort_cases(input->base, session->arena) : NULL;
	for (size_t i = 0; i < input->head->count; i++) {
		const struct bg_case *head = &input->head->cases[i];
		const struct bg_case *base = of_base ? find_case(of_base, base_count, head) : NULL;
		size_t place = result->case_count++;
		struct bg_case_result *of = &result->cases[place];
		describe(of, head);
		const struct bg_suite *policy = input->base_suite ? input->base_suite : head->suite;
		set_margins(of, base ? base : head, policy);
		classify(session, input, head, base, of);
		if (of->state == BG_CASE_MEASURED || of->state == BG_CASE_NEW)
			add_run(session, head, place, policy);
	}
	add_missing(session, input);
}
