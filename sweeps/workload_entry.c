#include "sweeps/workload_entry.h"

#include "gate/core/text.h"
#include "gate/wire/message.h" /* BG_AXES_MAX, BG_CPUS_MAX */
#include "sweeps/axis.h"
#include "sweeps/command.h"
#include "sweeps/margin.h"
#include "sweeps/phrase.h"
#include "sweeps/tree_path.h"

#include <string.h>

#define TIMEOUT_MIN_S 1e-3
#define TIMEOUT_MAX_S 86400.0

static enum bg_status read_use(void *target, const struct bg_node *node, struct bg_error *err)
{
	static const char *const words[] = { "exec", "program", "plugin" };
	static const enum bg_use uses[] = { BG_USE_EXEC, BG_USE_PROGRAM, BG_USE_PLUGIN };
	struct bg_workload_entry *entry = target;
	if (bg_node_name(&entry->word, node, "use", err) != BG_OK)
		return err->status;
	entry->use = BG_USE_BUILTIN;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(entry->word, words[i]) == 0)
			entry->use = uses[i];
	if (entry->use == BG_USE_BUILTIN)
		entry->name = entry->word;
	return BG_OK;
}

static enum bg_status read_name(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_workload_entry *entry = target;
	entry->named = true;
	return bg_node_name(&entry->name, node, "name", err);
}

static enum bg_status read_run(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_workload_entry *entry = target;
	struct bg_command_words command;
	if (bg_command_read(&command, node, "run", err) != BG_OK)
		return err->status;
	entry->command = command.words;
	entry->command_count = command.count;
	return BG_OK;
}

static enum bg_status read_path(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_workload_entry *entry = target;
	if (bg_node_text(&entry->path, node, "path", err) != BG_OK)
		return err->status;
	const char *problem = bg_tree_path_problem(entry->path);
	if (problem)
		return bg_node_fail(err, node,
				    "path %s %s; allowed: a path inside the commit's work tree, "
				    "such as build/kernels.so",
				    bg_phrase_quote(node->source->arena, entry->path), problem);
	return BG_OK;
}

static enum bg_status read_timeout(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_workload_entry *entry = target;
	const char *text;
	if (bg_node_text(&text, node, "timeout", err) != BG_OK)
		return err->status;
	if (!bg_text_to_seconds(&entry->timeout_s, text, TIMEOUT_MIN_S, TIMEOUT_MAX_S))
		return bg_node_fail(err, node,
				    "timeout is %s; allowed: 1ms to 24h, such as 30s or 10m",
				    bg_phrase_quote(node->source->arena, text));
	return BG_OK;
}

static enum bg_status read_threads(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_workload_entry *entry = target;
	const char *text;
	uint64_t threads;
	if (bg_node_text(&text, node, "threads", err) != BG_OK)
		return err->status;
	if (!bg_text_to_u64(&threads, text, 1, BG_CPUS_MAX))
		return bg_node_fail(err, node, "threads is %s; allowed: one whole number, 1 to %d",
				    bg_phrase_quote(node->source->arena, text), BG_CPUS_MAX);
	entry->threads = (unsigned)threads;
	return BG_OK;
}

static enum bg_status read_turns(void *target, const struct bg_node *node, struct bg_error *err)
{
	static const char *const words[] = { "auto", "step", "sliced" };
	struct bg_workload_entry *entry = target;
	struct bg_arena *arena = node->source->arena;
	const char *text;
	if (bg_node_text(&text, node, "turns", err) != BG_OK)
		return err->status;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(text, words[i]) != 0)
			continue;
		entry->turns = (enum bg_turns)i;
		return BG_OK;
	}
	return bg_node_fail(err, node, "turns is %s%s; allowed: auto, step, sliced",
			    bg_phrase_quote(arena, text), bg_phrase_nearest(arena, text, words, 3));
}

static enum bg_status read_margins(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_workload_entry *entry = target;
	return bg_margins_read(&entry->margins, node, err);
}

