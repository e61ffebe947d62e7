#ifndef BG_SWEEPS_WORKLOAD_ENTRY_H
#define BG_SWEEPS_WORKLOAD_ENTRY_H
/* One item of `workloads:`. */
#include "sweeps/node.h"

/*
 * Reads an entry. Keys that are not the entry's own are axes; what a built-in workload's axes are
 * is only known to its catalogue, so that bg_cases_expand checks them. Those of an exec must stand
 * in its command.
 */
BG_MUST_CHECK enum bg_status bg_workload_entry_read(struct bg_workload_entry *ret,
						    const struct bg_node *node,
						    struct bg_error *err);
#endif
