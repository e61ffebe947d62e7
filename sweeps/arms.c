#include "sweeps/arms.h"

#include "sweeps/command.h"
#include "sweeps/name_map.h"
#include "sweeps/phrase.h"
#include "sweeps/tree_path.h"

#include <string.h>

static enum bg_status read_build(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_arms *arms = target;
	struct bg_command_words command;
	if (bg_command_read(&command, node, "build", err) != BG_OK)
		return err->status;
	arms->build = command.words;
	arms->build_count = command.count;
	return BG_OK;
}

static enum bg_status read_worker(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_arms *arms = target;
	struct bg_command_words command;
	if (bg_command_read(&command, node, "worker", err) != BG_OK)
		return err->status;
	arms->worker = command.words;
	arms->worker_count = command.count;
	return BG_OK;
}

static enum bg_status read_paths(const char ***ret, struct bg_mark **ret_marks,
				 const struct bg_node *node, const char *what, struct bg_error *err)
{
	struct bg_arena *arena = node->source->arena;
	struct bg_name_map seen = { .arena = arena };
	const char *each = bg_arena_format(arena, "each path of %s", what);
	if (bg_node_list(node, what, err) != BG_OK)
		return err->status;
	const char **paths = bg_arena_array(arena, node->count, sizeof *paths);
	struct bg_mark *marks = bg_arena_array(arena, node->count, sizeof *marks);
	for (size_t i = 0; i < node->count; i++) {
		const struct bg_node *item = &node->items[i];
		marks[i] = item->mark;
		if (bg_node_text(&paths[i], item, each, err) != BG_OK)
			return err->status;
		const char *problem = bg_tree_path_problem(paths[i]);
		if (problem)
			return bg_node_fail(err, item,
					    "%s: path %s %s; allowed: paths inside the tree, such "
					    "as bench/",
					    what, bg_phrase_quote(arena, paths[i]), problem);
		if (bg_name_map_add(&seen, paths[i], item->mark.line))
			return bg_node_fail(err, item, "%s lists %s twice", what,
					    bg_phrase_quote(arena, paths[i]));
	}
	*ret = paths;
	*ret_marks = marks;
	return BG_OK;
}

static enum bg_status read_carry(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_arms *arms = target;
	arms->carry_count = node->count;
	return read_paths(&arms->carry, &arms->carry_marks, node, "carry", err);
}

static enum bg_status read_link(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct bg_arms *arms = target;
	arms->link_count = node->count;
	return read_paths(&arms->link, &arms->link_marks, node, "link", err);
}

static const struct bg_key keys[] = {
	{ "build", read_build }, { "worker", read_worker },
	{ "carry", read_carry }, { "link", read_link },
	{ NULL, NULL },
};

enum bg_status bg_arms_read(struct bg_arms *ret, const struct bg_node *node, struct bg_error *err)
{
	struct bg_arms arms = { 0 };
	if (bg_node_read(&arms, node, keys, "arms", err) != BG_OK)
		return err->status;
	*ret = arms;
	return BG_OK;
}
