#ifndef BG_REPORTERS_WRAP_H
#define BG_REPORTERS_WRAP_H
#include "gate/core/buffer.h"

struct bg_wrap {
	size_t indent; /* spaces before the second line and all that follow */
	size_t width;  /* columns; 0: never break */
};

/*
 * Appends a visible text, broken between words where a line would pass the width; the first line
 * goes on from where out stands. No line starts with a word that begins with "::", which GitHub
 * takes for a command. No LF at the end.
 */
void bg_wrap_add(struct bg_buffer *out, const char *text, struct bg_wrap wrap);
#endif
