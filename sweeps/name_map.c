#include "sweeps/name_map.h"

#include "gate/core/random.h"

#include <string.h>

/* The slot of a name, or the free one where it belongs. Slots are never all taken. */
static struct bg_name_slot *find(const struct bg_name_map *map, const char *name, uint64_t hash)
{
	size_t mask = map->capacity - 1, index = (size_t)hash & mask;
	while (map->slots[index].name &&
	       (map->slots[index].hash != hash || strcmp(map->slots[index].name, name) != 0))
		index = (index + 1) & mask;
	return &map->slots[index];
}

static void grow(struct bg_name_map *map)
{
	struct bg_name_map bigger = *map;
	bigger.capacity = map->capacity ? map->capacity * 2 : 16;
	bigger.slots = bg_arena_array(map->arena, bigger.capacity, sizeof *bigger.slots);
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].name)
			*find(&bigger, map->slots[i].name, map->slots[i].hash) = map->slots[i];
	*map = bigger;
}

const struct bg_name_slot *bg_name_map_add(struct bg_name_map *map, const char *name, unsigned line)
{
	/* At most half full, so that probing stays short. */
	if (map->count * 2 >= map->capacity)
		grow(map);
	uint64_t hash = bg_hash(BG_HASH_INIT, name, strlen(name));
	struct bg_name_slot *slot = find(map, name, hash);
	if (slot->name)
		return slot;
	*slot = (struct bg_name_slot){ name, hash, line };
	map->count++;
	return NULL;
}

const struct bg_name_slot *bg_name_map_find(const struct bg_name_map *map, const char *name)
{
	if (map->count == 0)
		return NULL;
	const struct bg_name_slot *slot =
		find(map, name, bg_hash(BG_HASH_INIT, name, strlen(name)));
	return slot->name ? slot : NULL;
}
