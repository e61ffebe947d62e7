#include "sweeps/case.h"

#include "gate/core/random.h"
#include "gate/core/text.h"
#include "sweeps/axis.h"
#include "sweeps/command.h"
#include "sweeps/filter.h"
#include "sweeps/name_map.h"
#include "sweeps/own_case.h"
#include "sweeps/own_worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct expansion {
	struct bg_case_list *list;
	size_t capacity, considered;
	const struct bg_suite *suite;
	const struct bg_filter *filter;
	const char *example; /* a name, for the message when a filter matches nothing */
	struct bg_arena *arena;
	struct bg_error *err;
};

static void hash_text(uint64_t *hash, const char *text)
{
	*hash = bg_hash(*hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* What the case measures: a changed command, axis or limit is another case under an old name. */
static const char *hash_definition(const struct bg_case *of, struct bg_arena *arena)
{
	const struct bg_workload_entry *entry = of->entry;
	uint64_t hash = BG_HASH_INIT;
	char numbers[64];
	hash_text(&hash, entry->word);
	hash_text(&hash, of->engine);
	for (size_t i = 0; i < entry->command_count; i++)
		hash_text(&hash, entry->command[i]);
	if (entry->path)
		hash_text(&hash, entry->path);
	for (size_t i = 0; i < of->axis_count; i++) {
		hash_text(&hash, of->axes[i].name);
		hash_text(&hash, of->axes[i].value);
	}
	snprintf(numbers, sizeof numbers, "%.9g %u %d", entry->timeout_s, entry->threads,
		 (int)entry->turns);
	hash_text(&hash, numbers);
	return bg_arena_format(arena, "%016" PRIx64, hash);
}

static void add_part(struct bg_buffer *name, const char *axis, const char *value,
		     struct bg_arena *arena)
{
	bool first = !memchr(name->bytes, '/', name->size);
	bg_buffer_format(name, "%s%s=%s", first ? "/" : ",", bg_text_percent_encode(arena, axis),
			 bg_text_percent_encode(arena, value));
}

static const char *value_of(const struct bg_axis_text *chosen, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(chosen[i].name, name) == 0)
			return chosen[i].value;
	return NULL;
}

static enum bg_status add_case(struct expansion *x, struct bg_case *of)
{
	struct bg_case_list *list = x->list;
	unsigned line = of->entry->mark.line;
	const struct bg_name_slot *twin = bg_name_map_add(&list->names, of->name, line);
	if (twin)
		return bg_fail(x->err, BG_E_INPUT,
			       "%s:%u:%u: case %.200s is there already, from line %u",
			       x->suite->file, line, of->entry->mark.column, of->name, twin->line);
	if (++x->considered > BG_CASES_MAX)
		return bg_fail(x->err, BG_E_INPUT,
			       "%s:%u:%u: the suite has more than %d cases; use fewer values",
			       x->suite->file, line, of->entry->mark.column, BG_CASES_MAX);
	if (!x->example)
		x->example = of->name;
	if (!bg_filter_takes(x->filter, of->name))
		return BG_OK;
	of->hash = hash_definition(of, x->arena);
	list->cases = bg_arena_grow(x->arena, list->cases, list->count, &x->capacity,
				    sizeof *list->cases);
	list->cases[list->count++] = *of;
	return BG_OK;
}

/* Declared order, defaults filled in; what differs from its default goes into the name. */
static void fill_declared(struct expansion *x, struct bg_case *of, struct bg_buffer *name,
			  const struct bg_workload_info *info, const struct bg_axis_text *chosen,
			  size_t count)
{
	struct bg_axis_text *axes = bg_arena_array(x->arena, info->axis_count, sizeof *axes);
	for (size_t i = 0; i < info->axis_count; i++) {
		const struct bg_axis_info *axis = &info->axes[i];
		const char *value = value_of(chosen, count, axis->name);
		axes[i] = (struct bg_axis_text){ axis->name, value ? value : axis->fallback };
		if (value && strcmp(value, axis->fallback) != 0)
			add_part(name, axis->name, value, x->arena);
	}
	of->axes = axes;
	of->axis_count = info->axis_count;
}

static void copy_chosen(struct expansion *x, struct bg_case *of, const struct bg_axis_text *chosen,
			size_t count)
{
	of->axes = bg_arena_array(x->arena, count, sizeof *of->axes);
	for (size_t i = 0; i < count; i++)
		of->axes[i] = chosen[i];
	of->axis_count = count;
}

static enum bg_status add_builtin(struct expansion *x, const struct bg_case *form,
				  const struct bg_builtin *builtin,
				  const struct bg_engine_choice *engine,
				  const struct bg_axis_text *chosen, size_t count)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer name;
	struct bg_case of = *form;
	of.engine = engine->name;
	bg_buffer_init(&name, 65536);
	bg_buffer_text(&name, form->entry->name);
	if (builtin->engine_in_name && engine->name)
		add_part(&name, "engine", engine->name, x->arena);
	const char *skip = engine->skip;
	for (size_t i = 0; i < count && !skip; i++)
		skip = bg_builtin_skip(builtin, engine, &chosen[i], x->arena);
	/* A missing engine's cases are named by what the others declare, so that names stay. */
	const struct bg_workload_info *info = engine->info;
	if (!info && builtin->offer.count > 0)
		info = builtin->offer.infos[0];
	if (info)
		fill_declared(x, &of, &name, info, chosen, count);
	else
		copy_chosen(x, &of, chosen, count);
	/* A value or axis that the engine lacks stands in the name all the same. */
	for (size_t i = 0; i < count; i++)
		if (!info || !bg_info_axis(info, chosen[i].name))
			add_part(&name, chosen[i].name, chosen[i].value, x->arena);
	of.skip = skip;
	of.name = bg_arena_text(x->arena, name.bytes);
	return add_case(x, &of);
}

