#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "gate/core/clock.h"
#include "gate/core/random.h"

/* splitmix64 from 0 and the first number of xoshiro256** after it, as its authors publish them. */
static void the_generator_is_the_published_one(void **state)
{
	(void)state;
	struct bg_random random;
	bg_random_init(&random, BG_HASH_INIT, NULL);
	assert_true(random.state[0] == UINT64_C(0xe220a8397b1dcdaf));
	assert_true(random.state[3] == UINT64_C(0xf88bb8a8724c81ec));
	assert_true(bg_random_next(&random) == UINT64_C(0x99ec5f36cb75f2b4));
}

static void the_hash_is_the_published_one(void **state)
{
	(void)state;
	assert_true(bg_hash(BG_HASH_INIT, "", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(bg_hash(BG_HASH_INIT, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	uint64_t foo = bg_hash(BG_HASH_INIT, "foo", 3);
	assert_true(bg_hash(foo, "bar", 3) == UINT64_C(0x85944171f73967e8));
}

static void streams_of_a_seed_differ(void **state)
{
	(void)state;
	struct bg_random order, pairs, again;
	bg_random_init(&order, 1, "order");
	bg_random_init(&pairs, 1, "pairs");
	bg_random_init(&again, 1, "order");
	uint64_t first = bg_random_next(&order);
	assert_true(first == bg_random_next(&again));
	assert_true(first != bg_random_next(&pairs));
}

/* 60,000 draws of 6: chi-square of 5 degrees, whose 99.99 % point is 25.7. */
static void a_bound_is_met_evenly_and_never_reached(void **state)
{
	(void)state;
	struct bg_random random;
	double count[6] = { 0 }, chi = 0;
	bg_random_init(&random, 1, "bound");
	for (int i = 0; i < 60000; i++) {
		uint64_t value = bg_random_below(&random, 6);
		assert_true(value < 6);
		count[value]++;
	}
	for (int i = 0; i < 6; i++)
		chi += (count[i] - 10000) * (count[i] - 10000) / 10000;
	assert_true(chi < 25.7);
	assert_int_equal(bg_random_below(&random, 1), 0);
}

static void normal_numbers_have_mean_0_and_sd_1(void **state)
{
	(void)state;
	struct bg_random random;
	double sum = 0, squares = 0;
	bg_random_init(&random, 1, "normal");
	for (int i = 0; i < 100000; i++) {
		double x = bg_random_normal(&random);
		sum += x;
		squares += x * x;
	}
	/* Four standard errors: 4/sqrt(n), and 4 sqrt(2/n). */
	assert_true(fabs(sum / 100000) < 0.0127);
	assert_true(fabs(squares / 100000 - 1) < 0.0179);
}

static void units_lie_in_their_interval(void **state)
{
	(void)state;
	struct bg_random random;
	double low = 1, high = 0;
	bg_random_init(&random, 1, "unit");
	for (int i = 0; i < 10000; i++) {
		double x = bg_random_unit(&random);
		assert_true(x >= 0 && x < 1);
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	assert_true(low < 0.01 && high > 0.99);
}

static void a_shuffle_keeps_every_index(void **state)
{
	(void)state;
	struct bg_random random;
	size_t index[100], seen[100] = { 0 }, moved = 0;
	bg_random_init(&random, 1, "shuffle");
	for (size_t i = 0; i < 100; i++)
		index[i] = i;
	bg_random_shuffle(&random, index, 100);
	for (size_t i = 0; i < 100; i++) {
		seen[index[i]]++;
		moved += index[i] != i;
	}
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	assert_true(moved > 80);
	bg_random_shuffle(&random, index, 0);
	bg_random_shuffle(&random, index, 1);
}

static void the_clock_never_steps_back(void **state)
{
	(void)state;
	uint64_t before = bg_clock_ns();
	for (int i = 0; i < 1000; i++) {
		uint64_t now = bg_clock_ns();
		assert_true(now >= before);
		before = now;
	}
	assert_true(bg_clock_resolution_ns() >= 1);
}

static void times_print_and_read_in_one_form(void **state)
{
	(void)state;
	char text[20];
	bg_clock_utc_text(text, 1764560901);
	assert_string_equal(text, "2025-12-01T03:48:21");
	assert_true(bg_clock_is_utc_text(text));
	bg_clock_utc_text(text, INT64_MAX);
	assert_string_equal(text, "9999-12-31T23:59:59");
	assert_false(bg_clock_is_utc_text("2026-02-29T00:00:00"));
	assert_false(bg_clock_is_utc_text("2026-02-28T24:00:00"));
	assert_false(bg_clock_is_utc_text("2026-02-28 00:00:00"));
	assert_false(bg_clock_is_utc_text("2026-02-28T00:00:00Z"));
	assert_true(bg_clock_is_utc_text("2024-02-29T23:59:59"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_the_published_one),
		cmocka_unit_test(the_hash_is_the_published_one),
		cmocka_unit_test(streams_of_a_seed_differ),
		cmocka_unit_test(a_bound_is_met_evenly_and_never_reached),
		cmocka_unit_test(normal_numbers_have_mean_0_and_sd_1),
		cmocka_unit_test(units_lie_in_their_interval),
		cmocka_unit_test(a_shuffle_keeps_every_index),
		cmocka_unit_test(the_clock_never_steps_back),
		cmocka_unit_test(times_print_and_read_in_one_form),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
