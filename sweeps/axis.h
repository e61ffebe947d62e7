#ifndef BG_SWEEPS_AXIS_H
#define BG_SWEEPS_AXIS_H
/* Axes of a workload: a key and the values it runs over. */
#include "sweeps/node.h"

/*
 * Reads the axis that key and value write: one value, one range, or a list of them.
 * Errors, with their place: bad name, empty list, nested lists, no value, bad ranges, a value
 * twice.
 */
BG_MUST_CHECK enum bg_status bg_axis_read(struct bg_axis *ret, const struct bg_node *key,
					  const struct bg_node *value, struct bg_error *err);

/* The axis of that name, or NULL. */
const struct bg_axis *bg_axis_find(const struct bg_axis *axes, size_t count, const char *name);
/* A letter, then letters, digits and . _ - : what can stand in {braces}; size bytes. */
bool bg_axis_is_name(const char *name, size_t size);
#endif
