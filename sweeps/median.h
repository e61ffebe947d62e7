#ifndef BG_SWEEPS_MEDIAN_H
#define BG_SWEEPS_MEDIAN_H
#include <stddef.h>

/* Median of count >= 1 values, which are sorted in place. */
double bg_median(double *values, size_t count);
#endif
