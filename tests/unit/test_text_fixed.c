#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/core/text.h"
#include "tests/unit/comma_locale.h"

#include <math.h>

static const char *fixed(double value, int decimals)
{
	static char text[BG_FIXED_SIZE];
	return bg_text_fixed(text, value, decimals);
}

static void rounds_to_the_digits_asked_for(void **state)
{
	(void)state;
	assert_string_equal(fixed(1.25, 2), "1.25");
	assert_string_equal(fixed(1.999, 2), "2.00");
	assert_string_equal(fixed(-6.14, 1), "-6.1");
	assert_string_equal(fixed(12.7, 0), "13");
	assert_string_equal(fixed(999999999999999.0, 9), "999999999999999.000000000");
}

static void has_no_minus_before_a_zero(void **state)
{
	(void)state;
	assert_string_equal(fixed(-0.04, 1), "0.0");
	assert_string_equal(fixed(-0.0, 3), "0.000");
	assert_string_equal(fixed(-0.05001, 1), "-0.1");
}

static void keeps_huge_and_undefined_numbers_short(void **state)
{
	(void)state;
	assert_string_equal(fixed(1.5e300, 9), "1.500e+300");
	assert_string_equal(fixed(-1e15, 0), "-1.000e+15");
	assert_string_equal(fixed((double)NAN, 1), "?");
	assert_string_equal(fixed((double)-INFINITY, 1), "?");
}

static void ignores_a_comma_locale(void **state)
{
	(void)state;
	if (!comma_locale_set())
		skip();
	assert_string_equal(fixed(1.25, 2), "1.25");
	assert_string_equal(fixed(1.5e300, 0), "1.500e+300");
	setlocale(LC_ALL, "C");
}

static void measures_only_valid_sequences(void **state)
{
	(void)state;
	assert_int_equal(bg_text_utf8_length("a", 1), 1);
	assert_int_equal(bg_text_utf8_length("\xc3\xa9", 2), 2);
	assert_int_equal(bg_text_utf8_length("\xe2\x82\xac", 3), 3);
	assert_int_equal(bg_text_utf8_length("\xf0\x9f\x98\x80", 4), 4);
	assert_int_equal(bg_text_utf8_length("\xf0\x9f\x98\x80", 3), 0);
	assert_int_equal(bg_text_utf8_length("\xed\xa0\x80", 3), 0);
	assert_int_equal(bg_text_utf8_length("\xc0\x80", 2), 0);
	assert_int_equal(bg_text_utf8_length("\xff", 1), 0);
	assert_int_equal(bg_text_utf8_length("", 1), 0);
	assert_int_equal(bg_text_utf8_length("a", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_to_the_digits_asked_for),
		cmocka_unit_test(has_no_minus_before_a_zero),
		cmocka_unit_test(keeps_huge_and_undefined_numbers_short),
		cmocka_unit_test(ignores_a_comma_locale),
		cmocka_unit_test(measures_only_valid_sequences),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
