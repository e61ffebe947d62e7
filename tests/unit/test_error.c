#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/core/error.h"

static void a_fault_is_recorded_once_and_returned(void **state)
{
	(void)state;
	struct bg_error err = BG_ERROR_INIT;
	assert_int_equal(bg_fail(&err, BG_E_INPUT, "%s:%d: no", "a.yml", 3), BG_E_INPUT);
	assert_int_equal(err.status, BG_E_INPUT);
	assert_string_equal(err.text, "a.yml:3: no");
}

static void context_goes_in_front(void **state)
{
	(void)state;
	struct bg_error err = BG_ERROR_INIT;
	bg_fail(&err, BG_E_SYSTEM, "disk full");
	assert_int_equal(bg_within(&err, "case %d", 7), BG_E_SYSTEM);
	bg_within(&err, "gate");
	assert_string_equal(err.text, "gate: case 7: disk full");
}

static void a_message_is_one_line_whatever_it_quotes(void **state)
{
	(void)state;
	struct bg_error err = BG_ERROR_INIT;
	bg_fail(&err, BG_E_INPUT, "a\nb\x1b[31mc\x7f\t");
	assert_string_equal(err.text, "a?b?[31mc??");
	bg_within(&err, "x\r");
	assert_string_equal(err.text, "x?: a?b?[31mc??");
}

/* U+20AC is three bytes: whatever the offset, no part of one is left at the end. */
static void a_long_message_is_cut_at_a_character(void **state)
{
	(void)state;
	for (size_t offset = 0; offset < 3; offset++) {
		char text[3 * BG_ERROR_SIZE] = "";
		memset(text, 'a', offset);
		while (strlen(text) + 3 < sizeof text)
			memcpy(text + strlen(text), "\xe2\x82\xac", 4);
		struct bg_error err = BG_ERROR_INIT;
		bg_fail(&err, BG_E_INPUT, "%s", text);
		size_t length = strlen(err.text);
		assert_true(length < BG_ERROR_SIZE && length > BG_ERROR_SIZE - 5);
		assert_int_equal((length - offset) % 3, 0);
		bg_within(&err, "context");
		length = strlen(err.text);
		assert_true(length < BG_ERROR_SIZE);
		assert_int_equal((length - offset - strlen("context: ")) % 3, 0);
	}
}

static void context_longer_than_the_message_leaves_valid_text(void **state)
{
	(void)state;
	char text[2 * BG_ERROR_SIZE];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	struct bg_error err = BG_ERROR_INIT;
	bg_fail(&err, BG_E_INPUT, "inner");
	assert_int_equal(bg_within(&err, "%s", text), BG_E_INPUT);
	assert_int_equal(strlen(err.text), BG_ERROR_SIZE - 1);
}

static void a_cleared_error_takes_the_next_fault(void **state)
{
	(void)state;
	struct bg_error err = BG_ERROR_INIT;
	bg_fail(&err, BG_E_INPUT, "first");
	bg_error_clear(&err);
	assert_int_equal(err.status, BG_OK);
	assert_string_equal(err.text, "");
	bg_fail(&err, BG_E_USAGE, "second");
	assert_string_equal(err.text, "second");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_is_recorded_once_and_returned),
		cmocka_unit_test(context_goes_in_front),
		cmocka_unit_test(a_message_is_one_line_whatever_it_quotes),
		cmocka_unit_test(a_long_message_is_cut_at_a_character),
		cmocka_unit_test(context_longer_than_the_message_leaves_valid_text),
		cmocka_unit_test(a_cleared_error_takes_the_next_fault),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
