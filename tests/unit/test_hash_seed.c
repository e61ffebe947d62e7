#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sweeps/hash_seed.h"

#include <stdlib.h>
#include <string.h>

static const char *find(const char *const *environment, const char *start)
{
	for (size_t i = 0; environment[i]; i++)
		if (strncmp(environment[i], start, strlen(start)) == 0)
			return environment[i];
	return NULL;
}

static void both_arms_share_a_seed_that_changes_and_keeps_its_size(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_hash_seed seed;
	const char *const clean[] = { "A=1", "PATH=/bin", NULL };
	char before[40];
	bg_hash_seed_init(&seed, 7);
	const char *const *base = bg_hash_seed_add(&seed, clean, &arena);
	const char *const *head = bg_hash_seed_add(&seed, clean, &arena);
	for (int i = 0; i < 1000; i++) {
		const char *python = find(base, "PYTHONHASHSEED=");
		assert_string_equal(python, find(head, "PYTHONHASHSEED="));
		assert_int_equal(strlen(python), strlen("PYTHONHASHSEED=1234567890"));
		unsigned long long number = strtoull(strchr(python, '=') + 1, NULL, 10);
		assert_true(number <= UINT32_MAX);
		assert_non_null(find(base, "PERL_HASH_SEED="));
		memcpy(before, python, strlen(python) + 1);
		bg_hash_seed_draw(&seed);
		assert_string_not_equal(find(base, "PYTHONHASHSEED="), before);
	}
	assert_string_equal(find(base, "PATH="), "PATH=/bin");
	bg_arena_release(&arena);
}

static void what_the_user_sets_is_left_alone(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_hash_seed seed;
	const char *const own[] = { "PYTHONHASHSEED=0", NULL };
	bg_hash_seed_init(&seed, 7);
	const char *const *environment = bg_hash_seed_add(&seed, own, &arena);
	assert_string_equal(environment[0], "PYTHONHASHSEED=0");
	assert_non_null(find(environment, "PERL_HASH_SEED="));
	assert_null(environment[2]);
	bg_arena_release(&arena);
}

static void the_same_session_draws_the_same_seeds(void **state)
{
	(void)state;
	struct bg_hash_seed one, two, other;
	bg_hash_seed_init(&one, 7);
	bg_hash_seed_init(&two, 7);
	bg_hash_seed_init(&other, 8);
	bg_hash_seed_draw(&one);
	bg_hash_seed_draw(&two);
	bg_hash_seed_draw(&other);
	assert_string_equal(one.text[0], two.text[0]);
	assert_string_not_equal(one.text[0], other.text[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_arms_share_a_seed_that_changes_and_keeps_its_size),
		cmocka_unit_test(what_the_user_sets_is_left_alone),
		cmocka_unit_test(the_same_session_draws_the_same_seeds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
