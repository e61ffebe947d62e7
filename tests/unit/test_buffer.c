#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/core/buffer.h"

static void text_gathers_and_stays_terminated(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer buffer;
	bg_buffer_init(&buffer, 1000);
	assert_null(buffer.bytes);
	bg_buffer_text(&buffer, "a");
	bg_buffer_add(&buffer, "bcd", 2);
	bg_buffer_format(&buffer, "%03d", 7);
	assert_string_equal(buffer.bytes, "abc007");
	assert_int_equal(buffer.size, 6);
	assert_false(buffer.full);
}

static void adding_nothing_still_gives_a_text(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer buffer;
	bg_buffer_init(&buffer, 10);
	bg_buffer_add(&buffer, NULL, 0);
	assert_string_equal(buffer.bytes, "");
}

static void what_passes_the_bound_is_dropped_and_told(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer buffer;
	bg_buffer_init(&buffer, 5);
	bg_buffer_text(&buffer, "12345");
	assert_false(buffer.full);
	bg_buffer_text(&buffer, "6");
	assert_true(buffer.full);
	bg_buffer_format(&buffer, "%s", "7");
	assert_string_equal(buffer.bytes, "12345");
}

static void a_text_that_does_not_fit_is_cut_at_the_bound(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer buffer;
	bg_buffer_init(&buffer, 5);
	bg_buffer_text(&buffer, "abcdefgh");
	assert_string_equal(buffer.bytes, "abcde");
	assert_true(buffer.full);
}

static void a_cleared_buffer_starts_again(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer buffer;
	bg_buffer_init(&buffer, 3);
	bg_buffer_text(&buffer, "abcd");
	bg_buffer_clear(&buffer);
	assert_false(buffer.full);
	assert_string_equal(buffer.bytes, "");
	bg_buffer_text(&buffer, "xyz");
	assert_string_equal(buffer.bytes, "xyz");
}

static void a_cut_keeps_the_beginning(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer buffer;
	bg_buffer_init(&buffer, 100);
	bg_buffer_text(&buffer, "abcd");
	bg_buffer_cut(&buffer, 2);
	assert_string_equal(buffer.bytes, "ab");
	bg_buffer_text(&buffer, "z");
	assert_string_equal(buffer.bytes, "abz");
}

static void a_formatted_text_may_be_of_any_length(void **state)
{
	(void)state;
	char text[5001] = "";
	BG_AUTO(bg_buffer_release) struct bg_buffer buffer;
	bg_buffer_init(&buffer, 100000);
	for (size_t length = 500; length < 5000; length += 7) {
		memset(text, 'q', length);
		text[length] = '\0';
		bg_buffer_clear(&buffer);
		bg_buffer_format(&buffer, "<%s>", text);
		assert_int_equal(buffer.size, length + 2);
		assert_int_equal(buffer.bytes[length + 1], '>');
	}
}

static void a_released_buffer_holds_nothing_and_keeps_its_bound(void **state)
{
	(void)state;
	struct bg_buffer buffer;
	bg_buffer_init(&buffer, 7);
	bg_buffer_text(&buffer, "abc");
	bg_buffer_release(&buffer);
	assert_null(buffer.bytes);
	assert_int_equal(buffer.size_max, 7);
	bg_buffer_release(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_gathers_and_stays_terminated),
		cmocka_unit_test(adding_nothing_still_gives_a_text),
		cmocka_unit_test(what_passes_the_bound_is_dropped_and_told),
		cmocka_unit_test(a_text_that_does_not_fit_is_cut_at_the_bound),
		cmocka_unit_test(a_cleared_buffer_starts_again),
		cmocka_unit_test(a_cut_keeps_the_beginning),
		cmocka_unit_test(a_formatted_text_may_be_of_any_length),
		cmocka_unit_test(a_released_buffer_holds_nothing_and_keeps_its_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