/* Named by what the suite says, in its order: of an exec, and of a program nobody knows. */
static enum bg_status add_as_written(struct expansion *x, const struct bg_case *form,
				     const struct bg_axis_text *chosen, size_t count)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer name;
	const struct bg_workload_entry *entry = form->entry;
	struct bg_case of = *form;
	bg_buffer_init(&name, 65536);
	bg_buffer_text(&name, entry->name);
	copy_chosen(x, &of, chosen, count);
	for (size_t i = 0; i < count; i++)
		add_part(&name, chosen[i].name, chosen[i].value, x->arena);
	of.name = bg_arena_text(x->arena, name.bytes);
	struct bg_command_words words = { entry->command_count, entry->command };
	if (entry->use == BG_USE_EXEC &&
	    bg_command_fill(&of.command, &words, of.axes, count, x->arena, x->err) != BG_OK)
		return bg_within(x->err, "%s:%u:%u", x->suite->file, entry->mark.line,
				 entry->mark.column);
	return add_case(x, &of);
}

/* The chosen values of one point, a shape taken apart into m, n and k. */
static size_t choose(struct bg_axis_text *chosen, const struct bg_builtin *builtin,
		     const size_t *index, struct bg_arena *arena)
{
	static const char *const parts[] = { "m", "n", "k" };
	const struct bg_axis *axes = builtin->axes;
	size_t count = 0;
	for (size_t i = 0; i < builtin->axis_count; i++) {
		const char *value = axes[i].values[index[i]];
		if (!builtin->splits_shape || strcmp(axes[i].name, "shape") != 0) {
			chosen[count++] = (struct bg_axis_text){ axes[i].name, value };
			continue;
		}
		for (size_t j = 0; j < 3; j++) {
			size_t length = strcspn(value, "x");
			/* "0512" and "512" are one size. */
			while (length > 1 && *value == '0') {
				value++;
				length--;
			}
			chosen[count++] =
				(struct bg_axis_text){ parts[j],
						       bg_arena_bytes(arena, value, length) };
			value += length + (value[length] == 'x');
		}
	}
	return count;
}

/* The next point, the last axis fastest; false after the last one. */
static bool advance(size_t *index, const struct bg_axis *axes, size_t axis_count)
{
	for (size_t i = axis_count; i > 0; i--) {
		if (++index[i - 1] < axes[i - 1].count)
			return true;
		index[i - 1] = 0;
	}
	return false;
}

static enum bg_status expand_as_written(struct expansion *x, const struct bg_case *form)
{
	const struct bg_workload_entry *entry = form->entry;
	size_t *index = bg_arena_array(x->arena, entry->axis_count, sizeof *index);
	struct bg_axis_text *chosen = bg_arena_array(x->arena, entry->axis_count, sizeof *chosen);
	do {
		for (size_t i = 0; i < entry->axis_count; i++)
			chosen[i] = (struct bg_axis_text){ entry->axes[i].name,
							   entry->axes[i].values[index[i]] };
		if (add_as_written(x, form, chosen, entry->axis_count) != BG_OK)
			return x->err->status;
	} while (advance(index, entry->axes, entry->axis_count));
	return BG_OK;
}

