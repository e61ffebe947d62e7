#include "sweeps/filter.h"

#include "sweeps/axis.h"
#include "sweeps/own_worker.h"
#include "sweeps/range.h"

#include <fnmatch.h>
#include <string.h>

bool bg_filter_takes(const struct bg_filter *filter, const char *name)
{
	for (size_t i = 0; i < filter->glob_count; i++)
		if (fnmatch(filter->globs[i], name, 0) == 0)
			return true;
	return filter->glob_count == 0;
}

/* "1,2,8" or "1..64 x2", as in a suite's list. */
static enum bg_status read_values(struct bg_axis *ret, const struct bg_axis_text *given,
				  struct bg_mark mark, struct bg_arena *arena, struct bg_error *err)
{
	struct bg_values values = { 0 };
	const char *rest = given->value;
	for (;;) {
		size_t length = strcspn(rest, ",");
		const char *text = bg_arena_bytes(arena, rest, length);
		if (length == 0)
			return bg_fail(err, BG_E_USAGE, "--axis %s: a value is missing",
				       given->name);
		if (bg_range_add(&values, text, mark, arena, err) != BG_OK) {
			err->status = BG_E_USAGE;
			return bg_within(err, "--axis %s", given->name);
		}
		if (rest[length] == '\0')
			break;
		rest += length + 1;
	}
	*ret = (struct bg_axis){ given->name, mark, values.count, values.texts, values.marks };
	return BG_OK;
}

static bool workload_has(const struct bg_workload_entry *entry,
			 const struct bg_catalogue *catalogue, const char *axis,
			 struct bg_arena *arena)
{
	struct bg_offer offer;
	if (entry->use == BG_USE_EXEC)
		return false;
	/* A program that was not asked may have any axis. */
	if (bg_own_has(entry) && !bg_own_offer_of(&offer, entry, catalogue, arena))
		return true;
	if (!bg_own_has(entry))
		bg_offer_find(&offer, entry->word, catalogue, arena);
	return (bg_offer_has_engines(&offer) && strcmp(axis, "engine") == 0) ||
	       bg_offer_axis(&offer, axis) ||
	       (strcmp(axis, "shape") == 0 && bg_offer_has_shape(&offer));
}

enum bg_status bg_filter_axes(const struct bg_filter *filter, struct bg_workload_entry *entry,
			      const struct bg_catalogue *catalogue, bool *used,
			      struct bg_arena *arena, struct bg_error *err)
{
	struct bg_axis *axes =
		bg_arena_array(arena, entry->axis_count + filter->axis_count, sizeof *axes);
	for (size_t i = 0; i < entry->axis_count; i++)
		axes[i] = entry->axes[i];
	for (size_t i = 0; i < filter->axis_count; i++) {
		const struct bg_axis_text *given = &filter->axes[i];
		size_t place = 0;
		while (place < entry->axis_count && strcmp(axes[place].name, given->name) != 0)
			place++;
		if (place == entry->axis_count &&
		    !workload_has(entry, catalogue, given->name, arena))
			continue;
		struct bg_mark mark = place < entry->axis_count ? axes[place].mark : entry->mark;
		if (read_values(&axes[place], given, mark, arena, err) != BG_OK)
			return err->status;
		entry->axis_count += place == entry->axis_count;
		used[i] = true;
	}
	entry->axes = axes;
	return BG_OK;
}
