#ifndef BG_SWEEPS_ARMS_H
#define BG_SWEEPS_ARMS_H
/* `arms:`: how the two sides are made. */
#include "sweeps/node.h"

/*
 * Reads `build`, `worker` (commands), `carry` and `link` (lists of paths inside the tree).
 * A path is relative, has no "..", is not the tree itself and nothing under .git.
 */
BG_MUST_CHECK enum bg_status bg_arms_read(struct bg_arms *ret, const struct bg_node *node,
					  struct bg_error *err);
#endif