#define BUILTIN (1u << BG_USE_BUILTIN)
#define EXEC (1u << BG_USE_EXEC)
#define PROGRAM (1u << BG_USE_PROGRAM)
#define PLUGIN (1u << BG_USE_PLUGIN)
#define ALL (BUILTIN | EXEC | PROGRAM | PLUGIN)

/* Where a workload of another use may have an axis of a key's name, the key is not taken. */
static const struct entry_key {
	struct bg_key key;
	unsigned uses;
} entry_keys[] = {
	{ { "use", read_use }, ALL },
	{ { "name", read_name }, EXEC | PROGRAM | PLUGIN },
	{ { "run", read_run }, EXEC | PROGRAM },
	{ { "path", read_path }, PLUGIN },
	{ { "timeout", read_timeout }, ALL },
	{ { "threads", read_threads }, EXEC | PROGRAM | PLUGIN },
	{ { "turns", read_turns }, ALL },
	{ { "margins", read_margins }, ALL },
};
#define KEY_COUNT (sizeof entry_keys / sizeof *entry_keys)

static const struct bg_key *find_key(const char *name, enum bg_use use)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if ((entry_keys[i].uses & (1u << use)) && strcmp(entry_keys[i].key.name, name) == 0)
			return &entry_keys[i].key;
	return NULL;
}

/* A program or plugin may have an axis of that name: more than one value is then no mistake. */
static bool is_threads_axis(const struct bg_node *name, const struct bg_node *value,
			    enum bg_use use)
{
	bool own = use == BG_USE_PROGRAM || use == BG_USE_PLUGIN;
	return own && strcmp(name->text, "threads") == 0 &&
	       (value->kind == BG_NODE_LIST ||
		(value->kind == BG_NODE_SCALAR && strstr(value->text, "..")));
}

static enum bg_status read_members(struct bg_workload_entry *entry, const struct bg_node *node,
				   struct bg_error *err)
{
	entry->axes = bg_arena_array(node->source->arena, node->count, sizeof *entry->axes);
	for (size_t i = 0; i < node->count; i++) {
		const struct bg_node *name = &node->keys[i], *value = &node->items[i];
		const struct bg_key *key = find_key(name->text, entry->use);
		if (is_threads_axis(name, value, entry->use))
			key = NULL;
		if (!key && entry->axis_count == BG_AXES_MAX)
			return bg_node_fail(err, name, "more than %d axes in one workload",
					    BG_AXES_MAX);
		enum bg_status status =
			key ? key->read(entry, value, err)
			    : bg_axis_read(&entry->axes[entry->axis_count], name, value, err);
		if (status != BG_OK)
			return status;
		entry->axis_count += !key;
	}
	return BG_OK;
}

static enum bg_status check_required(const struct bg_workload_entry *entry,
				     const struct bg_node *node, struct bg_error *err)
{
	bool has_command = entry->use == BG_USE_EXEC || entry->use == BG_USE_PROGRAM;
	const char *missing = has_command && !entry->name		    ? "name"
			      : has_command && !entry->command		    ? "run"
			      : entry->use == BG_USE_PLUGIN && !entry->path ? "path"
									    : NULL;
	if (missing)
		return bg_node_fail(err, node,
				    "a workload with use: %s needs the key %s:", entry->word,
				    missing);
	return BG_OK;
}

/* The axis a piece of the command names, or NULL. */
static const struct bg_axis *axis_of(const struct bg_command_piece *piece,
				     const struct bg_workload_entry *entry)
{
	for (size_t i = 0; piece->is_axis && i < entry->axis_count; i++)
		if (strlen(entry->axes[i].name) == piece->size &&
		    memcmp(entry->axes[i].name, piece->text, piece->size) == 0)
			return &entry->axes[i];
	return NULL;
}

