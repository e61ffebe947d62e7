#ifndef BG_CORE_BUFFER_H
#define BG_CORE_BUFFER_H
/*
 * A growing text of bounded size. Appending past the bound drops the rest and sets `full`, which
 * the owner checks once at the end: output of the outside world never grows without limit.
 */
#include "gate/core/error.h"

#include <stdbool.h>
#include <stddef.h>

struct bg_buffer {
	char *bytes;	 /* always NUL-terminated once something was added; NULL before */
	size_t size;	 /* without the NUL */
	size_t capacity; /* of bytes */
	size_t size_max; /* bound given at init */
	bool full;	 /* something was dropped, or memory ran out */
};

/* size_max: 1 .. 1 GiB. The buffer holds no memory until something is added. */
void bg_buffer_init(struct bg_buffer *buffer, size_t size_max);
void bg_buffer_release(struct bg_buffer *buffer);
void bg_buffer_clear(struct bg_buffer *buffer);
/* Keeps the first size bytes; size is at most the buffer's. */
void bg_buffer_cut(struct bg_buffer *buffer, size_t size);
void bg_buffer_add(struct bg_buffer *buffer, const void *bytes, size_t size);
void bg_buffer_text(struct bg_buffer *buffer, const char *text);
void bg_buffer_format(struct bg_buffer *buffer, const char *format, ...) BG_PRINTF(2, 3);
#endif
