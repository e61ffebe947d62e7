#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/core/text.h"
#include "tests/unit/comma_locale.h"

static bool is_refused_u64(const char *text)
{
	uint64_t value;
	return !bg_text_to_u64(&value, text, 0, UINT64_MAX);
}

static void whole_numbers_take_digits_only(void **state)
{
	(void)state;
	uint64_t value = 0;
	static const char *const bad[] = { "",	  "-1",	 "+1", " 1", "1 ",
					   "0x1", "1e3", "1.", "a",  "18446744073709551616" };
	assert_true(bg_text_to_u64(&value, "18446744073709551615", 0, UINT64_MAX));
	assert_true(value == UINT64_MAX);
	assert_true(bg_text_to_u64(&value, "007", 7, 7));
	assert_false(bg_text_to_u64(&value, "8", 0, 7));
	assert_false(bg_text_to_u64(&value, "6", 7, 9));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_true(is_refused_u64(bad[i]));
	assert_int_equal(value, 7);
}

static void numbers_take_the_c_form_only(void **state)
{
	(void)state;
	double value = 0;
	static const char *const bad[] = { "",	 "1,5",	  "inf", "nan", "0x1p3", "1e999", " 1",
					   "1 ", "1.5.2", "e5",	 "--1", ".",	 "1e",	  "1_000" };
	static const struct {
		const char *text;
		double value;
	} good[] = { { "1.5", 1.5 }, { "-2e-3", -0.002 }, { "+.5", 0.5 }, { "1e-999", 0 } };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(bg_text_to_double(&value, good[i].text, -10, 10));
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(bg_text_to_double(&value, bad[i], -1e308, 1e308));
	assert_false(bg_text_to_double(&value, "11", -10, 10));
}

static void units_are_exact_words(void **state)
{
	(void)state;
	double value;
	assert_true(bg_text_to_seconds(&value, "10m", 0, 1e9) && value == 600);
	assert_true(bg_text_to_seconds(&value, "1.5 h", 0, 1e9) && value == 5400);
	assert_true(bg_text_to_seconds(&value, "200ms", 0, 1e9) && value == 0.2);
	assert_true(bg_text_to_seconds(&value, "30", 0, 1e9) && value == 30);
	assert_true(bg_text_to_ratio(&value, "3%", 0, 1) && value == 0.03);
	assert_true(bg_text_to_ratio(&value, "0.03", 0, 1) && value == 0.03);
	assert_true(bg_text_to_bytes(&value, "4 MiB", 0, 1e12) && value == 4194304);
	assert_true(bg_text_to_bytes(&value, "1 GB", 0, 1e12) && value == 1e9);
	assert_false(bg_text_to_seconds(&value, "10M", 0, 1e9));
	assert_false(bg_text_to_seconds(&value, "10 m s", 0, 1e9));
	assert_false(bg_text_to_seconds(&value, "m", 0, 1e9));
	assert_false(bg_text_to_ratio(&value, "3%%", 0, 1));
	assert_false(bg_text_to_ratio(&value, "101%", 0, 1));
	assert_false(bg_text_to_bytes(&value, "4 mib", 0, 1e12));
	assert_false(bg_text_to_bytes(&value, "-1 B", 0, 1e12));
}

static void a_comma_locale_changes_no_number(void **state)
{
	(void)state;
	double value = 0;
	if (!comma_locale_set())
		skip();
	bool fine = bg_text_to_double(&value, "1.5", 0, 2);
	bool refused = !bg_text_to_double(&value, "1,5", 0, 2);
	setlocale(LC_ALL, "C");
	assert_true(fine && refused && value == 1.5);
}

static void utf8_is_checked_to_the_letter(void **state)
{
	(void)state;
	static const char *const good[] = { "",
					    "abc",
					    "\xc3\xa9",
					    "\xe2\x82\xac",
					    "\xf0\x9f\x98\x80",
					    "\xf4\x8f\xbf\xbf",
					    "\xef\xbf\xbf" };
	static const char *const bad[] = { "\x80",
					   "\xc3",
					   "\xc0\xaf",
					   "\xe0\x9f\xbf",
					   "\xed\xa0\x80",
					   "\xf4\x90\x80\x80",
					   "\xf0\x8f\xbf\xbf",
					   "\xff",
					   "a\xe2\x82",
					   "\xf8\x88\x80\x80\x80" };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(bg_text_is_utf8(good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(bg_text_is_utf8(bad[i], strlen(bad[i])));
	assert_false(bg_text_is_utf8("a\0b", 3));
}

static void names_are_percent_encoded_outside_a_small_alphabet(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	assert_string_equal(bg_text_percent_encode(&arena, "aZ0._+-"), "aZ0._+-");
	assert_string_equal(bg_text_percent_encode(&arena, "a/b=c,%\xc3\xa9 "),
			    "a%2Fb%3Dc%2C%25%C3%A9%20");
	bg_arena_release(&arena);
}

static void the_distance_counts_edits_up_to_its_limit(void **state)
{
	(void)state;
	assert_int_equal(bg_text_distance("kitten", "sitting", 9), 3);
	assert_int_equal(bg_text_distance("kitten", "sitting", 2), 3);
	assert_int_equal(bg_text_distance("", "abc", 9), 3);
	assert_int_equal(bg_text_distance("same", "same", 0), 0);
	char longer[80];
	memset(longer, 'a', 79);
	longer[79] = '\0';
	assert_int_equal(bg_text_distance(longer, longer, 5), 6);
}

static void the_nearest_word_is_near(void **state)
{
	(void)state;
	static const char *const words[] = { "suite", "base", "head", "out" };
	assert_string_equal(bg_text_nearest("siute", words, 4), "suite");
	assert_string_equal(bg_text_nearest("bas", words, 4), "base");
	assert_null(bg_text_nearest("xyz", words, 4));
	assert_null(bg_text_nearest("ab", words, 4));
	assert_null(bg_text_nearest("suite", words, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_take_digits_only),
		cmocka_unit_test(numbers_take_the_c_form_only),
		cmocka_unit_test(units_are_exact_words),
		cmocka_unit_test(a_comma_locale_changes_no_number),
		cmocka_unit_test(utf8_is_checked_to_the_letter),
		cmocka_unit_test(names_are_percent_encoded_outside_a_small_alphabet),
		cmocka_unit_test(the_distance_counts_edits_up_to_its_limit),
		cmocka_unit_test(the_nearest_word_is_near),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
