#include "sweeps/removal.h"

#include "sweeps/alias.h" /* BG_OLD_NAME_MAX */
#include "sweeps/phrase.h"

#include <string.h>

#define REMOVALS_MAX 1000
#define GLOBS_MAX 100

/* What a case's name consists of, and what stands for parts of it. */
#define NAME_BYTES                                                                                 \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"                                     \
	"0123456789._+-%/=,*?"

/* O(name x pattern): fnmatch takes exponential time for some patterns, and a suite is input. */
static bool matches(const char *pattern, const char *name)
{
	const char *star = NULL, *resume = NULL;
	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			resume = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++resume;
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "*")] == '\0';
}

static enum bg_status read_removal(struct bg_removal *ret, const struct bg_node *node,
				   struct bg_error *err)
{
	const char *text = "";
	if (bg_node_text(&text, node, "each item of removed", err) != BG_OK)
		return err->status;
	size_t size = strlen(text);
	if (size > BG_OLD_NAME_MAX || strspn(text, NAME_BYTES) != size)
		return bg_node_fail(err, node,
				    "removed: %s is no name of a workload or case; allowed: names "
				    "as reports show them, such as tokenizer or "
				    "'tokenizer/batch=*', where * and ? stand for other characters",
				    bg_phrase_quote(node->source->arena, text));
	*ret = (struct bg_removal){ text, strpbrk(text, "*?") != NULL, node->mark };
	return BG_OK;
}

enum bg_status bg_removed_read(struct bg_suite *suite, const struct bg_node *node,
			       struct bg_error *err)
{
	struct bg_arena *arena = node->source->arena;
	struct bg_name_map seen = { .arena = arena };
	size_t globs = 0;
	if (bg_node_list(node, "removed", err) != BG_OK)
		return err->status;
	if (node->count > REMOVALS_MAX)
		return bg_node_fail(err, node, "removed has more than %d items; name workloads",
				    REMOVALS_MAX);
	suite->removals = bg_arena_array(arena, node->count, sizeof *suite->removals);
	for (size_t i = 0; i < node->count; i++) {
		const struct bg_node *item = &node->items[i];
		struct bg_removal *removal = &suite->removals[i];
		if (read_removal(removal, item, err) != BG_OK)
			return err->status;
		globs += removal->is_glob;
		if (globs > GLOBS_MAX)
			return bg_node_fail(err, item, "removed has more than %d items with * or ?",
					    GLOBS_MAX);
		if (bg_name_map_add(&seen, removal->pattern, item->mark.line))
			return bg_node_fail(err, item, "removed lists %s twice",
					    bg_phrase_quote(arena, removal->pattern));
	}
	suite->removal_count = node->count;
	return BG_OK;
}

const struct bg_removal *bg_removal_of(const struct bg_suite *suite, const char *name,
				       const char *workload)
{
	for (size_t i = 0; i < suite->removal_count; i++) {
		const struct bg_removal *removal = &suite->removals[i];
		if (removal->is_glob ? matches(removal->pattern, name)
				     : strcmp(removal->pattern, name) == 0 ||
					       strcmp(removal->pattern, workload) == 0)
			return removal;
	}
	return NULL;
}

/* Something of this suite that a removal names, or NULL; of several cases the first by name. */
static const char *still_there(const struct bg_suite *suite, const struct bg_name_map *names,
			       const struct bg_removal *removal)
{
	const char *found = NULL;
	for (size_t i = 0; i < suite->workload_count && !removal->is_glob; i++)
		if (strcmp(removal->pattern, suite->workloads[i].name) == 0)
			return suite->workloads[i].name;
	if (!names)
		return NULL;
	if (!removal->is_glob) {
		const struct bg_name_slot *slot = bg_name_map_find(names, removal->pattern);
		return slot ? slot->name : NULL;
	}
	for (size_t i = 0; i < names->capacity; i++) {
		const char *name = names->slots[i].name;
		if (name && matches(removal->pattern, name) && (!found || strcmp(name, found) < 0))
			found = name;
	}
	return found;
}

enum bg_status bg_removed_check(const struct bg_suite *suite, const struct bg_name_map *names,
				struct bg_arena *arena, struct bg_error *err)
{
	for (size_t i = 0; i < suite->removal_count; i++) {
		const struct bg_removal *removal = &suite->removals[i];
		const char *shown = bg_phrase_quote(arena, removal->pattern);
		const char *name = still_there(suite, names, removal);
		if (name)
			return bg_fail(err, BG_E_INPUT,
				       "%s:%u:%u: removed: %s, but this suite still has %s",
				       suite->file, removal->mark.line, removal->mark.column, shown,
				       bg_phrase_quote(arena, name));
		for (size_t j = 0; j < suite->alias_count; j++)
			if (strcmp(removal->pattern, suite->aliases[j].old_name) == 0)
				return bg_fail(err, BG_E_INPUT,
					       "%s:%u:%u: removed: %s is the old name of %s under "
					       "aliases:; it is one or the other",
					       suite->file, removal->mark.line,
					       removal->mark.column, shown,
					       bg_phrase_quote(arena, suite->aliases[j].name));
	}
	return BG_OK;
}
