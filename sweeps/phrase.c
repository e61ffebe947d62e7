#include "sweeps/phrase.h"

#include "gate/core/buffer.h"
#include "gate/core/text.h"

#include <stdio.h>
#include <string.h>

#define QUOTE_SIZE 60
#define LIST_COUNT 40

const char *bg_phrase_quote(struct bg_arena *arena, const char *text)
{
	size_t size = strlen(text), used = 0;
	if (size <= QUOTE_SIZE)
		return bg_arena_format(arena, "'%s'", text);
	while (used < QUOTE_SIZE) {
		size_t length = bg_text_utf8_length(text + used, size - used);
		used += length > 0 ? length : 1;
	}
	return bg_arena_format(arena, "'%.*s...'", (int)used, text);
}

const char *bg_phrase_list(struct bg_arena *arena, const char *const *words, size_t count)
{
	if (count == 0)
		return "none";
	BG_AUTO(bg_buffer_release) struct bg_buffer list;
	bg_buffer_init(&list, 1024);
	for (size_t i = 0; i < count && i < LIST_COUNT; i++) {
		bg_buffer_text(&list, i > 0 ? ", " : "");
		bg_buffer_text(&list, words[i]);
	}
	if (count > LIST_COUNT)
		bg_buffer_text(&list, ", ...");
	return bg_arena_text(arena, list.bytes ? list.bytes : "");
}

const char *bg_phrase_nearest(struct bg_arena *arena, const char *word, const char *const *words,
			      size_t count)
{
	const char *nearest = bg_text_nearest(word, words, count);
	return nearest ? bg_arena_format(arena, " (did you mean %s?)", nearest) : "";
}

/* A locale's decimal point, of any number of bytes, becomes '.'. */
static void use_c_point(char *text)
{
	char *out = text;
	bool in_point = false;
	for (const char *c = text; *c; c++) {
		bool of_number = strchr("0123456789+-e", *c) != NULL;
		if (of_number || !in_point)
			*out++ = of_number ? *c : '.';
		in_point = !of_number;
	}
	*out = '\0';
}

const char *bg_phrase_number(struct bg_arena *arena, double number)
{
	char text[64];
	/* 17 significant digits tell any two doubles apart. */
	for (int digits = 1; digits <= 17; digits++) {
		double back;
		snprintf(text, sizeof text, "%.*g", digits, number == 0 ? 0.0 : number);
		use_c_point(text);
		if (bg_text_to_double(&back, text, number, number))
			break;
	}
	return bg_arena_text(arena, text);
}
