#include "sweeps/builtin_case.h"

#include "sweeps/axis.h"
#include "sweeps/phrase.h"
#include "sweeps/value.h"

#include <stdlib.h>
#include <string.h>

static enum bg_status fail_at(struct bg_error *err, const struct bg_suite *suite,
			      struct bg_mark mark, const char *text)
{
	return bg_fail(err, BG_E_INPUT, "%s:%u:%u: %s", suite->file, mark.line, mark.column, text);
}

static enum bg_status fail_workload(const struct bg_suite *suite,
				    const struct bg_workload_entry *entry,
				    const struct bg_catalogue *catalogue, struct bg_arena *arena,
				    struct bg_error *err)
{
	size_t count = 0;
	const char **names = bg_arena_array(arena, catalogue->workload_count + 3, sizeof *names);
	for (size_t i = 0; i < catalogue->workload_count; i++) {
		size_t known = 0;
		while (known < count && strcmp(names[known], catalogue->workloads[i].name) != 0)
			known++;
		names[known] = catalogue->workloads[i].name;
		count += known == count;
	}
	names[count++] = "exec";
	names[count++] = "program";
	names[count++] = "plugin";
	return fail_at(err, suite, entry->mark,
		       bg_arena_format(arena, "unknown workload %s%s; there are %s%s",
				       bg_phrase_quote(arena, entry->word),
				       bg_phrase_nearest(arena, entry->word, names, count),
				       bg_phrase_list(arena, names, count),
				       bg_catalogue_missing_text(catalogue, arena)));
}

static enum bg_status add_engine(struct bg_builtin *builtin, const struct bg_suite *suite,
				 const char *name, struct bg_mark mark, struct bg_arena *arena,
				 struct bg_error *err)
{
	struct bg_engine_choice *choice = &builtin->engines[builtin->engine_count++];
	const char *missing = bg_offer_missing(&builtin->offer, name);
	*choice = (struct bg_engine_choice){ .name = name,
					     .info = bg_offer_engine(&builtin->offer, name) };
	if (choice->info)
		return BG_OK;
	if (missing) {
		choice->skip =
			bg_arena_format(arena, "engine %s is not available: %s", name, missing);
		return BG_OK;
	}
	size_t count;
	const char *const *names = bg_offer_engine_names(&builtin->offer, &count, arena);
	return fail_at(err, suite, mark,
		       bg_arena_format(arena, "unknown engine %s%s; there are %s%s",
				       bg_phrase_quote(arena, name),
				       bg_phrase_nearest(arena, name, names, count),
				       bg_phrase_list(arena, names, count),
				       bg_catalogue_missing_text(builtin->offer.catalogue, arena)));
}

/* The entry's axis that picks engines; a program without engines has none. */
static const struct bg_axis *engine_axis(const struct bg_builtin *builtin,
					 const struct bg_workload_entry *entry)
{
	if (builtin->offer.count > 0 && !bg_offer_has_engines(&builtin->offer))
		return NULL;
	return bg_axis_find(entry->axes, entry->axis_count, "engine");
}

/*
 * The engine of an entry that names none. It must not depend on what this machine has: the name of
 * the case stands for one engine everywhere.
 */
static const struct default_engine {
	const char *word, *engine;
} default_engines[] = {
	{ "gemm", "openblas" },
};

static const char *default_engine(const char *word)
{
	for (size_t i = 0; i < sizeof default_engines / sizeof *default_engines; i++)
		if (strcmp(default_engines[i].word, word) == 0)
			return default_engines[i].engine;
	return NULL;
}

static enum bg_status choose_default(struct bg_builtin *builtin, const struct bg_suite *suite,
				     const struct bg_workload_entry *entry, struct bg_arena *arena,
				     struct bg_error *err)
{
	const struct bg_offer *offer = &builtin->offer;
	const char *engine = default_engine(entry->word);
	if (engine && (offer->count == 0 || bg_offer_has_engines(offer)))
		return add_engine(builtin, suite, engine, entry->mark, arena, err);
	if (offer->count > 1)
		return fail_at(err, suite, entry->mark,
			       bg_arena_format(arena,
					       "%s has several engines: add the key engine:, such "
					       "as engine: %s",
					       entry->word, offer->infos[0]->engine));
	builtin->engines[builtin->engine_count++] =
		(struct bg_engine_choice){ .name = offer->infos[0]->engine,
					   .info = offer->infos[0] };
	return BG_OK;
}

