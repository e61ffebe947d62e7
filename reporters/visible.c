#include "reporters/visible.h"

#include "gate/core/text.h"

#include <assert.h>
#include <string.h>

#define ESC '\x1b'

static uint32_t decode(const char *text, size_t length)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)text[0] & first_bits[length];
	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/* Zero width, line and paragraph separators, bidirectional controls, C1, no characters. */
static bool is_unseen(uint32_t code)
{
	return (code >= 0x80 && code <= 0x9f) || code == 0xad || code == 0x61c ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code & 0xfffe) == 0xfffe ||
	       (code >= 0xfdd0 && code <= 0xfdef) || (code >= 0xfff9 && code <= 0xfffb) ||
	       (code >= 0xe0000 && code <= 0xe007f);
}

/* Length of the terminal sequence at text (ECMA-48: CSI, OSC, two bytes), 0 where there is none. */
static size_t ansi_length(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	if (c[0] != ESC)
		return 0;
	size_t i = 2;
	if (c[1] == '[') {
		while (c[i] >= 0x20 && c[i] <= 0x3f)
			i++;
		return c[i] >= 0x40 && c[i] <= 0x7e ? i + 1 : 0;
	}
	if (c[1] == ']') {
		while (c[i] >= 0x20 && c[i] != 0x7f)
			i++;
		if (c[i] == '\a')
			return i + 1;
		return c[i] == ESC && c[i + 1] == '\\' ? i + 2 : 0;
	}
	return c[1] >= 0x40 && c[1] <= 0x5f ? 2 : 0;
}

/* Bytes at text that can be copied as they are, of one plain character. */
static bool is_plain(const char *text)
{
	static const char attachment[] = "[ATTACHMENT|";
	unsigned char c = (unsigned char)*text;
	if (c < 0x20 || c >= 0x7f || c == '\\')
		return false;
	if (c == '#')
		return text[1] != '[' && strncmp(text + 1, "vso[", 4) != 0;
	return c != '[' || strncmp(text, attachment, sizeof attachment - 1) != 0;
}

/* Appends what stands at text where it is not plain; returns how many bytes that was. */
static size_t add_special(struct bg_buffer *out, const char *text, unsigned flags)
{
	size_t length = bg_text_utf8_length(text, strnlen(text, 4));
	unsigned char c = (unsigned char)*text;
	if (flags & BG_VISIBLE_STRIP_ANSI && ansi_length(text))
		return ansi_length(text);
	if (flags & BG_VISIBLE_LINES && (c == '\n' || c == '\t')) {
		bg_buffer_add(out, text, 1);
	} else if (flags & BG_VISIBLE_LINES && c == '\r' && text[1] == '\n') {
		return 1;
	} else if (c == '\\') {
		bg_buffer_text(out, flags & BG_VISIBLE_ONE_TO_ONE ? "\\\\" : "\\");
	} else if (length <= 1) {
		bg_buffer_format(out, "\\x%02X", c);
	} else {
		uint32_t code = decode(text, length);
		if (is_unseen(code))
			bg_buffer_format(out, code > 0xffff ? "\\U%08X" : "\\u%04X", code);
		else
			bg_buffer_add(out, text, length);
	}
	return length ? length : 1;
}

void bg_visible_add(struct bg_buffer *out, const char *text, unsigned flags)
{
	bg_visible_add_some(out, text, SIZE_MAX, flags);
}

void bg_visible_add_some(struct bg_buffer *out, const char *text, size_t size_max, unsigned flags)
{
	if (!text)
		return;
	size_t start = out->size;
	while (*text) {
		size_t used = out->size - start, plain = 0;
		size_t room = used < size_max ? size_max - used : 0;
		if (room == 0) {
			bg_buffer_format(out, " ... (%zu more bytes)", strlen(text));
			return;
		}
		while (plain < room && is_plain(text + plain))
			plain++;
		bg_buffer_add(out, text, plain);
		text += plain;
		if (plain < room && *text)
			text += add_special(out, text, flags);
		if (out->full)
			return;
	}
}

/* Bytes of the blank at text, as .NET's TrimStart sees it; 0 where there is none. */
static size_t blank_size(const char *text)
{
	static const char *const blanks[] = {
		" ",	       "\t", "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xaf", "\xe2\x81\x9f",
		"\xe3\x80\x80"
	};
	for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++)
		if (strncmp(text, blanks[i], strlen(blanks[i])) == 0)
			return strlen(blanks[i]);
	bool is_space = strncmp(text, "\xe2\x80", 2) == 0 && (unsigned char)text[2] >= 0x80 &&
			(unsigned char)text[2] <= 0x8a; /* U+2000 .. U+200A */
	return is_space ? 3 : 0;
}

/* The "::" of the first line, from line on, that begins with one; NULL where none does. */
static const char *find_command(const char *line)
{
	while (line) {
		const char *start = line;
		while (blank_size(start))
			start += blank_size(start);
		if (strncmp(start, "::", 2) == 0)
			return start;
		line = strchr(start, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

void bg_visible_guard_lines(struct bg_buffer *out)
{
	const char *left = out->bytes, *command = left ? find_command(left) : NULL;
	if (!command)
		return;
	struct bg_buffer guarded;
	bg_buffer_init(&guarded, out->size_max);
	guarded.full = out->full;
	while (command) {
		bg_buffer_add(&guarded, left, (size_t)(command - left));
		bg_buffer_text(&guarded, "\\x3A:");
		left = command + 2;
		command = strchr(left, '\n');
		command = command ? find_command(command + 1) : NULL;
	}
	bg_buffer_text(&guarded, left);
	bg_buffer_release(out);
	*out = guarded;
}

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

void bg_visible_trim(struct bg_buffer *out)
{
	if (!out->full)
		return;
	size_t start = out->size;
	while (start > 0 && out->size - start < 4 && !starts_character(out->bytes[start - 1]))
		start--;
	start -= start > 0;
	if (!bg_text_utf8_length(out->bytes + start, out->size - start))
		bg_buffer_cut(out, start);
}

size_t bg_visible_columns(const char *text, size_t size)
{
	size_t columns = 0;
	for (size_t i = 0; i < size; i++)
		columns += starts_character(text[i]);
	return columns;
}

/* Bytes of the first count characters. */
static size_t prefix_size(const char *text, size_t count)
{
	size_t i = 0;
	for (; text[i]; i++)
		if (starts_character(text[i]) && count-- == 0)
			break;
	return i;
}

void bg_visible_cut(struct bg_buffer *out, const char *text, size_t columns)
{
	assert(columns >= 8);
	size_t size = strlen(text), all = bg_visible_columns(text, size);
	if (all <= columns) {
		bg_buffer_add(out, text, size);
		return;
	}
	size_t head = (columns - 3) / 3, tail = columns - 3 - head;
	bg_buffer_add(out, text, prefix_size(text, head));
	bg_buffer_text(out, "...");
	bg_buffer_text(out, text + prefix_size(text, all - tail));
}

void bg_visible_clip(struct bg_buffer *out, const char *text, size_t columns)
{
	assert(columns >= 8);
	size_t size = strlen(text);
	if (bg_visible_columns(text, size) <= columns) {
		bg_buffer_add(out, text, size);
		return;
	}
	bg_buffer_add(out, text, prefix_size(text, columns - 3));
	bg_buffer_text(out, "...");
}
