/* Lines of records, written and read. Keys are sorted; nobody may reorder the calls. */
#include "gate/wire/record.h"

#include "gate/core/clock.h"
#include "gate/wire/fields.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define SCHEMA_FAMILY "batchgate.record/"
#define FINGERPRINT_MAX 256
#define LEVEL_MAX 750 /* ln of the largest double is 709.8, of the smallest -744.4 */
#define CURE "the line is not used"

static void put_cell(struct bg_json_writer *json, const struct bg_record_cell *cell)
{
	bg_json_open(json, NULL, '{');
	bg_json_put_text(json, "hash", cell->hash);
	bg_json_put_text(json, "kernel", cell->kernel);
	bg_json_put_u64(json, "launches", cell->launches);
	bg_json_put_number(json, "level", cell->level);
	bg_json_put_text(json, "metric", bg_metric_info(cell->metric)->name);
	bg_json_put_text(json, "name", cell->name);
	bg_json_put_number(json, "variance", cell->variance);
	bg_json_close(json, '}');
}

static void put_fingerprint(struct bg_json_writer *json, const struct bg_record *record)
{
	bg_json_open(json, "fingerprint", '[');
	for (size_t i = 0; i < record->fingerprint_count; i++) {
		bg_json_open(json, NULL, '{');
		bg_json_put_text(json, "name", record->fingerprint[i].name);
		bg_json_put_text(json, "value", record->fingerprint[i].value);
		bg_json_close(json, '}');
	}
	bg_json_close(json, ']');
}

/* The line of cells[first..first + count). */
static void put_line(struct bg_buffer *out, const struct bg_record *record, size_t first,
		     size_t count)
{
	struct bg_json_writer json;
	bg_json_start(&json, out, false);
	bg_json_open(&json, NULL, '{');
	bg_json_put_text(&json, "branch", record->branch);
	bg_json_open(&json, "cells", '[');
	for (size_t i = 0; i < count; i++)
		put_cell(&json, &record->cells[first + i]);
	bg_json_close(&json, ']');
	bg_json_put_text(&json, "commit", record->commit);
	bg_json_put_bool(&json, "dirty", record->dirty);
	put_fingerprint(&json, record);
	bg_json_put_text(&json, "parent", record->parent);
	bg_json_put_u64(&json, "part", record->part);
	bg_json_put_u64(&json, "parts", record->parts);
	bg_json_put_text(&json, "program", record->program);
	bg_json_put_text(&json, "run", record->run);
	bg_json_put_text(&json, "runner_class", record->runner_class);
	bg_json_put_text(&json, "schema", BG_RECORD_SCHEMA);
	bg_json_put_text(&json, "suite", record->suite);
	bg_json_put_text(&json, "time_utc", record->time_utc);
	bg_json_put_text(&json, "tree", record->tree);
	bg_json_close(&json, '}');
	bg_buffer_text(out, "\n");
}

/* How many cells from first on a line has room for; at least one, which from_result saw to. */
static size_t cells_that_fit(const struct bg_record *record, size_t first, size_t room)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	struct bg_json_writer json;
	size_t count = 0;
	bg_buffer_init(&out, BG_RECORD_LINE_MAX);
	bg_json_start(&json, &out, false);
	bg_json_open(&json, NULL, '[');
	while (first + count < record->cell_count) {
		put_cell(&json, &record->cells[first + count]);
		if (out.full || out.size > room)
			break;
		count++;
	}
	return count > 0 || first == record->cell_count ? count : 1;
}

size_t bg_record_write(struct bg_buffer *out, const struct bg_record *record)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer head;
	struct bg_record line = *record;
	/* The longest that the two numbers can be. */
	line.part = line.parts = UINT_MAX;
	bg_buffer_init(&head, BG_RECORD_LINE_MAX);
	put_line(&head, &line, 0, 0);
	size_t room = BG_RECORD_LINE_MAX - head.size, first = 0;
	line.part = line.parts = 0;
	do {
		first += cells_that_fit(record, first, room);
		line.parts++;
	} while (first < record->cell_count);
	first = 0;
	while (line.part < line.parts) {
		size_t count = cells_that_fit(record, first, room);
		line.part++;
		put_line(out, &line, first, count);
		first += count;
	}
	return line.parts;
}

static const char *read_id(struct bg_fields *fields, const char *key, const char *id)
{
	if (id && !bg_fields_failed(fields) && !bg_object_id_is_valid(id))
		bg_fields_refuse(fields, key, "is not an object id of git");
	return id;
}

static bool is_sorted(const struct bg_record_cell *a, const struct bg_record_cell *b)
{
	int order = strcmp(a->name, b->name);
	return order < 0 || (order == 0 && a->metric < b->metric);
}

