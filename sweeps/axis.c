#include "sweeps/axis.h"

#include "sweeps/name_map.h"
#include "sweeps/phrase.h"
#include "sweeps/range.h"

#include <string.h>

bool bg_axis_is_name(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = name[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		bool other = (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
		if (!letter && (i == 0 || !other))
			return false;
	}
	return size > 0 && size <= BG_NAME_LENGTH_MAX;
}

static enum bg_status add_values(struct bg_values *values, const struct bg_node *node,
				 const char *what, struct bg_error *err)
{
	const char *text;
	if (bg_node_text(&text, node, what, err) != BG_OK)
		return err->status;
	if (bg_range_add(values, text, node->mark, node->source->arena, err) != BG_OK)
		return bg_node_within(err, node);
	return BG_OK;
}

static enum bg_status check_unique(const struct bg_values *values, const struct bg_node *node,
				   const char *what, struct bg_error *err)
{
	struct bg_name_map seen = { .arena = node->source->arena };
	for (size_t i = 0; i < values->count; i++) {
		struct bg_node place = *node;
		place.mark = values->marks[i];
		if (bg_name_map_add(&seen, values->texts[i], values->marks[i].line))
			return bg_node_fail(err, &place, "%s has the value %s twice", what,
					    bg_phrase_quote(node->source->arena, values->texts[i]));
	}
	return BG_OK;
}

enum bg_status bg_axis_read(struct bg_axis *ret, const struct bg_node *key,
			    const struct bg_node *value, struct bg_error *err)
{
	const char *name = key->text;
	struct bg_arena *arena = key->source->arena;
	struct bg_values values = { 0 };
	if (!bg_axis_is_name(name, strlen(name)))
		return bg_node_fail(err, key,
				    "%s cannot be an axis; allowed: a letter, then up to %d "
				    "letters, digits and . _ -",
				    bg_phrase_quote(arena, name), BG_NAME_LENGTH_MAX - 1);
	if (value->kind != BG_NODE_LIST) {
		if (add_values(&values, value, name, err) != BG_OK)
			return err->status;
	} else if (bg_node_list(value, name, err) != BG_OK) {
		return err->status;
	}
	const char *each = bg_arena_format(arena, "each value of %s", name);
	for (size_t i = 0; value->kind == BG_NODE_LIST && i < value->count; i++)
		if (add_values(&values, &value->items[i], each, err) != BG_OK)
			return err->status;
	if (check_unique(&values, value, name, err) != BG_OK)
		return err->status;
	*ret = (struct bg_axis){ name, key->mark, values.count, values.texts, values.marks };
	return BG_OK;
}

const struct bg_axis *bg_axis_find(const struct bg_axis *axes, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(axes[i].name, name) == 0)
			return &axes[i];
	return NULL;
}
