#include "sweeps/alias.h"

#include "sweeps/phrase.h"

#include <string.h>

/* What a case's name consists of. */
#define NAME_BYTES                                                                                 \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"                                     \
	"0123456789._+-%/=,"

static enum bg_status check_text(const struct bg_node *node, struct bg_error *err)
{
	struct bg_arena *arena = node->source->arena;
	size_t size = strlen(node->text);
	if (size > 0 && size <= BG_OLD_NAME_MAX && strspn(node->text, NAME_BYTES) == size)
		return BG_OK;
	return bg_node_fail(err, node,
			    "aliases: %s is no name of a workload or case; allowed: names as "
			    "reports show them, such as tokenizer or tokenizer/batch=16",
			    bg_phrase_quote(arena, node->text));
}

enum bg_status bg_aliases_read(struct bg_suite *suite, const struct bg_node *node,
			       struct bg_error *err)
{
	if (node->kind != BG_NODE_MAP || node->count == 0)
		return bg_node_fail(err, node,
				    "aliases must be a map from new names to old ones, such as "
				    "{ tokenizer-fast: tokenizer }");
	suite->aliases = bg_arena_array(node->source->arena, node->count, sizeof *suite->aliases);
	for (size_t i = 0; i < node->count; i++) {
		const struct bg_node *key = &node->keys[i], *value = &node->items[i];
		struct bg_alias *alias = &suite->aliases[i];
		if (bg_node_text(&alias->old_name, value, "each alias", err) != BG_OK ||
		    check_text(key, err) != BG_OK || check_text(value, err) != BG_OK)
			return err->status;
		alias->name = key->text;
		alias->mark = key->mark;
	}
	suite->alias_count = node->count;
	return BG_OK;
}

void bg_alias_index_make(struct bg_alias_index *ret, const struct bg_suite *suite,
			 struct bg_arena *arena)
{
	*ret = (struct bg_alias_index){ .suite = suite, .map = { .arena = arena } };
	for (size_t i = 0; i < suite->alias_count; i++)
		(void)bg_name_map_add(&ret->map, suite->aliases[i].name, (unsigned)i);
}

/* The workload's part of a case's name. */
static char *workload_part(const char *name, struct bg_arena *arena)
{
	return bg_arena_bytes(arena, name, strcspn(name, "/"));
}

const char *bg_alias_old_name(const struct bg_alias_index *index, const char *name,
			      struct bg_arena *arena)
{
	if (index->suite->alias_count == 0)
		return NULL;
	const struct bg_name_slot *slot = bg_name_map_find(&index->map, name);
	if (slot)
		return index->suite->aliases[slot->line].old_name;
	slot = bg_name_map_find(&index->map, workload_part(name, arena));
	return slot ? bg_arena_format(arena, "%s%s", index->suite->aliases[slot->line].old_name,
				      name + strcspn(name, "/"))
		    : NULL;
}

/* What a suite's aliases are checked against. */
struct check {
	const struct bg_suite *suite;
	const struct bg_name_map *cases; /* NULL: not known */
	struct bg_name_map workloads;
	struct bg_name_map old_names; /* with their places in suite->aliases; the first of equals */
	struct bg_arena *arena;
	struct bg_error *err;
};

/* unknown: the answer for a case where the cases are not known. */
static bool is_there(const struct check *check, const char *name, bool unknown)
{
	if (bg_name_map_find(&check->workloads, name))
		return true;
	return check->cases ? bg_name_map_find(check->cases, name) != NULL
			    : strchr(name, '/') && unknown;
}

static const struct bg_alias *find_by_old_name(const struct check *check, const char *old_name)
{
	const struct bg_name_slot *slot = bg_name_map_find(&check->old_names, old_name);
	return slot ? &check->suite->aliases[slot->line] : NULL;
}

static enum bg_status refuse(const struct check *check, const struct bg_alias *alias,
			     const char *text)
{
	return bg_fail(check->err, BG_E_INPUT, "%s:%u:%u: aliases: %s", check->suite->file,
		       alias->mark.line, alias->mark.column, text);
}

static const char *nearest_workload(const struct check *check, const char *name)
{
	const struct bg_suite *suite = check->suite;
	const char **names = bg_arena_array(check->arena, suite->workload_count, sizeof *names);
	for (size_t i = 0; i < suite->workload_count; i++)
		names[i] = suite->workloads[i].name;
	return bg_phrase_nearest(check->arena, name, names, suite->workload_count);
}

/* From a name by way of newer ones to one that is there. */
static enum bg_status check_name(const struct check *check, const struct bg_alias *alias)
{
	struct bg_arena *arena = check->arena;
	const char *name = alias->name, *shown = bg_phrase_quote(arena, alias->name);
	for (size_t i = 0; i < BG_RENAMES_MAX; i++) {
		if (is_there(check, name, true))
			return BG_OK;
		const struct bg_alias *newer = find_by_old_name(check, name);
		const char *rest = "";
		if (!newer) {
			newer = find_by_old_name(check, workload_part(name, arena));
			rest = name + strcspn(name, "/");
		}
		if (!newer)
			return refuse(
				check, alias,
				bg_arena_format(arena,
						"%s is no workload or case of this suite, nor "
						"an old name of one%s",
						shown, nearest_workload(check, alias->name)));
		name = bg_arena_format(arena, "%s%s", newer->name, rest);
	}
	return refuse(check, alias,
		      bg_arena_format(arena,
				      "%s leads back to itself, or through more than %d names",
				      shown, BG_RENAMES_MAX));
}

static enum bg_status check_old_name(const struct check *check, const struct bg_alias *alias)
{
	struct bg_arena *arena = check->arena;
	const char *name = alias->name, *old = alias->old_name, *text = NULL;
	const struct bg_alias *first = find_by_old_name(check, old);
	if (is_there(check, old, false))
		text = bg_arena_format(arena,
				       "%s is the old name of %s, but this suite still has it",
				       bg_phrase_quote(arena, old), bg_phrase_quote(arena, name));
	else if (first != alias)
		text = bg_arena_format(arena,
				       "%s is the old name of two; the other is %s in line %u",
				       bg_phrase_quote(arena, old),
				       bg_phrase_quote(arena, first->name), first->mark.line);
	else if (check->cases && strchr(old, '/') && bg_name_map_find(&check->workloads, name) &&
		 !bg_name_map_find(check->cases, name))
		text = bg_arena_format(
			arena,
			"%s is a workload and %s a case; allowed: a workload's old name for a "
			"workload, a case's for a case",
			bg_phrase_quote(arena, name), bg_phrase_quote(arena, old));
	return text ? refuse(check, alias, text) : BG_OK;
}

enum bg_status bg_aliases_check(const struct bg_suite *suite, const struct bg_name_map *names,
				struct bg_arena *arena, struct bg_error *err)
{
	struct check check = { .suite = suite,
			       .cases = names,
			       .workloads = { .arena = arena },
			       .old_names = { .arena = arena },
			       .arena = arena,
			       .err = err };
	for (size_t i = 0; i < suite->workload_count && suite->alias_count > 0; i++)
		(void)bg_name_map_add(&check.workloads, suite->workloads[i].name, 0);
	for (size_t i = 0; i < suite->alias_count; i++)
		(void)bg_name_map_add(&check.old_names, suite->aliases[i].old_name, (unsigned)i);
	for (size_t i = 0; i < suite->alias_count; i++)
		if (check_name(&check, &suite->aliases[i]) != BG_OK ||
		    check_old_name(&check, &suite->aliases[i]) != BG_OK)
			return err->status;
	return BG_OK;
}
