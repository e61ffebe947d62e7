#ifndef BG_SWEEPS_WARMUP_H
#define BG_SWEEPS_WARMUP_H
#include "sweeps/step_pair.h"

/*
 * Steps both workers in pairs until their times are steady, and finds out once per case whether a
 * step is long enough to be cut into turns and bears it.
 * cost: 6 to 16 pairs or 500 ms, whichever ends first; 4 to 6 more for the first launch of long
 * steps
 */
BG_MUST_CHECK enum bg_status bg_warm_up(struct bg_stepper *stepper, bool first_launch,
					struct bg_arm_outcome outcome[2], struct bg_error *err);
#endif
