#ifndef BG_WIRE_MESSAGE_WORDS_H
#define BG_WIRE_MESSAGE_WORDS_H
/* The protocol's words, shared by both directions. */
#include "gate/wire/json.h"
#include "gate/wire/message.h"

extern const char *const bg_op_words[BG_OP_BYE + 1];
extern const char *const bg_prepared_words[BG_PREPARED_FAILED + 1];
extern const char *const bg_axis_kind_words[BG_AXIS_WORD + 1];

/* Index of the word that a value holds, or count. */
size_t bg_word_find(const struct bg_json *value, const char *const *words, size_t count);
/* A short text of the message, copied; NULL where it is absent, not a text or over 4096 bytes. */
const char *bg_message_text(const struct bg_json *value, struct bg_arena *arena);
/* Array of CPU numbers below BG_CPUS_MAX, ascending or not. */
BG_MUST_CHECK enum bg_status bg_message_cpus(size_t *count, const unsigned **cpus,
					     const struct bg_json *array, struct bg_arena *arena,
					     struct bg_error *err);
void bg_message_put_cpus(struct bg_json_writer *writer, size_t count, const unsigned *cpus);
#endif
