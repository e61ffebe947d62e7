#include "gate/wire/result_file.h"

#include "gate/core/clock.h"
#include "gate/core/file.h"
#include "gate/core/text.h"
#include "gate/wire/fields.h"
#include "gate/wire/result_words.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AXES_MAX 64
#define FINGERPRINT_MAX 256
#define STORED_MAX 10000   /* base sessions of one cell */
#define LINES_MAX 10000	   /* policy changes: one a margin of a workload */
#define LOG_RATIO_MAX 1500 /* ln of the largest double over the smallest is 1454 */
#define CURE "take an unchanged copy from the run that made it, or run the gate again"
#define WANTED "wanted is result.json (" BG_RESULT_SCHEMA "), which batchgate gate writes"

static const char *read_object_id(struct bg_fields *fields, const char *key)
{
	const char *id = bg_fields_text_or_null(fields, key);
	if (id &&
	    (strspn(id, "0123456789abcdef") != strlen(id) || strlen(id) < 4 || strlen(id) > 128))
		bg_fields_refuse(fields, key, "is not an object id of git");
	return id;
}

static void read_arm(struct bg_arm_result *arm, struct bg_fields *fields, const char *key)
{
	struct bg_fields_mark mark = bg_fields_enter(fields, key);
	arm->commit = read_object_id(fields, "commit");
	arm->tree = read_object_id(fields, "tree");
	arm->parent = read_object_id(fields, "parent");
	arm->branch = bg_fields_text_or_null(fields, "branch");
	arm->subject = bg_fields_text_or_null(fields, "subject");
	arm->how = bg_fields_text_or_null(fields, "how");
	arm->dirty = bg_fields_bool(fields, "dirty");
	bg_fields_leave(fields, mark);
}

/* Names with values, each name once. */
static struct bg_axis_text *read_named(struct bg_fields *fields, const char *key, size_t count_max,
				       size_t *ret_count)
{
	size_t count = *ret_count = bg_fields_count(fields, key, count_max);
	struct bg_axis_text *named = bg_arena_array(fields->arena, count, sizeof *named);
	for (size_t i = 0; i < count && !bg_fields_failed(fields); i++) {
		struct bg_fields_mark mark = bg_fields_enter_at(fields, key, i);
		named[i].name = bg_fields_text(fields, "name");
		named[i].value = bg_fields_text(fields, "value");
		for (size_t j = 0; j < i; j++)
			if (strcmp(named[i].name, named[j].name) == 0)
				bg_fields_refuse(fields, "name", "is there twice");
		bg_fields_leave(fields, mark);
	}
	return named;
}

static void read_run(struct bg_result *result, struct bg_fields *fields)
{
	result->program = bg_fields_text_or_null(fields, "program");
	result->suite = bg_fields_text(fields, "suite");
	result->suite_file = bg_fields_text_or_null(fields, "suite_file");
	if (!bg_text_to_u64(&result->seed, bg_fields_text(fields, "seed"), 0, UINT64_MAX))
		bg_fields_refuse(fields, "seed", "is not an integer in quotes");
	result->aa = bg_fields_bool(fields, "aa");
	/* Absent in files of before there was a choice. */
	const char *comparison = bg_fields_text_or_null(fields, "comparison");
	if (comparison && !bg_comparison_find(&result->comparison, comparison))
		bg_fields_refuse(fields, "comparison", "is a word this version does not know");
	read_arm(&result->base, fields, "base");
	read_arm(&result->head, fields, "head");
	result->started_utc = bg_fields_text_or_null(fields, "started_utc");
	if (result->started_utc && !bg_clock_is_utc_text(result->started_utc))
		bg_fields_refuse(fields, "started_utc", "is not a time as 2026-12-01T03:48:21");
	result->seconds = bg_fields_amount(fields, "seconds");
	result->budget_s = bg_fields_amount(fields, "budget_s");
	if (!bg_ending_find(&result->ending, bg_fields_text(fields, "ending")))
		bg_fields_refuse(fields, "ending", "is a word this version does not know");
	result->ending_why = bg_fields_text_or_null(fields, "ending_why");
	result->launches = (unsigned)bg_fields_u64(fields, "launches", UINT_MAX);
	result->virtual_clock = bg_fields_bool(fields, "virtual_clock");
	result->runner_class = bg_fields_text_or_null(fields, "runner_class");
	result->runner_class_why = bg_fields_text_or_null(fields, "runner_class_why");
	if (bg_fields_has(fields, "fingerprint"))
		result->fingerprint = read_named(fields, "fingerprint", FINGERPRINT_MAX,
						 &result->fingerprint_count);
	result->machine = bg_fields_text_or_null(fields, "machine");
	result->command = bg_fields_text_or_null(fields, "command");
	result->conditions =
		bg_fields_lines(fields, "conditions", BG_CONDITIONS_MAX, &result->condition_count);
	result->policy_changes =
		bg_fields_lines(fields, "policy_changes", LINES_MAX, &result->policy_change_count);
}

