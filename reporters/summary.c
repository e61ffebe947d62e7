#include "reporters/summary.h"

#include "gate/verdict/exit.h"
#include "reporters/format.h"
#include "reporters/visible.h"

#include <string.h>

const char *bg_summary_verdict(int exit_code)
{
	switch (exit_code) {
	case 0:
		return "pass";
	case 1:
		return "regression";
	case 3:
		return "indeterminate";
	default:
		return "error";
	}
}

void bg_summary_counts(struct bg_buffer *out, const struct bg_report *report)
{
	bg_buffer_format(out, "%zu %s judged, %zu not judged", report->judged,
			 report->judged == 1 ? "cell" : "cells", report->not_judged);
	if (report->cell_count == 0)
		bg_buffer_text(out, ": nothing was measured");
	const char *before = ": ";
	for (int verdict = 0; verdict < BG_VERDICT_COUNT; verdict++) {
		if (bg_verdict_is_judged((enum bg_verdict)verdict) || report->count[verdict] == 0)
			continue;
		bg_buffer_format(out, "%s%zu %s", before, report->count[verdict],
				 bg_verdict_name((enum bg_verdict)verdict));
		before = ", ";
	}
}

void bg_summary_arm(struct bg_buffer *out, const struct bg_arm_result *arm, size_t id_size)
{
	const char *id = arm->commit ? arm->commit : "no commit";
	size_t size = strspn(id, "0123456789abcdef");
	if (id[size] == '\0')
		bg_buffer_add(out, id, size < id_size ? size : id_size);
	else
		bg_visible_add(out, id, BG_VISIBLE_LINE);
	const char *before = " (";
	if (arm->how) {
		bg_buffer_text(out, before);
		bg_visible_add(out, arm->how, BG_VISIBLE_LINE);
		before = ", ";
	}
	if (arm->dirty) {
		bg_buffer_format(out, "%swith uncommitted changes", before);
		before = ", ";
	}
	bg_buffer_text(out, before[0] == ',' ? ")" : "");
	if (arm->subject) {
		bg_buffer_text(out, ": ");
		bg_visible_add(out, arm->subject, BG_VISIBLE_LINE);
	}
}

#define LABEL_WIDTH 9

struct facts {
	struct bg_buffer *out, *line;
	struct bg_wrap wrap;
};

/* Prints the line gathered so far under its label. */
static void add_fact(const struct facts *facts, const char *label)
{
	bg_buffer_format(facts->out, "%-*s", LABEL_WIDTH, label);
	bg_wrap_add(facts->out, facts->line->bytes ? facts->line->bytes : "", facts->wrap);
	bg_buffer_text(facts->out, "\n");
	bg_buffer_clear(facts->line);
}

static void add_machine(const struct facts *facts, const struct bg_result *result)
{
	bg_visible_add(facts->line, result->machine ? result->machine : "unknown", BG_VISIBLE_LINE);
	if (result->runner_class) {
		bg_buffer_text(facts->line, "; runner class ");
		bg_visible_add(facts->line, result->runner_class, BG_VISIBLE_LINE);
	} else if (result->runner_class_why) {
		bg_buffer_text(facts->line, "; runner class unknown: ");
		bg_visible_add(facts->line, result->runner_class_why, BG_VISIBLE_LINE);
	}
	add_fact(facts, "machine");
}

static void add_run(const struct facts *facts, const struct bg_result *result)
{
	bg_buffer_format(facts->line, "%u %s in ", result->launches,
			 result->launches == 1 ? "launch" : "launches");
	bg_format_duration(facts->line, result->seconds);
	bg_buffer_format(facts->line, ", seed %llu", (unsigned long long)result->seed);
	if (result->program) {
		bg_buffer_text(facts->line, ", ");
		bg_visible_add(facts->line, result->program, BG_VISIBLE_LINE);
	}
	if (result->started_utc) {
		bg_buffer_text(facts->line, ", started ");
		bg_visible_add(facts->line, result->started_utc, BG_VISIBLE_LINE);
		bg_buffer_text(facts->line, " UTC");
	}
	if (result->aa)
		bg_buffer_text(facts->line, "; both arms are the same commit on purpose (--aa)");
	if (result->virtual_clock)
		bg_buffer_text(facts->line, "; replay on a virtual clock: nothing was measured");
	add_fact(facts, "run");
}

static void add_ending(const struct facts *facts, const struct bg_result *result)
{
	if (result->ending == BG_END_COMPLETE)
		return;
	if (result->ending == BG_END_BUDGET) {
		bg_buffer_text(facts->line, "when the budget of ");
		bg_format_duration(facts->line, result->budget_s);
		bg_buffer_text(facts->line, " was spent");
	} else if (result->ending == BG_END_LAUNCHES_MAX) {
		bg_buffer_text(facts->line, "at the largest number of launches allowed");
	} else {
		bg_buffer_text(facts->line, "by a signal");
	}
	if (result->ending_why) {
		bg_buffer_text(facts->line, ": ");
		bg_visible_add(facts->line, result->ending_why, BG_VISIBLE_LINE);
	}
	add_fact(facts, "ended");
}

static void add_chance(const struct facts *facts, const struct bg_report *report)
{
	bg_buffer_text(facts->line, "at most ");
	bg_format_limit(facts->line, report->error_budget);
	bg_buffer_text(facts->line, " a run that a cell within its limit is called REGRESSED");
	add_fact(facts, "chance");
}

/* What add_facts leaves out. */
enum omission { NOTHING, POLICY, POLICY_AND_NOTES };

static void add_facts(struct bg_buffer *out, const struct bg_report *report, struct bg_wrap wrap,
		      enum omission omission)
{
	const struct bg_result *result = report->result;
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	wrap.indent = LABEL_WIDTH;
	struct facts facts = { out, &line, wrap };
	if (result->comparison != BG_COMPARISON_NOTHING) {
		bg_summary_arm(&line, &result->base, BG_SHORT_ID_SIZE);
		add_fact(&facts, "base");
	}
	bg_summary_arm(&line, &result->head, BG_SHORT_ID_SIZE);
	add_fact(&facts, "head");
	add_machine(&facts, result);
	add_run(&facts, result);
	add_ending(&facts, result);
	if (result->comparison != BG_COMPARISON_NOTHING)
		add_chance(&facts, report);
	for (size_t i = 0; i < result->policy_change_count && omission == NOTHING; i++) {
		bg_visible_add(&line, result->policy_changes[i], BG_VISIBLE_LINE);
		add_fact(&facts, "policy");
	}
	for (size_t i = 0; i < result->condition_count && omission != POLICY_AND_NOTES; i++) {
		bg_visible_add(&line, result->conditions[i], BG_VISIBLE_LINE);
		add_fact(&facts, "note");
	}
}

void bg_summary_add(struct bg_buffer *out, const struct bg_report *report, struct bg_wrap wrap)
{
	add_facts(out, report, wrap, NOTHING);
}

void bg_summary_add_run(struct bg_buffer *out, const struct bg_report *report, struct bg_wrap wrap)
{
	add_facts(out, report, wrap, POLICY);
}

void bg_summary_facts(struct bg_buffer *out, const struct bg_report *report)
{
	add_facts(out, report, (struct bg_wrap){ 0, 0 }, POLICY_AND_NOTES);
}
