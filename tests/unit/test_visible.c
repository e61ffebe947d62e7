#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/core/random.h"
#include "gate/core/text.h"
#include "reporters/visible.h"

#include <stdio.h>
#include <string.h>

static char shown[8192];

static const char *visible(const char *text, unsigned flags)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, sizeof shown - 1);
	bg_visible_add(&out, text, flags);
	snprintf(shown, sizeof shown, "%s", out.bytes ? out.bytes : "");
	return shown;
}

static void plain_text_stays_as_it_is(void **state)
{
	(void)state;
	const char *text = "gemm/m=512,dtype=bf16 <a> & \"b\" \\ caf\xc3\xa9 \xe2\x82\xac "
			   "\xf0\x9f\x98\x80 []# #1";
	assert_string_equal(visible(text, BG_VISIBLE_LINE), text);
	assert_string_equal(visible("", BG_VISIBLE_LINE), "");
	assert_string_equal(visible(NULL, BG_VISIBLE_LINE), "");
}

static void control_characters_and_broken_bytes_show_as_hex(void **state)
{
	(void)state;
	assert_string_equal(visible("a\x1b[31mb", BG_VISIBLE_LINE), "a\\x1B[31mb");
	assert_string_equal(visible("\x01\t\n\r\x7f", BG_VISIBLE_LINE),
			    "\\x01\\x09\\x0A\\x0D\\x7F");
	assert_string_equal(visible("\xff\xc3(\xed\xa0\x80", BG_VISIBLE_LINE),
			    "\\xFF\\xC3(\\xED\\xA0\\x80");
	assert_string_equal(visible("\xe2\x82", BG_VISIBLE_LINE), "\\xE2\\x82");
}

static void characters_that_hide_or_reorder_show_as_code_points(void **state)
{
	(void)state;
	assert_string_equal(visible("a\xe2\x80\xae"
				    "b",
				    BG_VISIBLE_LINE),
			    "a\\u202Eb");
	assert_string_equal(visible("\xc2\x9b", BG_VISIBLE_LINE), "\\u009B");
	assert_string_equal(visible("\xef\xbf\xbf\xef\xbb\xbf", BG_VISIBLE_LINE), "\\uFFFF\\uFEFF");
	assert_string_equal(visible("\xf0\x9f\xbf\xbe", BG_VISIBLE_LINE), "\\U0001FFFE");
	assert_string_equal(visible("\xe2\x80\x8b", BG_VISIBLE_LINE), "\\u200B");
}

static void lines_stay_where_they_may(void **state)
{
	(void)state;
	assert_string_equal(visible("a\r\nb\tc\rd", BG_VISIBLE_LINES), "a\nb\tc\\x0Dd");
}

static void terminal_sequences_vanish_where_asked(void **state)
{
	(void)state;
	unsigned flags = BG_VISIBLE_STRIP_ANSI;
	assert_string_equal(visible("\x1b[1;31mred\x1b[0m", flags), "red");
	assert_string_equal(visible("a\x1b]0;title\x07"
				    "b\x1b]8;;u\x1b\\c\x1bMd",
				    flags),
			    "abcd");
	/* Cut sequences are no sequences. */
	assert_string_equal(visible("\x1b[31", flags), "\\x1B[31");
	assert_string_equal(visible("\x1b]0;x", flags), "\\x1B]0;x");
	assert_string_equal(visible("\x1b", flags), "\\x1B");
}

static void markers_of_ci_services_are_broken_up(void **state)
{
	(void)state;
	assert_string_equal(visible("[[ATTACHMENT|/etc/passwd]]", BG_VISIBLE_LINE),
			    "[\\x5BATTACHMENT|/etc/passwd]]");
	assert_string_equal(visible("##vso[task.setvariable]", BG_VISIBLE_LINE),
			    "#\\x23vso[task.setvariable]");
	assert_string_equal(visible("##[set-env]", BG_VISIBLE_LINE), "#\\x23[set-env]");
}

static void one_to_one_names_never_meet(void **state)
{
	(void)state;
	char literal[sizeof shown];
	snprintf(literal, sizeof literal, "%s", visible("a\\x01", BG_VISIBLE_ONE_TO_ONE));
	assert_string_equal(literal, "a\\\\x01");
	assert_string_not_equal(literal, visible("a\x01", BG_VISIBLE_ONE_TO_ONE));
}

