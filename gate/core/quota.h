#ifndef BG_CORE_QUOTA_H
#define BG_CORE_QUOTA_H
/*
 * The CPU quota of our control group (v2 cpu.max, v1 cpu.cfs_quota_us), the tightest on the way up,
 * and whether it throttled us.
 */
#include "gate/core/error.h"

#include <stdbool.h>
#include <stdint.h>

#define BG_QUOTA_SLACK .2 /* cores a quota must leave over those of a case */

struct bg_quota {
	double cores;	      /* infinity: none */
	char stat_path[4096]; /* cpu.stat of the group that sets it; "" none */
};

/* root: "" for the real machine, else a folder that holds proc/ and sys/ (tests). */
void bg_quota_read(struct bg_quota *ret, const char *root);
/* nr_throttled so far, 0 where there is no quota or it cannot be read. Cost: 5 us with a quota. */
uint64_t bg_quota_throttled(const struct bg_quota *quota);
#endif
