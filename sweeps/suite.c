#include "sweeps/suite.h"

#include "gate/core/file.h"
#include "sweeps/alias.h"
#include "sweeps/arms.h"
#include "sweeps/margin.h"
#include "sweeps/name_map.h"
#include "sweeps/phrase.h"
#include "sweeps/removal.h"
#include "sweeps/workload_entry.h"
#include "sweeps/yaml.h"

#include <string.h>

static enum bg_status read_name(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_suite *suite = target;
	return bg_node_name(&suite->name, node, "suite", err);
}

static bool has_own_name(const struct bg_workload_entry *entry)
{
	return entry->use == BG_USE_EXEC || entry->use == BG_USE_PROGRAM;
}

/* Names tell results apart, so no two workloads share one, and none takes a built-in's. */
static enum bg_status check_names(const struct bg_suite *suite, const struct bg_node *list,
				  struct bg_error *err)
{
	struct bg_arena *arena = list->source->arena;
	struct bg_name_map names = { .arena = arena };
	for (size_t i = 0; i < suite->workload_count; i++)
		if (!has_own_name(&suite->workloads[i]))
			(void)bg_name_map_add(&names, suite->workloads[i].name,
					      suite->workloads[i].mark.line);
	for (size_t i = 0; i < suite->workload_count; i++) {
		const struct bg_workload_entry *entry = &suite->workloads[i];
		if (!has_own_name(entry))
			continue;
		const struct bg_name_slot *first =
			bg_name_map_add(&names, entry->name, entry->mark.line);
		if (first)
			return bg_node_fail(err, bg_node_get(&list->items[i], "name"),
					    "two workloads are named %s; the other is in line %u",
					    bg_phrase_quote(arena, entry->name), first->line);
	}
	return BG_OK;
}

static enum bg_status read_workloads(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_suite *suite = target;
	if (bg_node_list(node, "workloads", err) != BG_OK)
		return err->status;
	suite->workloads =
		bg_arena_array(node->source->arena, node->count, sizeof *suite->workloads);
	for (size_t i = 0; i < node->count; i++)
		if (bg_workload_entry_read(&suite->workloads[i], &node->items[i], err) != BG_OK)
			return err->status;
	suite->workload_count = node->count;
	return check_names(suite, node, err);
}

static enum bg_status read_arms(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_suite *suite = target;
	return bg_arms_read(&suite->arms, node, err);
}

static enum bg_status read_margins(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_suite *suite = target;
	return bg_margins_read(&suite->margins, node, err);
}

static enum bg_status read_judge(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_suite *suite = target;
	return bg_judge_read(suite->judge, node, err);
}

static enum bg_status read_aliases(void *target, const struct bg_node *node, struct bg_error *err)
{
	return bg_aliases_read(target, node, err);
}

static enum bg_status read_removed(void *target, const struct bg_node *node, struct bg_error *err)
{
	return bg_removed_read(target, node, err);
}

static const struct bg_key keys[] = {
	{ "suite", read_name },	     { "workloads", read_workloads },
	{ "arms", read_arms },	     { "margins", read_margins },
	{ "judge", read_judge },     { "aliases", read_aliases },
	{ "removed", read_removed }, { NULL, NULL },
};

enum bg_status bg_suite_parse(struct bg_suite *ret, const char *text, size_t size,
			      const char *shown, struct bg_arena *arena, struct bg_error *err)
{
	struct bg_suite suite = { .file = bg_arena_text(arena, shown) };
	struct bg_source *source = bg_arena_alloc(arena, sizeof *source);
	struct bg_node root;
	*source = (struct bg_source){ suite.file, arena };
	bg_margins_init(&suite.margins);
	if (bg_yaml_read(&root, text, size, source, err) != BG_OK)
		return err->status;
	if (root.kind == BG_NODE_SCALAR && !root.text[0])
		return bg_node_fail(err, &root,
				    "the suite is empty; it needs suite: and workloads:");
	if (bg_node_read(&suite, &root, keys, "the suite", err) != BG_OK)
		return err->status;
	const char *missing = !suite.name ? "suite" : !suite.workloads ? "workloads" : NULL;
	if (missing)
		return bg_node_fail(err, &root, "the suite needs the key %s:", missing);
	*ret = suite;
	return BG_OK;
}

enum bg_status bg_suite_read(struct bg_suite *ret, const char *path, const char *shown,
			     struct bg_arena *arena, struct bg_error *err)
{
	char *text;
	size_t size;
	if (bg_file_read(&text, &size, path, BG_SUITE_SIZE_MAX, arena, err) != BG_OK)
		return err->status;
	return bg_suite_parse(ret, text, size, shown, arena, err);
}
