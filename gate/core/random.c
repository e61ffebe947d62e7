#include "gate/core/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

uint64_t bg_hash(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;
	for (size_t i = 0; i < size; i++) {
		hash ^= byte[i];
		hash *= UINT64_C(0x100000001b3);
	}
	return hash;
}

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void bg_random_init(struct bg_random *random, uint64_t seed, const char *stream)
{
	uint64_t state = seed ^ bg_hash(BG_HASH_INIT, stream, stream ? strlen(stream) : 0);
	for (size_t i = 0; i < 4; i++)
		random->state[i] = splitmix(&state);
}

static uint64_t rotate_left(uint64_t value, int bits)
{
	return (value << bits) | (value >> (64 - bits));
}

uint64_t bg_random_next(struct bg_random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t bg_random_below(struct bg_random *random, uint64_t bound)
{
	assert(bound > 0);
	uint64_t reject = (UINT64_MAX - bound + 1) % bound;
	uint64_t value;
	do
		value = bg_random_next(random);
	while (value < reject);
	return value % bound;
}

double bg_random_unit(struct bg_random *random)
{
	return (double)(bg_random_next(random) >> 11) * 0x1p-53;
}

double bg_random_normal(struct bg_random *random)
{
	double x, y, s;
	do {
		x = 2 * bg_random_unit(random) - 1;
		y = 2 * bg_random_unit(random) - 1;
		s = x * x + y * y;
	} while (s >= 1 || s == 0);
	return x * sqrt(-2 * log(s) / s);
}

void bg_random_shuffle(struct bg_random *random, size_t *index, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)bg_random_below(random, i);
		size_t held = index[i - 1];
		index[i - 1] = index[j];
		index[j] = held;
	}
}
