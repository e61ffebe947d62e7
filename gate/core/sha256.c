#include "gate/core/sha256.h"

#include <stdio.h>
#include <string.h>

#define BLOCK_SIZE 64
#define LENGTH_AT 56 /* of the bit count, in the last block */

static const uint32_t round_constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

static uint32_t rotate(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

static void expand(uint32_t w[64], const unsigned char *block)
{
	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void add_block(struct bg_sha256 *sha, const unsigned char *block)
{
	uint32_t w[64], v[8];
	expand(w, block);
	memcpy(v, sha->state, sizeof v);
	for (size_t i = 0; i < 64; i++) {
		uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		uint32_t first = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
				 choice + round_constant[i] + w[i];
		uint32_t second =
			(rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) + majority;
		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += first;
		v[0] = first + second;
	}
	for (size_t i = 0; i < 8; i++)
		sha->state[i] += v[i];
}

void bg_sha256_init(struct bg_sha256 *sha)
{
	*sha = (struct bg_sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void bg_sha256_add(struct bg_sha256 *sha, const void *bytes, size_t size)
{
	const unsigned char *rest = bytes;
	size_t held = (size_t)(sha->size % BLOCK_SIZE);
	sha->size += size;
	while (size > 0) {
		if (held == 0 && size >= BLOCK_SIZE) {
			add_block(sha, rest);
			rest += BLOCK_SIZE;
			size -= BLOCK_SIZE;
			continue;
		}
		size_t taken = size < BLOCK_SIZE - held ? size : BLOCK_SIZE - held;
		memcpy(sha->block + held, rest, taken);
		held += taken;
		rest += taken;
		size -= taken;
		if (held == BLOCK_SIZE) {
			add_block(sha, sha->block);
			held = 0;
		}
	}
}

void bg_sha256_text(char text[BG_SHA256_TEXT_SIZE], struct bg_sha256 *sha)
{
	static const unsigned char padding[BLOCK_SIZE] = { 0x80 };
	unsigned char length[8];
	uint64_t bits = sha->size * 8;
	size_t held = (size_t)(sha->size % BLOCK_SIZE);
	for (size_t i = 0; i < sizeof length; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	bg_sha256_add(sha, padding, (held < LENGTH_AT ? LENGTH_AT : LENGTH_AT + BLOCK_SIZE) - held);
	bg_sha256_add(sha, length, sizeof length);
	for (size_t i = 0; i < 8; i++)
		snprintf(text + 8 * i, 9, "%08x", (unsigned)sha->state[i]);
}
