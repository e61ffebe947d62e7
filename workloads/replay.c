#include "workloads/replay.h"

#include "gate/core/text.h"

#include <stddef.h>
#include <string.h>

static const char *const troubles[] = { "none", "base", "head", "both" };

#define SHIFT(key, text, what)                                                                     \
	{                                                                                          \
		.name = key, .summary = what, .fallback = text, .kind = BG_AXIS_NUMBER, .min = 0,  \
		.max = 10                                                                          \
	}
#define SHARE(key, text, what)                                                                     \
	{                                                                                          \
		.name = key, .summary = what, .fallback = text, .kind = BG_AXIS_NUMBER, .min = 0,  \
		.max = 1                                                                           \
	}
#define TROUBLE(key, what)                                                                         \
	{                                                                                          \
		.name = key, .summary = what, .fallback = "none", .kind = BG_AXIS_WORD,            \
		.word_count = 4, .words = troubles                                                 \
	}

/* Numbers first, in the order of `targets`. */
static const struct bg_axis_info axes[] = {
	{ .name = "duration",
	  .summary = "seconds of a call on the quiet machine",
	  .fallback = "0.01",
	  .kind = BG_AXIS_NUMBER,
	  .min = 1e-6,
	  .max = 1e4 },
	SHIFT("session", "0", "sd of the level of a session, both arms alike"),
	SHIFT("level", "0", "sd of the level of a launch, both arms alike"),
	SHIFT("launch", "0.005", "sd of ln(head/base) over launches"),
	SHIFT("step", "0.03", "sd of one step"),
	SHIFT("drift", "0", "change of the level over 24 launches, both arms alike"),
	SHARE("correlation", "0", "lag-1 correlation of the launches' head/base"),
	SHARE("wild", "0", "share of launches five times as noisy"),
	SHARE("spikes", "0", "share of steps that take spike_factor times as long"),
	{ .name = "spike_factor",
	  .summary = "how much longer a spike takes",
	  .fallback = "10",
	  .kind = BG_AXIS_NUMBER,
	  .min = 1,
	  .max = 1e6 },
	SHARE("bimodal", "0", "share of launches in which head is slower by gap"),
	SHIFT("gap", "0.1", "see bimodal"),
	{ .name = "slowdown",
	  .summary = "of head, planted: 0.05 is 5 % more time",
	  .fallback = "0",
	  .kind = BG_AXIS_NUMBER,
	  .min = -0.999,
	  .max = 1000 },
	SHARE("slow_share", "1", "share of head's steps that are slower"),
	{ .name = "memory",
	  .summary = "peak bytes; 0 reports none",
	  .fallback = "0",
	  .kind = BG_AXIS_NUMBER,
	  .min = 0,
	  .max = 1e15 },
	SHIFT("memory_noise", "0", "sd of the peak over launches"),
	{ .name = "memory_growth",
	  .summary = "of head, planted",
	  .fallback = "0",
	  .kind = BG_AXIS_NUMBER,
	  .min = -0.999,
	  .max = 1000 },
	SHARE("memory_share", "1", "share of head's launches that are larger"),
	TROUBLE("fail", "whose steps fail"),
	TROUBLE("crash", "whose worker dies in a step"),
	TROUBLE("wrong", "whose result is incorrect"),
};

#define AT(field) offsetof(struct bg_replay_model, field)
static const size_t targets[] = {
	AT(duration_s),	   AT(session_sd),    AT(level_sd),	AT(launch_sd),	 AT(step_sd),
	AT(drift),	   AT(correlation),   AT(wild_share),	AT(spike_share), AT(spike_factor),
	AT(bimodal_share), AT(bimodal_gap),   AT(slowdown),	AT(slow_share),	 AT(memory_bytes),
	AT(memory_sd),	   AT(memory_growth), AT(memory_share),
};
#define NUMBER_COUNT (sizeof targets / sizeof *targets)
#define AXIS_COUNT (sizeof axes / sizeof *axes)

const struct bg_workload_info bg_replay_info = {
	.name = "replay",
	.engine = "model",
	.module = "built in",
	.summary = "durations from a seeded noise model on a virtual clock, for tests",
	.axis_count = AXIS_COUNT,
	.axes = axes,
};

static size_t find_axis(const char *name)
{
	size_t i = 0;
	while (i < AXIS_COUNT && strcmp(axes[i].name, name) != 0)
		i++;
	return i;
}

static bool set_axis(struct bg_replay *ret, size_t index, const char *value)
{
	if (index < NUMBER_COUNT) {
		double *target = (double *)((char *)&ret->model + targets[index]);
		return bg_text_to_double(target, value, axes[index].min, axes[index].max);
	}
	enum bg_replay_trouble *words[] = { &ret->fail, &ret->crash, &ret->wrong };
	for (size_t i = 0; i < 4; i++) {
		if (strcmp(value, troubles[i]) != 0)
			continue;
		*words[index - NUMBER_COUNT] = (enum bg_replay_trouble)i;
		return true;
	}
	return false;
}

enum bg_status bg_replay_prepare(struct bg_replay *ret, const struct bg_request *request,
				 struct bg_error *err)
{
	struct bg_replay replay = {
		.at = { .seed = request->seed, .launch = request->launch, .head = request->head }
	};
	for (size_t i = 0; i < AXIS_COUNT; i++)
		(void)set_axis(&replay, i, axes[i].fallback);
	for (size_t i = 0; i < request->axis_count; i++) {
		const struct bg_axis_text *axis = &request->axes[i];
		size_t index = find_axis(axis->name);
		if (index == AXIS_COUNT)
			return bg_fail(err, BG_E_INPUT, "replay has no axis %.64s", axis->name);
		if (!set_axis(&replay, index, axis->value))
			return bg_fail(err, BG_E_INPUT, "replay: %s=%.64s is out of range",
				       axis->name, axis->value);
	}
	*ret = replay;
	return BG_OK;
}

bool bg_replay_befalls(enum bg_replay_trouble trouble, bool head)
{
	return trouble == BG_TROUBLE_BOTH || trouble == (head ? BG_TROUBLE_HEAD : BG_TROUBLE_BASE);
}
