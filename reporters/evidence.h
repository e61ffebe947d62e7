#ifndef BG_REPORTERS_EVIDENCE_H
#define BG_REPORTERS_EVIDENCE_H
/* What a report says of one cell in words, below its verdict. */
#include "reporters/reporter.h"
#include "reporters/wrap.h"

/* "CASE METRIC", visible. */
void bg_evidence_name(struct bg_buffer *out, const struct bg_cell *cell);

/*
 * The limit in force, a ratio: the margin, or the floor where that is larger, since what lies
 * below it never counts.
 */
double bg_evidence_limit(const struct bg_cell *cell);

/* The cell's sentence, or one made of its verdict and reason where it has none; no LF. */
void bg_evidence_sentence(struct bg_buffer *out, const struct bg_cell *cell);

/*
 * Lines below the sentence: the reason where the sentence lacks it, levels, where the case stands
 * and how it was run. Each is indented by wrap.indent and ended by LF.
 */
void bg_evidence_add(struct bg_buffer *out, const struct bg_cell *cell, struct bg_wrap wrap);
#endif
