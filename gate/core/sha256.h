#ifndef BG_CORE_SHA256_H
#define BG_CORE_SHA256_H
/* SHA-256 (FIPS 180-4): names content so that nobody can make another content of the same name. */
#include <stddef.h>
#include <stdint.h>

#define BG_SHA256_TEXT_SIZE 65

struct bg_sha256 {
	uint32_t state[8];
	uint64_t size; /* bytes so far */
	unsigned char block[64];
};

void bg_sha256_init(struct bg_sha256 *sha);
/* Cost: about 3 ns a byte. */
void bg_sha256_add(struct bg_sha256 *sha, const void *bytes, size_t size);
/* The digest as 64 lower-case hex digits; sha must be initialised before it is used again. */
void bg_sha256_text(char text[BG_SHA256_TEXT_SIZE], struct bg_sha256 *sha);
#endif