static enum bg_status choose_engines(struct bg_builtin *builtin, const struct bg_suite *suite,
				     const struct bg_workload_entry *entry, struct bg_arena *arena,
				     struct bg_error *err)
{
	const struct bg_axis *axis = engine_axis(builtin, entry);
	builtin->engines = bg_arena_array(arena, axis ? axis->count : 1, sizeof *builtin->engines);
	builtin->engine_in_name = axis != NULL;
	if (!axis)
		return choose_default(builtin, suite, entry, arena, err);
	for (size_t i = 0; i < axis->count; i++)
		if (add_engine(builtin, suite, axis->values[i], axis->marks[i], arena, err) !=
		    BG_OK)
			return err->status;
	return BG_OK;
}

/* Fits at least one engine: the others' cases are skipped, and a known precision is no error. */
static const char *fit_any(const struct bg_builtin *builtin, const char *axis, const char *text,
			   struct bg_arena *arena)
{
	for (size_t i = 0; i < builtin->offer.count; i++) {
		const struct bg_axis_info *info = bg_info_axis(builtin->offer.infos[i], axis);
		const char *fit = info ? bg_value_fit(info, text, arena) : NULL;
		if (fit)
			return fit;
	}
	return strcmp(axis, "dtype") == 0 && bg_value_is_dtype(text) ? text : NULL;
}

static enum bg_status take_axis(struct bg_builtin *builtin, const struct bg_suite *suite,
				const struct bg_axis *axis, struct bg_arena *arena,
				struct bg_error *err)
{
	const struct bg_axis_info *info = bg_offer_axis(&builtin->offer, axis->name);
	if (!info) {
		size_t count;
		const char *const *names = bg_offer_axis_names(&builtin->offer, &count, arena);
		return fail_at(err, suite, axis->mark,
			       bg_arena_format(arena, "unknown key %s%s; %s has the axes %s",
					       bg_phrase_quote(arena, axis->name),
					       bg_phrase_nearest(arena, axis->name, names, count),
					       builtin->offer.word,
					       bg_phrase_list(arena, names, count)));
	}
	struct bg_axis *taken = &builtin->axes[builtin->axis_count++];
	*taken = *axis;
	taken->values = bg_arena_array(arena, axis->count, sizeof *taken->values);
	for (size_t i = 0; i < axis->count; i++) {
		taken->values[i] = fit_any(builtin, axis->name, axis->values[i], arena);
		if (!taken->values[i])
			return fail_at(err, suite, axis->marks[i],
				       bg_arena_format(arena, "%s is %s; allowed: %s", axis->name,
						       bg_phrase_quote(arena, axis->values[i]),
						       bg_value_allowed(info, arena)));
	}
	return BG_OK;
}

/* Splits "MxNxK" in place of three axes; false where it is none. */
static bool split_shape(const char *text, const char **parts, struct bg_arena *arena)
{
	char *copy = bg_arena_text(arena, text);
	for (size_t i = 0; i < 3; i++) {
		size_t length = strspn(copy, "0123456789");
		bool last = i == 2;
		if (length == 0 || copy[length] != (last ? '\0' : 'x'))
			return false;
		copy[length] = '\0';
		parts[i] = copy;
		copy += length + 1;
	}
	return true;
}

