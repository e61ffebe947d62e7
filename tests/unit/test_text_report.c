#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reporters/reporter.h"
#include "reporters/visible.h"
#include "tests/unit/comma_locale.h"
#include "tests/unit/sample_report.h"

struct fixture {
	struct sample sample;
	struct bg_report_view view;
	struct bg_buffer out;
	struct bg_error err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	*state = f;
	sample_init(&f->sample);
	bg_buffer_init(&f->out, (size_t)1 << 30);
	f->view = (struct bg_report_view){ .report = &f->sample.report,
					   .command = "batchgate gate --seed 1" };
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	setlocale(LC_ALL, "C");
	bg_buffer_release(&f->out);
	sample_release(&f->sample);
	free(f);
	return 0;
}

static void write_again(struct fixture *f)
{
	bg_buffer_clear(&f->out);
	assert_int_equal(bg_reporter_find("text")->write(&f->out, &f->view, &f->err), BG_OK);
}

static void finish(struct fixture *f)
{
	sample_finish(&f->sample);
	f->view.exit_code = f->sample.report.exit_code;
	write_again(f);
}

static void has(const struct fixture *f, const char *part)
{
	if (!strstr(f->out.bytes, part))
		fail_msg("no \"%s\" in:\n%s", part, f->out.bytes);
}

static void has_not(const struct fixture *f, const char *part)
{
	if (strstr(f->out.bytes, part))
		fail_msg("\"%s\" in:\n%s", part, f->out.bytes);
}

static size_t count(const struct fixture *f, const char *part)
{
	size_t found = 0;
	for (const char *at = f->out.bytes; (at = strstr(at, part)); at += strlen(part))
		found++;
	return found;
}

/* Lines to be pasted into a shell are never broken, so they may be longer. */
static void no_line_is_wider_than(const struct fixture *f, size_t width)
{
	for (const char *line = f->out.bytes; *line;) {
		size_t size = strcspn(line, "\n");
		bool pasted = strstr(line, "repeat") && strstr(line, "repeat") < line + size;
		if (!pasted && bg_visible_columns(line, size) > width)
			fail_msg("%zu columns: %.*s", bg_visible_columns(line, size), (int)size,
				 line);
		line += size + (line[size] == '\n');
	}
}

static void the_first_line_counts_and_the_second_judges(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	sample_cell(&f->sample, "a/x=2", BG_INCONCLUSIVE, .01);
	sample_cell(&f->sample, "a/x=3", BG_SKIPPED, 0);
	finish(f);
	const char *head = "1 cell judged, 2 not judged: 1 SKIPPED, 1 INCONCLUSIVE\n"
			   "no cell got worse\n";
	assert_memory_equal(f->out.bytes, head, strlen(head));
}

static void the_worst_comes_first_with_its_numbers(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, .001);
	struct bg_cell *cell = sample_cell(&f->sample, "a/x=2", BG_REGRESSED, .061);
	cell->launches = 24;
	cell->confirm_launches = 10;
	finish(f);
	has(f, "\nVERDICT    CASE   CHANGE INTERVAL     LIMIT   MDE     N       BASE -> HEAD\n"
	       "REGRESSED  a/x=2  +6.1 % (+4.9..+7.3)   2 % 1.1 % 24+10  101.2 -> 107.4 ms\n"
	       "NOT_WORSE  a/x=1  +0.1 % (-1.1..+1.3)   2 % 1.1 %    10  101.2 -> 101.3 ms\n");
}

static void what_is_red_has_its_detail(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=2", BG_REGRESSED, .061);
	finish(f);
	has(f, "\nREGRESSED  a/x=2 time\n"
	       "    time +6.1 % (+4.9..+7.3), limit 2 %, 10 launches\n"
	       "    base 101.2 ms, head 107.4 ms (158.0 items/s); smallest change visible 1.1 %\n"
	       "    batchgate.yml:7; turns: 4 ms, turn tax 4.0 %; CPU 1 (the probe never used two "
	       "CPUs at "
	       "once)\n"
	       "    repeat: batchgate gate --seed 1 --only 'a/x=2'\n");
}

static void hundreds_of_passing_cells_are_counted_not_listed(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 400; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i),
			    BG_NOT_WORSE, -.004 + i * .00002);
	finish(f);
	assert_int_equal(count(f, "\nNOT_WORSE "), 20);
	has(f, "\n... and 380 more NOT_WORSE, all within ±0.4 % (upper bounds at most +1.6 %)\n");
	assert_true(count(f, "\n") < 40);
}

