#include "sweeps/plan.h"

#include "sweeps/filter.h"
#include "sweeps/match.h"
#include "sweeps/phrase.h"
#include "sweeps/policy.h"
#include "sweeps/removal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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

/* Why a case of head's has nothing to be compared with; NULL where it has. */
static const char *why_new(const struct bg_plan_input *input, const struct bg_match *match,
			   struct bg_arena *arena)
{
	if (input->comparison == BG_COMPARISON_NOTHING)
		return "a plain run compares nothing";
	if (input->comparison == BG_COMPARISON_STORED)
		return NULL;
	if (!input->base)
		return bg_arena_format(arena, "nothing to compare with: %s", input->base_lacks);
	if (match->base || input->suite_carried)
		return NULL;
	if (!match->old_name)
		return "nothing to compare with: base's suite has no such case";
	return bg_arena_format(arena,
			       "nothing to compare with: base's suite has no such case, nor %s",
			       bg_phrase_quote(arena, match->old_name));
}

/* What a case of head's suite is, before anything ran. */
static void classify(struct bg_session *session, const struct bg_plan_input *input,
		     const struct bg_match *match, struct bg_case_result *result)
{
	const struct bg_case *head = match->head;
	bool is_same = input->same_workers && input->comparison == BG_COMPARISON_ARMS &&
		       head->entry->use == BG_USE_BUILTIN &&
		       strcmp(head->entry->word, "replay") != 0;
	const char *new_case = why_new(input, match, session->arena);
	if (head->skip)
		set_state(result, BG_CASE_SKIPPED, head->skip);
	else if (head->fault)
		set_state(result, !new_case && head->base_works ? BG_CASE_FAILED : BG_CASE_BROKEN,
			  head->fault);
	else if (new_case)
		set_state(result, BG_CASE_NEW, new_case);
	else if (is_same)
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

static const char *missing_reason(const struct bg_rename_hints *hints, const struct bg_case *base,
				  struct bg_arena *arena)
{
	const char *hint = bg_rename_hint(hints, base, arena);
	if (hint)
		return bg_arena_format(
			arena,
			"base's suite has this case, head's does not, but a new one "
			"of the same definition; if it was renamed, say so: aliases: "
			"{ %s }",
			hint);
	return "base's suite has this case, head's does not; if that is meant, list it under "
	       "removed:";
}

/* A case that only base's suite has; why: the reason where removed: does not name it. */
static void add_gone(struct bg_session *session, const struct bg_plan_input *input,
		     const struct bg_case *base, const char *why)
{
	struct bg_case_result *gone = &session->result->cases[session->result->case_count++];
	describe(gone, base);
	set_margins(gone, base, base->suite);
	const struct bg_removal *removal =
		bg_removal_of(input->head_suite, base->name, base->entry->name);
	if (removal)
		set_state(gone, BG_CASE_REMOVED,
			  bg_arena_format(session->arena,
					  "gone from head, and listed under removed: in line %u of "
					  "its suite",
					  removal->mark.line));
	else
		set_state(gone, BG_CASE_MISSING, why);
}

static void add_gone_cases(struct bg_session *session, const struct bg_plan_input *input,
			   const struct bg_matches *matches)
{
	struct bg_rename_hints hints;
	bg_rename_hints_make(&hints, matches, session->arena);
	for (size_t i = 0; i < input->base->count; i++) {
		const struct bg_case *base = &input->base->cases[i];
		if (!matches->base_taken[i] && bg_filter_takes(input->filter, base->name))
			add_gone(session, input, base,
				 missing_reason(&hints, base, session->arena));
	}
}

/*
 * Workloads of base that this version, or head's worker, does not have. One that head's suite has
 * dropped stands for its cases, whose names are not known.
 */
static void add_lost(struct bg_session *session, const struct bg_plan_input *input)
{
	struct bg_arena *arena = session->arena;
	assert(input->base_suite);
	struct bg_name_map known = { .arena = arena };
	for (size_t i = 0; i < input->head_suite->workload_count; i++)
		(void)bg_name_map_add(&known, input->head_suite->workloads[i].name, 0);
	for (size_t i = 0; i < input->base->count; i++)
		(void)bg_name_map_add(&known, input->base->cases[i].entry->name, 0);
	for (size_t i = 0; i < input->base->lost_count; i++) {
		const struct bg_lost_entry *lost = &input->base->lost[i];
		if (bg_name_map_add(&known, lost->entry->name, 0)) {
			bg_condition_add(session, "base's suite cannot be run in full: %s",
					 lost->why);
			continue;
		}
		struct bg_case of = { .entry = lost->entry,
				      .suite = input->base_suite,
				      .name = lost->entry->name,
				      .hash = "0000000000000000" };
		if (bg_filter_takes(input->filter, of.name))
			add_gone(session, input, &of,
				 bg_arena_format(arena,
						 "base's suite has this workload, head's does not, "
						 "and it cannot be run (%s); if that is meant, "
						 "list it under removed:",
						 lost->why));
	}
}

static bool names_something(const struct bg_removal *removal, const struct bg_case_list *list)
{
	struct bg_removal copy = *removal;
	struct bg_suite alone = { .removal_count = 1, .removals = &copy };
	for (size_t i = 0; i < list->lost_count; i++)
		if (bg_removal_of(&alone, list->lost[i].entry->name, list->lost[i].entry->name))
			return true;
	for (size_t i = 0; i < list->count; i++)
		if (bg_removal_of(&alone, list->cases[i].name, list->cases[i].entry->name))
			return true;
	return false;
}

/* An entry outlives the case it names; it then does no harm, and is not to be an error. */
static void note_idle_removals(struct bg_session *session, const struct bg_plan_input *input)
{
	const struct bg_suite *head = input->head_suite;
	size_t count = 0;
	if (head->removal_count == 0 || input->filter->axis_count > 0)
		return;
	const char **idle = bg_arena_array(session->arena, head->removal_count, sizeof *idle);
	for (size_t i = 0; i < head->removal_count; i++)
		if (!names_something(&head->removals[i], input->base))
			idle[count++] = head->removals[i].pattern;
	if (count > 0)
		bg_condition_add(session, "removed: names what base does not have either: %s",
				 bg_phrase_list(session->arena, idle, count));
}

void bg_plan_make(struct bg_session *session, const struct bg_plan_input *input)
{
	struct bg_result *result = session->result;
	struct bg_matches matches;
	size_t base_count = input->base ? input->base->count + input->base->lost_count : 0;
	size_t most = input->head->count + base_count;
	result->cases = bg_arena_array(session->arena, most, sizeof *result->cases);
	session->runs = bg_arena_array(session->arena, input->head->count, sizeof *session->runs);
	const struct bg_suite *policy = input->base_suite ? input->base_suite : input->head_suite;
	bg_matches_make(&matches, input->head, input->base, input->head_suite, session->arena);
	for (size_t i = 0; i < matches.count; i++) {
		const struct bg_match *match = &matches.of[i];
		size_t place = result->case_count++;
		struct bg_case_result *of = &result->cases[place];
		describe(of, match->head);
		set_margins(of, match->policy, policy);
		classify(session, input, match, of);
		if (of->state == BG_CASE_MEASURED || of->state == BG_CASE_NEW)
			add_run(session, match->head, place, policy);
	}
	if (!input->base)
		return;
	add_gone_cases(session, input, &matches);
	add_lost(session, input);
	note_idle_removals(session, input);
	bg_policy_compare(result, input->base_suite, input->head_suite, &matches, session->arena);
}