/* A shape stays one axis while cases are made, its parts checked here one by one. */
static enum bg_status take_shape(struct bg_builtin *builtin, const struct bg_suite *suite,
				 const struct bg_axis *axis, struct bg_arena *arena,
				 struct bg_error *err)
{
	static const char *const names[] = { "m", "n", "k" };
	for (size_t i = 0; i < axis->count; i++) {
		const char *parts[3];
		if (!split_shape(axis->values[i], parts, arena))
			return fail_at(err, suite, axis->marks[i],
				       bg_arena_format(arena,
						       "shape is %s; allowed: MxNxK in whole "
						       "numbers, such as 512x512x512 (names of "
						       "models are not known to this version)",
						       bg_phrase_quote(arena, axis->values[i])));
		for (size_t j = 0; j < 3; j++) {
			const struct bg_axis_info *info = bg_offer_axis(&builtin->offer, names[j]);
			if (!fit_any(builtin, names[j], parts[j], arena))
				return fail_at(
					err, suite, axis->marks[i],
					bg_arena_format(arena,
							"shape is %s, whose %s is not "
							"allowed: %s",
							bg_phrase_quote(arena, axis->values[i]),
							names[j], bg_value_allowed(info, arena)));
		}
	}
	builtin->axes[builtin->axis_count++] = *axis;
	builtin->splits_shape = true;
	return BG_OK;
}

static enum bg_status check_shape_alone(const struct bg_builtin *builtin,
					const struct bg_suite *suite,
					const struct bg_workload_entry *entry, struct bg_error *err)
{
	static const char *const names[] = { "m", "n", "k" };
	if (!bg_offer_has_shape(&builtin->offer) ||
	    !bg_axis_find(entry->axes, entry->axis_count, "shape"))
		return BG_OK;
	for (size_t i = 0; i < 3; i++) {
		const struct bg_axis *other =
			bg_axis_find(entry->axes, entry->axis_count, names[i]);
		if (other)
			return bg_fail(err, BG_E_INPUT,
				       "%s:%u:%u: %s beside shape, which stands for m, n and k; "
				       "give one or the other",
				       suite->file, other->mark.line, other->mark.column, names[i]);
	}
	return BG_OK;
}

enum bg_status bg_builtin_resolve(struct bg_builtin *ret, const struct bg_suite *suite,
				  const struct bg_workload_entry *entry,
				  const struct bg_catalogue *catalogue, struct bg_arena *arena,
				  struct bg_error *err)
{
	struct bg_builtin builtin = { .engine_count = 0 };
	bg_offer_find(&builtin.offer, entry->word, catalogue, arena);
	const struct bg_axis *engine = engine_axis(&builtin, entry);
	const char *wanted = engine ? engine->values[0] : default_engine(entry->word);
	if (builtin.offer.count == 0 && !(wanted && bg_offer_missing(&builtin.offer, wanted)))
		return fail_workload(suite, entry, catalogue, arena, err);
	if (choose_engines(&builtin, suite, entry, arena, err) != BG_OK ||
	    check_shape_alone(&builtin, suite, entry, err) != BG_OK)
		return err->status;
	builtin.axes = bg_arena_array(arena, entry->axis_count, sizeof *builtin.axes);
	for (size_t i = 0; i < entry->axis_count; i++) {
		const struct bg_axis *axis = &entry->axes[i];
		bool is_shape =
			strcmp(axis->name, "shape") == 0 && bg_offer_has_shape(&builtin.offer);
		if (axis == engine)
			continue;
		/* Nobody here knows the workload: its axes are taken as they stand, and skipped. */
		if (builtin.offer.count == 0)
			builtin.axes[builtin.axis_count++] = *axis;
		else if ((is_shape ? take_shape(&builtin, suite, axis, arena, err)
				   : take_axis(&builtin, suite, axis, arena, err)) != BG_OK)
			return err->status;
	}
	*ret = builtin;
	return BG_OK;
}

const char *bg_builtin_skip(const struct bg_builtin *builtin, const struct bg_engine_choice *engine,
			    const struct bg_axis_text *chosen, struct bg_arena *arena)
{
	(void)builtin;
	if (engine->skip)
		return engine->skip;
	const struct bg_axis_info *info = bg_info_axis(engine->info, chosen->name);
	if (!info)
		return bg_arena_format(arena, "engine %s has no axis %s", engine->name,
				       chosen->name);
	if (!bg_value_fit(info, chosen->value, arena))
		return bg_arena_format(arena, "engine %s has no %s %s", engine->name, chosen->name,
				       chosen->value);
	return NULL;
}