static struct bg_datum *read_data(struct bg_fields *fields, const char *key, size_t *ret_count)
{
	struct bg_fields_mark mark = bg_fields_enter(fields, key);
	size_t count = bg_fields_count(fields, "x", BG_LAUNCHES_MAX);
	struct bg_datum *data = bg_arena_array(fields->arena, count, sizeof *data);
	const double *x = bg_fields_numbers(fields, "x", count, -HUGE_VAL);
	for (size_t i = 0; i < count; i++)
		if (fabs(x[i]) > LOG_RATIO_MAX)
			bg_fields_refuse(fields, "x", "holds %g, which is no ln of a ratio", x[i]);
	const double *base = bg_fields_numbers(fields, "base", count, 0);
	const double *head = bg_fields_numbers(fields, "head", count, 0);
	for (size_t i = 0; i < count; i++)
		data[i] = (struct bg_datum){ x[i], base[i], head[i] };
	bg_fields_leave(fields, mark);
	*ret_count = count;
	return data;
}

static struct bg_stored *read_stored(struct bg_fields *fields)
{
	struct bg_stored *stored = bg_arena_alloc(fields->arena, sizeof *stored);
	struct bg_fields_mark mark = bg_fields_enter(fields, "stored");
	stored->count = bg_fields_count(fields, "level", STORED_MAX);
	stored->level = bg_fields_numbers(fields, "level", stored->count, -HUGE_VAL);
	stored->variance = bg_fields_amount_or_nan(fields, "variance");
	stored->tau0 = bg_fields_amount_or_nan(fields, "tau0");
	stored->why = bg_fields_text_or_null(fields, "why");
	bg_fields_leave(fields, mark);
	return stored;
}

/* MEASURED has data and must; what ran on head alone may. */
static bool series_fit(const struct bg_case_result *of)
{
	if (of->state == BG_CASE_MEASURED)
		return of->series_count > 0;
	return of->series_count == 0 || of->state == BG_CASE_NEW ||
	       of->state == BG_CASE_NO_BASELINE;
}

static void read_series(struct bg_case_result *of, struct bg_fields *fields)
{
	of->series_count = bg_fields_count(fields, "series", BG_METRIC_COUNT);
	of->series = bg_arena_array(fields->arena, of->series_count, sizeof *of->series);
	if (!series_fit(of))
		bg_fields_refuse(fields, "series",
				 of->series_count > 0 ? "has data of a case that was not measured"
						      : "has no data of a measured case");
	for (size_t i = 0; i < of->series_count && !bg_fields_failed(fields); i++) {
		struct bg_series *series = &of->series[i];
		struct bg_fields_mark mark = bg_fields_enter_at(fields, "series", i);
		series->metric = bg_metric_find(bg_fields_text(fields, "metric"));
		if (series->metric == BG_METRIC_COUNT)
			bg_fields_refuse(fields, "metric",
					 "is a metric this version does not know");
		else if (i > 0 && series->metric <= of->series[i - 1].metric)
			bg_fields_refuse(fields, "metric", "is out of order or there twice");
		else if (!isfinite(of->margin[series->metric]))
			bg_fields_refuse(fields, "metric", "has no margin in its case");
		else if (!isfinite(of->floor[series->metric]))
			bg_fields_refuse(fields, "metric", "has no floor in its case");
		series->judge = read_data(fields, "judge", &series->judge_count);
		series->confirm = read_data(fields, "confirm", &series->confirm_count);
		if (bg_fields_has(fields, "stored"))
			series->stored = read_stored(fields);
		series->judge_capacity = series->judge_count;
		series->confirm_capacity = series->confirm_count;
		bg_fields_leave(fields, mark);
	}
}

static void read_first(struct bg_launch_pairs *pairs, struct bg_fields *fields)
{
	const char *first = bg_fields_text(fields, "first");
	size_t count = strlen(first);
	if (strspn(first, "hb") != count)
		bg_fields_refuse(fields, "first", "has letters other than h and b");
	else if (count > BG_PAIRS_MAX)
		bg_fields_refuse(fields, "first", "has %zu pairs, at most %d are allowed", count,
				 BG_PAIRS_MAX);
	if (bg_fields_failed(fields))
		return;
	pairs->count = (unsigned)count;
	pairs->head_first = bg_arena_array(fields->arena, count, sizeof *pairs->head_first);
	for (size_t i = 0; i < count; i++)
		pairs->head_first[i] = first[i] == 'h';
}

