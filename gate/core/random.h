#ifndef BG_CORE_RANDOM_H
#define BG_CORE_RANDOM_H
/*
 * Seeded numbers: the same seed and stream give the same sequence on every machine and compiler.
 * Generator: xoshiro256** seeded by splitmix64 (Blackman & Vigna 2018, public domain algorithms).
 */
#include <stddef.h>
#include <stdint.h>

struct bg_random {
	uint64_t state[4];
};

/* stream tells apart the uses of one seed ("order", "pairs"); NULL is the empty name. */
void bg_random_init(struct bg_random *random, uint64_t seed, const char *stream);
uint64_t bg_random_next(struct bg_random *random);
/* 0 <= result < bound, unbiased; bound >= 1. */
uint64_t bg_random_below(struct bg_random *random, uint64_t bound);
/* 0 <= result < 1, 53 bits. */
double bg_random_unit(struct bg_random *random);
/* Standard normal by the polar method (Marsaglia & Bray 1964). */
double bg_random_normal(struct bg_random *random);
/* Fisher-Yates over count indices. */
void bg_random_shuffle(struct bg_random *random, size_t *index, size_t count);
/* 64-bit FNV-1a of bytes, continued from hash (start with BG_HASH_INIT). Not for secrets. */
#define BG_HASH_INIT UINT64_C(0xcbf29ce484222325)
uint64_t bg_hash(uint64_t hash, const void *bytes, size_t size);
#endif
