#ifndef BG_CORE_TOPOLOGY_H
#define BG_CORE_TOPOLOGY_H
/*
 * Which cores a case runs on: allowed by sched_getaffinity, of one type, one NUMA node, one L3, one
 * thread a core (its sibling stays idle). Read from /sys/devices/system; whatever is unreadable
 * counts as one group.
 */
#include "gate/core/error.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#define BG_TOPOLOGY_MAX 1024

struct bg_processor {
	unsigned cpu;
	unsigned core;	/* lowest CPU number among its siblings */
	unsigned group; /* same number: same type, NUMA node and L3 */
};

struct bg_topology {
	size_t count; /* allowed CPUs, ascending */
	struct bg_processor processor[BG_TOPOLOGY_MAX];
};

/*
 * root: "" for the real machine, else a folder with a copy of /sys (tests).
 * allowed: NULL asks sched_getaffinity.
 */
void bg_topology_read(struct bg_topology *ret, const char *root, const cpu_set_t *allowed);
/* Physical cores of the largest group. */
size_t bg_topology_cores(const struct bg_topology *topology);
/* How many of them a case may have: all, one left to the parent where there are four or more. At
 * least 1. */
unsigned bg_topology_most(const struct bg_topology *topology);
/*
 * Picks `count` cores, the last ones of the largest group (the first take most interrupts).
 * returns false where no group has as many; ret then holds what there is of the largest one.
 */
bool bg_topology_pick(cpu_set_t *ret, const struct bg_topology *topology, size_t count);
/* "0,2-3" -> a set; false for anything else or numbers of BG_TOPOLOGY_MAX and more. */
bool bg_cpus_parse(cpu_set_t *ret, const char *text);
/* The set as "0,2-3" into text; cut at size. */
void bg_cpus_text(char *text, size_t size, const cpu_set_t *cpus);
#endif
