#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/core/text.h"
#include "tests/unit/comma_locale.h"
#include "tests/unit/record_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct bg_arena arena;
	struct bg_error err;
	struct bg_buffer out;
	struct bg_result result;
	struct bg_record record;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	if (!f)
		return -1;
	bg_buffer_init(&f->out, (size_t)1 << 26);
	f->result = record_result(2, 12, &f->arena);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	setlocale(LC_ALL, "C");
	bg_buffer_release(&f->out);
	bg_arena_release(&f->arena);
	free(f);
	return 0;
}

static size_t write_record(struct fixture *f)
{
	if (bg_record_from_result(&f->record, &f->result, RECORD_RUN, &f->arena, &f->err) != BG_OK)
		fail_msg("%s", f->err.text);
	bg_buffer_clear(&f->out);
	return bg_record_write(&f->out, &f->record);
}

static void refuses(struct fixture *f, const char *part)
{
	f->record.run = "untouched";
	assert_int_equal(
		bg_record_from_result(&f->record, &f->result, RECORD_RUN, &f->arena, &f->err),
		BG_E_INPUT);
	if (!strstr(f->err.text, part))
		fail_msg("\"%s\" does not say \"%s\"", f->err.text, part);
	assert_string_equal(f->record.run, "untouched");
	bg_error_clear(&f->err);
}

/* Parses text; the part is what the fault must say, NULL for none. */
static enum bg_status parse(struct fixture *f, const char *text, const char *part)
{
	struct bg_record record = { .run = "untouched" };
	bg_error_clear(&f->err);
	enum bg_status status =
		bg_record_parse(&record, text, strlen(text), "note", &f->arena, &f->err);
	if (part && !strstr(f->err.text, part))
		fail_msg("\"%s\" does not say \"%s\"", f->err.text, part);
	if (status != BG_OK)
		assert_string_equal(record.run, "untouched");
	bg_error_clear(&f->err);
	return status;
}

/* The record's one line with the first `from` in it replaced. */
static const char *changed(struct fixture *f, const char *from, const char *to)
{
	char *at = strstr(f->out.bytes, from);
	if (!at)
		fail_msg("no %s in %s", from, f->out.bytes);
	return bg_arena_format(&f->arena, "%.*s%s%.*s", (int)(at - f->out.bytes), f->out.bytes, to,
			       (int)strcspn(at + strlen(from), "\n"), at + strlen(from));
}

static void a_record_is_one_line_of_sorted_keys(void **state)
{
	struct fixture *f = *state;
	f->result = record_result(1, 2, &f->arena);
	f->result.cases[0].series->judge[0].head = 1;
	f->result.cases[0].series->judge[1].head = 1;
	assert_int_equal(write_record(f), 1);
	assert_string_equal(
		f->out.bytes,
		"{\"branch\":\"main\",\"cells\":[{\"hash\":\"0011223344556677\",\"kernel\":null,"
		"\"launches\":2,\"level\":0,\"metric\":\"time\","
		"\"name\":\"case/0\",\"variance\":0}],"
		"\"commit\":\"" RECORD_COMMIT "\",\"dirty\":false,"
		"\"fingerprint\":[{\"name\":\"cpu.model\",\"value\":\"Some CPU @ 2.0 GHz\"},"
		"{\"name\":\"cpu.cores\",\"value\":\"2\"}],\"parent\":\"" RECORD_PARENT "\","
		"\"part\":1,\"parts\":1,\"program\":\"batchgate 0.1.0\",\"run\":\"" RECORD_RUN
		"\",\"runner_class\":\"" RECORD_CLASS "\",\"schema\":\"batchgate.record/1\","
		"\"suite\":\"smoke\",\"time_utc\":\"2026-12-01T03:48:21\",\"tree\":\"" RECORD_TREE
		"\"}\n");
}

static void the_same_record_gives_the_same_bytes_in_any_locale(void **state)
{
	struct fixture *f = *state;
	write_record(f);
	const char *before = bg_arena_text(&f->arena, f->out.bytes);
	if (!comma_locale_set())
		skip();
	write_record(f);
	assert_string_equal(f->out.bytes, before);
}

