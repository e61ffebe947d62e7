#include "gate/core/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void is_digest(const char *text, size_t size, const char *expected)
{
	char digest[BG_SHA256_TEXT_SIZE];
	struct bg_sha256 sha;
	bg_sha256_init(&sha);
	bg_sha256_add(&sha, text, size);
	bg_sha256_text(digest, &sha);
	assert_string_equal(digest, expected);
}

/* FIPS 180-4 examples, and those of NIST's test vectors. */
static void known_texts_have_their_digests(void **state)
{
	(void)state;
	is_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	is_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	is_digest(two, strlen(two),
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	char *million = malloc(1000000);
	assert_non_null(million);
	memset(million, 'a', 1000000);
	is_digest(million, 1000000,
		  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

static void parts_make_the_same_digest_as_the_whole(void **state)
{
	(void)state;
	char bytes[300], whole[BG_SHA256_TEXT_SIZE], parts[BG_SHA256_TEXT_SIZE];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * 7);
	for (size_t size = 0; size < sizeof bytes; size++) {
		struct bg_sha256 a, b;
		bg_sha256_init(&a);
		bg_sha256_init(&b);
		bg_sha256_add(&a, bytes, size);
		for (size_t at = 0; at < size; at += 13)
			bg_sha256_add(&b, bytes + at, size - at < 13 ? size - at : 13);
		bg_sha256_text(whole, &a);
		bg_sha256_text(parts, &b);
		assert_string_equal(whole, parts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_texts_have_their_digests),
		cmocka_unit_test(parts_make_the_same_digest_as_the_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