static void read_cell(struct bg_record *record, struct bg_fields *fields)
{
	struct bg_record_cell *cell = &record->cells[record->cell_count];
	*cell = (struct bg_record_cell){ .name = bg_fields_text(fields, "name") };
	cell->hash = bg_fields_text_or_null(fields, "hash");
	cell->kernel = bg_fields_text_or_null(fields, "kernel");
	cell->metric = bg_metric_find(bg_fields_text(fields, "metric"));
	cell->level = bg_fields_number(fields, "level");
	cell->variance = bg_fields_amount_or_nan(fields, "variance");
	cell->launches = (unsigned)bg_fields_u64(fields, "launches", BG_LAUNCHES_MAX);
	if (*cell->name == '\0')
		bg_fields_refuse(fields, "name", "is empty");
	if (cell->launches == 0)
		bg_fields_refuse(fields, "launches", "is 0");
	if (fabs(cell->level) > LEVEL_MAX)
		bg_fields_refuse(fields, "level", "is %g, which is no logarithm of a number",
				 cell->level);
	if (bg_fields_failed(fields) || cell->metric == BG_METRIC_COUNT)
		return;
	if (record->cell_count > 0 && !is_sorted(cell - 1, cell))
		bg_fields_refuse(fields, "name", "is out of order or there twice");
	record->cell_count++;
}

static void read_cells(struct bg_record *record, struct bg_fields *fields)
{
	size_t count = bg_fields_count(fields, "cells", BG_RECORD_LINE_MAX);
	record->cells = bg_arena_array(fields->arena, count, sizeof *record->cells);
	for (size_t i = 0; i < count && !bg_fields_failed(fields); i++) {
		struct bg_fields_mark mark = bg_fields_enter_at(fields, "cells", i);
		read_cell(record, fields);
		bg_fields_leave(fields, mark);
	}
}

static void read_fingerprint(struct bg_record *record, struct bg_fields *fields)
{
	size_t count = bg_fields_count(fields, "fingerprint", FINGERPRINT_MAX);
	record->fingerprint = bg_arena_array(fields->arena, count, sizeof *record->fingerprint);
	for (size_t i = 0; i < count && !bg_fields_failed(fields); i++) {
		struct bg_fields_mark mark = bg_fields_enter_at(fields, "fingerprint", i);
		record->fingerprint[i].name = bg_fields_text(fields, "name");
		record->fingerprint[i].value = bg_fields_text(fields, "value");
		bg_fields_leave(fields, mark);
	}
	record->fingerprint_count = count;
}

static void read_record(struct bg_record *record, struct bg_fields *fields)
{
	record->run = bg_fields_text(fields, "run");
	record->parts = (unsigned)bg_fields_u64(fields, "parts", UINT_MAX);
	record->part = (unsigned)bg_fields_u64(fields, "part", record->parts);
	record->commit = read_id(fields, "commit", bg_fields_text(fields, "commit"));
	record->tree = read_id(fields, "tree", bg_fields_text(fields, "tree"));
	record->parent = read_id(fields, "parent", bg_fields_text_or_null(fields, "parent"));
	record->branch = bg_fields_text_or_null(fields, "branch");
	record->time_utc = bg_fields_text_or_null(fields, "time_utc");
	record->runner_class = bg_fields_text(fields, "runner_class");
	record->suite = bg_fields_text(fields, "suite");
	record->program = bg_fields_text_or_null(fields, "program");
	record->dirty = bg_fields_bool(fields, "dirty");
	if (bg_fields_failed(fields))
		return;
	if (!bg_record_run_is_valid(record->run))
		bg_fields_refuse(fields, "run", "is not 32 hex digits");
	if (record->part == 0)
		bg_fields_refuse(fields, "part", "is 0");
	if (!bg_runner_class_is_valid(record->runner_class))
		bg_fields_refuse(fields, "runner_class", "is not a name for a class");
	if (record->time_utc && !bg_clock_is_utc_text(record->time_utc))
		bg_fields_refuse(fields, "time_utc", "is not a time as 2026-12-01T03:48:21");
	read_fingerprint(record, fields);
	read_cells(record, fields);
}

static enum bg_status refuse_schema(const char *schema, const char *what, struct bg_error *err)
{
	if (schema && strncmp(schema, SCHEMA_FAMILY, strlen(SCHEMA_FAMILY)) == 0)
		return bg_fail(err, BG_E_UNJUDGED,
			       "%s: is a record of another version of batchgate (schema %.40s, "
			       "this one reads " BG_RECORD_SCHEMA ")",
			       what, schema);
	return bg_fail(err, BG_E_INPUT, "%s: is no record of batchgate; " CURE, what);
}

enum bg_status bg_record_parse(struct bg_record *ret, const char *line, size_t size,
			       const char *what, struct bg_arena *arena, struct bg_error *err)
{
	if (size >= BG_RECORD_LINE_MAX)
		return bg_fail(err, BG_E_INPUT, "%s: has %zu bytes, a line has at most %d; " CURE,
			       what, size, BG_RECORD_LINE_MAX - 1);
	BG_AUTO(bg_json_release) struct bg_json_document document = { NULL };
	if (bg_json_read(&document, line, size, what, err) != BG_OK)
		return err->status;
	const char *schema = bg_json_text(bg_json_get(document.root, "schema"));
	if (!schema || strcmp(schema, BG_RECORD_SCHEMA) != 0)
		return refuse_schema(schema, what, err);
	struct bg_record record = { 0 };
	struct bg_fields fields = {
		.what = what, .cure = CURE, .arena = arena, .err = err, .object = document.root
	};
	read_record(&record, &fields);
	if (bg_fields_failed(&fields))
		return err->status;
	*ret = record;
	return BG_OK;
}
