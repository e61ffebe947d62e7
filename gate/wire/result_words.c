#include "gate/wire/result_words.h"

#include <assert.h>
#include <string.h>

static const char *const states[] = {
	[BG_CASE_MEASURED] = "measured",
	[BG_CASE_IDENTICAL] = "identical",
	[BG_CASE_NEW] = "new",
	[BG_CASE_REMOVED] = "removed",
	[BG_CASE_MISSING] = "missing",
	[BG_CASE_SKIPPED] = "skipped",
	[BG_CASE_FAILED] = "failed",
	[BG_CASE_INCORRECT] = "incorrect",
	[BG_CASE_BROKEN] = "broken",
	[BG_CASE_NO_BASELINE] = "no_baseline",
	[BG_CASE_MISTRUSTED] = "mistrusted",
	[BG_CASE_UNMEASURED] = "unmeasured",
};
static const char *const endings[] = {
	[BG_END_COMPLETE] = "complete",
	[BG_END_BUDGET] = "budget",
	[BG_END_LAUNCHES_MAX] = "launches_max",
	[BG_END_INTERRUPTED] = "interrupted",
};
static const char *const comparisons[] = {
	[BG_COMPARISON_ARMS] = "arms",
	[BG_COMPARISON_STORED] = "stored",
	[BG_COMPARISON_NOTHING] = "nothing",
};
static const char *const phases[] = {
	[BG_PHASE_JUDGE] = "judge",
	[BG_PHASE_CONFIRM] = "confirm",
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool find(size_t *ret, const char *name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(words[i], name) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

const char *bg_case_state_name(enum bg_case_state state)
{
	assert((size_t)state < COUNT(states));
	return states[state];
}

bool bg_case_state_find(enum bg_case_state *ret, const char *name)
{
	size_t index;
	if (!find(&index, name, states, COUNT(states)))
		return false;
	*ret = (enum bg_case_state)index;
	return true;
}

const char *bg_ending_name(enum bg_ending ending)
{
	assert((size_t)ending < COUNT(endings));
	return endings[ending];
}

bool bg_ending_find(enum bg_ending *ret, const char *name)
{
	size_t index;
	if (!find(&index, name, endings, COUNT(endings)))
		return false;
	*ret = (enum bg_ending)index;
	return true;
}

const char *bg_comparison_name(enum bg_comparison comparison)
{
	assert((size_t)comparison < COUNT(comparisons));
	return comparisons[comparison];
}

bool bg_comparison_find(enum bg_comparison *ret, const char *name)
{
	size_t index;
	if (!find(&index, name, comparisons, COUNT(comparisons)))
		return false;
	*ret = (enum bg_comparison)index;
	return true;
}

const char *bg_phase_name(enum bg_phase phase)
{
	assert((size_t)phase < COUNT(phases));
	return phases[phase];
}

bool bg_phase_find(enum bg_phase *ret, const char *name)
{
	size_t index;
	if (!find(&index, name, phases, COUNT(phases)))
		return false;
	*ret = (enum bg_phase)index;
	return true;
}
