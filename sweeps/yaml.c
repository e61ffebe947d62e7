#include "sweeps/yaml.h"

#include "gate/core/text.h"
#include "sweeps/name_map.h"
#include "sweeps/phrase.h"

#include <stdint.h>
#include <string.h>
#include <yaml.h>

struct reader {
	yaml_parser_t *parser;
	const struct bg_source *source;
	const char *text;
	size_t size;
	unsigned depth; /* of the list or map being read; the root's is 1 */
};

static struct bg_node node_at(const struct reader *reader, yaml_mark_t mark)
{
	return (struct bg_node){ .source = reader->source,
				 .mark = { (unsigned)mark.line + 1, (unsigned)mark.column + 1 },
				 .text = "" };
}

/* The place of a byte, where there is no mark of libyaml's. */
static struct bg_node node_at_offset(const struct reader *reader, size_t offset)
{
	yaml_mark_t mark = { 0 };
	for (size_t i = 0; i < offset && i < reader->size; i++) {
		if (reader->text[i] == '\n') {
			mark.line++;
			mark.column = 0;
		} else if (((unsigned char)reader->text[i] & 0xc0) != 0x80) {
			mark.column++;
		}
	}
	return node_at(reader, mark);
}

static enum bg_status check_bytes(const struct reader *reader, struct bg_error *err)
{
	if (bg_text_is_utf8(reader->text, reader->size))
		return BG_OK;
	size_t offset = 0, length;
	while ((length = bg_text_utf8_length(reader->text + offset, reader->size - offset)) > 0)
		offset += length;
	struct bg_node place = node_at_offset(reader, offset);
	if (reader->text[offset] == '\0')
		return bg_node_fail(err, &place, "NUL byte; a suite is text in UTF-8");
	return bg_node_fail(err, &place, "byte 0x%02x is not UTF-8; a suite is text in UTF-8",
			    (unsigned)(unsigned char)reader->text[offset]);
}

static enum bg_status syntax_error(const struct reader *reader, struct bg_error *err)
{
	const yaml_parser_t *parser = reader->parser;
	const char *problem = parser->problem ? parser->problem : "unknown problem";
	if (parser->error == YAML_MEMORY_ERROR)
		return bg_fail(err, BG_E_NOMEM, "%s: no memory to read it", reader->source->shown);
	if (parser->error == YAML_READER_ERROR) {
		struct bg_node place = node_at_offset(reader, parser->problem_offset);
		return bg_node_fail(err, &place, "not valid YAML: %s", problem);
	}
	struct bg_node place = node_at(reader, parser->problem_mark);
	if (!parser->context)
		return bg_node_fail(err, &place, "not valid YAML: %s", problem);
	return bg_node_fail(err, &place, "not valid YAML: %s (%s that starts in line %zu)", problem,
			    parser->context, parser->context_mark.line + 1);
}

/* On success the caller deletes the event. */
static enum bg_status next_event(yaml_event_t *event, const struct reader *reader,
				 struct bg_error *err)
{
	if (yaml_parser_parse(reader->parser, event))
		return BG_OK;
	return syntax_error(reader, err);
}

/* Things of YAML that make a suite say more than it shows. */
static enum bg_status check_plainness(const yaml_event_t *event, const struct bg_node *place,
				      struct bg_error *err)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;
	if (event->type == YAML_ALIAS_EVENT)
		return bg_node_fail(err, place,
				    "aliases (*name) are not supported; write the value again");
	if (event->type == YAML_SCALAR_EVENT) {
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
	} else if (event->type == YAML_MAPPING_START_EVENT) {
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
	}
	if (anchor)
		return bg_node_fail(err, place, "anchors (&name) are not supported; remove it");
	if (tag)
		return bg_node_fail(err, place,
				    "tags (!name) are not supported; a value's type comes from "
				    "its key");
	return BG_OK;
}

static enum bg_status read_value(struct bg_node *ret, struct reader *reader,
				 const yaml_event_t *event, struct bg_error *err);

static enum bg_status read_scalar(struct bg_node *node, const yaml_event_t *event,
				  struct bg_error *err)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;
	/* Escapes in double quotes can make what the file's bytes may not hold. */
	if (!bg_text_is_utf8(value, length))
		return bg_node_fail(err, node, "a value with a NUL or a bad character");
	node->kind = BG_NODE_SCALAR;
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	node->text = bg_arena_bytes(node->source->arena, value, length);
	return BG_OK;
}

static enum bg_status read_list(struct bg_node *node, struct reader *reader, struct bg_error *err)
{
	size_t capacity = 0;
	node->kind = BG_NODE_LIST;
	for (;;) {
		BG_AUTO(yaml_event_delete) yaml_event_t event = { 0 };
		if (next_event(&event, reader, err) != BG_OK)
			return err->status;
		if (event.type == YAML_SEQUENCE_END_EVENT)
			return BG_OK;
		node->items = bg_arena_grow(reader->source->arena, node->items, node->count,
					    &capacity, sizeof *node->items);
		if (read_value(&node->items[node->count], reader, &event, err) != BG_OK)
			return err->status;
		node->count++;
	}
}

