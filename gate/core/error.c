#include "gate/core/error.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* One line for the user, whatever bytes a file name or a worker put in. */
static void make_one_line(char *text)
{
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
}

/* A cut in the middle of a UTF-8 sequence would make the message invalid text. */
static void cut_at_character(char *text, size_t size)
{
	size_t end = strlen(text);
	if (end + 1 < size)
		return;
	while (end > 0 && ((unsigned char)text[end - 1] & 0xc0) == 0x80)
		end--;
	if (end > 0 && ((unsigned char)text[end - 1] & 0xc0) == 0xc0)
		text[end - 1] = '\0';
}

enum bg_status bg_fail(struct bg_error *err, enum bg_status status, const char *format, ...)
{
	assert(status != BG_OK);
	assert(err->status == BG_OK);
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	cut_at_character(err->text, sizeof err->text);
	make_one_line(err->text);
	err->status = status;
	return status;
}

enum bg_status bg_within(struct bg_error *err, const char *format, ...)
{
	assert(err->status != BG_OK);
	char inner[sizeof err->text];
	memcpy(inner, err->text, sizeof inner);
	va_list args;
	va_start(args, format);
	int used = vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	if (used >= 0 && (size_t)used < sizeof err->text - 2) {
		size_t room = sizeof err->text - (size_t)used - 2, length = strlen(inner);
		memcpy(err->text + used, ": ", 2);
		memcpy(err->text + used + 2, inner, length < room ? length + 1 : room);
		err->text[sizeof err->text - 1] = '\0';
	}
	cut_at_character(err->text, sizeof err->text);
	make_one_line(err->text);
	return err->status;
}

void bg_error_clear(struct bg_error *err)
{
	err->status = BG_OK;
	err->text[0] = '\0';
}
