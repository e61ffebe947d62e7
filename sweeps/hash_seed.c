#include "sweeps/hash_seed.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Ten digits below 2^32, so that environments keep their size. */
#define SEED_MIN UINT64_C(1000000000)
#define SEED_RANGE UINT64_C(3000000000)

static const char *const names[BG_HASH_SEED_COUNT] = { "PYTHONHASHSEED", "PERL_HASH_SEED" };

void bg_hash_seed_draw(struct bg_hash_seed *seed)
{
	uint64_t number = SEED_MIN + bg_random_next(&seed->random) % SEED_RANGE;
	for (size_t i = 0; i < BG_HASH_SEED_COUNT; i++)
		snprintf(seed->text[i], sizeof seed->text[i], "%s=%" PRIu64, names[i], number);
}

void bg_hash_seed_init(struct bg_hash_seed *ret, uint64_t seed)
{
	bg_random_init(&ret->random, seed, "hash seed");
	bg_hash_seed_draw(ret);
}

static bool has(const char *const *environment, const char *name)
{
	size_t size = strlen(name);
	for (size_t i = 0; environment[i]; i++)
		if (strncmp(environment[i], name, size) == 0 && environment[i][size] == '=')
			return true;
	return false;
}

const char *const *bg_hash_seed_add(struct bg_hash_seed *seed, const char *const *environment,
				    struct bg_arena *arena)
{
	size_t count = 0;
	while (environment[count])
		count++;
	const char **more = bg_arena_array(arena, count + BG_HASH_SEED_COUNT + 1, sizeof *more);
	for (size_t i = 0; i < count; i++)
		more[i] = environment[i];
	for (size_t i = 0; i < BG_HASH_SEED_COUNT; i++)
		if (!has(environment, names[i]))
			more[count++] = seed->text[i];
	return more;
}
