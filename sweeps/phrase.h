#ifndef BG_SWEEPS_PHRASE_H
#define BG_SWEEPS_PHRASE_H
/* Parts of messages about what a user wrote. All results are owned by the arena. */
#include "gate/core/arena.h"

#include <stddef.h>

/* 'text', cut at a character after some 60 bytes. */
const char *bg_phrase_quote(struct bg_arena *arena, const char *text);
/* "a, b, c"; at most the first 40 words, then "..."; "none" where count is 0. */
const char *bg_phrase_list(struct bg_arena *arena, const char *const *words, size_t count);
/* " (did you mean X?)" or "" where no word is near. */
const char *bg_phrase_nearest(struct bg_arena *arena, const char *word, const char *const *words,
			      size_t count);
/* The shortest decimal text that reads back as number: "0.5", "1e-06"; free of the locale. */
const char *bg_phrase_number(struct bg_arena *arena, double number);
#endif