static enum bg_status read_key(struct bg_node *ret, struct bg_name_map *names,
			       struct reader *reader, const yaml_event_t *event,
			       struct bg_error *err)
{
	if (read_value(ret, reader, event, err) != BG_OK)
		return err->status;
	if (ret->kind != BG_NODE_SCALAR)
		return bg_node_fail(err, ret, "a key must be one word, not a %s",
				    ret->kind == BG_NODE_LIST ? "list" : "map");
	if (ret->plain && strcmp(ret->text, "<<") == 0)
		return bg_node_fail(err, ret, "merge keys (<<) are not supported; write the keys");
	const struct bg_name_slot *first = bg_name_map_add(names, ret->text, ret->mark.line);
	if (first)
		return bg_node_fail(err, ret, "duplicate key %s; the first is in line %u",
				    bg_phrase_quote(reader->source->arena, ret->text), first->line);
	if (names->count > BG_MAP_KEYS_MAX)
		return bg_node_fail(err, ret, "more than %d keys in one map", BG_MAP_KEYS_MAX);
	return BG_OK;
}

static enum bg_status read_map(struct bg_node *node, struct reader *reader, struct bg_error *err)
{
	struct bg_arena *arena = reader->source->arena;
	struct bg_name_map names = { .arena = arena };
	size_t key_capacity = 0, item_capacity = 0;
	node->kind = BG_NODE_MAP;
	for (;;) {
		BG_AUTO(yaml_event_delete) yaml_event_t key = { 0 };
		if (next_event(&key, reader, err) != BG_OK)
			return err->status;
		if (key.type == YAML_MAPPING_END_EVENT)
			return BG_OK;
		node->keys = bg_arena_grow(arena, node->keys, node->count, &key_capacity,
					   sizeof *node->keys);
		node->items = bg_arena_grow(arena, node->items, node->count, &item_capacity,
					    sizeof *node->items);
		if (read_key(&node->keys[node->count], &names, reader, &key, err) != BG_OK)
			return err->status;
		BG_AUTO(yaml_event_delete) yaml_event_t value = { 0 };
		if (next_event(&value, reader, err) != BG_OK ||
		    read_value(&node->items[node->count], reader, &value, err) != BG_OK)
			return err->status;
		node->count++;
	}
}

static enum bg_status read_value(struct bg_node *ret, struct reader *reader,
				 const yaml_event_t *event, struct bg_error *err)
{
	struct bg_node node = node_at(reader, event->start_mark);
	if (check_plainness(event, &node, err) != BG_OK)
		return err->status;
	enum bg_status status;
	if (event->type == YAML_SCALAR_EVENT) {
		status = read_scalar(&node, event, err);
	} else if (reader->depth == BG_SUITE_DEPTH_MAX) {
		status = bg_node_fail(err, &node, "lists and maps nested deeper than %d",
				      BG_SUITE_DEPTH_MAX);
	} else {
		reader->depth++;
		status = event->type == YAML_SEQUENCE_START_EVENT ? read_list(&node, reader, err)
								  : read_map(&node, reader, err);
		reader->depth--;
	}
	if (status == BG_OK)
		*ret = node;
	return status;
}

static enum bg_status read_document(struct bg_node *ret, struct reader *reader,
				    struct bg_error *err)
{
	bool found = false;
	for (;;) {
		BG_AUTO(yaml_event_delete) yaml_event_t event = { 0 };
		if (next_event(&event, reader, err) != BG_OK)
			return err->status;
		struct bg_node place = node_at(reader, event.start_mark);
		switch (event.type) {
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_END_EVENT:
			break;
		case YAML_DOCUMENT_START_EVENT:
			if (found)
				return bg_node_fail(err, &place,
						    "a second document; a suite is one document");
			break;
		case YAML_STREAM_END_EVENT:
			if (!found)
				return bg_node_fail(err, &place,
						    "the suite is empty; it needs suite: and "
						    "workloads:");
			return BG_OK;
		default:
			if (read_value(ret, reader, &event, err) != BG_OK)
				return err->status;
			found = true;
		}
	}
}

enum bg_status bg_yaml_read(struct bg_node *ret, const char *text, size_t size,
			    const struct bg_source *source, struct bg_error *err)
{
	BG_AUTO(yaml_parser_delete) yaml_parser_t parser = { 0 };
	struct reader reader = { &parser, source, text, size, 0 };
	if (size > BG_SUITE_SIZE_MAX)
		return bg_fail(err, BG_E_INPUT, "%s: larger than the limit of %zu bytes",
			       source->shown, BG_SUITE_SIZE_MAX);
	if (check_bytes(&reader, err) != BG_OK)
		return err->status;
	if (!yaml_parser_initialize(&parser))
		return bg_fail(err, BG_E_NOMEM, "%s: no memory to read it", source->shown);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	return read_document(ret, &reader, err);
}