static enum bg_status expand_resolved(struct expansion *x, const struct bg_case *form,
				      const struct bg_builtin *builtin)
{
	for (size_t e = 0; e < builtin->engine_count; e++) {
		size_t *index = bg_arena_array(x->arena, builtin->axis_count, sizeof *index);
		struct bg_axis_text *chosen =
			bg_arena_array(x->arena, builtin->axis_count + 2, sizeof *chosen);
		do {
			size_t count = choose(chosen, builtin, index, x->arena);
			if (add_builtin(x, form, builtin, &builtin->engines[e], chosen, count) !=
			    BG_OK)
				return x->err->status;
		} while (advance(index, builtin->axes, builtin->axis_count));
	}
	return BG_OK;
}

static enum bg_status expand_builtin(struct expansion *x, const struct bg_workload_entry *entry,
				     const struct bg_catalogue *catalogue)
{
	struct bg_builtin builtin;
	struct bg_case form = { .entry = entry, .suite = x->suite, .workload = entry->word };
	if (bg_builtin_resolve(&builtin, x->suite, entry, catalogue, x->arena, x->err) != BG_OK)
		return x->err->status;
	return expand_resolved(x, &form, &builtin);
}

static enum bg_status expand_own(struct expansion *x, struct bg_workload_entry *entry,
				 size_t number, const struct bg_catalogue *catalogue)
{
	struct bg_own_form own;
	struct bg_case form = { .entry = entry, .suite = x->suite, .worker_group = number };
	struct bg_own_question question = { x->suite, catalogue, x->filter->lenient };
	if (bg_own_resolve(&own, &question, entry, x->arena, x->err) != BG_OK)
		return x->err->status;
	form.worker = bg_own_command(entry, catalogue->self, x->arena);
	form.workload = own.workload;
	form.unchecked = own.unchecked;
	form.fault = own.fault;
	form.base_works = own.base_works;
	return own.unchecked ? expand_as_written(x, &form)
			     : expand_resolved(x, &form, &own.builtin);
}

static enum bg_status expand_entry(struct expansion *x, struct bg_workload_entry *entry,
				   size_t number, const struct bg_catalogue *catalogue)
{
	if (bg_own_has(entry))
		return expand_own(x, entry, number, catalogue);
	if (entry->use == BG_USE_BUILTIN)
		return expand_builtin(x, entry, catalogue);
	return expand_as_written(x, &(struct bg_case){ .entry = entry, .suite = x->suite });
}

/* The entry's first cases go with it: half a workload would look like one that changed. */
static void lose_entry(struct expansion *x, const struct bg_workload_entry *entry,
		       size_t count_before)
{
	x->list->count = count_before;
	x->list->lost[x->list->lost_count++] =
		(struct bg_lost_entry){ entry, bg_arena_text(x->arena, x->err->text) };
	bg_error_clear(x->err);
}

enum bg_status bg_cases_expand(struct bg_case_list *ret, const struct bg_suite *suite,
			       const struct bg_catalogue *catalogue, const struct bg_filter *filter,
			       struct bg_arena *arena, struct bg_error *err)
{
	struct bg_case_list list = { .names = { .arena = arena } };
	struct expansion x = {
		.list = &list, .suite = suite, .filter = filter, .arena = arena, .err = err
	};
	list.lost = bg_arena_array(arena, filter->lenient ? suite->workload_count : 0,
				   sizeof *list.lost);
	bool *used = bg_arena_array(arena, filter->axis_count, sizeof *used);
	for (size_t i = 0; i < suite->workload_count; i++) {
		struct bg_workload_entry *entry = bg_arena_alloc(arena, sizeof *entry);
		*entry = suite->workloads[i];
		size_t count_before = list.count;
		if (bg_filter_axes(filter, entry, catalogue, used, arena, err) == BG_OK &&
		    expand_entry(&x, entry, i + 1, catalogue) == BG_OK)
			continue;
		if (!filter->lenient)
			return err->status;
		lose_entry(&x, entry, count_before);
	}
	for (size_t i = 0; i < filter->axis_count; i++)
		if (!used[i])
			return bg_fail(err, BG_E_USAGE, "--axis: no workload of %s has an axis %s",
				       suite->file, filter->axes[i].name);
	if (list.count == 0 && list.lost_count == 0)
		return bg_fail(err, BG_E_USAGE,
			       "--only matches none of the %zu cases of %s, such as %.200s",
			       x.considered, suite->file, x.example ? x.example : "none");
	*ret = list;
	return BG_OK;
}
