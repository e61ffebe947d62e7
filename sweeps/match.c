#include "sweeps/match.h"

#include "sweeps/alias.h"

#include <string.h>

/* Base's cases by name, and the first one of each of its workloads. */
struct finder {
	const struct bg_case_list *base;
	struct bg_name_map cases, workloads;
	struct bg_alias_index aliases;
	struct bg_arena *arena;
};

static const struct bg_case *find(const struct finder *finder, const struct bg_name_map *map,
				  const char *name)
{
	const struct bg_name_slot *slot = bg_name_map_find(map, name);
	return slot ? &finder->base->cases[slot->line] : NULL;
}

/* The case of that name, or of the newest old name that base has. */
static const struct bg_case *find_through(const struct finder *finder,
					  const struct bg_name_map *map, const char *name)
{
	const struct bg_case *found = find(finder, map, name);
	for (size_t i = 0; i < BG_RENAMES_MAX && !found; i++) {
		name = bg_alias_old_name(&finder->aliases, name, finder->arena);
		if (!name)
			return NULL;
		found = find(finder, map, name);
	}
	return found;
}

void bg_matches_make(struct bg_matches *ret, const struct bg_case_list *head,
		     const struct bg_case_list *base, const struct bg_suite *suite,
		     struct bg_arena *arena)
{
	size_t base_count = base ? base->count : 0;
	struct finder finder = { .base = base,
				 .cases = { .arena = arena },
				 .workloads = { .arena = arena },
				 .arena = arena };
	bg_alias_index_make(&finder.aliases, suite, arena);
	for (size_t i = 0; i < base_count; i++) {
		(void)bg_name_map_add(&finder.cases, base->cases[i].name, (unsigned)i);
		(void)bg_name_map_add(&finder.workloads, base->cases[i].entry->name, (unsigned)i);
	}
	*ret = (struct bg_matches){ .count = head->count };
	ret->of = bg_arena_array(arena, head->count, sizeof *ret->of);
	ret->base_taken = bg_arena_array(arena, base_count, sizeof *ret->base_taken);
	for (size_t i = 0; i < head->count; i++) {
		const struct bg_case *of = &head->cases[i];
		const struct bg_case *same = find_through(&finder, &finder.cases, of->name);
		const struct bg_case *kin =
			same ? same : find_through(&finder, &finder.workloads, of->entry->name);
		ret->of[i] = (struct bg_match){
			.head = of,
			.base = same,
			.old_name = bg_alias_old_name(&finder.aliases, of->name, arena),
			.policy = kin ? kin : of,
		};
		if (base && same)
			ret->base_taken[same - base->cases] = true;
	}
}

void bg_rename_hints_make(struct bg_rename_hints *ret, const struct bg_matches *matches,
			  struct bg_arena *arena)
{
	*ret = (struct bg_rename_hints){ .map = { .arena = arena }, .matches = matches };
	for (size_t i = 0; i < matches->count; i++)
		if (!matches->of[i].base)
			(void)bg_name_map_add(&ret->map, matches->of[i].head->hash, (unsigned)i);
}

const char *bg_rename_hint(const struct bg_rename_hints *hints, const struct bg_case *base,
			   struct bg_arena *arena)
{
	const struct bg_name_slot *slot = bg_name_map_find(&hints->map, base->hash);
	if (!slot)
		return NULL;
	const struct bg_case *head = hints->matches->of[slot->line].head;
	const char *head_axes = head->name + strlen(head->entry->name);
	const char *base_axes = base->name + strlen(base->entry->name);
	if (strcmp(head->entry->name, base->entry->name) != 0 && strcmp(head_axes, base_axes) == 0)
		return bg_arena_format(arena, "%s: %s", head->entry->name, base->entry->name);
	return bg_arena_format(arena, "'%s': '%s'", head->name, base->name);
}
