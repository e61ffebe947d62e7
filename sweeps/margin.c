#include "sweeps/margin.h"

#include "gate/core/text.h"
#include "sweeps/phrase.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FLOOR_MAX 1e15

/* One metric's entry while it is read. */
struct margin {
	enum bg_metric metric;
	double worse, floor;
};

void bg_margins_init(struct bg_margins *margins)
{
	for (size_t i = 0; i < BG_METRIC_COUNT; i++)
		margins->margin[i] = margins->floor[i] = NAN;
}

static enum bg_status find_metric(enum bg_metric *ret, const struct bg_node *node, const char *text,
				  struct bg_error *err)
{
	enum bg_metric metric = bg_metric_find(text);
	if (metric < BG_METRIC_COUNT) {
		*ret = metric;
		return BG_OK;
	}
	struct bg_arena *arena = node->source->arena;
	const char *names[BG_METRIC_COUNT];
	for (size_t i = 0; i < BG_METRIC_COUNT; i++)
		names[i] = bg_metric_info((enum bg_metric)i)->name;
	return bg_node_fail(err, node, "unknown metric %s%s; allowed: %s",
			    bg_phrase_quote(arena, text),
			    bg_phrase_nearest(arena, text, names, BG_METRIC_COUNT),
			    bg_phrase_list(arena, names, BG_METRIC_COUNT));
}

static enum bg_status read_worse(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct margin *margin = target;
	const char *name = bg_metric_info(margin->metric)->name, *text;
	if (bg_node_text(&text, node, name, err) != BG_OK)
		return err->status;
	if (!bg_text_to_ratio(&margin->worse, text, DBL_MIN, 1))
		return bg_node_fail(err, node,
				    "%s has the margin %s; allowed: above 0 and at most 100%%, "
				    "such as 3%% or 0.03",
				    name, bg_phrase_quote(node->source->arena, text));
	return BG_OK;
}

/* "0.5 J" -> 0.5; units other than the metric's own are refused. */
static bool number_with_unit(double *ret, const char *text, const char *unit,
			     struct bg_arena *arena)
{
	size_t size = strlen(text), unit_size = strlen(unit);
	if (size > unit_size && strcmp(text + size - unit_size, unit) == 0)
		size -= unit_size;
	while (size > 0 && text[size - 1] == ' ')
		size--;
	return bg_text_to_double(ret, bg_arena_bytes(arena, text, size), 0, FLOOR_MAX);
}

static enum bg_status read_floor(void *target, const struct bg_node *node, struct bg_error *err)
{
	struct margin *margin = target;
	const struct bg_metric_info *info = bg_metric_info(margin->metric);
	struct bg_arena *arena = node->source->arena;
	const char *text, *example;
	bool read;
	if (bg_node_text(&text, node, "floor", err) != BG_OK)
		return err->status;
	if (strcmp(info->unit, "s") == 0) {
		example = "a time from 0 on, such as 5us or 1 ms";
		read = bg_text_to_seconds(&margin->floor, text, 0, FLOOR_MAX);
	} else if (strcmp(info->unit, "bytes") == 0) {
		example = "a size from 0 on, such as 64 KiB or 4 MiB";
		read = bg_text_to_bytes(&margin->floor, text, 0, FLOOR_MAX);
	} else {
		example = bg_arena_format(arena, "a number from 0 on, such as 0.5 %s", info->unit);
		read = number_with_unit(&margin->floor, text, info->unit, arena);
	}
	if (!read)
		return bg_node_fail(err, node, "%s has the floor %s; allowed: %s", info->name,
				    bg_phrase_quote(arena, text), example);
	return BG_OK;
}

static const struct bg_key margin_keys[] = {
	{ "worse", read_worse },
	{ "floor", read_floor },
	{ NULL, NULL },
};

enum bg_status bg_margins_read(struct bg_margins *ret, const struct bg_node *node,
			       struct bg_error *err)
{
	if (node->kind != BG_NODE_MAP || node->count == 0)
		return bg_node_fail(err, node, "margins must be a map, such as { time: 3%% }");
	for (size_t i = 0; i < node->count; i++) {
		struct margin margin = { BG_METRIC_COUNT, NAN, NAN };
		const struct bg_node *key = &node->keys[i], *value = &node->items[i];
		if (find_metric(&margin.metric, key, key->text, err) != BG_OK)
			return err->status;
		enum bg_status status =
			value->kind == BG_NODE_MAP
				? bg_node_read(&margin, value, margin_keys, key->text, err)
				: read_worse(&margin, value, err);
		if (status != BG_OK)
			return status;
		ret->margin[margin.metric] = margin.worse;
		ret->floor[margin.metric] = margin.floor;
	}
	return BG_OK;
}

enum bg_status bg_judge_read(bool judge[BG_METRIC_COUNT], const struct bg_node *node,
			     struct bg_error *err)
{
	if (bg_node_list(node, "judge", err) != BG_OK)
		return err->status;
	for (size_t i = 0; i < node->count; i++) {
		const struct bg_node *item = &node->items[i];
		enum bg_metric metric = BG_METRIC_COUNT;
		const char *text;
		if (bg_node_text(&text, item, "each metric of judge", err) != BG_OK ||
		    find_metric(&metric, item, text, err) != BG_OK)
			return err->status;
		if (judge[metric])
			return bg_node_fail(err, item, "judge lists %s twice", text);
		judge[metric] = true;
	}
	return BG_OK;
}
