/*
 * result.json, written. Data of a series and times of pairs are columns ("x": [...], "base":
 * [...]), so that a further column can be added later; cases, series and launches each start a
 * line, so that a large file can still be read by eye. Numbers keep every bit.
 */
#include "gate/wire/result_file.h"

#include "gate/core/file.h"
#include "gate/wire/json.h"
#include "gate/wire/result_words.h"

#include <inttypes.h>
#include <stdio.h>

/* The writer knows no line breaks of its own choosing; between members JSON allows any. */
static void break_line(struct bg_json_writer *json)
{
	bg_buffer_text(json->out, "\n");
}

/* As text: many readers of JSON hold only 53 bits of a number. */
static void put_seed(struct bg_json_writer *json, uint64_t seed)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, seed);
	bg_json_put_text(json, "seed", text);
}

static void put_arm(struct bg_json_writer *json, const char *key, const struct bg_arm_result *arm)
{
	bg_json_open(json, key, '{');
	bg_json_put_text(json, "commit", arm->commit);
	bg_json_put_text(json, "tree", arm->tree);
	bg_json_put_text(json, "parent", arm->parent);
	bg_json_put_text(json, "branch", arm->branch);
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

static void put_named(struct bg_json_writer *json, const char *key,
		      const struct bg_axis_text *named, size_t count)
{
	bg_json_open(json, key, '[');
	for (size_t i = 0; i < count; i++) {
		bg_json_open(json, NULL, '{');
		bg_json_put_text(json, "name", named[i].name);
		bg_json_put_text(json, "value", named[i].value);
		bg_json_close(json, '}');
	}
	bg_json_close(json, ']');
}

static void put_run(struct bg_json_writer *json, const struct bg_result *result)
{
	bg_json_put_text(json, "schema", BG_RESULT_SCHEMA);
	bg_json_put_text(json, "program", result->program);
	bg_json_put_text(json, "suite", result->suite);
	bg_json_put_text(json, "suite_file", result->suite_file);
	put_seed(json, result->seed);
	bg_json_put_bool(json, "aa", result->aa);
	bg_json_put_text(json, "comparison", bg_comparison_name(result->comparison));
	put_arm(json, "base", &result->base);
	put_arm(json, "head", &result->head);
	bg_json_put_text(json, "started_utc", result->started_utc);
	bg_json_put_number(json, "seconds", result->seconds);
	bg_json_put_number(json, "budget_s", result->budget_s);
	bg_json_put_text(json, "ending", bg_ending_name(result->ending));
	bg_json_put_text(json, "ending_why", result->ending_why);
	bg_json_put_u64(json, "launches", result->launches);
	bg_json_put_bool(json, "virtual_clock", result->virtual_clock);
	bg_json_put_text(json, "runner_class", result->runner_class);
	bg_json_put_text(json, "runner_class_why", result->runner_class_why);
	put_named(json, "fingerprint", result->fingerprint, result->fingerprint_count);
	bg_json_put_text(json, "machine", result->machine);
	bg_json_put_text(json, "command", result->command);
	put_lines(json, "conditions", result->conditions, result->condition_count);
	put_lines(json, "policy_changes", result->policy_changes, result->policy_change_count);
}

static void put_numbers(struct bg_json_writer *json, const char *key, const double *numbers,
			size_t count)
{
	bg_json_open(json, key, '[');
	for (size_t i = 0; i < count; i++)
		bg_json_put_number(json, NULL, numbers[i]);
	bg_json_close(json, ']');
}

static void put_data(struct bg_json_writer *json, const char *key, const struct bg_datum *data,
		     size_t count)
{
	bg_json_open(json, key, '{');
	bg_json_open(json, "x", '[');
	for (size_t i = 0; i < count; i++)
		bg_json_put_number(json, NULL, data[i].x);
	bg_json_close(json, ']');
	bg_json_open(json, "base", '[');
	for (size_t i = 0; i < count; i++)
		bg_json_put_number(json, NULL, data[i].base);
	bg_json_close(json, ']');
	bg_json_open(json, "head", '[');
	for (size_t i = 0; i < count; i++)
		bg_json_put_number(json, NULL, data[i].head);
	bg_json_close(json, ']');
	bg_json_close(json, '}');
}

static void put_stored(struct bg_json_writer *json, const struct bg_stored *stored)
{
	if (!stored)
		return;
	bg_json_open(json, "stored", '{');
	put_numbers(json, "level", stored->level, stored->count);
	bg_json_put_number(json, "variance", stored->variance);
	bg_json_put_number(json, "tau0", stored->tau0);
	bg_json_put_text(json, "why", stored->why);
	bg_json_close(json, '}');
}

static void put_series(struct bg_json_writer *json, const struct bg_series *series)
{
	break_line(json);
	bg_json_open(json, NULL, '{');
	bg_json_put_text(json, "metric", bg_metric_info(series->metric)->name);
	put_data(json, "judge", series->judge, series->judge_count);
	put_data(json, "confirm", series->confirm, series->confirm_count);
	put_stored(json, series->stored);
	bg_json_close(json, '}');
}

/* "first": one letter a pair, 'h' where head went first, 'b' where base did. */
static void put_pairs(struct bg_json_writer *json, const struct bg_launch_pairs *pairs)
{
	break_line(json);
	bg_json_open(json, NULL, '{');
	bg_json_put_text(json, "phase", bg_phase_name(pairs->phase));
	bg_json_put_u64(json, "launch", pairs->index);
	bg_json_put_u64(json, "voided", pairs->voided);
	BG_AUTO(bg_buffer_release) struct bg_buffer first;
	bg_buffer_init(&first, BG_PAIRS_MAX);
	for (unsigned i = 0; i < pairs->count; i++)
		bg_buffer_add(&first, pairs->head_first[i] ? "h" : "b", 1);
	bg_json_put_text(json, "first", first.bytes ? first.bytes : "");
	put_numbers(json, "base", pairs->base, pairs->count);
	put_numbers(json, "head", pairs->head, pairs->count);
	bg_json_close(json, '}');
}

static void put_metrics(struct bg_json_writer *json, const char *key,
			const double numbers[BG_METRIC_COUNT])
{
	bg_json_open(json, key, '{');
	for (int metric = 0; metric < BG_METRIC_COUNT; metric++)
		bg_json_put_number(json, bg_metric_info((enum bg_metric)metric)->name,
				   numbers[metric]);
	bg_json_close(json, '}');
}

static void put_definition(struct bg_json_writer *json, const struct bg_case_result *of)
{
	bg_json_put_text(json, "name", of->name);
	bg_json_put_text(json, "workload", of->workload);
	bg_json_put_text(json, "hash", of->hash);
	bg_json_put_text(json, "file", of->file);
	bg_json_put_u64(json, "line", of->line);
	put_named(json, "axes", of->axes, of->axis_count);
	bg_json_put_text(json, "state", bg_case_state_name(of->state));
	bg_json_put_text(json, "reason", of->reason);
	bg_json_put_text(json, "turns", of->turns);
	bg_json_put_text(json, "turns_why", of->turns_why);
	bg_json_put_number(json, "turn_tax", of->turn_tax);
	bg_json_put_number(json, "items_per_step", of->items_per_step);
	bg_json_put_number(json, "flops_per_step", of->flops_per_step);
	bg_json_put_number(json, "bytes_per_step", of->bytes_per_step);
	bg_json_put_text(json, "cpus", of->cpus);
	bg_json_put_text(json, "cpus_why", of->cpus_why);
	bg_json_put_text(json, "kernel", of->kernel);
	bg_json_put_number(json, "error", of->error);
	bg_json_put_number(json, "tolerance", of->tolerance);
	put_metrics(json, "margin", of->margin);
	put_metrics(json, "floor", of->floor);
}

static void put_case(struct bg_json_writer *json, const struct bg_case_result *of)
{
	break_line(json);
	bg_json_open(json, NULL, '{');
	put_definition(json, of);
	bg_json_open(json, "series", '[');
	for (size_t i = 0; i < of->series_count; i++)
		put_series(json, &of->series[i]);
	bg_json_close(json, ']');
	bg_json_open(json, "pairs", '[');
	for (size_t i = 0; i < of->pairs_count; i++)
		put_pairs(json, &of->pairs[i]);
	bg_json_close(json, ']');
	bg_json_close(json, '}');
}

enum bg_status bg_result_write(const struct bg_result *result, const char *path,
			       struct bg_error *err)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, BG_RESULT_SIZE_MAX);
	struct bg_json_writer json;
	bg_json_start(&json, &out, false);
	bg_json_open(&json, NULL, '{');
	put_run(&json, result);
	bg_json_open(&json, "cases", '[');
	for (size_t i = 0; i < result->case_count; i++)
		put_case(&json, &result->cases[i]);
	bg_json_close(&json, ']');
	bg_json_close(&json, '}');
	bg_buffer_text(&out, "\n");
	if (out.full)
		return bg_fail(err, BG_E_SYSTEM,
			       "%s: the result passes its bound of 1 GiB, or memory ran out: "
			       "measure fewer cases at a time",
			       path);
	return bg_file_replace(path, out.bytes, out.size, err);
}
