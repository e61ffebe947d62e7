/* A line of a note from anywhere: refused with one line, or a record that is written as it was. */
#include "gate/wire/record.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written of a record reads back, and is written once more as the same bytes. */
static void write_again(const struct bg_record *record, struct bg_arena *arena)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	BG_AUTO(bg_buffer_release) struct bg_buffer again;
	struct bg_error err = BG_ERROR_INIT;
	struct bg_record back;
	bg_buffer_init(&out, (size_t)1 << 20);
	bg_buffer_init(&again, (size_t)1 << 20);
	if (bg_record_write(&out, record) > 1)
		return;
	assert(!out.full && out.size > 0 && out.bytes[out.size - 1] == '\n');
	if (out.size > BG_RECORD_LINE_MAX)
		return;
	assert(bg_record_parse(&back, out.bytes, out.size - 1, "again", arena, &err) == BG_OK);
	(void)bg_record_write(&again, &back);
	assert(again.size == out.size && memcmp(again.bytes, out.bytes, out.size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct bg_error err = BG_ERROR_INIT;
	struct bg_record record, joined;
	char *line = bg_arena_bytes(&arena, data, size);
	enum bg_status status = bg_record_parse(&record, line, size, "input", &arena, &err);
	assert((status == BG_OK) == (err.text[0] == '\0'));
	if (status != BG_OK)
		return 0;
	const struct bg_record twice[2] = { record, record };
	bg_record_join(&joined, twice, 2, &arena);
	assert(joined.cell_count == record.cell_count);
	write_again(&record, &arena);
	return 0;
}
