#ifndef BG_VERDICT_DECIDE_H
#define BG_VERDICT_DECIDE_H
/*
 * The rule: from measured data to verdicts. Pure, seedless and deterministic: the same result gives
 * the same report, byte for byte. The looks are replayed in order from the data, so deciding while
 * a run goes on and deciding again from its saved result agree.
 */
#include "gate/core/arena.h"
#include "gate/verdict/report.h"

extern const unsigned bg_looks[4]; /* 6, 10, 16, 24 launches */
#define BG_LOOK_COUNT 4
#define BG_CONFIRM_LAUNCHES 10

/* What a run needs to know between rounds, per case. */
struct bg_need {
	bool launches; /* an undecided judged metric asks for more launches */
	bool wish;     /* a proven cell does, to tell IMPROVED from NOT_WORSE */
	bool confirm;  /* a cell stands at REGRESSED and has no confirmation yet */
};

/*
 * need[0..result->case_count): filled from the data so far.
 * launches_max  cap on judge launches per case (24 unless the user lowered it)
 * cost          O(cells x looks x launches log launches)
 */
void bg_decide_needs(struct bg_need *need, const struct bg_result *result, unsigned launches_max,
		     struct bg_arena *arena);

/* The report; borrows result, which must outlive it; the rest is owned by the arena. */
void bg_decide(struct bg_report *ret, const struct bg_result *result, bool strict,
	       struct bg_arena *arena);

/* Trimmed mean of pairs' log ratios: 10 % trimmed from 40 pairs on, median below. */
double bg_datum_time(const double *base, const double *head, size_t count, struct bg_arena *arena);
/* ln of the ratio of sums. */
double bg_datum_time_mean(const double *base, const double *head, size_t count);
#endif
