#ifndef BG_VERDICT_SENTENCE_H
#define BG_VERDICT_SENTENCE_H
/* The report's English: one line each, the same bytes in any locale. All owned by the arena. */
#include "gate/core/arena.h"
#include "gate/verdict/confirm.h"

/* 6 MiB, 1 us, 2.5 J: at most three digits behind the point, none that are zero. */
const char *bg_quantity_text(struct bg_arena *arena, double value, const char *unit);

/* Why a measured cell got its verdict; NULL where the numbers say it all. */
const char *bg_reason_measured(struct bg_arena *arena, const struct bg_result *result,
			       const struct bg_standing *standing,
			       const struct bg_second_look *second);

/* Why a case that was not measured got its verdict. */
const char *bg_reason_state(const struct bg_case_result *of, const struct bg_result *result);

/* "time +6.1 % (+4.9..+7.3), limit 2 %, 24 launches, confirmed". */
const char *bg_sentence_cell(struct bg_arena *arena, const struct bg_cell *cell);

/* "regression: 2 of 14 cells worse, 1 not judged; worst gemm/m=8 time +6.1 %". */
const char *bg_sentence_report(struct bg_arena *arena, const struct bg_report *report);
#endif
