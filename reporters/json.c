/*
 * report.json, schema "batchgate.report/1" (docs/report.schema.json). Members are only ever added
 * within one major version. Numbers are SI units, finite, or null with a reason beside them; a cell
 * is one line, so that two reports can be compared by eye.
 */
#include "reporters/reporter.h"

#include "gate/verdict/exit.h"
#include "gate/wire/json.h"
#include "gate/wire/result_words.h"
#include "reporters/summary.h"

#include <math.h>

/* Adding zero turns -0.0, which a reader of JSON may or may not keep, into 0.0. */
static void put_number(struct bg_json_writer *json, const char *key, double number)
{
	bg_json_put_number(json, key, number + 0.0);
}

static void put_arm(struct bg_json_writer *json, const char *key, const struct bg_arm_result *arm)
{
	bg_json_open(json, key, '{');
	bg_json_put_text(json, "commit", arm->commit);
	bg_json_put_text(json, "subject", arm->subject);
	bg_json_put_text(json, "how", arm->how);
	bg_json_put_bool(json, "dirty", arm->dirty);
	bg_json_close(json, '}');
}

static void put_lines(struct bg_json_writer *json, const char *key, const char *const *lines,
		      size_t count)
{
	bg_json_open(json, key, '[');
	for (size_t i = 0; i < count; i++)
		bg_json_put_text(json, NULL, lines[i]);
	bg_json_close(json, ']');
}

static void put_counts(struct bg_json_writer *json, const struct bg_report *report)
{
	bg_json_put_u64(json, "judged", report->judged);
	bg_json_put_u64(json, "not_judged", report->not_judged);
	bg_json_open(json, "not_judged_by", '{');
	for (int verdict = 0; verdict < BG_VERDICT_COUNT; verdict++)
		if (!bg_verdict_is_judged((enum bg_verdict)verdict) && report->count[verdict] > 0)
			bg_json_put_u64(json, bg_verdict_name((enum bg_verdict)verdict),
					report->count[verdict]);
	bg_json_close(json, '}');
	bg_json_open(json, "verdicts", '{');
	for (int verdict = 0; verdict < BG_VERDICT_COUNT; verdict++)
		if (report->count[verdict] > 0)
			bg_json_put_u64(json, bg_verdict_name((enum bg_verdict)verdict),
					report->count[verdict]);
	bg_json_close(json, '}');
}

static void put_run(struct bg_json_writer *json, const struct bg_report_view *view)
{
	const struct bg_report *report = view->report;
	const struct bg_result *result = report->result;
	bg_json_put_text(json, "schema", "batchgate.report/1");
	bg_json_put_text(json, "program", result->program);
	bg_json_put_text(json, "verdict", bg_summary_verdict(view->exit_code));
	bg_json_put_u64(json, "exit_code", (uint64_t)view->exit_code);
	bg_json_put_text(json, "sentence", report->sentence);
	bg_json_put_text(json, "fault", view->fault);
	bg_json_put_bool(json, "strict", report->strict);
	bg_json_put_text(json, "suite", result->suite);
	bg_json_put_text(json, "suite_file", result->suite_file);
	bg_json_put_u64(json, "seed", result->seed);
	bg_json_put_bool(json, "aa", result->aa);
	put_arm(json, "base", &result->base);
	put_arm(json, "head", &result->head);
	put_counts(json, report);
	put_number(json, "error_budget", report->error_budget);
	bg_json_put_u64(json, "launches", result->launches);
	bg_json_put_text(json, "started_utc", result->started_utc);
	put_number(json, "seconds", result->seconds);
	put_number(json, "budget_s", result->budget_s);
	bg_json_put_text(json, "ending", bg_ending_name(result->ending));
	bg_json_put_text(json, "ending_why", result->ending_why);
	bg_json_put_bool(json, "virtual_clock", result->virtual_clock);
	bg_json_put_text(json, "machine", result->machine);
	bg_json_put_text(json, "runner_class", result->runner_class);
	bg_json_put_text(json, "runner_class_why", result->runner_class_why);
	put_lines(json, "conditions", result->conditions, result->condition_count);
	put_lines(json, "policy_changes", result->policy_changes, result->policy_change_count);
}

/* Why numbers of a cell are null; NULL where none is. */
static const char *null_reason(const struct bg_cell *cell)
{
	if (cell->alone > 0)
		return "head ran alone: there is no base arm";
	if (!cell->measured)
		return cell->launches > 0 ? "a zero leaves no ratio" : "not measured";
	if (!isfinite(cell->effect) || !isfinite(cell->low) || !isfinite(cell->high))
		return "no finite estimate from these launches";
	if (!isfinite(cell->mde))
		return "mde: no spread to compute it from";
	return NULL;
}