static void a_level_is_the_trimmed_mean_of_logarithms(void **state)
{
	struct fixture *f = *state;
	struct bg_datum *judge = f->result.cases[0].series->judge;
	for (size_t i = 0; i < 12; i++)
		judge[i].head = exp(.01 * (double)((i * 5) % 12));
	/* 12 launches: a fifth, two, go at either end; 2 .. 9 stay, whatever the others are. */
	judge[3].head = exp(9); /* was 3 */
	judge[0].head = exp(-9);
	write_record(f);
	double kept = 0;
	const double left[] = { .02, .04, .05, .06, .07, .08, .09, .1 };
	for (size_t i = 0; i < 8; i++)
		kept += left[i];
	assert_true(fabs(f->record.cells[0].level - kept / 8) < 1e-12);
	assert_true(f->record.cells[0].variance > 0 && f->record.cells[0].variance < .01);
	assert_int_equal(f->record.cells[0].launches, 12);
}

static void a_record_reads_back_with_every_bit(void **state)
{
	struct fixture *f = *state;
	struct bg_record back;
	f->result.cases[1].kernel = "Haswell \"x\"\n";
	f->result.head.parent = NULL;
	f->result.head.branch = "caf\xc3\xa9/\xf0\x9f\x98\x80";
	write_record(f);
	assert_int_equal(
		bg_record_parse(&back, f->out.bytes, f->out.size - 1, "note", &f->arena, &f->err),
		BG_OK);
	assert_string_equal(back.run, RECORD_RUN);
	assert_string_equal(back.commit, RECORD_COMMIT);
	assert_string_equal(back.tree, RECORD_TREE);
	assert_null(back.parent);
	assert_string_equal(back.branch, f->result.head.branch);
	assert_string_equal(back.suite, "smoke");
	assert_string_equal(back.fingerprint[1].value, "2");
	assert_int_equal(back.cell_count, 2);
	assert_string_equal(back.cells[1].kernel, f->result.cases[1].kernel);
	for (size_t i = 0; i < 2; i++) {
		assert_memory_equal(&back.cells[i].level, &f->record.cells[i].level, 8);
		assert_memory_equal(&back.cells[i].variance, &f->record.cells[i].variance, 8);
	}
	const char *before = bg_arena_text(&f->arena, f->out.bytes);
	bg_buffer_clear(&f->out);
	bg_record_write(&f->out, &back);
	assert_string_equal(f->out.bytes, before);
}

static void one_launch_has_no_variance(void **state)
{
	struct fixture *f = *state;
	struct bg_record back;
	f->result = record_result(1, 1, &f->arena);
	write_record(f);
	assert_true(isnan(f->record.cells[0].variance));
	assert_int_equal(
		bg_record_parse(&back, f->out.bytes, f->out.size - 1, "note", &f->arena, &f->err),
		BG_OK);
	assert_true(isnan(back.cells[0].variance));
}

static void cells_without_a_positive_level_are_left_out(void **state)
{
	struct fixture *f = *state;
	f->result.cases[0].series->judge[5].head = 0;
	write_record(f);
	assert_int_equal(f->record.cell_count, 1);
	assert_string_equal(f->record.cells[0].name, "case/1");
	f->result.cases[1].series->judge[11].head = (double)NAN;
	refuses(f, "nothing of head was measured");
}

static void what_cannot_be_a_baseline_is_refused_with_a_reason(void **state)
{
	struct fixture *f = *state;
	const struct bg_result good = f->result;
	f->result.virtual_clock = true;
	refuses(f, "virtual clock");
	f->result = good;
	f->result.head.commit = NULL;
	refuses(f, "no commit");
	f->result = good;
	f->result.head.commit = "abcd";
	refuses(f, "no commit");
	f->result = good;
	f->result.head.tree = NULL;
	refuses(f, "tree");
	f->result = good;
	f->result.runner_class = NULL;
	f->result.runner_class_why = "no fingerprint";
	refuses(f, "no runner class (no fingerprint)");
	f->result = good;
	f->result.runner_class = "../../heads/main";
	refuses(f, "cannot name a reference");
	f->result = good;
	f->result.case_count = 0;
	refuses(f, "nothing of head was measured");
}

