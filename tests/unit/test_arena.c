#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/core/arena.h"

static jmp_buf exhausted;
static size_t exhausted_size;

static void note_exhausted(size_t size) __attribute__((noreturn));
static void note_exhausted(size_t size)
{
	exhausted_size = size;
	longjmp(exhausted, 1);
}

static void memory_is_zeroed_and_aligned(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	for (size_t size = 0; size < 300; size++) {
		unsigned char *bytes = bg_arena_alloc(&arena, size);
		assert_int_equal((uintptr_t)bytes % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(bytes[i], 0);
		memset(bytes, 0xff, size);
	}
	bg_arena_release(&arena);
	assert_null(arena.last);
}

static void objects_of_every_size_stay_apart(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	static const size_t sizes[] = { 1, 70000, 16, 40000, 65536, 3, 1000000, 33000, 5 };
	unsigned char *objects[9];
	for (size_t i = 0; i < 9; i++) {
		objects[i] = bg_arena_alloc(&arena, sizes[i]);
		memset(objects[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < 9; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(objects[i][k], i + 1);
	bg_arena_release(&arena);
}

static void an_arena_is_usable_after_its_release(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	bg_arena_alloc(&arena, 10);
	bg_arena_release(&arena);
	assert_string_equal(bg_arena_text(&arena, "again"), "again");
	bg_arena_release(&arena);
	bg_arena_release(&arena);
}

static void copies_end_with_nul(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	char *bytes = bg_arena_bytes(&arena, "a\0bc", 3);
	assert_memory_equal(bytes, "a\0b\0", 4);
	assert_string_equal(bg_arena_bytes(&arena, NULL, 0), "");
	assert_null(bg_arena_text(&arena, NULL));
	assert_string_equal(bg_arena_format(&arena, "%d-%s", 5, "x"), "5-x");
	bg_arena_release(&arena);
}

static void a_growing_array_keeps_its_elements(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	unsigned *numbers = NULL;
	size_t capacity = 0;
	for (unsigned i = 0; i < 5000; i++) {
		numbers = bg_arena_grow(&arena, numbers, i, &capacity, sizeof *numbers);
		assert_true(capacity > i);
		numbers[i] = i;
	}
	for (unsigned i = 0; i < 5000; i++)
		assert_int_equal(numbers[i], i);
	bg_arena_release(&arena);
}

static void sizes_that_overflow_never_come_back(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	volatile unsigned calls = 0;
	bg_arena_on_exhausted(note_exhausted);
	if (setjmp(exhausted) == 0)
		bg_arena_array(&arena, SIZE_MAX / 2, 3);
	else
		calls++;
	if (setjmp(exhausted) == 0)
		bg_arena_alloc(&arena, SIZE_MAX - 8);
	else
		calls++;
	assert_int_equal(calls, 2);
	assert_true(exhausted_size == SIZE_MAX - 8);
	assert_null(arena.last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(objects_of_every_size_stay_apart),
		cmocka_unit_test(an_arena_is_usable_after_its_release),
		cmocka_unit_test(copies_end_with_nul),
		cmocka_unit_test(a_growing_array_keeps_its_elements),
		cmocka_unit_test(sizes_that_overflow_never_come_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
