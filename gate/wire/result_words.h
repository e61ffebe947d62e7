#ifndef BG_WIRE_RESULT_WORDS_H
#define BG_WIRE_RESULT_WORDS_H
/* The words of result.json for enumerations; they never change meaning within a schema version. */
#include "gate/verdict/result.h"

/* "measured", "identical", ... */
const char *bg_case_state_name(enum bg_case_state state);
/* False where the word is none of them. */
bool bg_case_state_find(enum bg_case_state *ret, const char *name);

/* "complete", "budget", "launches_max", "interrupted" */
const char *bg_ending_name(enum bg_ending ending);
bool bg_ending_find(enum bg_ending *ret, const char *name);

/* "arms", "stored", "nothing" */
const char *bg_comparison_name(enum bg_comparison comparison);
bool bg_comparison_find(enum bg_comparison *ret, const char *name);

/* "judge", "confirm" */
const char *bg_phase_name(enum bg_phase phase);
bool bg_phase_find(enum bg_phase *ret, const char *name);
#endif
