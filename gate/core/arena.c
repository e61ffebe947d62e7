#include "gate/core/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)
#define ALIGNMENT ((size_t)16)

struct bg_arena_block {
	struct bg_arena_block *before;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

static void abort_run(size_t size) __attribute__((noreturn));
static void abort_run(size_t size)
{
	(void)size;
	abort();
}

static void (*exhausted)(size_t) __attribute__((noreturn)) = abort_run;

void bg_arena_on_exhausted(void (*handler)(size_t size) __attribute__((noreturn)))
{
	exhausted = handler;
}

void *bg_arena_alloc(struct bg_arena *arena, size_t size)
{
	if (size > SIZE_MAX / 2)
		exhausted(size);
	size_t rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (rounded == 0)
		rounded = ALIGNMENT;
	struct bg_arena_block *block = arena->last;
	if (!block || block->size - block->used < rounded) {
		size_t room = rounded > BLOCK_SIZE ? rounded : BLOCK_SIZE;
		block = calloc(1, sizeof *block + room);
		if (!block)
			exhausted(size);
		block->size = room;
		/* A block made for one large object goes behind, so that the current one is kept.
		 */
		if (arena->last && rounded > BLOCK_SIZE / 2) {
			block->before = arena->last->before;
			arena->last->before = block;
		} else {
			block->before = arena->last;
			arena->last = block;
		}
	}
	void *bytes = block->bytes + block->used;
	block->used += rounded;
	return bytes;
}

void *bg_arena_array(struct bg_arena *arena, size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total))
		exhausted(SIZE_MAX);
	return bg_arena_alloc(arena, total);
}

char *bg_arena_bytes(struct bg_arena *arena, const void *bytes, size_t size)
{
	char *copy = bg_arena_alloc(arena, size + 1);
	if (size > 0)
		memcpy(copy, bytes, size);
	return copy;
}

char *bg_arena_text(struct bg_arena *arena, const char *text)
{
	return text ? bg_arena_bytes(arena, text, strlen(text)) : NULL;
}

char *bg_arena_format(struct bg_arena *arena, const char *format, ...)
{
	assert(format);
	va_list args;
	va_start(args, format);
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	assert(length >= 0);
	char *text = bg_arena_alloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void *bg_arena_grow(struct bg_arena *arena, void *array, size_t count, size_t *capacity,
		    size_t size)
{
	if (count < *capacity)
		return array;
	size_t wanted = *capacity ? *capacity * 2 : 8;
	void *bigger = bg_arena_array(arena, wanted, size);
	if (count > 0)
		memcpy(bigger, array, count * size);
	*capacity = wanted;
	return bigger;
}

void bg_arena_release(struct bg_arena *arena)
{
	while (arena->last) {
		struct bg_arena_block *before = arena->last->before;
		free(arena->last);
		arena->last = before;
	}
}
