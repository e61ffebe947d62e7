#include "gate/verdict/sentence.h"

#include "gate/core/text.h"
#include "gate/verdict/decide.h"
#include "gate/verdict/look.h"

#include <math.h>

static const char *const endings[] = {
	[BG_END_COMPLETE] = "the run ended",
	[BG_END_BUDGET] = "the budget ended",
	[BG_END_LAUNCHES_MAX] = "no more launches were allowed",
	[BG_END_INTERRUPTED] = "the run was interrupted",
};

static const char *ending_text(const struct bg_result *result)
{
	return result->ending_why ? result->ending_why : endings[result->ending];
}

static const char *percent(char text[BG_FIXED_SIZE], double logarithm)
{
	return bg_text_fixed(text, 100 * expm1(fmin(logarithm, log1p(BG_RATIO_MAX))), 1);
}

static const char *doubt_text(struct bg_arena *arena, const struct bg_standing *standing)
{
	char number[BG_FIXED_SIZE];
	switch (standing->doubt) {
	case BG_DOUBT_CORRELATED:
		return bg_arena_format(
			arena, "launches depend on those before them (lag-1 correlation %s)",
			bg_text_fixed(number, standing->lag1, 2));
	case BG_DOUBT_MODES:
		return bg_arena_format(arena, "%u of %u launches %s far worse than the rest",
				       standing->odd, standing->launches,
				       standing->odd == 1 ? "is" : "are");
	case BG_DOUBT_MAXIMUM:
		return bg_arena_format(arena, "head's highest launch is %s %% above base's highest",
				       percent(number, standing->maximum));
	case BG_DOUBT_ZEROS:
		return bg_arena_format(arena, "zero in some launches, beyond the limit in %u of %u",
				       standing->odd, standing->launches);
	case BG_DOUBT_NOISE:
	case BG_DOUBT_NONE:
		break;
	}
	return bg_arena_format(arena, "too noisy: %u launches can show a change of %s %% or more",
			       standing->launches, percent(number, standing->mde));
}

static const char *open_text(struct bg_arena *arena, const struct bg_result *result,
			     const struct bg_standing *standing)
{
	size_t count = standing->series->judge_count;
	unsigned next = bg_look_next(standing->launches);
	const char *ending = ending_text(result);
	if (count < bg_looks[0])
		return bg_arena_format(arena, "%zu launch%s, at least %u are needed (%s)", count,
				       count == 1 ? "" : "es", bg_looks[0], ending);
	const char *doubt = doubt_text(arena, standing);
	if (next == 0)
		return doubt;
	return bg_arena_format(arena, "%s; not decided at %u launches, the next look is at %u (%s)",
			       doubt, standing->launches, next, ending);
}

static const char *unstable_text(struct bg_arena *arena, const struct bg_second_look *second)
{
	char center[BG_FIXED_SIZE], low[BG_FIXED_SIZE];
	if (!second->ratio)
		return bg_arena_format(arena, "not so in %u fresh launches", second->launches);
	return bg_arena_format(arena, "%s %% (from %s) in %u fresh launches: not confirmed",
			       percent(center, second->center), percent(low, second->low),
			       second->launches);
}

static const char *zeros_text(const struct bg_standing *standing)
{
	if (standing->ratio)
		return standing->head == 0 && standing->base == 0 ? "zero on both sides" : NULL;
	if (standing->verdict == BG_REGRESSED)
		return "from zero";
	return standing->head == 0 ? "to zero"
				   : "no ratio to zero, but within the limit in each launch";
}

const char *bg_reason_measured(struct bg_arena *arena, const struct bg_result *result,
			       const struct bg_standing *standing,
			       const struct bg_second_look *second)
{
	switch (standing->verdict) {
	case BG_MISTRUSTED:
		return bg_arena_format(arena, "launch %zu has no finite, positive data",
				       standing->bad_launch);
	case BG_INCONCLUSIVE:
		return open_text(arena, result, standing);
	case BG_SUSPICIOUS:
		return standing->ratio ? "next to nothing is left: did the work vanish?"
				       : "to zero: did the work vanish?";
	case BG_REGRESSED:
		if (second->launches < BG_CONFIRM_LAUNCHES)
			return bg_arena_format(
				arena,
				"beyond the limit, but only %u of %u launches to confirm it (%s)",
				second->launches, BG_CONFIRM_LAUNCHES, ending_text(result));
		return second->confirmed ? zeros_text(standing) : unstable_text(arena, second);
	default:
		return zeros_text(standing);
	}
}

static const char *const states[] = {
	[BG_CASE_MEASURED] = "nothing was measured that is judged",
	[BG_CASE_IDENTICAL] = "both arms run the same bytes on the same inputs",
	[BG_CASE_NEW] = "base has nothing to compare with",
	[BG_CASE_REMOVED] = "gone from head, as declared",
	[BG_CASE_MISSING] = "gone from head, and not listed under removed:",
	[BG_CASE_SKIPPED] = "skipped",
	[BG_CASE_FAILED] = "head fails where base ran",
	[BG_CASE_INCORRECT] = "head's result is beyond its tolerance",
	[BG_CASE_BROKEN] = "fails on both arms",
	[BG_CASE_NO_BASELINE] = "base could not be measured",
	[BG_CASE_MISTRUSTED] = "the worker's clock does not agree with ours",
	[BG_CASE_UNMEASURED] = "the run ended before its first launch",
};

const char *bg_reason_state(const struct bg_case_result *of, const struct bg_result *result)
{
	if (of->reason)
		return of->reason;
	if (of->state == BG_CASE_UNMEASURED && result->ending_why)
		return result->ending_why;
	return states[of->state];
}