static void a_class_is_what_a_reference_may_end_in(void **state)
{
	(void)state;
	static const char *const good[] = { "a", "c1-x86_64", "A.b", "0", "_" };
	static const char *const bad[] = { "",	  ".a",	  "a.",	 "-a", "a..b", "a.lock",     "a/b",
					   "a b", "a\nb", "a~1", "a^", "a:b",  "*",	     "@{",
					   "..",  "a\\b", "?",	 "[",  "\x7f", "caf\xc3\xa9" };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(bg_runner_class_is_valid(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(bg_runner_class_is_valid(bad[i]));
	char name[BG_RUNNER_CLASS_MAX + 2];
	memset(name, 'a', sizeof name);
	name[BG_RUNNER_CLASS_MAX] = '\0';
	assert_true(bg_runner_class_is_valid(name));
	name[BG_RUNNER_CLASS_MAX] = 'a';
	name[BG_RUNNER_CLASS_MAX + 1] = '\0';
	assert_false(bg_runner_class_is_valid(name));
}

static void object_ids_of_any_hash_are_taken(void **state)
{
	struct fixture *f = *state;
	f->result.head.commit = RECORD_COMMIT "0123456789abcdef01234567";
	f->result.head.tree = RECORD_TREE "0123456789abcdef01234567";
	write_record(f);
	assert_int_equal(parse(f, changed(f, "x", "x"), NULL), BG_OK);
}

/* Splits the record's lines, checks each, and joins them. */
static struct bg_record read_lines(struct fixture *f, size_t count)
{
	struct bg_record *lines = bg_arena_array(&f->arena, count, sizeof *lines), joined;
	const char *line = f->out.bytes;
	for (size_t i = 0; i < count; i++) {
		const char *end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(end + 1 - line <= BG_RECORD_LINE_MAX);
		/* From the last to the first: the order of lines must not count. */
		struct bg_record *into = &lines[count - 1 - i];
		if (bg_record_parse(into, line, (size_t)(end - line), "note", &f->arena, &f->err) !=
		    BG_OK)
			fail_msg("%s", f->err.text);
		assert_int_equal(into->part, i + 1);
		assert_int_equal(into->parts, count);
		line = end + 1;
	}
	assert_ptr_equal(line, f->out.bytes + f->out.size);
	bg_record_join(&joined, lines, count, &f->arena);
	return joined;
}

static void a_large_record_is_lines_that_stand_alone(void **state)
{
	struct fixture *f = *state;
	f->result = record_result(3000, 6, &f->arena);
	size_t count = write_record(f);
	assert_true(count > 5);
	struct bg_record joined = read_lines(f, count);
	assert_int_equal(joined.cell_count, 3000);
	for (size_t i = 0; i < 3000; i++) {
		assert_string_equal(joined.cells[i].name, f->record.cells[i].name);
		assert_memory_equal(&joined.cells[i].level, &f->record.cells[i].level, 8);
	}
}

static void names_of_ten_thousand_hostile_characters_are_recorded(void **state)
{
	struct fixture *f = *state;
	char name[10001];
	for (size_t i = 0; i < 10000; i++)
		name[i] = "\"'\n:]<>&`"[i % 9];
	name[10000] = '\0';
	for (size_t i = 0; i < 2; i++)
		f->result.cases[i].name = bg_arena_format(&f->arena, "%zu%s", i, name);
	size_t count = write_record(f);
	struct bg_record joined = read_lines(f, count);
	assert_int_equal(joined.cell_count, 2);
	assert_string_equal(joined.cells[1].name + 1, name);
}

static void a_name_that_no_line_can_hold_is_refused(void **state)
{
	struct fixture *f = *state;
	char *name = bg_arena_alloc(&f->arena, 65001);
	memset(name, 'n', 65000);
	f->result.cases[1].name = name;
	refuses(f, "too long a name");
	f->result.cases[1].name = "n";
	f->result.suite = name;
	refuses(f, "shorter name");
}

static void lines_that_are_no_records_are_refused(void **state)
{
	struct fixture *f = *state;
	write_record(f);
	static const struct {
		const char *from, *to, *part;
	} cases[] = {
		{ "\"run\":\"00", "\"run\":\"0", "run is not 32 hex digits" },
		{ "\"commit\":\"01", "\"commit\":\"XX", "commit is not an object id" },
		{ "\"tree\":\"89", "\"tree\":\"/9", "tree is not an object id" },
		{ "\"parent\":\"f", "\"parent\":\"F", "parent is not an object id" },
		{ "\"part\":1", "\"part\":2", "part is not an integer of 0 to 1" },
		{ "\"part\":1", "\"part\":0", "part is 0" },
		{ "\"parts\":1", "\"parts\":-1", "parts is not an integer" },
		{ "\"runner_class\":\"c1", "\"runner_class\":\"../c", "runner_class" },
		{ "\"dirty\":false", "\"dirty\":0", "dirty is not true or false" },
		{ "\"time_utc\":\"2026-12", "\"time_utc\":\"2026-13", "time_utc is not a time" },
		{ "\"launches\":12", "\"launches\":0", "launches is 0" },
		{ "\"launches\":12", "\"launches\":65", "launches is not" },
		{ "\"level\":", "\"level\":9e99,\"x\":", "level is 9e+99" },
		{ "\"level\":", "\"level\":null,\"x\":", "level is not a number" },
		{ "\"variance\":", "\"variance\":-1,\"x\":", "variance is not" },
		{ "\"name\":\"case/0\"", "\"name\":\"\"", "name is empty" },
		{ "\"name\":\"case/0\"", "\"name\":\"case/1\"", "out of order or there twice" },
		{ "\"name\":\"case/0\"", "\"name\":\"case/2\"", "out of order" },
		{ "\"suite\"", "\"suit\"", "suite is missing" },
		{ "{", "", "not valid JSON" },
		{ "batchgate.record/1", "batchgate.result/1", "is no record of batchgate" },
		{ "\"schema\"", "\"schem\"", "is no record of batchgate" },
		{ "\"dirty\"", "\"commit\":1,\"dirty\"", "duplicate" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(parse(f, changed(f, cases[i].from, cases[i].to), cases[i].part),
				 BG_E_INPUT);
	/* Wherever it was cut. */
	for (size_t size = 0; size + 1 < f->out.size; size += 7)
		assert_int_equal(parse(f, bg_arena_bytes(&f->arena, f->out.bytes, size), "note"),
				 BG_E_INPUT);
	char *large = bg_arena_alloc(&f->arena, BG_RECORD_LINE_MAX + 1);
	memset(large, ' ', BG_RECORD_LINE_MAX);
	assert_int_equal(parse(f, large, "a line has at most"), BG_E_INPUT);
}

static void another_version_is_told_apart(void **state)
{
	struct fixture *f = *state;
	write_record(f);
	assert_int_equal(parse(f, changed(f, "batchgate.record/1", "batchgate.record/2"),
			       "record of another version"),
			 BG_E_UNJUDGED);
}

static void unknown_members_and_metrics_are_no_fault(void **state)
{
	struct fixture *f = *state;
	struct bg_record back;
	write_record(f);
	const char *text = changed(f, "\"metric\":\"time\"", "\"metric\":\"smell\",\"new\":[1]");
	assert_int_equal(bg_record_parse(&back, text, strlen(text), "note", &f->arena, &f->err),
			 BG_OK);
	assert_int_equal(back.cell_count, 1);
	assert_string_equal(back.cells[0].name, "case/1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_record_is_one_line_of_sorted_keys),
		TEST(the_same_record_gives_the_same_bytes_in_any_locale),
		TEST(a_level_is_the_trimmed_mean_of_logarithms),
		TEST(a_record_reads_back_with_every_bit),
		TEST(one_launch_has_no_variance),
		TEST(cells_without_a_positive_level_are_left_out),
		TEST(what_cannot_be_a_baseline_is_refused_with_a_reason),
		TEST(a_class_is_what_a_reference_may_end_in),
		TEST(object_ids_of_any_hash_are_taken),
		TEST(a_large_record_is_lines_that_stand_alone),
		TEST(names_of_ten_thousand_hostile_characters_are_recorded),
		TEST(a_name_that_no_line_can_hold_is_refused),
		TEST(lines_that_are_no_records_are_refused),
		TEST(another_version_is_told_apart),
		TEST(unknown_members_and_metrics_are_no_fault),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
