#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reporters/format.h"
#include "reporters/repeat.h"
#include "reporters/short_name.h"
#include "reporters/wrap.h"
#include "tests/unit/comma_locale.h"

#include <math.h>
#include <string.h>

static struct bg_buffer out;

static int set_up(void **state)
{
	(void)state;
	bg_buffer_init(&out, 1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	bg_buffer_release(&out);
	setlocale(LC_ALL, "C");
	return 0;
}

static void gives(const char *expected)
{
	assert_non_null(out.bytes);
	assert_string_equal(out.bytes, expected);
	bg_buffer_clear(&out);
}

static void changes_carry_sign_and_honest_digits(void **state)
{
	(void)state;
	static const struct {
		double ratio;
		const char *text;
	} table[] = { { .0612, "+6.1 %" },   { -.0044, "-0.4 %" },  { .0004, "0.0 %" },
		      { -.0004, "0.0 %" },   { .99949, "+99.9 %" }, { .9996, "+100 %" },
		      { 12.345, "+1234 %" }, { 0, "0.0 %" } };
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		bg_format_change(&out, table[i].ratio);
		gives(table[i].text);
	}
	bg_format_change(&out, (double)NAN);
	gives("? %");
}

static void limits_lose_digits_that_say_nothing(void **state)
{
	(void)state;
	bg_format_limit(&out, .02);
	gives("2 %");
	bg_format_limit(&out, .0025);
	gives("0.25 %");
	bg_format_limit(&out, .1);
	gives("10 %");
	bg_format_limit(&out, .015);
	gives("1.5 %");
	bg_format_limit(&out, 0);
	gives("0 %");
}

static void an_effect_has_its_interval(void **state)
{
	(void)state;
	struct bg_cell cell = { .effect = .061, .low = .049, .high = .073 };
	bg_format_effect(&out, &cell);
	gives("+6.1 % (+4.9..+7.3)");
	cell.high = (double)INFINITY;
	bg_format_effect(&out, &cell);
	gives("+6.1 % (+4.9..?)");
	cell.high = BG_RATIO_MAX;
	bg_format_effect(&out, &cell);
	gives("+6.1 % (+4.9..+inf)");
	cell.low = -1;
	bg_format_effect(&out, &cell);
	gives("+6.1 % (unbounded)");
	cell.low = .049;
	cell.high = cell.low;
	bg_format_effect(&out, &cell);
	gives("+6.1 % (exact)");
	cell.high = .073;
	cell.low = (double)-INFINITY;
	bg_format_effect(&out, &cell);
	gives("+6.1 % (?..+7.3)");
}

static void levels_share_a_unit_and_keep_four_digits(void **state)
{
	(void)state;
	static const struct {
		enum bg_metric metric;
		double base, head;
		const char *text;
	} table[] = {
		{ BG_METRIC_TIME, .1012, .1074, "101.2 -> 107.4 ms" },
		{ BG_METRIC_TIME, .9996, 1.0012, "1.000 -> 1.001 s" },
		{ BG_METRIC_TIME, 2.5e-5, 2.6e-5, "25.00 -> 26.00 us" },
		{ BG_METRIC_TIME, 3e-9, 4e-9, "3.000 -> 4.000 ns" },
		{ BG_METRIC_TIME, 2e-5, .1, "0.020 -> 100.000 ms" },
		{ BG_METRIC_TIME, 1234.5, 1230, "1234 -> 1230 s" },
		{ BG_METRIC_HOST_PEAK, 0x1p20, 0x1p21, "1.000 -> 2.000 MiB" },
		{ BG_METRIC_HOST_PEAK, 0, 512, "0 -> 512 B" },
		{ BG_METRIC_HOST_PEAK, 0, 0x1p20, "0 -> 1.000 MiB" },
		{ BG_METRIC_ENERGY_PER_ITEM, .5, .25, "500.0 -> 250.0 mJ" },
		{ BG_METRIC_POWER_MEAN, 250, 260, "250.0 -> 260.0 W" },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bg_cell cell = { .metric = table[i].metric,
					.base = table[i].base,
					.head = table[i].head };
		bg_format_levels(&out, &cell);
		gives(table[i].text);
	}
	bg_format_level(&out, .0000123, "s");
	gives("12.30 us");
	bg_format_level(&out, (double)NAN, "s");
	gives("? ns");
}

