#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "baselines/note_text.h"
#include "tests/unit/record_result.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
	struct bg_arena arena;
	struct bg_buffer out;
	struct bg_note_faults faults;
	struct bg_note_records records;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	if (!f)
		return -1;
	bg_buffer_init(&f->out, (size_t)64 << 20);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	bg_buffer_release(&f->out);
	bg_arena_release(&f->arena);
	free(f);
	return 0;
}

/* Joins up to three texts and compares; the last text's own lines are counted. */
static void joins(struct fixture *f, const char *const *texts, const char *expected, size_t added)
{
	struct bg_note_text parts[3];
	size_t count = 0;
	for (; texts[count]; count++)
		parts[count] = (struct bg_note_text){ texts[count], strlen(texts[count]) };
	bg_buffer_clear(&f->out);
	assert_int_equal(bg_note_text_join(&f->out, parts, count, &f->arena), added);
	assert_string_equal(f->out.bytes ? f->out.bytes : "", expected);
}

static void lines_are_a_set_in_the_order_they_came(void **state)
{
	struct fixture *f = *state;
	joins(f, (const char *[]){ "b\na\n", "c\na\n", NULL }, "b\na\nc\n", 1);
	joins(f, (const char *[]){ "b\n", "b\n", NULL }, "b\n", 0);
	joins(f, (const char *[]){ "a\n", "b\n", "a\nb\nc\nd\nd\n", NULL }, "a\nb\nc\nd\n", 2);
	joins(f, (const char *[]){ "", "a", NULL }, "a\n", 1);
	joins(f, (const char *[]){ "", NULL }, "", 0);
	joins(f, (const char *[]){ "ab\na\nabc\n", NULL }, "ab\na\nabc\n", 3);
}

static void blank_lines_and_carriage_returns_go(void **state)
{
	struct fixture *f = *state;
	joins(f, (const char *[]){ "\r\n\na\r\n\r\nb\r\r\n", "a\nb", NULL }, "a\nb\n", 0);
}

/* The lines of a record of one run. */
static const char *lines_of(struct fixture *f, const char *run, size_t cases)
{
	struct bg_result result = record_result(cases, 6, &f->arena);
	struct bg_error err = BG_ERROR_INIT;
	struct bg_record record;
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, (size_t)1 << 24);
	if (bg_record_from_result(&record, &result, run, &f->arena, &err) != BG_OK)
		fail_msg("%s", err.text);
	bg_record_write(&out, &record);
	return bg_arena_text(&f->arena, out.bytes);
}

static void reads(struct fixture *f, const char *text)
{
	struct bg_note_owner owner = { RECORD_COMMIT, RECORD_CLASS };
	struct bg_note_text note = { text, strlen(text) };
	f->faults = (struct bg_note_faults){ 0 };
	bg_note_text_read(&f->records, &note, &owner, &f->faults, &f->arena);
}

#define RUN_A "00000000000000000000000000000001"
#define RUN_B "00000000000000000000000000000002"

static void lines_of_a_run_are_one_record_in_any_order(void **state)
{
	struct fixture *f = *state;
	const char *large = lines_of(f, RUN_B, 1500), *second = strchr(large, '\n') + 1;
	const char *text = bg_arena_format(&f->arena, "%s%s%.*s%s", second, lines_of(f, RUN_A, 2),
					   (int)(second - large), large, second);
	reads(f, text);
	assert_int_equal(f->records.count, 2);
	assert_string_equal(f->records.records[0].run, RUN_A);
	assert_int_equal(f->records.records[0].cell_count, 2);
	assert_int_equal(f->records.records[1].cell_count, 1500);
	assert_int_equal(f->faults.bad + f->faults.foreign + f->faults.misplaced, 0);
}

static void what_does_not_serve_is_told_apart(void **state)
{
	struct fixture *f = *state;
	const char *good = lines_of(f, RUN_A, 1), *bad = lines_of(f, RUN_B, 1);
	size_t size = strlen(bad);
	const char *text = bg_arena_format(&f->arena,
					   "Reviewed by somebody\n"
					   "{\"tool\":\"another\"}\n"
					   "[1,2]\n"
					   "{\"schema\":\"batchgate.record/2\"}\n"
					   "%.*s\n" /* lost its end */
					   "%s"	    /* lost its start */
					   "%s",
					   (int)size - 30, bad, bad + 30, good);
	reads(f, text);
	assert_int_equal(f->records.count, 1);
	assert_string_equal(f->records.records[0].run, RUN_A);
	assert_int_equal(f->faults.foreign, 3);
	assert_int_equal(f->faults.other_schema, 1);
	assert_int_equal(f->faults.bad, 2);
	assert_non_null(strstr(f->faults.first, "note of 0123456789ab (c1-x86_64), line 5"));
}

static void records_of_another_commit_or_class_are_misplaced(void **state)
{
	struct fixture *f = *state;
	const char *good = lines_of(f, RUN_A, 1);
	struct bg_note_owner owner = { RECORD_PARENT, RECORD_CLASS };
	struct bg_note_text note = { good, strlen(good) };
	bg_note_text_read(&f->records, &note, &owner, &f->faults, &f->arena);
	assert_int_equal(f->records.count, 0);
	assert_int_equal(f->faults.misplaced, 1);
	owner = (struct bg_note_owner){ RECORD_COMMIT, "c2" };
	bg_note_text_read(&f->records, &note, &owner, &f->faults, &f->arena);
	assert_int_equal(f->records.count, 0);
	assert_int_equal(f->faults.misplaced, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_are_a_set_in_the_order_they_came),
		TEST(blank_lines_and_carriage_returns_go),
		TEST(lines_of_a_run_are_one_record_in_any_order),
		TEST(what_does_not_serve_is_told_apart),
		TEST(records_of_another_commit_or_class_are_misplaced),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
