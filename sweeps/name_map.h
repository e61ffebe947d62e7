#ifndef BG_SWEEPS_NAME_MAP_H
#define BG_SWEEPS_NAME_MAP_H
/*
 * Names met so far, each with one number (mostly the line where it stands): finds what is there
 * twice.
 * Start from a zeroed struct; memory is the arena's. Adding costs O(1) expected.
 */
#include "gate/core/arena.h"

#include <stdint.h>

struct bg_name_slot {
	const char *name;
	uint64_t hash;
	unsigned line;
};

struct bg_name_map {
	struct bg_arena *arena;
	struct bg_name_slot *slots;
	size_t count, capacity; /* capacity: 0 or a power of two, above count */
};

/*
 * Adds a name, which is borrowed and must outlive the map.
 * returns  NULL where it is new; else the slot of the one already there, which stays
 */
const struct bg_name_slot *bg_name_map_add(struct bg_name_map *map, const char *name,
					   unsigned line);
/* The slot of a name, or NULL. O(1) expected. */
const struct bg_name_slot *bg_name_map_find(const struct bg_name_map *map, const char *name);
#endif
