/* {axis} in the words of a command. */
#include "sweeps/axis.h"
#include "sweeps/command.h"

#include <assert.h>
#include <string.h>

bool bg_command_next(struct bg_command_piece *ret, const char **rest)
{
	const char *text = *rest;
	size_t literal = strcspn(text, "{}");
	if (!*text)
		return false;
	if (literal > 0) {
		*ret = (struct bg_command_piece){ false, text, literal };
		*rest = text + literal;
		return true;
	}
	if (text[1] == text[0]) {
		*ret = (struct bg_command_piece){ false, text, 1 };
		*rest = text + 2;
		return true;
	}
	size_t size = strcspn(text + 1, "{}");
	if (text[0] != '{' || text[1 + size] != '}' || !bg_axis_is_name(text + 1, size))
		return false;
	*ret = (struct bg_command_piece){ true, text + 1, size };
	*rest = text + size + 2;
	return true;
}

/* What stands in the command for a piece. */
static struct bg_command_piece value_of(const struct bg_command_piece *piece,
					const struct bg_axis_text *axes, size_t axis_count)
{
	if (!piece->is_axis)
		return *piece;
	size_t i = 0;
	while (i < axis_count && (strlen(axes[i].name) != piece->size ||
				  memcmp(axes[i].name, piece->text, piece->size) != 0))
		i++;
	assert(i < axis_count);
	return (struct bg_command_piece){ false, axes[i].value, strlen(axes[i].value) };
}

/* Writes the filled word to out unless that is NULL; returns its size without NUL. */
static size_t fill_word(char *out, const char *word, const struct bg_axis_text *axes,
			size_t axis_count)
{
	struct bg_command_piece piece;
	size_t size = 0;
	while (bg_command_next(&piece, &word)) {
		struct bg_command_piece value = value_of(&piece, axes, axis_count);
		if (out && value.size > 0)
			memcpy(out + size, value.text, value.size);
		size += value.size;
	}
	assert(!*word);
	return size;
}

enum bg_status bg_command_fill(const char *const **ret, const struct bg_command_words *command,
			       const struct bg_axis_text *axes, size_t axis_count,
			       struct bg_arena *arena, struct bg_error *err)
{
	const char **filled = bg_arena_array(arena, command->count + 1, sizeof *filled);
	size_t total = 0;
	for (size_t i = 0; i < command->count; i++) {
		const char *word = command->words[i];
		size_t size = fill_word(NULL, word, axes, axis_count);
		total += size + 1;
		if (total > BG_COMMAND_SIZE_MAX)
			return bg_fail(err, BG_E_INPUT,
				       "with its axes filled in, the command is longer than %zu "
				       "bytes",
				       BG_COMMAND_SIZE_MAX);
		filled[i] = word;
		if (strpbrk(word, "{}")) {
			char *copy = bg_arena_alloc(arena, size + 1);
			fill_word(copy, word, axes, axis_count);
			filled[i] = copy;
		}
	}
	*ret = filled;
	return BG_OK;
}