static void rates_and_durations_fit_their_size(void **state)
{
	(void)state;
	bg_format_rate(&out, 158);
	gives("158.0 items/s");
	bg_format_rate(&out, 12345678);
	gives("12.35 M items/s");
	bg_format_rate(&out, 9999);
	gives("9999 items/s");
	bg_format_duration(&out, 12.34);
	gives("12.3 s");
	bg_format_duration(&out, 300);
	gives("5 min");
	bg_format_duration(&out, 84.2);
	gives("1 min 24 s");
	bg_format_duration(&out, 3725);
	gives("1 h 2 min");
	bg_format_duration(&out, 1e300);
	gives("1.000e+300 s");
}

static void a_comma_locale_changes_nothing(void **state)
{
	(void)state;
	if (!comma_locale_set())
		skip();
	struct bg_cell cell = { .base = .1012, .head = .1074, .effect = .061, .high = .1 };
	bg_format_effect(&out, &cell);
	gives("+6.1 % (0.0..+10.0)");
	bg_format_levels(&out, &cell);
	gives("101.2 -> 107.4 ms");
	bg_format_limit(&out, .0025);
	gives("0.25 %");
}

static void repeating_a_case_is_safe_to_paste(void **state)
{
	(void)state;
	bg_repeat_add(&out, "batchgate gate --seed 1", "gemm/m=512,batch=8");
	gives("batchgate gate --seed 1 --only 'gemm/m=512,batch=8'");
	bg_repeat_add(&out, NULL, "it's; rm -rf * [a]\\?");
	gives("batchgate gate --only 'it'\\''s; rm -rf \\* \\[a]\\\\\\?'");
	bg_repeat_add(&out, NULL, "a\n\x1b\xc3\xa9");
	gives("batchgate gate --only 'a???"
	      "?'");
}

static void lines_break_between_words(void **state)
{
	(void)state;
	bg_buffer_text(&out, "why: ");
	bg_wrap_add(&out, "one two three four", (struct bg_wrap){ 5, 15 });
	gives("why: one two\n     three four");
	bg_wrap_add(&out, "a-word-that-is-too-long b", (struct bg_wrap){ 2, 10 });
	gives("a-word-that-is-too-long\n  b");
	bg_wrap_add(&out, "one two three", (struct bg_wrap){ 2, 0 });
	gives("one two three");
}

static void no_line_starts_like_a_github_command(void **state)
{
	(void)state;
	bg_wrap_add(&out, "aaaa bbbb ::error::x cccc", (struct bg_wrap){ 2, 10 });
	gives("aaaa bbbb ::error::x\n  cccc");
}

static void short_names_say_what_differs(void **state)
{
	(void)state;
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct bg_case_result cases[] = { { .name = "gemm/engine=o,m=64,n=512,batch=8" },
					  { .name = "gemm/engine=o,m=6,n=512,batch=16" },
					  { .name = "lonely/a=1" },
					  { .name = "bare" } };
	struct bg_cell cells[4];
	const struct bg_cell *list[4];
	for (size_t i = 0; i < 4; i++) {
		cells[i] = (struct bg_cell){ .of = &cases[i] };
		list[i] = &cells[i];
	}
	struct bg_short_names names;
	bg_short_names_init(&names, list, 4, &arena);
	bg_short_names_add(&out, &names, cases[0].name);
	gives("gemm: m=64,batch=8");
	bg_short_names_add(&out, &names, cases[1].name);
	gives("gemm: m=6,batch=16");
	bg_short_names_add(&out, &names, cases[2].name);
	gives("lonely/a=1");
	bg_short_names_add(&out, &names, cases[3].name);
	gives("bare");
	bg_short_names_explain(&out, &names, 100);
	gives("gemm: is gemm/engine=o,n=512\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(changes_carry_sign_and_honest_digits),
		TEST(limits_lose_digits_that_say_nothing),
		TEST(an_effect_has_its_interval),
		TEST(levels_share_a_unit_and_keep_four_digits),
		TEST(rates_and_durations_fit_their_size),
		TEST(a_comma_locale_changes_nothing),
		TEST(repeating_a_case_is_safe_to_paste),
		TEST(lines_break_between_words),
		TEST(no_line_starts_like_a_github_command),
		TEST(short_names_say_what_differs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
