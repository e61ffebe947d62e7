#ifndef BG_WIRE_RESULT_FILE_H
#define BG_WIRE_RESULT_FILE_H
/* result.json, schema "batchgate.result/1": everything a decision needs, and its evidence. */
#include "gate/core/arena.h"
#include "gate/verdict/result.h"

#define BG_RESULT_SCHEMA "batchgate.result/1"
#define BG_RESULT_SIZE_MAX ((size_t)1 << 30)

/* Writes to a temporary, fsync, rename. Numbers keep every bit (%.17g). BG_E_SYSTEM. */
BG_MUST_CHECK enum bg_status bg_result_write(const struct bg_result *result, const char *path,
					     struct bg_error *err);
/*
 * Reads and checks: schema, bounds, levels of 0 or more, unique case names, known metrics and
 * states. Data that are no numbers (null) come back as NaN, and deciding calls them MISTRUSTED.
 * returns BG_E_INPUT with "path: what is wrong" where anything is off; nothing is repaired.
 */
BG_MUST_CHECK enum bg_status bg_result_read(struct bg_result *ret, const char *path,
					    struct bg_arena *arena, struct bg_error *err);
/* The same from memory, for tests and fuzzing. */
BG_MUST_CHECK enum bg_status bg_result_parse(struct bg_result *ret, const char *text, size_t size,
					     const char *what, struct bg_arena *arena,
					     struct bg_error *err);
#endif
