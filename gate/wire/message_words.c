#include "gate/wire/message_words.h"

#include <string.h>

#define TEXT_MAX 4096

const char *const bg_op_words[BG_OP_BYE + 1] = { "hello", "list",   "pin", "prepare",
						 "step",  "finish", "bye" };
const char *const bg_prepared_words[BG_PREPARED_FAILED + 1] = { "ready", "unsupported",
								"out_of_memory", "incorrect",
								"failed" };
const char *const bg_axis_kind_words[BG_AXIS_WORD + 1] = { "integer", "number", "word" };

size_t bg_word_find(const struct bg_json *value, const char *const *words, size_t count)
{
	const char *text = bg_json_text(value);
	for (size_t i = 0; text && i < count; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	return count;
}

const char *bg_message_text(const struct bg_json *value, struct bg_arena *arena)
{
	const char *text = bg_json_text(value);
	return text && strlen(text) <= TEXT_MAX ? bg_arena_text(arena, text) : NULL;
}

enum bg_status bg_message_cpus(size_t *count, const unsigned **cpus, const struct bg_json *array,
			       struct bg_arena *arena, struct bg_error *err)
{
	size_t found = bg_json_count(array);
	if (found == 0 || found > BG_CPUS_MAX)
		return bg_fail(err, BG_E_INPUT, "pin: \"cpus\" must be a list of 1 to %d numbers",
			       BG_CPUS_MAX);
	unsigned *values = bg_arena_array(arena, found, sizeof *values);
	for (size_t i = 0; i < found; i++) {
		uint64_t cpu;
		if (!bg_json_u64(&cpu, bg_json_at(array, i)) || cpu >= BG_CPUS_MAX)
			return bg_fail(err, BG_E_INPUT, "pin: \"cpus\": a number below %d wanted",
				       BG_CPUS_MAX);
		values[i] = (unsigned)cpu;
	}
	*count = found;
	*cpus = values;
	return BG_OK;
}

void bg_message_put_cpus(struct bg_json_writer *writer, size_t count, const unsigned *cpus)
{
	bg_json_open(writer, "cpus", '[');
	for (size_t i = 0; i < count; i++)
		bg_json_put_u64(writer, NULL, cpus[i]);
	bg_json_close(writer, ']');
}
