#ifndef BG_SWEEPS_IDENTITY_H
#define BG_SWEEPS_IDENTITY_H
/*
 * Whether two live workers run the same bytes on the same input, so that the commit cannot matter
 * to a built-in workload (design: section 3, Identity).
 */
#include "gate/core/arena.h"

#include <stdbool.h>
#include <sys/types.h>

/* One worker, prepared: what it needs is loaded by now. */
struct bg_identity_side {
	pid_t pid;
	const char *dir; /* the arm's tree, absolute */
};

/*
 * True where both processes have the same arguments and environment, a program of the arm's own
 * tree (not an interpreter that reads one), and the same files mapped: at the same path, or, within
 * the arms' trees, at the same place in either and equal as bg_image_equal compares. Paths that
 * start with the arm's tree count as equal. False wherever anything cannot be read.
 *
 * cost  reads each mapped file of the trees once: milliseconds
 */
bool bg_identity_same(const struct bg_identity_side *base, const struct bg_identity_side *head,
		      struct bg_arena *arena);
#endif
