#include "sweeps/own_worker.h"

#include "sweeps/axis.h"
#include "sweeps/command.h"
#include "sweeps/name_map.h"
#include "sweeps/phrase.h"
#include "sweeps/value.h"

#include <assert.h>
#include <string.h>

bool bg_own_has(const struct bg_workload_entry *entry)
{
	return entry->use == BG_USE_PROGRAM || entry->use == BG_USE_PLUGIN;
}

const char *const *bg_own_command(const struct bg_workload_entry *entry, const char *self,
				  struct bg_arena *arena)
{
	assert(bg_own_has(entry));
	if (entry->use == BG_USE_PLUGIN) {
		const char **words = bg_arena_array(arena, 5, sizeof *words);
		words[0] = self;
		words[1] = "worker";
		words[2] = "--plugin";
		words[3] = entry->path;
		return words;
	}
	struct bg_command_words command = { entry->command_count, entry->command };
	const char *const *words;
	struct bg_error err = BG_ERROR_INIT;
	/* Braces were checked with the suite, and only become fewer. */
	enum bg_status status = bg_command_fill(&words, &command, NULL, 0, arena, &err);
	assert(status == BG_OK);
	return words;
}

const char *bg_own_worker_name(const struct bg_workload_entry *entry, const char *arm,
			       struct bg_arena *arena)
{
	return bg_arena_format(arena, "%s of %s", entry->name, arm);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const struct bg_own_offer *bg_own_find(const struct bg_catalogue *catalogue,
				       const struct bg_workload_entry *entry)
{
	const struct bg_own_offer *moved = NULL;
	for (size_t i = 0; i < catalogue->own_count; i++) {
		const struct bg_own_offer *offer = &catalogue->own[i];
		if (offer->entry->use != entry->use)
			continue;
		bool plugin = entry->use == BG_USE_PLUGIN;
		if (strcmp(plugin ? offer->entry->path : offer->entry->name,
			   plugin ? entry->path : entry->name) == 0)
			return offer;
		if (plugin && strcmp(file_name(offer->entry->path), file_name(entry->path)) == 0)
			moved = offer;
	}
	return moved;
}

/* Letters, digits and . _ + -, as bg_node_name takes them: what can be written after name:. */
static bool is_name(const char *text)
{
	size_t size = strlen(text);
	return size > 0 && size <= BG_NAME_LENGTH_MAX &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-") ==
		       size;
}

static const char *axis_fault(const struct bg_workload_info *info, size_t index,
			      struct bg_arena *arena)
{
	static const char *const taken[] = { "use",	"name",	 "run",	    "path",
					     "timeout", "turns", "margins", "engine" };
	const struct bg_axis_info *axis = &info->axes[index];
	if (!bg_axis_is_name(axis->name, strlen(axis->name)))
		return "the name must be a letter, then letters, digits and . _ -";
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (strcmp(axis->name, taken[i]) == 0)
			return "the name is a key of the suite file";
	for (size_t i = 0; i < index; i++)
		if (strcmp(axis->name, info->axes[i].name) == 0)
			return "it is there twice";
	if (!bg_value_fit(axis, axis->fallback, arena))
		return bg_arena_format(arena, "the default %s is not allowed; allowed: %s",
				       bg_phrase_quote(arena, axis->fallback),
				       bg_value_allowed(axis, arena));
	return NULL;
}

static const char *workload_fault(const struct bg_workload_info *info, struct bg_arena *arena)
{
	if (!is_name(info->name) || (info->engine && !is_name(info->engine)))
		return bg_arena_format(arena,
				       "workload %s: name and engine must be letters, digits and "
				       ". _ + -",
				       bg_phrase_quote(arena, info->name));
	for (size_t i = 0; i < info->axis_count; i++) {
		const char *fault = axis_fault(info, i, arena);
		if (fault)
			return bg_arena_format(arena, "workload %s: axis %s: %s", info->name,
					       bg_phrase_quote(arena, info->axes[i].name), fault);
	}
	return NULL;
}

/* A name may come from several engines, each once, or without any and then once. */
static bool is_twin(const struct bg_workload_info *a, const struct bg_workload_info *b)
{
	return strcmp(a->name, b->name) == 0 &&
	       (!a->engine || !b->engine || strcmp(a->engine, b->engine) == 0);
}

/* Defaults as bg_value_fit spells values: "1.0" is left out of names like "1". */
static void spell_defaults(struct bg_catalogue *list, struct bg_arena *arena)
{
	struct bg_workload_info *infos = bg_arena_array(arena, list->workload_count, sizeof *infos);
	for (size_t i = 0; i < list->workload_count; i++) {
		infos[i] = list->workloads[i];
		struct bg_axis_info *axes =
			bg_arena_array(arena, infos[i].axis_count, sizeof *axes);
		for (size_t j = 0; j < infos[i].axis_count; j++) {
			axes[j] = infos[i].axes[j];
			axes[j].fallback = bg_value_fit(&axes[j], axes[j].fallback, arena);
		}
		infos[i].axes = axes;
	}
	list->workloads = infos;
}

const char *bg_own_list_check(struct bg_catalogue *list, struct bg_arena *arena)
{
	if (list->workload_count == 0)
		return "offers no workload";
	for (size_t i = 0; i < list->workload_count; i++) {
		const struct bg_workload_info *info = &list->workloads[i];
		const char *fault = workload_fault(info, arena);
		if (fault)
			return fault;
		for (size_t j = 0; j < i; j++)
			if (is_twin(info, &list->workloads[j]))
				return bg_arena_format(arena, "workload %s is there twice",
						       info->name);
	}
	spell_defaults(list, arena);
	return NULL;
}

/* Names in the order offered, each once. */
static const char **names_of(size_t *count, const struct bg_own_offer *offered,
			     struct bg_arena *arena)
{
	const struct bg_catalogue *list = &offered->list;
	struct bg_name_map seen = { .arena = arena };
	const char **names = bg_arena_array(arena, list->workload_count, sizeof *names);
	*count = 0;
	for (size_t i = 0; i < list->workload_count; i++)
		if (!bg_name_map_add(&seen, list->workloads[i].name, 0))
			names[(*count)++] = list->workloads[i].name;
	return names;
}

/* The workload's name, or NULL. */
static const char *meant(const struct bg_workload_entry *entry, const char **names, size_t count)
{
	/* A plugin's name: says which operation; a program's is its user's word for it. */
	bool unnamed = entry->use == BG_USE_PLUGIN && !entry->named;
	bool any = entry->use == BG_USE_PROGRAM || unnamed;
	for (size_t i = 0; i < count; i++)
		if ((count == 1 && any) || (!unnamed && strcmp(names[i], entry->name) == 0))
			return names[i];
	return NULL;
}

bool bg_own_offer_of(struct bg_offer *ret, const struct bg_workload_entry *entry,
		     const struct bg_catalogue *catalogue, struct bg_arena *arena)
{
	const struct bg_own_offer *offered = bg_own_find(catalogue, entry);
	size_t count;
	if (!offered || offered->list.workload_count == 0)
		return false;
	const char **names = names_of(&count, offered, arena);
	const char *word = meant(entry, names, count);
	if (!word)
		return false;
	bg_offer_find(ret, word, &offered->list, arena);
	return true;
}

enum bg_status bg_own_choose(const char **ret, const struct bg_suite *suite,
			     const struct bg_workload_entry *entry,
			     const struct bg_own_offer *offered, struct bg_arena *arena,
			     struct bg_error *err)
{
	size_t count;
	const char **names = names_of(&count, offered, arena);
	const char *word = meant(entry, names, count);
	if (word) {
		*ret = word;
		return BG_OK;
	}
	const char *list = bg_phrase_list(arena, names, count);
	if (entry->use == BG_USE_PLUGIN && !entry->named)
		return bg_fail(err, BG_E_INPUT,
			       "%s:%u:%u: %s offers several operations; add name: with one of %s",
			       suite->file, entry->mark.line, entry->mark.column, entry->path,
			       list);
	return bg_fail(err, BG_E_INPUT, "%s:%u:%u: %s offers no workload %s%s; there are %s",
		       suite->file, entry->mark.line, entry->mark.column,
		       entry->path ? entry->path : "the program", entry->name,
		       bg_phrase_nearest(arena, entry->name, names, count), list);
}
