#ifndef BG_REPORTERS_REPEAT_H
#define BG_REPORTERS_REPEAT_H
#include "gate/core/buffer.h"

/*
 * Appends the line that measures one case again: `COMMAND --only 'CASE'`, safe to paste into a
 * shell. What a glob would read as a pattern is escaped; a byte that cannot be shown becomes '?',
 * which matches it. command NULL: "batchgate gate".
 */
void bg_repeat_add(struct bg_buffer *out, const char *command, const char *case_name);
#endif
