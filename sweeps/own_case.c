#include "sweeps/own_case.h"

#include "sweeps/axis.h"
#include "sweeps/own_worker.h"

#include <string.h>

/* `threads: 4` says how many cores, and is the value of an axis of that name where there is one. */
static void add_threads(struct bg_workload_entry *entry, const struct bg_offer *offer,
			struct bg_arena *arena)
{
	if (entry->threads == 0 || !bg_offer_axis(offer, "threads") ||
	    bg_axis_find(entry->axes, entry->axis_count, "threads"))
		return;
	struct bg_axis *axes = bg_arena_array(arena, entry->axis_count + 1, sizeof *axes);
	for (size_t i = 0; i < entry->axis_count; i++)
		axes[i] = entry->axes[i];
	struct bg_axis *threads = &axes[entry->axis_count++];
	*threads = (struct bg_axis){ .name = "threads", .mark = entry->mark, .count = 1 };
	threads->values = bg_arena_array(arena, 1, sizeof *threads->values);
	threads->values[0] = bg_arena_format(arena, "%u", entry->threads);
	threads->marks = bg_arena_array(arena, 1, sizeof *threads->marks);
	threads->marks[0] = entry->mark;
	entry->axes = axes;
}

static enum bg_status check(struct bg_own_form *form, const struct bg_suite *suite,
			    struct bg_workload_entry *entry, const struct bg_own_offer *offered,
			    struct bg_arena *arena, struct bg_error *err)
{
	struct bg_offer offer;
	const char *workload;
	if (bg_own_choose(&workload, suite, entry, offered, arena, err) != BG_OK)
		return err->status;
	bg_offer_find(&offer, workload, &offered->list, arena);
	struct bg_workload_entry as = *entry;
	as.word = workload;
	add_threads(&as, &offer, arena);
	if (bg_builtin_resolve(&form->builtin, suite, &as, &offered->list, arena, err) != BG_OK)
		return err->status;
	form->workload = workload;
	if (entry->use == BG_USE_PLUGIN)
		entry->name = workload;
	return BG_OK;
}

enum bg_status bg_own_resolve(struct bg_own_form *ret, const struct bg_own_question *question,
			      struct bg_workload_entry *entry, struct bg_arena *arena,
			      struct bg_error *err)
{
	const struct bg_own_offer *offered = bg_own_find(question->catalogue, entry);
	struct bg_own_form form = { .unchecked = NULL };
	if (!offered) {
		form.unchecked = "head has no such workload";
	} else if (offered->list.workload_count == 0) {
		form.fault = offered->fault;
		form.unchecked = bg_arena_format(arena, "not checked: %s was not started",
						 entry->path ? entry->path : entry->name);
	} else {
		form.fault = offered->fault;
		form.base_works = offered->of_base;
		enum bg_status status = check(&form, question->suite, entry, offered, arena, err);
		/* Only head's own answer tells what is wrong with head's suite. */
		if (status != BG_OK && !question->lenient && !offered->of_base)
			return status;
		if (status != BG_OK)
			form.unchecked = bg_arena_text(arena, err->text);
		bg_error_clear(err);
	}
	if (!form.workload)
		form.workload = entry->name;
	*ret = form;
	return BG_OK;
}
