#include "sweeps/offer.h"

#include "gate/core/buffer.h"

#include <string.h>

#define MISSING_SIZE_MAX 4096 /* a few modules with their reasons */

void bg_offer_find(struct bg_offer *ret, const char *word, const struct bg_catalogue *catalogue,
		   struct bg_arena *arena)
{
	struct bg_offer offer = { .word = word, .catalogue = catalogue };
	size_t capacity = 0;
	for (size_t i = 0; i < catalogue->workload_count; i++) {
		if (strcmp(catalogue->workloads[i].name, word) != 0)
			continue;
		offer.infos = bg_arena_grow(arena, offer.infos, offer.count, &capacity,
					    sizeof *offer.infos);
		offer.infos[offer.count++] = &catalogue->workloads[i];
	}
	*ret = offer;
}

const struct bg_workload_info *bg_offer_engine(const struct bg_offer *offer, const char *engine)
{
	for (size_t i = 0; i < offer->count; i++)
		if (offer->infos[i]->engine && strcmp(offer->infos[i]->engine, engine) == 0)
			return offer->infos[i];
	return NULL;
}

const char *bg_offer_missing(const struct bg_offer *offer, const char *engine)
{
	const struct bg_catalogue *catalogue = offer->catalogue;
	for (size_t i = 0; i < catalogue->missing_count; i++)
		if (strcmp(catalogue->missing[i].module, engine) == 0)
			return catalogue->missing[i].reason;
	return NULL;
}

const struct bg_axis_info *bg_info_axis(const struct bg_workload_info *info, const char *name)
{
	for (size_t i = 0; i < info->axis_count; i++)
		if (strcmp(info->axes[i].name, name) == 0)
			return &info->axes[i];
	return NULL;
}

const struct bg_axis_info *bg_offer_axis(const struct bg_offer *offer, const char *name)
{
	for (size_t i = 0; i < offer->count; i++) {
		const struct bg_axis_info *axis = bg_info_axis(offer->infos[i], name);
		if (axis)
			return axis;
	}
	return NULL;
}

bool bg_offer_has_engines(const struct bg_offer *offer)
{
	for (size_t i = 0; i < offer->count; i++)
		if (offer->infos[i]->engine)
			return true;
	return false;
}

bool bg_offer_has_shape(const struct bg_offer *offer)
{
	return bg_offer_axis(offer, "m") && bg_offer_axis(offer, "n") &&
	       bg_offer_axis(offer, "k") && !bg_offer_axis(offer, "shape");
}

/* Adds a name unless it is there. */
static size_t add_once(const char **names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return count;
	names[count] = name;
	return count + 1;
}

const char *const *bg_offer_axis_names(const struct bg_offer *offer, size_t *count,
				       struct bg_arena *arena)
{
	size_t room = 2, used = 0;
	for (size_t i = 0; i < offer->count; i++)
		room += offer->infos[i]->axis_count;
	const char **names = bg_arena_array(arena, room, sizeof *names);
	if (bg_offer_has_engines(offer))
		used = add_once(names, used, "engine");
	for (size_t i = 0; i < offer->count; i++)
		for (size_t j = 0; j < offer->infos[i]->axis_count; j++)
			used = add_once(names, used, offer->infos[i]->axes[j].name);
	if (bg_offer_has_shape(offer))
		used = add_once(names, used, "shape");
	*count = used;
	return names;
}

const char *const *bg_offer_engine_names(const struct bg_offer *offer, size_t *count,
					 struct bg_arena *arena)
{
	const char **names = bg_arena_array(arena, offer->count, sizeof *names);
	size_t used = 0;
	for (size_t i = 0; i < offer->count; i++)
		if (offer->infos[i]->engine)
			used = add_once(names, used, offer->infos[i]->engine);
	*count = used;
	return names;
}

const char *bg_catalogue_missing_text(const struct bg_catalogue *catalogue, struct bg_arena *arena)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer text;
	bg_buffer_init(&text, MISSING_SIZE_MAX);
	for (size_t i = 0; i < catalogue->missing_count; i++)
		bg_buffer_format(&text, "%s%s (%s)",
				 i > 0 ? ", " : "; not available: ", catalogue->missing[i].module,
				 catalogue->missing[i].reason);
	return bg_arena_text(arena, text.bytes ? text.bytes : "");
}
