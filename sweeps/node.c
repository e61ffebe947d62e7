#include "sweeps/node.h"

#include "sweeps/phrase.h"

#include <stdio.h>
#include <string.h>

enum bg_status bg_node_fail(struct bg_error *err, const struct bg_node *node, const char *format,
			    ...)
{
	char text[BG_ERROR_SIZE];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return bg_fail(err, BG_E_INPUT, "%s:%u:%u: %s", node->source->shown, node->mark.line,
		       node->mark.column, text);
}

enum bg_status bg_node_within(struct bg_error *err, const struct bg_node *node)
{
	return bg_within(err, "%s:%u:%u", node->source->shown, node->mark.line, node->mark.column);
}

enum bg_status bg_node_text(const char **ret, const struct bg_node *node, const char *what,
			    struct bg_error *err)
{
	if (node->kind != BG_NODE_SCALAR)
		return bg_node_fail(err, node, "%s must be one value, not a %s", what,
				    node->kind == BG_NODE_LIST ? "list" : "map");
	if (!node->text[0])
		return bg_node_fail(err, node, "%s has no value", what);
	*ret = node->text;
	return BG_OK;
}

enum bg_status bg_node_list(const struct bg_node *node, const char *what, struct bg_error *err)
{
	if (node->kind != BG_NODE_LIST)
		return bg_node_fail(err, node, "%s must be a list, such as [a, b]", what);
	if (node->count == 0)
		return bg_node_fail(err, node, "%s is an empty list", what);
	return BG_OK;
}

enum bg_status bg_node_name(const char **ret, const struct bg_node *node, const char *what,
			    struct bg_error *err)
{
	const char *text = "";
	if (bg_node_text(&text, node, what, err) != BG_OK)
		return err->status;
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789._+-");
	if (text[length] || length > BG_NAME_LENGTH_MAX)
		return bg_node_fail(err, node,
				    "%s is %s; allowed: up to %d letters, digits and . _ + -", what,
				    bg_phrase_quote(node->source->arena, text), BG_NAME_LENGTH_MAX);
	*ret = text;
	return BG_OK;
}

static enum bg_status unknown_key(const struct bg_node *key, const struct bg_key *keys,
				  const char *what, struct bg_error *err)
{
	struct bg_arena *arena = key->source->arena;
	size_t count = 0;
	while (keys[count].name)
		count++;
	const char **names = bg_arena_array(arena, count, sizeof *names);
	for (size_t i = 0; i < count; i++)
		names[i] = keys[i].name;
	return bg_node_fail(err, key, "unknown key %s in %s%s; allowed: %s",
			    bg_phrase_quote(arena, key->text), what,
			    bg_phrase_nearest(arena, key->text, names, count),
			    bg_phrase_list(arena, names, count));
}

enum bg_status bg_node_read(void *target, const struct bg_node *node, const struct bg_key *keys,
			    const char *what, struct bg_error *err)
{
	if (node->kind != BG_NODE_MAP)
		return bg_node_fail(err, node, "%s must be a map with keys such as %s:", what,
				    keys[0].name);
	if (node->count == 0)
		return bg_node_fail(err, node, "%s is an empty map", what);
	for (size_t i = 0; i < node->count; i++) {
		const struct bg_key *key = keys;
		while (key->name && strcmp(key->name, node->keys[i].text) != 0)
			key++;
		if (!key->name)
			return unknown_key(&node->keys[i], keys, what, err);
		if (key->read(target, &node->items[i], err) != BG_OK)
			return err->status;
	}
	return BG_OK;
}

const struct bg_node *bg_node_get(const struct bg_node *map, const char *key)
{
	for (size_t i = 0; i < map->count; i++)
		if (strcmp(map->keys[i].text, key) == 0)
			return &map->items[i];
	return NULL;
}
