#include "workloads/offer.h"

#include "workloads/replay.h"

static const enum bg_axis_kind kinds[] = {
	[BG_OPERATION_INTEGER] = BG_AXIS_INTEGER,
	[BG_OPERATION_NUMBER] = BG_AXIS_NUMBER,
	[BG_OPERATION_WORD] = BG_AXIS_WORD,
};

static const struct bg_axis_info *axes_of(const struct bg_operation *operation,
					  struct bg_arena *arena)
{
	struct bg_axis_info *infos = bg_arena_array(arena, operation->axis_count, sizeof *infos);
	for (size_t i = 0; i < operation->axis_count; i++) {
		const struct bg_operation_axis *axis = &operation->axes[i];
		infos[i] = (struct bg_axis_info){ .name = axis->name,
						  .summary = axis->summary,
						  .fallback = axis->fallback,
						  .kind = kinds[axis->kind],
						  .min = axis->min,
						  .max = axis->max,
						  .word_count = axis->word_count,
						  .words = axis->words };
	}
	return infos;
}

static struct bg_workload_info info_of(const struct bg_loaded_operation *loaded,
				       struct bg_arena *arena)
{
	const struct bg_operation *operation = loaded->operation;
	return (struct bg_workload_info){ .name = operation->name,
					  .engine = operation->engine,
					  .module = loaded->module->name,
					  .summary = operation->summary,
					  .axis_count = operation->axis_count,
					  .axes = axes_of(operation, arena) };
}

static bool is_usable(const struct bg_operation *operation, struct bg_why *why)
{
	why->text[0] = '\0';
	return !operation->usable || operation->usable(why) == BG_ANSWER_OK;
}

void bg_offer_fill(struct bg_reply *reply, const struct bg_modules *modules, struct bg_arena *arena)
{
	size_t most = modules->operation_count;
	struct bg_workload_info *offered = bg_arena_array(arena, most + 1, sizeof *offered);
	struct bg_missing_module *missing =
		bg_arena_array(arena, most + modules->missing_count, sizeof *missing);
	size_t offered_count = 0, missing_count = 0;
	offered[offered_count++] = bg_replay_info;
	for (size_t i = 0; i < modules->missing_count; i++)
		missing[missing_count++] = modules->missing[i];
	for (size_t i = 0; i < most; i++) {
		const struct bg_loaded_operation *loaded = &modules->operations[i];
		const struct bg_operation *operation = loaded->operation;
		struct bg_why why;
		if (is_usable(operation, &why))
			offered[offered_count++] = info_of(loaded, arena);
		else
			missing[missing_count++] = (struct bg_missing_module){
				loaded->module->name,
				bg_arena_format(arena, "%s: %s", operation->name, why.text)
			};
	}
	reply->workloads = offered;
	reply->workload_count = offered_count;
	reply->missing = missing;
	reply->missing_count = missing_count;
}

void bg_offer_plugin(struct bg_reply *reply, const struct bg_modules *modules,
		     struct bg_arena *arena)
{
	size_t count = modules->operation_count;
	struct bg_workload_info *offered = bg_arena_array(arena, count, sizeof *offered);
	for (size_t i = 0; i < count; i++)
		offered[i] = info_of(&modules->operations[i], arena);
	reply->workloads = offered;
	reply->workload_count = count;
}
