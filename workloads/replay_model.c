#include "workloads/replay_model.h"

#include "gate/core/random.h"

#include <math.h>

#define PAGE_BYTES 4096
#define DRIFT_LAUNCHES 24
#define WILD_FACTOR 5

/* What a number is drawn for; each has a stream of its own. */
static struct bg_random draw(uint64_t seed, const char *what, uint64_t launch, uint64_t step)
{
	struct bg_random random;
	uint64_t key[3] = { seed, launch, step };
	bg_random_init(&random, bg_hash(BG_HASH_INIT, key, sizeof key), what);
	return random;
}

static double normal(uint64_t seed, const char *what, uint64_t launch, uint64_t step)
{
	struct bg_random random = draw(seed, what, launch, step);
	return bg_random_normal(&random);
}

static bool happens(double share, uint64_t seed, const char *what, uint64_t launch, uint64_t step)
{
	if (share <= 0)
		return false;
	struct bg_random random = draw(seed, what, launch, step);
	return bg_random_unit(&random) < share;
}

/* Standard normal by launch, correlated with the one before (stationary AR(1)). */
static double launch_effect(const struct bg_replay_model *model, uint64_t seed, unsigned launch)
{
	double c = model->correlation;
	if (c == 0)
		return normal(seed, "launch", launch, 0);
	double effect = normal(seed, "launch", 0, 0);
	for (unsigned l = 1; l <= launch; l++)
		effect = c * effect + sqrt(1 - c * c) * normal(seed, "launch", l, 0);
	return effect;
}

/* Common to both arms: it cancels in a ratio, and is what ruins separate runs. */
static double level(const struct bg_replay_model *model, const struct bg_replay_point *point)
{
	return model->session_sd * normal(point->seed, "session", 0, 0) +
	       model->level_sd * normal(point->seed, "level", point->launch, 0) +
	       model->drift * point->launch / DRIFT_LAUNCHES;
}

static double head_only(const struct bg_replay_model *model, const struct bg_replay_point *point)
{
	uint64_t seed = point->seed;
	double sd = model->launch_sd;
	if (happens(model->wild_share, seed, "wild", point->launch, 0))
		sd *= WILD_FACTOR;
	double shift = sd * launch_effect(model, seed, point->launch);
	if (happens(model->bimodal_share, seed, "bimodal", point->launch, 0))
		shift += model->bimodal_gap;
	if (model->slow_share >= 1 ||
	    happens(model->slow_share, seed, "slow", point->launch, point->step))
		shift += log1p(model->slowdown);
	return shift;
}

double bg_replay_time_s(const struct bg_replay_model *model, const struct bg_replay_point *point)
{
	const char *steps = point->head ? "head step" : "base step";
	const char *spikes = point->head ? "head spike" : "base spike";
	double shift = level(model, point);
	if (point->head)
		shift += head_only(model, point);
	if (point->second)
		shift += model->position;
	if (model->step_sd > 0)
		shift += model->step_sd * normal(point->seed, steps, point->launch, point->step);
	if (happens(model->spike_share, point->seed, spikes, point->launch, point->step))
		shift += log(model->spike_factor);
	return model->duration_s * exp(shift);
}

double bg_replay_memory_bytes(const struct bg_replay_model *model,
			      const struct bg_replay_point *point)
{
	const char *noise = point->head ? "head memory" : "base memory";
	double bytes = model->memory_bytes *
		       exp(model->memory_sd * normal(point->seed, noise, point->launch, 0));
	bool grown = model->memory_share >= 1 ||
		     happens(model->memory_share, point->seed, "grown", point->launch, 0);
	if (point->head && grown)
		bytes *= 1 + model->memory_growth;
	return ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}
