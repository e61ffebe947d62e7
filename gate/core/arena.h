#ifndef BG_CORE_ARENA_H
#define BG_CORE_ARENA_H
/*
 * Memory that lives as long as one run: points, strings, samples, verdicts. No individual frees.
 * Every allocation is zeroed and aligned to 16 bytes. Running out of memory ends the program with
 * one line and exit 4 through the handler set by bg_arena_on_exhausted: a run that cannot hold its
 * own data has nothing left to decide, so callers need no check.
 */
#include "gate/core/error.h"

#include <stddef.h>

struct bg_arena_block;

struct bg_arena {
	struct bg_arena_block *last;
};

#define BG_ARENA_INIT                                                                              \
	{                                                                                          \
		NULL                                                                               \
	}

/* size bytes, zeroed; size 0 gives a valid pointer. Never NULL. */
void *bg_arena_alloc(struct bg_arena *arena, size_t size);
/* count elements of size bytes, zeroed; the product is checked. Never NULL. */
void *bg_arena_array(struct bg_arena *arena, size_t count, size_t size);
/* Copy of text; NULL stays NULL. Owned by the arena. */
char *bg_arena_text(struct bg_arena *arena, const char *text);
/* Copy of size bytes followed by NUL. */
char *bg_arena_bytes(struct bg_arena *arena, const void *bytes, size_t size);
char *bg_arena_format(struct bg_arena *arena, const char *format, ...) BG_PRINTF(2, 3);
/*
 * Room for one element more in an array that grows by doubling: returns the array, moved when it
 * had to grow. *capacity starts at 0 with array NULL. Old copies stay in the arena (at most the
 * size of the final array).
 */
void *bg_arena_grow(struct bg_arena *arena, void *array, size_t count, size_t *capacity,
		    size_t size);
/* Frees everything; the arena is empty and usable again. */
void bg_arena_release(struct bg_arena *arena);
/* Called once with the size that could not be had; must not return. Default: abort(). */
void bg_arena_on_exhausted(void (*handler)(size_t size) __attribute__((noreturn)));
#endif