static void everything_failing_stays_readable(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 300; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i),
			    BG_REGRESSED, .05 + i * .001);
	finish(f);
	has(f, "\n... and 250 more REGRESSED, +5.0 % to +29.9 %\n");
	has(f, "\n... and 295 more like these, each in report.json\n");
	assert_int_equal(count(f, "    repeat: "), 5);
	assert_true(count(f, "\n") < 120);
}

static void reasons_are_given_once_for_all_cells_that_share_them(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 8; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i), BG_SKIPPED,
			    0)
			->reason = "openblas has no bf16";
	sample_cell(&f->sample, "b", BG_SKIPPED, 0)->reason = "no GPU here";
	sample_cell(&f->sample, "c", BG_UNCHANGED_BY_IDENTITY, 0)->reason = NULL;
	finish(f);
	has(f, "\nNot judged\n"
	       "  SKIPPED (8 cells of time): openblas has no bf16\n"
	       "      a/x=0, a/x=1, a/x=2, a/x=3, a/x=4, a/x=5 and 2 more\n"
	       "  SKIPPED (1 cell of time): no GPU here\n"
	       "      b\n");
	has(f, "\nNot compared\n  UNCHANGED_BY_IDENTITY (1 cell of time)\n      c\n");
}

static void usual_names_fit_in_100_columns(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 60; i++) {
		char *name = bg_arena_format(
			&f->sample.arena,
			"gemm/engine=openblas,dtype=f32,m=%d,n=512,k=512,batch=%d", 64 << i % 4, i);
		struct bg_cell *cell =
			sample_cell(&f->sample, name, i % 3 ? BG_INCONCLUSIVE : BG_REGRESSED, .061);
		cell->confirm_launches = 10;
		if (i % 2) {
			cell->metric = BG_METRIC_HOST_PEAK;
			cell->base = 3.2e9;
			cell->head = 3.3e9;
		}
	}
	finish(f);
	no_line_is_wider_than(f, 100);
	has(f, "gemm: m=64,batch=36");
	has(f, "\ngemm: is gemm/engine=openblas,dtype=f32,n=512,k=512\n");
	has(f, "LIMIT 2 % for time, 2 % for memory.host_peak; ");
}

static void long_names_are_cut_in_the_table_and_whole_in_the_detail(void **state)
{
	struct fixture *f = *state;
	char name[10001];
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	sample_cell(&f->sample, name, BG_REGRESSED, .061);
	finish(f);
	has(f, "\nREGRESSED  nnnnnnnnn");
	has(f, "nnn...nnn");
	has(f, bg_arena_format(&f->sample.arena, "\nREGRESSED  %s time\n", name));
}

static void hostile_text_cannot_reach_the_terminal(void **state)
{
	struct fixture *f = *state;
	static const char *conditions[] = { "cond\x1b[2J", "::error::x" };
	struct bg_cell *cell = sample_cell(&f->sample, "a/\x1b[31m\x01\xff\n\"<>&::", BG_FAILED, 0);
	cell->reason = "died\r\nof ##[set-env] and ##vso[task.complete]";
	sample_cell(&f->sample, "b\x07", BG_SKIPPED, 0)->reason = "\x9b";
	f->sample.result.conditions = conditions;
	f->sample.result.condition_count = 2;
	f->sample.result.head.subject = "\x1b]0;title\x07";
	f->view.fault = "\x1b[0m\n::error::y";
	finish(f);
	for (size_t i = 0; i < f->out.size; i++)
		assert_false((unsigned char)f->out.bytes[i] < 0x20 && f->out.bytes[i] != '\n');
	has(f, "a/\\x1B[31m\\x01\\xFF\\x0A\"<>&:: time");
	has_not(f, "##[");
	has_not(f, "##vso[");
	has_not(f, "\n::");
	has(f, "note     ::error::x");
}

static void colour_comes_only_when_asked_for(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .061);
	finish(f);
	has_not(f, "\x1b");
	f->view.color = true;
	write_again(f);
	has(f, "\x1b[31mREGRESSED\x1b[0m");
	/* Colour changes no other byte. */
	char *plain = bg_arena_alloc(&f->sample.arena, f->out.size + 1), *to = plain;
	for (const char *c = f->out.bytes; *c; c++) {
		if (*c == '\x1b')
			c += strcspn(c, "m");
		else
			*to++ = *c;
	}
	f->view.color = false;
	write_again(f);
	assert_string_equal(plain, f->out.bytes);
}