static void read_pairs(struct bg_case_result *of, struct bg_fields *fields)
{
	bool seen[2][BG_LAUNCHES_MAX] = { 0 };
	of->pairs_count = bg_fields_count(fields, "pairs", (size_t)2 * BG_LAUNCHES_MAX);
	of->pairs = bg_arena_array(fields->arena, of->pairs_count, sizeof *of->pairs);
	of->pairs_capacity = of->pairs_count;
	for (size_t i = 0; i < of->pairs_count && !bg_fields_failed(fields); i++) {
		struct bg_launch_pairs *pairs = &of->pairs[i];
		struct bg_fields_mark mark = bg_fields_enter_at(fields, "pairs", i);
		if (!bg_phase_find(&pairs->phase, bg_fields_text(fields, "phase")))
			bg_fields_refuse(fields, "phase", "is not judge or confirm");
		pairs->index = (unsigned)bg_fields_u64(fields, "launch", BG_LAUNCHES_MAX - 1);
		if (seen[pairs->phase][pairs->index])
			bg_fields_refuse(fields, "launch", "is there twice");
		seen[pairs->phase][pairs->index] = true;
		pairs->voided = (unsigned)bg_fields_u64(fields, "voided", UINT_MAX);
		read_first(pairs, fields);
		pairs->base = bg_fields_numbers(fields, "base", pairs->count, 0);
		pairs->head = bg_fields_numbers(fields, "head", pairs->count, 0);
		bg_fields_leave(fields, mark);
	}
}

/* A metric that an older writer did not know is NaN: no series of its can follow. */
static void read_metrics(double ret[BG_METRIC_COUNT], struct bg_fields *fields, const char *key)
{
	struct bg_fields_mark mark = bg_fields_enter(fields, key);
	for (int metric = 0; metric < BG_METRIC_COUNT; metric++)
		ret[metric] = bg_fields_amount_or_nan(fields,
						      bg_metric_info((enum bg_metric)metric)->name);
	bg_fields_leave(fields, mark);
}

static void read_case(struct bg_case_result *of, struct bg_fields *fields)
{
	of->name = bg_fields_text(fields, "name");
	of->workload = bg_fields_text(fields, "workload");
	if (*of->name == '\0')
		bg_fields_refuse(fields, "name", "is empty");
	of->hash = bg_fields_text_or_null(fields, "hash");
	of->file = bg_fields_text_or_null(fields, "file");
	of->line = (unsigned)bg_fields_u64(fields, "line", UINT_MAX);
	of->axes = read_named(fields, "axes", AXES_MAX, &of->axis_count);
	if (!bg_case_state_find(&of->state, bg_fields_text(fields, "state")))
		bg_fields_refuse(fields, "state", "is a word this version does not know");
	of->reason = bg_fields_text_or_null(fields, "reason");
	of->turns = bg_fields_text_or_null(fields, "turns");
	of->turns_why = bg_fields_text_or_null(fields, "turns_why");
	of->turn_tax = bg_fields_amount(fields, "turn_tax");
	of->items_per_step = bg_fields_amount(fields, "items_per_step");
	of->flops_per_step = bg_fields_amount(fields, "flops_per_step");
	of->bytes_per_step = bg_fields_amount(fields, "bytes_per_step");
	of->cpus = bg_fields_text_or_null(fields, "cpus");
	of->cpus_why = bg_fields_text_or_null(fields, "cpus_why");
	of->kernel = bg_fields_text_or_null(fields, "kernel");
	of->error = bg_fields_amount_or_nan(fields, "error");
	of->tolerance = bg_fields_amount_or_nan(fields, "tolerance");
	read_metrics(of->margin, fields, "margin");
	read_metrics(of->floor, fields, "floor");
	read_series(of, fields);
	read_pairs(of, fields);
}

static int by_name(const void *a, const void *b)
{
	const struct bg_case_result *x = *(const struct bg_case_result *const *)a;
	const struct bg_case_result *y = *(const struct bg_case_result *const *)b;
	int order = strcmp(x->name, y->name);
	return order != 0 ? order : (x > y) - (x < y);
}

