#include "gate/wire/json.h"

#include "gate/core/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void bg_json_start(struct bg_json_writer *writer, struct bg_buffer *out, bool pretty)
{
	*writer = (struct bg_json_writer){ .out = out, .pretty = pretty };
}

static void new_line(struct bg_json_writer *writer)
{
	if (!writer->pretty)
		return;
	bg_buffer_add(writer->out, "\n", 1);
	for (unsigned i = 0; i < writer->depth; i++)
		bg_buffer_add(writer->out, "  ", 2);
}

/* The end of "##[" and "##vso[", which the logs of GitHub and Azure obey anywhere in a line. */
static bool is_log_command(const char *text)
{
	return *text == '#' && (text[1] == '[' || strncmp(text + 1, "vso[", 4) == 0);
}

/* One escaped character or valid sequence at text; returns how many bytes it took. */
static size_t put_character(struct bg_buffer *out, const char *text, size_t size)
{
	unsigned char c = (unsigned char)*text;
	if (c == '"' || c == '\\') {
		char escaped[2] = { '\\', *text };
		bg_buffer_add(out, escaped, 2);
		return 1;
	}
	if (c < 0x20 || c == 0x7f || is_log_command(text)) {
		bg_buffer_format(out, "\\u%04x", c);
		return 1;
	}
	size_t length = 1;
	while (length < size && length < 4 && ((unsigned char)text[length] & 0xc0) == 0x80)
		length++;
	if (c < 0x80)
		length = 1;
	if (bg_text_is_utf8(text, length)) {
		bg_buffer_add(out, text, length);
		return length;
	}
	bg_buffer_text(out, "\xef\xbf\xbd");
	return 1;
}

static void put_quoted(struct bg_buffer *out, const char *text)
{
	size_t left = strlen(text);
	bg_buffer_add(out, "\"", 1);
	while (left > 0) {
		size_t plain = 0;
		while (plain < left && text[plain] >= 0x20 && text[plain] < 0x7f &&
		       text[plain] != '"' && text[plain] != '\\' && !is_log_command(text + plain))
			plain++;
		bg_buffer_add(out, text, plain);
		text += plain;
		left -= plain;
		if (left == 0)
			break;
		size_t used = put_character(out, text, left);
		text += used;
		left -= used;
	}
	bg_buffer_add(out, "\"", 1);
}

static void start_member(struct bg_json_writer *writer, const char *key)
{
	if (writer->depth > 0) {
		bool *has = &writer->has_member[writer->depth - 1];
		if (*has)
			bg_buffer_add(writer->out, ",", 1);
		*has = true;
		new_line(writer);
	}
	if (key) {
		put_quoted(writer->out, key);
		bg_buffer_add(writer->out, ": ", writer->pretty ? 2 : 1);
	}
}

void bg_json_open(struct bg_json_writer *writer, const char *key, char bracket)
{
	assert(writer->depth < BG_JSON_DEPTH_MAX);
	start_member(writer, key);
	bg_buffer_add(writer->out, &bracket, 1);
	writer->has_member[writer->depth++] = false;
}

void bg_json_close(struct bg_json_writer *writer, char bracket)
{
	assert(writer->depth > 0);
	bool has = writer->has_member[--writer->depth];
	if (has)
		new_line(writer);
	bg_buffer_add(writer->out, &bracket, 1);
}

void bg_json_put_text(struct bg_json_writer *writer, const char *key, const char *text)
{
	start_member(writer, key);
	if (text)
		put_quoted(writer->out, text);
	else
		bg_buffer_text(writer->out, "null");
}

void bg_json_put_number(struct bg_json_writer *writer, const char *key, double number)
{
	char text[40];
	start_member(writer, key);
	if (!isfinite(number)) {
		bg_buffer_text(writer->out, "null");
		return;
	}
	snprintf(text, sizeof text, "%.17g", number);
	/* A locale with another decimal mark must not reach a file. */
	for (char *c = text; *c; c++)
		if (*c == ',')
			*c = '.';
	bg_buffer_text(writer->out, text);
}

void bg_json_put_u64(struct bg_json_writer *writer, const char *key, uint64_t number)
{
	start_member(writer, key);
	bg_buffer_format(writer->out, "%" PRIu64, number);
}

void bg_json_put_bool(struct bg_json_writer *writer, const char *key, bool value)
{
	start_member(writer, key);
	bg_buffer_text(writer->out, value ? "true" : "false");
}

void bg_json_put_null(struct bg_json_writer *writer, const char *key)
{
	start_member(writer, key);
	bg_buffer_text(writer->out, "null");
}
