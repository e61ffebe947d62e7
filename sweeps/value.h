#ifndef BG_SWEEPS_VALUE_H
#define BG_SWEEPS_VALUE_H
/* A value of a built-in workload's axis: does it fit, and what is its one spelling. */
#include "gate/wire/message.h"

/*
 * Canonical spelling of text as a value of the axis ("007" -> "7", ".50" -> "0.5"), or NULL where
 * it does not fit: not a whole number, out of range, not one of the words. Owned by the arena, or
 * text itself.
 */
const char *bg_value_fit(const struct bg_axis_info *axis, const char *text, struct bg_arena *arena);
/* "whole numbers from 1 to 65536", "one of f32, f64". Owned by the arena. */
const char *bg_value_allowed(const struct bg_axis_info *axis, struct bg_arena *arena);
/* True for a precision's name that some library knows: engines may lack it. */
bool bg_value_is_dtype(const char *text);
#endif