/* Valid in XML 1.0: no C0 but tab and LF, no surrogate, no U+FFFE and U+FFFF. */
static void assert_harmless(const char *text)
{
	size_t size = strlen(text);
	assert_true(bg_text_is_utf8(text, size));
	for (size_t i = 0; i < size; i++)
		assert_false((unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t');
	assert_null(strstr(text, "\xef\xbf\xbe"));
	assert_null(strstr(text, "\xef\xbf\xbf"));
	assert_null(strstr(text, "[[ATTACHMENT|"));
	assert_null(strstr(text, "##["));
}

static void any_bytes_become_harmless(void **state)
{
	(void)state;
	struct bg_random random;
	bg_random_init(&random, 3, "visible");
	static const char *const parts[] = { "\x1b[", "\xef\xbf\xbf", "[[ATTACHMENT|",
					     "##[",   "\xf0",	      "\x9f",
					     "\r\n",  "]]>",	      "a",
					     "\\" };
	for (int round = 0; round < 3000; round++) {
		BG_AUTO(bg_buffer_release) struct bg_buffer text;
		bg_buffer_init(&text, 1 << 10);
		bg_buffer_text(&text, "");
		for (uint64_t i = bg_random_below(&random, 12); i > 0; i--) {
			char byte[2] = { (char)(1 + bg_random_below(&random, 255)), '\0' };
			bool part = bg_random_below(&random, 2) == 0;
			bg_buffer_text(&text, part ? parts[bg_random_below(&random, 10)] : byte);
		}
		assert_harmless(visible(text.bytes, (unsigned)bg_random_below(&random, 8)));
	}
}

static void a_bound_is_kept_and_told(void **state)
{
	(void)state;
	char text[10001];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, 1 << 20);
	bg_visible_add_some(&out, text, 100, BG_VISIBLE_LINE);
	assert_string_equal(out.bytes + 100, " ... (9900 more bytes)");
	bg_buffer_clear(&out);
	bg_visible_add_some(&out, "abc", 3, BG_VISIBLE_LINE);
	assert_string_equal(out.bytes, "abc");
}

static void a_full_buffer_loses_a_torn_character(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, 4);
	bg_buffer_text(&out, "ab\xe2\x82\xac");
	bg_visible_trim(&out);
	assert_string_equal(out.bytes, "ab");
	bg_buffer_clear(&out);
	bg_buffer_text(&out, "a\xe2\x82\xac"
			     "b");
	bg_visible_trim(&out);
	assert_string_equal(out.bytes, "a\xe2\x82\xac");
}

static void cutting_keeps_the_end(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, 1 << 10);
	bg_visible_cut(&out, "0123456789abcdef", 12);
	assert_string_equal(out.bytes, "012...abcdef");
	bg_buffer_clear(&out);
	bg_visible_cut(&out,
		       "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
		       8);
	assert_string_equal(out.bytes, "\xc3\xa9...\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	bg_buffer_clear(&out);
	bg_visible_cut(&out, "12345678", 8);
	assert_string_equal(out.bytes, "12345678");
	bg_buffer_clear(&out);
	bg_visible_clip(&out, "0123456789", 8);
	assert_string_equal(out.bytes, "01234...");
}

static const char *guarded(const char *text)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, sizeof shown - 1);
	bg_buffer_text(&out, text);
	bg_visible_guard_lines(&out);
	snprintf(shown, sizeof shown, "%s", out.bytes ? out.bytes : "");
	return shown;
}

static void no_line_begins_with_a_command(void **state)
{
	(void)state;
	assert_string_equal(guarded(""), "");
	assert_string_equal(guarded("a::b\nc ::d\n"), "a::b\nc ::d\n");
	assert_string_equal(guarded("::error::x::y\na\n \t::set-env name=A::b"),
			    "\\x3A:error::x::y\na\n \t\\x3A:set-env name=A::b");
	assert_string_equal(guarded("\n\n::x"), "\n\n\\x3A:x");
	/* NBSP, en quad, hair space, ideographic space: .NET trims them. */
	assert_string_equal(guarded("\xc2\xa0::a\n\xe2\x80\x80\xe2\x80\x8a::b\n\xe3\x80\x80::c"),
			    "\xc2\xa0\\x3A:a\n\xe2\x80\x80\xe2\x80\x8a\\x3A:b\n"
			    "\xe3\x80\x80\\x3A:c");
	assert_string_equal(guarded("\xe2\x80\x94::a"), "\xe2\x80\x94::a");
}

static void guarding_a_full_buffer_keeps_its_bound(void **state)
{
	(void)state;
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, 4);
	bg_buffer_text(&out, "::ab");
	bg_visible_guard_lines(&out);
	assert_string_equal(out.bytes, "\\x3A");
	assert_true(out.full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays_as_it_is),
		cmocka_unit_test(control_characters_and_broken_bytes_show_as_hex),
		cmocka_unit_test(characters_that_hide_or_reorder_show_as_code_points),
		cmocka_unit_test(lines_stay_where_they_may),
		cmocka_unit_test(terminal_sequences_vanish_where_asked),
		cmocka_unit_test(markers_of_ci_services_are_broken_up),
		cmocka_unit_test(one_to_one_names_never_meet),
		cmocka_unit_test(any_bytes_become_harmless),
		cmocka_unit_test(a_bound_is_kept_and_told),
		cmocka_unit_test(a_full_buffer_loses_a_torn_character),
		cmocka_unit_test(cutting_keeps_the_end),
		cmocka_unit_test(no_line_begins_with_a_command),
		cmocka_unit_test(guarding_a_full_buffer_keeps_its_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
