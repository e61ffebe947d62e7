#include "gate/core/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bg_buffer_init(struct bg_buffer *buffer, size_t size_max)
{
	*buffer = (struct bg_buffer){ .size_max = size_max };
}

void bg_buffer_release(struct bg_buffer *buffer)
{
	free(buffer->bytes);
	bg_buffer_init(buffer, buffer->size_max);
}

void bg_buffer_clear(struct bg_buffer *buffer)
{
	buffer->size = 0;
	buffer->full = false;
	if (buffer->bytes)
		buffer->bytes[0] = '\0';
}

void bg_buffer_cut(struct bg_buffer *buffer, size_t size)
{
	assert(size <= buffer->size);
	buffer->size = size;
	if (buffer->bytes)
		buffer->bytes[size] = '\0';
}

static bool reserve(struct bg_buffer *buffer, size_t size)
{
	if (size < buffer->capacity)
		return true;
	size_t capacity = buffer->capacity ? buffer->capacity : 256;
	while (capacity <= size)
		capacity *= 2;
	char *bytes = realloc(buffer->bytes, capacity);
	if (!bytes)
		return false;
	buffer->bytes = bytes;
	buffer->capacity = capacity;
	return true;
}

void bg_buffer_add(struct bg_buffer *buffer, const void *bytes, size_t size)
{
	size_t room = buffer->size_max - buffer->size;
	if (size > room) {
		size = room;
		buffer->full = true;
	}
	if (!reserve(buffer, buffer->size + size)) {
		buffer->full = true;
		return;
	}
	if (size > 0)
		memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
	buffer->bytes[buffer->size] = '\0';
}

void bg_buffer_text(struct bg_buffer *buffer, const char *text)
{
	bg_buffer_add(buffer, text, strlen(text));
}

void bg_buffer_format(struct bg_buffer *buffer, const char *format, ...)
{
	char stack[512];
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(stack, sizeof stack, format, args);
	va_end(args);
	if (length >= 0 && (size_t)length < sizeof stack) {
		bg_buffer_add(buffer, stack, (size_t)length);
	} else if (length >= 0) {
		char *heap = malloc((size_t)length + 1);
		if (heap) {
			vsnprintf(heap, (size_t)length + 1, format, again);
			bg_buffer_add(buffer, heap, (size_t)length);
			free(heap);
		} else {
			buffer->full = true;
		}
	}
	va_end(again);
}