/* Every {word} must be an axis, and other braces doubled. */
static enum bg_status check_word(const struct bg_workload_entry *entry, const char *word,
				 struct bg_error *err)
{
	struct bg_command_piece piece;
	while (bg_command_next(&piece, &word))
		if (piece.is_axis && entry->use == BG_USE_PROGRAM)
			return bg_fail(err, BG_E_INPUT,
				       "{%.*s} in run: a program is started once and gets its axes "
				       "over the step protocol; leave it out, or write {{%.*s}} "
				       "for the braces",
				       (int)piece.size, piece.text, (int)piece.size, piece.text);
		else if (piece.is_axis && !axis_of(&piece, entry))
			return bg_fail(err, BG_E_INPUT,
				       "{%.*s} in run is no axis of this workload; add %.*s: with "
				       "its values, or write {{%.*s}} for the braces",
				       (int)piece.size, piece.text, (int)piece.size, piece.text,
				       (int)piece.size, piece.text);
	if (*word)
		return bg_fail(err, BG_E_INPUT,
			       "a lone %c in run; braces hold an axis, as in {batch}; write %c%c "
			       "for the character",
			       *word, *word, *word);
	return BG_OK;
}

static bool is_used(const struct bg_axis *axis, const struct bg_workload_entry *entry)
{
	for (size_t i = 0; i < entry->command_count; i++) {
		const char *word = entry->command[i];
		struct bg_command_piece piece;
		while (bg_command_next(&piece, &word))
			if (axis_of(&piece, entry) == axis)
				return true;
	}
	return false;
}

static enum bg_status unused_axis(const struct bg_node *key, enum bg_use use, struct bg_error *err)
{
	struct bg_arena *arena = key->source->arena;
	const char *names[KEY_COUNT];
	size_t count = 0;
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (entry_keys[i].uses & (1u << use))
			names[count++] = entry_keys[i].key.name;
	return bg_node_fail(err, key,
			    "unknown key %s%s; allowed: %s, and axes that stand in run as {%s}",
			    bg_phrase_quote(arena, key->text),
			    bg_phrase_nearest(arena, key->text, names, count),
			    bg_phrase_list(arena, names, count), key->text);
}

/* A mistyped key is seen from both ends; the key's own place is the better one to name. */
static enum bg_status check_command(const struct bg_workload_entry *entry,
				    const struct bg_node *node, struct bg_error *err)
{
	for (size_t i = 0; entry->use == BG_USE_EXEC && i < entry->axis_count; i++) {
		struct bg_node key = *node;
		key.mark = entry->axes[i].mark;
		key.text = entry->axes[i].name;
		if (!is_used(&entry->axes[i], entry))
			return unused_axis(&key, entry->use, err);
	}
	for (size_t i = 0; i < entry->command_count; i++)
		if (check_word(entry, entry->command[i], err) != BG_OK)
			return bg_node_within(err, bg_node_get(node, "run"));
	return BG_OK;
}

/* "build/kernels.so" -> "kernels" */
static const char *stem_of(const char *path, struct bg_arena *arena)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	size_t size = strlen(file);
	if (size > 3 && strcmp(file + size - 3, ".so") == 0)
		size -= 3;
	return bg_arena_bytes(arena, file, size);
}

enum bg_status bg_workload_entry_read(struct bg_workload_entry *ret, const struct bg_node *node,
				      struct bg_error *err)
{
	struct bg_workload_entry entry = { .mark = node->mark };
	if (node->kind != BG_NODE_MAP)
		return bg_node_fail(err, node, "a workload must be a map, such as - use: gemm");
	const struct bg_node *use = bg_node_get(node, "use");
	if (!use)
		return bg_node_fail(err, node,
				    "a workload needs the key use: (exec, or a built-in workload)");
	bg_margins_init(&entry.margins);
	if (read_use(&entry, use, err) != BG_OK || read_members(&entry, node, err) != BG_OK ||
	    check_required(&entry, node, err) != BG_OK)
		return err->status;
	if (entry.use == BG_USE_PLUGIN && !entry.named)
		entry.name = stem_of(entry.path, node->source->arena);
	if (entry.command && check_command(&entry, node, err) != BG_OK)
		return err->status;
	*ret = entry;
	return BG_OK;
}