static void refuse_equal_names(const struct bg_result *result, struct bg_fields *fields)
{
	const struct bg_case_result **sorted =
		bg_arena_array(fields->arena, result->case_count, sizeof *sorted);
	for (size_t i = 0; i < result->case_count; i++)
		sorted[i] = &result->cases[i];
	qsort(sorted, result->case_count, sizeof *sorted, by_name);
	for (size_t i = 1; i < result->case_count; i++)
		if (strcmp(sorted[i]->name, sorted[i - 1]->name) == 0)
			bg_fields_refuse(fields, "cases", "[%td] and [%td] have the same name",
					 sorted[i - 1] - result->cases, sorted[i] - result->cases);
}

static void read_result(struct bg_result *result, struct bg_fields *fields)
{
	read_run(result, fields);
	result->case_count = bg_fields_count(fields, "cases", BG_CASES_MAX);
	result->cases = bg_arena_array(fields->arena, result->case_count, sizeof *result->cases);
	for (size_t i = 0; i < result->case_count && !bg_fields_failed(fields); i++) {
		struct bg_fields_mark mark = bg_fields_enter_at(fields, "cases", i);
		read_case(&result->cases[i], fields);
		bg_fields_leave(fields, mark);
	}
	if (!bg_fields_failed(fields))
		refuse_equal_names(result, fields);
}

/* What a file is that is no result, in words; every message also says what is wanted. */
static enum bg_status refuse_schema(const struct bg_json *root, const char *what,
				    struct bg_error *err)
{
	const char *schema = bg_json_text(bg_json_get(root, "schema"));
	if (!schema)
		return bg_fail(err, BG_E_INPUT,
			       "%s: has no \"schema\", so it is no file of batchgate; " WANTED,
			       what);
	if (strncmp(schema, "batchgate.report/", 17) == 0)
		return bg_fail(err, BG_E_INPUT,
			       "%s: is a report (%.60s), the outcome without its data; " WANTED
			       " beside it",
			       what, schema);
	if (strncmp(schema, "batchgate.result/", 17) == 0)
		return bg_fail(
			err, BG_E_INPUT,
			"%s: was written by another version of batchgate (schema %.60s, this one "
			"reads " BG_RESULT_SCHEMA "): use that version, or run the gate again",
			what, schema);
	return bg_fail(err, BG_E_INPUT, "%s: has schema \"%.60s\"; " WANTED, what, schema);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum bg_status refuse_not_json(const char *text, size_t size, const char *what,
				      struct bg_error *err)
{
	size_t start = 0;
	while (start < size && is_blank(text[start]))
		start++;
	while (size > start && is_blank(text[size - 1]))
		size--;
	if (size == start)
		return bg_fail(err, BG_E_INPUT, "%s: is empty; " WANTED, what);
	if (text[start] == '<')
		return bg_fail(err, BG_E_INPUT, "%s: is XML, perhaps a JUnit report; " WANTED,
			       what);
	if (text[start] != '{')
		return bg_fail(err, BG_E_INPUT, "%s: is not a JSON object; " WANTED, what);
	if (text[size - 1] != '}')
		return bg_fail(err, BG_E_INPUT, "%s: is cut short after %zu bytes; " CURE, what,
			       size);
	return BG_OK;
}

enum bg_status bg_result_parse(struct bg_result *ret, const char *text, size_t size,
			       const char *what, struct bg_arena *arena, struct bg_error *err)
{
	if (refuse_not_json(text, size, what, err) != BG_OK)
		return err->status;
	BG_AUTO(bg_json_release) struct bg_json_document document = { NULL };
	if (bg_json_read(&document, text, size, what, err) != BG_OK)
		return err->status;
	const char *schema = bg_json_text(bg_json_get(document.root, "schema"));
	if (!schema || strcmp(schema, BG_RESULT_SCHEMA) != 0)
		return refuse_schema(document.root, what, err);
	struct bg_result result = { 0 };
	struct bg_fields fields = {
		.what = what, .cure = CURE, .arena = arena, .err = err, .object = document.root
	};
	read_result(&result, &fields);
	if (bg_fields_failed(&fields))
		return err->status;
	*ret = result;
	return BG_OK;
}

enum bg_status bg_result_read(struct bg_result *ret, const char *path, struct bg_arena *arena,
			      struct bg_error *err)
{
	BG_AUTO(bg_arena_release) struct bg_arena file = BG_ARENA_INIT;
	char *text;
	size_t size;
	if (bg_file_read(&text, &size, path, BG_RESULT_SIZE_MAX, &file, err) != BG_OK)
		return err->status;
	return bg_result_parse(ret, text, size, path, arena, err);
}