static void put_numbers(struct bg_json_writer *json, const struct bg_cell *cell)
{
	double unknown = cell->measured ? 0 : (double)NAN;
	double no_level = cell->launches > 0 ? 0 : (double)NAN;
	double no_head = cell->alone > 0 ? 0 : no_level;
	put_number(json, "effect", cell->effect + unknown);
	put_number(json, "low", cell->low + unknown);
	put_number(json, "high", cell->high + unknown);
	put_number(json, "margin", cell->margin);
	put_number(json, "floor", cell->floor);
	put_number(json, "mde", cell->mde + unknown);
	bg_json_put_u64(json, "launches", cell->launches);
	bg_json_put_u64(json, "confirm_launches", cell->confirm_launches);
	put_number(json, "base", cell->base + no_level);
	put_number(json, "head", cell->head + no_head);
	bg_json_put_u64(json, "launches_alone", cell->alone);
	if (cell->items_per_s > 0)
		put_number(json, "items_per_s", cell->items_per_s);
	else
		bg_json_put_null(json, "items_per_s");
	bg_json_put_text(json, "null_reason", null_reason(cell));
}

static void put_axes(struct bg_json_writer *json, const struct bg_case_result *of)
{
	bg_json_open(json, "axes", '{');
	for (size_t i = 0; i < of->axis_count; i++)
		bg_json_put_text(json, of->axes[i].name, of->axes[i].value);
	bg_json_close(json, '}');
}

static void put_confirmed(struct bg_json_writer *json, enum bg_confirmation confirmed)
{
	if (confirmed == BG_CONFIRM_NONE)
		bg_json_put_null(json, "confirmed");
	else
		bg_json_put_bool(json, "confirmed", confirmed == BG_CONFIRMED);
}

static const char *outcome_word(enum bg_outcome outcome)
{
	static const char *const words[] = {
		[BG_OUTCOME_PASS] = "pass",
		[BG_OUTCOME_SKIPPED] = "skipped",
		[BG_OUTCOME_ERROR] = "error",
		[BG_OUTCOME_FAILURE] = "failure",
	};
	return words[outcome];
}

static void put_how(struct bg_json_writer *json, const struct bg_case_result *of)
{
	bg_json_put_text(json, "file", of->file);
	bg_json_put_u64(json, "line", of->line);
	bg_json_put_text(json, "hash", of->hash);
	bg_json_put_text(json, "turns", of->turns);
	bg_json_put_text(json, "turns_why", of->turns_why);
	put_number(json, "turn_tax", of->turn_tax);
	bg_json_put_text(json, "cpus", of->cpus);
	bg_json_put_text(json, "cpus_why", of->cpus_why);
	bg_json_put_text(json, "kernel", of->kernel);
}

static void put_cell(struct bg_json_writer *json, const struct bg_report *report,
		     const struct bg_cell *cell)
{
	const struct bg_metric_info *metric = bg_metric_info(cell->metric);
	bg_json_open(json, NULL, '{');
	json->pretty = false;
	bg_json_put_text(json, "suite", report->result->suite);
	bg_json_put_text(json, "workload", cell->of->workload);
	bg_json_put_text(json, "case", cell->of->name);
	put_axes(json, cell->of);
	bg_json_put_text(json, "metric", metric->name);
	bg_json_put_text(json, "unit", metric->unit);
	bg_json_put_text(json, "better", "lower");
	bg_json_put_text(json, "verdict", bg_verdict_name(cell->verdict));
	bg_json_put_text(json, "outcome", outcome_word(cell->outcome));
	put_numbers(json, cell);
	put_confirmed(json, cell->confirmed);
	bg_json_put_text(json, "reason", cell->reason);
	bg_json_put_text(json, "sentence", cell->sentence);
	put_how(json, cell->of);
	bg_json_close(json, '}');
	json->pretty = true;
}

static enum bg_status write_json(struct bg_buffer *out, const struct bg_report_view *view,
				 struct bg_error *err)
{
	struct bg_json_writer json;
	bg_json_start(&json, out, true);
	bg_json_open(&json, NULL, '{');
	put_run(&json, view);
	bg_json_open(&json, "cells", '[');
	for (size_t i = 0; i < view->report->cell_count; i++)
		put_cell(&json, view->report, &view->report->cells[i]);
	bg_json_close(&json, ']');
	bg_json_close(&json, '}');
	bg_buffer_text(out, "\n");
	if (out->full)
		return bg_fail(err, BG_E_NOMEM, "the JSON report passes its bound of %zu bytes",
			       out->size_max);
	return BG_OK;
}

const struct bg_reporter bg_reporter_json = {
	.name = "json",
	.summary = "everything the gate decided, schema batchgate.report/1",
	.extension = "json",
	.write = write_json,
};
