#ifndef BG_SWEEPS_HASH_SEED_H
#define BG_SWEEPS_HASH_SEED_H
/*
 * Interpreters that draw the seed of their hash tables at start (Python, Perl) lay out their memory
 * anew in each process: A/A launches of a Python program spread by 3 - 5 %, with one seed for both
 * arms by .8 - 1.8 %. So both arms of a launch get the same seed, and every launch another one:
 * what is measured is the program, not one luck of its tables. A variable that the user's
 * environment sets is left alone.
 */
#include "gate/core/arena.h"
#include "gate/core/random.h"

#define BG_HASH_SEED_COUNT 2

struct bg_hash_seed {
	struct bg_random random;
	char text[BG_HASH_SEED_COUNT][40]; /* "PYTHONHASHSEED=1234567890" */
};

/* Zeroed struct made ready, with a first seed. */
void bg_hash_seed_init(struct bg_hash_seed *ret, uint64_t seed);
/* Another seed, of the same length, in every environment that has it. */
void bg_hash_seed_draw(struct bg_hash_seed *seed);
/*
 * The environment with the seed's variables behind it; they change with each draw, for what is
 * started from then on. Owned by the arena; borrows seed.
 */
const char *const *bg_hash_seed_add(struct bg_hash_seed *seed, const char *const *environment,
				    struct bg_arena *arena);
#endif
