/* From a result to a record, and what a record's parts may look like. */
#include "gate/wire/record.h"

#include "gate/verdict/level.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_hex(const char *text, size_t size_min, size_t size_max)
{
	size_t size = strspn(text, "0123456789abcdef");
	return text[size] == '\0' && size >= size_min && size <= size_max;
}

bool bg_object_id_is_valid(const char *id)
{
	return is_hex(id, 40, 128);
}

bool bg_record_run_is_valid(const char *run)
{
	return is_hex(run, BG_RECORD_RUN_SIZE - 1, BG_RECORD_RUN_SIZE - 1);
}

bool bg_runner_class_is_valid(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";
	size_t size = strlen(name);
	if (size == 0 || size > BG_RUNNER_CLASS_MAX || name[strspn(name, allowed)] != '\0')
		return false;
	bool is_lock = size >= 5 && strcmp(name + size - 5, ".lock") == 0;
	return name[0] != '.' && name[0] != '-' && name[size - 1] != '.' && !is_lock &&
	       !strstr(name, "..");
}

static int by_name(const void *a, const void *b)
{
	const struct bg_record_cell *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order != 0 ? order : (x->metric > y->metric) - (x->metric < y->metric);
}

void bg_record_cells(struct bg_record *record, const struct bg_result *result,
		     struct bg_arena *arena)
{
	size_t count = 0;
	record->cell_count = 0;
	for (size_t i = 0; i < result->case_count; i++)
		count += result->cases[i].series_count;
	record->cells = bg_arena_array(arena, count, sizeof *record->cells);
	for (size_t i = 0; i < result->case_count; i++) {
		const struct bg_case_result *of = &result->cases[i];
		for (size_t k = 0; k < of->series_count; k++) {
			struct bg_record_cell *cell = &record->cells[record->cell_count];
			*cell = (struct bg_record_cell){ .name = of->name,
							 .hash = of->hash,
							 .metric = of->series[k].metric,
							 .kernel = of->kernel };
			struct bg_level level;
			if (!bg_level_take(&level, &of->series[k]))
				continue;
			cell->level = level.center;
			cell->variance = level.variance;
			cell->launches = level.launches;
			record->cell_count++;
		}
	}
	qsort(record->cells, record->cell_count, sizeof *record->cells, by_name);
}

static enum bg_status refuse(const struct bg_result *result, struct bg_error *err)
{
	const struct bg_arm_result *head = &result->head;
	if (result->virtual_clock)
		return bg_fail(err, BG_E_INPUT,
			       "the result is of a virtual clock: nothing was measured; record one "
			       "of a suite that runs");
	if (!head->commit || !bg_object_id_is_valid(head->commit))
		return bg_fail(err, BG_E_INPUT,
			       "the result's head is no commit: records belong to commits; commit "
			       "it and measure that");
	if (!head->tree || !bg_object_id_is_valid(head->tree) ||
	    (head->parent && !bg_object_id_is_valid(head->parent)))
		return bg_fail(err, BG_E_INPUT,
			       "the result does not name its head's tree: an earlier version wrote "
			       "it; measure again with this one");
	if (!result->runner_class)
		return bg_fail(err, BG_E_INPUT,
			       "the result has no runner class (%s): there is nothing that tells "
			       "which machines it may be compared on",
			       result->runner_class_why ? result->runner_class_why
							: "no reason given");
	if (!bg_runner_class_is_valid(result->runner_class))
		return bg_fail(err, BG_E_INPUT,
			       "runner class '%.80s' cannot name a reference: use at most %d of "
			       "A-Z a-z 0-9 . _ -",
			       result->runner_class, BG_RUNNER_CLASS_MAX);
	return BG_OK;
}

/* So that a line can hold what is said of the session, and one cell. */
static enum bg_status refuse_long(const struct bg_record *record, struct bg_error *err)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	struct bg_record head = *record;
	head.cell_count = 0;
	bg_buffer_init(&out, BG_RECORD_LINE_MAX);
	bg_record_write(&out, &head);
	if (out.full || out.size > BG_RECORD_HEAD_MAX)
		return bg_fail(err, BG_E_INPUT,
			       "the names of suite, branch and machine take more than %d bytes of "
			       "a record: give the suite a shorter name",
			       BG_RECORD_HEAD_MAX);
	for (size_t i = 0; i < record->cell_count; i++) {
		struct bg_record one = *record;
		one.cells = &record->cells[i];
		one.cell_count = 1;
		bg_buffer_clear(&out);
		bg_record_write(&out, &one);
		if (out.full)
			return bg_fail(err, BG_E_INPUT,
				       "case '%.60s...' has too long a name to be recorded (%zu "
				       "bytes): shorten its axes' values",
				       record->cells[i].name, strlen(record->cells[i].name));
	}
	return BG_OK;
}

enum bg_status bg_record_from_result(struct bg_record *ret, const struct bg_result *result,
				     const char *run, struct bg_arena *arena, struct bg_error *err)
{
	assert(bg_record_run_is_valid(run));
	if (refuse(result, err) != BG_OK)
		return err->status;
	struct bg_record record = {
		.run = bg_arena_text(arena, run),
		.part = 1,
		.parts = 1,
		.commit = result->head.commit,
		.tree = result->head.tree,
		.parent = result->head.parent,
		.branch = result->head.branch,
		.time_utc = result->started_utc,
		.runner_class = result->runner_class,
		.suite = result->suite,
		.program = result->program,
		.dirty = result->head.dirty,
		.fingerprint_count = result->fingerprint_count,
		.fingerprint = result->fingerprint,
	};
	bg_record_cells(&record, result, arena);
	if (record.cell_count == 0)
		return bg_fail(err, BG_E_INPUT,
			       "nothing of head was measured, so there is nothing to record");
	if (refuse_long(&record, err) != BG_OK)
		return err->status;
	*ret = record;
	return BG_OK;
}

/* A cell that is there twice, which no writer makes, must not depend on the order of lines. */
static int by_name_and_level(const void *a, const void *b)
{
	const struct bg_record_cell *x = a, *y = b;
	int order = by_name(a, b);
	return order != 0 ? order : (x->level > y->level) - (x->level < y->level);
}

void bg_record_join(struct bg_record *ret, const struct bg_record *lines, size_t count,
		    struct bg_arena *arena)
{
	assert(count > 0);
	struct bg_record joined = lines[0];
	size_t all = 0, used = 0;
	for (size_t i = 0; i < count; i++)
		all += lines[i].cell_count;
	joined.part = joined.parts = 1;
	joined.cells = bg_arena_array(arena, all, sizeof *joined.cells);
	all = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < lines[i].cell_count; k++)
			joined.cells[all++] = lines[i].cells[k];
	qsort(joined.cells, all, sizeof *joined.cells, by_name_and_level);
	for (size_t i = 0; i < all; i++)
		if (used == 0 || by_name(&joined.cells[used - 1], &joined.cells[i]) != 0)
			joined.cells[used++] = joined.cells[i];
	joined.cell_count = used;
	*ret = joined;
}