static void the_run_is_told_at_the_end(void **state)
{
	struct fixture *f = *state;
	static const char *changes[] = { "margin of time: base says 2 %, head 5 %" };
	static const char *conditions[] = { "12 pairs voided" };
	f->sample.result.policy_changes = changes;
	f->sample.result.policy_change_count = 1;
	f->sample.result.conditions = conditions;
	f->sample.result.condition_count = 1;
	f->sample.result.ending = BG_END_BUDGET;
	f->sample.result.ending_why = "needs about 3 more minutes";
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	finish(f);
	has(f, "\nbase     111111111111 (first parent of HEAD): Add the cache\n"
	       "head     222222222222 (HEAD, with uncommitted changes): Rewrite the tokenizer\n"
	       "machine  Intel Xeon, 2 CPUs, case on CPU 1; runner class unknown: fingerprints are "
	       "not recorded yet\n"
	       "run      24 launches in 1 min 24 s, seed 1, batchgate 0.1.0, started "
	       "2026-12-01T03:48:21 UTC\n"
	       "ended    when the budget of 5 min was spent: needs about 3 more minutes\n"
	       "chance   at most 5 % a run that a cell within its limit is called REGRESSED\n"
	       "note     12 pairs voided\n"
	       "repeat   batchgate gate --seed 1 --only 'a/x=1'\n");
}

static void policy_changes_come_before_the_table(void **state)
{
	struct fixture *f = *state;
	const char **changes = bg_arena_array(&f->sample.arena, 22, sizeof *changes);
	for (int i = 0; i < 22; i++)
		changes[i] =
			bg_arena_format(&f->sample.arena, "margins.%d: 3 %% -> 50 %%\x1b[2J", i);
	f->sample.result.policy_changes = changes;
	f->sample.result.policy_change_count = 22;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	finish(f);
	const char *head = "1 cell judged, 0 not judged\nno cell got worse\n\n"
			   "Policy changed from base's suite to head's\n"
			   "  margins.0: 3 % -> 50 %\n";
	assert_memory_equal(f->out.bytes, head, strlen(head));
	has(f, "  margins.19: 3 % -> 50 %\n  ... and 2 more, each in report.json\n\nVERDICT");
	has_not(f, "margins.20");
	has_not(f, "policy  ");
}

static void a_fault_is_told_at_the_top(void **state)
{
	struct fixture *f = *state;
	f->view.fault = "the disk is full";
	sample_finish(&f->sample);
	f->view.exit_code = 4;
	write_again(f);
	const char *head = "0 cells judged, 0 not judged: nothing was measured\nno cell got worse\n"
			   "fault: the disk is full (exit 4)\n";
	assert_memory_equal(f->out.bytes, head, strlen(head));
}

static void a_comma_locale_changes_no_byte(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .061);
	finish(f);
	char *first = bg_arena_bytes(&f->sample.arena, f->out.bytes, f->out.size);
	if (!comma_locale_set())
		skip();
	write_again(f);
	assert_string_equal(first, f->out.bytes);
}

static void a_bound_that_is_passed_is_an_error(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .05);
	sample_finish(&f->sample);
	for (size_t i = 0; i < bg_reporter_count; i++) {
		struct bg_buffer tight;
		bg_buffer_init(&tight, 100);
		assert_int_equal(bg_reporters[i]->write(&tight, &f->view, &f->err), BG_E_NOMEM);
		bg_error_clear(&f->err);
		bg_buffer_release(&tight);
	}
}

static void reporters_have_unique_names_and_their_hooks(void **state)
{
	(void)state;
	assert_int_equal(bg_reporter_count, 5);
	for (size_t i = 0; i < bg_reporter_count; i++) {
		const struct bg_reporter *reporter = bg_reporters[i];
		assert_ptr_equal(bg_reporter_find(reporter->name), reporter);
		assert_true(reporter->summary[0] && reporter->extension[0] && reporter->write);
	}
	assert_null(bg_reporter_find("tex"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_line_counts_and_the_second_judges),
		TEST(the_worst_comes_first_with_its_numbers),
		TEST(what_is_red_has_its_detail),
		TEST(hundreds_of_passing_cells_are_counted_not_listed),
		TEST(everything_failing_stays_readable),
		TEST(reasons_are_given_once_for_all_cells_that_share_them),
		TEST(usual_names_fit_in_100_columns),
		TEST(long_names_are_cut_in_the_table_and_whole_in_the_detail),
		TEST(hostile_text_cannot_reach_the_terminal),
		TEST(colour_comes_only_when_asked_for),
		TEST(the_run_is_told_at_the_end),
		TEST(policy_changes_come_before_the_table),
		TEST(a_fault_is_told_at_the_top),
		TEST(a_comma_locale_changes_no_byte),
		TEST(a_bound_that_is_passed_is_an_error),
		TEST(reporters_have_unique_names_and_their_hooks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
