#include "baselines/note_text.h"

#include <stdlib.h>
#include <string.h>

struct line {
	const char *bytes;
	size_t size;
	size_t index; /* over all texts */
	size_t text;
	bool again; /* an earlier one is the same */
};

struct lines {
	size_t count, capacity;
	struct line *lines;
};

static void add_lines(struct lines *lines, const struct bg_note_text *text, size_t index,
		      struct bg_arena *arena)
{
	const char *at = text->bytes, *all = at + text->size;
	while (at < all) {
		const char *end = memchr(at, '\n', (size_t)(all - at));
		size_t size = (size_t)((end ? end : all) - at);
		const char *next = end ? end + 1 : all;
		while (size > 0 && at[size - 1] == '\r')
			size--;
		if (size > 0) {
			lines->lines = bg_arena_grow(arena, lines->lines, lines->count,
						     &lines->capacity, sizeof *lines->lines);
			lines->lines[lines->count] = (struct line){
				.bytes = at, .size = size, .index = lines->count, .text = index
			};
			lines->count++;
		}
		at = next;
	}
}

static int by_bytes(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size);
	if (order == 0)
		order = (x->size > y->size) - (x->size < y->size);
	return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return (x->index > y->index) - (x->index < y->index);
}

size_t bg_note_text_join(struct bg_buffer *out, const struct bg_note_text *texts, size_t count,
			 struct bg_arena *arena)
{
	struct lines all = { 0 };
	size_t added = 0;
	for (size_t i = 0; i < count; i++)
		add_lines(&all, &texts[i], i, arena);
	if (all.count > 0)
		qsort(all.lines, all.count, sizeof *all.lines, by_bytes);
	for (size_t i = 1; i < all.count; i++)
		all.lines[i].again =
			all.lines[i].size == all.lines[i - 1].size &&
			memcmp(all.lines[i].bytes, all.lines[i - 1].bytes, all.lines[i].size) == 0;
	if (all.count > 0)
		qsort(all.lines, all.count, sizeof *all.lines, by_index);
	for (size_t i = 0; i < all.count; i++) {
		if (all.lines[i].again)
			continue;
		added += all.lines[i].text + 1 == count;
		bg_buffer_add(out, all.lines[i].bytes, all.lines[i].size);
		bg_buffer_add(out, "\n", 1);
	}
	return added;
}

/* A record that lost its end, or its start, is bad; a remark that somebody wrote is not. */
static bool is_ours(const struct line *line)
{
	static const char mark[] = "batchgate.";
	return line->bytes[0] == '{' || memmem(line->bytes, line->size, mark, strlen(mark)) != NULL;
}

/* Valid JSON of something else, as other tools write into notes. */
static bool is_other_json(const struct bg_error *fault)
{
	return strstr(fault->text, "is no record of batchgate") != NULL;
}

static void count_fault(struct bg_note_faults *faults, const struct line *line,
			const struct bg_error *fault, struct bg_arena *arena)
{
	if (fault->status == BG_E_UNJUDGED) {
		faults->other_schema++;
	} else if (!is_ours(line) || is_other_json(fault)) {
		faults->foreign++;
	} else {
		faults->bad++;
		if (!faults->first)
			faults->first = bg_arena_text(arena, fault->text);
	}
}

static int by_run(const void *a, const void *b)
{
	const struct bg_record *x = a, *y = b;
	int order = strcmp(x->run, y->run);
	return order != 0 ? order : (x->part > y->part) - (x->part < y->part);
}

/* Lines into records: those of a run lie together. */
static void join_runs(struct bg_note_records *ret, struct bg_record *lines, size_t count,
		      struct bg_arena *arena)
{
	size_t first = 0;
	ret->count = 0;
	ret->records = bg_arena_array(arena, count, sizeof *ret->records);
	if (count > 0)
		qsort(lines, count, sizeof *lines, by_run);
	while (first < count) {
		size_t end = first + 1;
		while (end < count && strcmp(lines[end].run, lines[first].run) == 0)
			end++;
		bg_record_join(&ret->records[ret->count++], &lines[first], end - first, arena);
		first = end;
	}
}

void bg_note_text_read(struct bg_note_records *ret, const struct bg_note_text *text,
		       const struct bg_note_owner *owner, struct bg_note_faults *faults,
		       struct bg_arena *arena)
{
	struct lines all = { 0 };
	size_t count = 0;
	add_lines(&all, text, 0, arena);
	struct bg_record *records = bg_arena_array(arena, all.count, sizeof *records);
	for (size_t i = 0; i < all.count; i++) {
		const struct line *line = &all.lines[i];
		struct bg_error fault = BG_ERROR_INIT;
		const char *what = bg_arena_format(arena, "note of %.12s (%s), line %zu",
						   owner->commit, owner->runner_class, i + 1);
		if (bg_record_parse(&records[count], line->bytes, line->size, what, arena,
				    &fault) != BG_OK)
			count_fault(faults, line, &fault, arena);
		else if (strcmp(records[count].commit, owner->commit) != 0 ||
			 strcmp(records[count].runner_class, owner->runner_class) != 0)
			faults->misplaced++;
		else
			count++;
	}
	join_runs(ret, records, count, arena);
}
