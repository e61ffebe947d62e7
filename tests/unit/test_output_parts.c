#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/cli/output.h"
#include "gate/core/file.h"
#include "reporters/reporter.h"
#include "tests/unit/sample_report.h"

#include <stdio.h>
#include <unistd.h>

static size_t count_cases(const char *folder, const char *file, struct sample *sample)
{
	char *text;
	size_t size, count = 0;
	struct bg_error err = BG_ERROR_INIT;
	const char *path = bg_arena_format(&sample->arena, "%s/%s", folder, file);
	if (bg_file_read(&text, &size, path, (size_t)1 << 30, &sample->arena, &err) != BG_OK)
		return 0;
	for (const char *at = text; (at = strstr(at, "<testcase ")); at++)
		count++;
	return count;
}

static size_t cases_in(const char *file, size_t cell_count)
{
	char folder[64];
	snprintf(folder, sizeof folder, "/tmp/batchgate-test-parts-%d", (int)getpid());
	struct sample sample;
	sample_init(&sample);
	for (size_t i = 0; i < cell_count; i++)
		sample_cell(&sample, bg_arena_format(&sample.arena, "a/x=%zu", i), BG_NOT_WORSE, 0);
	sample_finish(&sample);
	struct bg_texts none = { 0 };
	struct bg_output output = { .reports = &none, .out = folder, .report = &sample.report };
	struct bg_error err = BG_ERROR_INIT;
	FILE *saved = stdout;
	stdout = fopen("/dev/null", "w");
	enum bg_status status = bg_output_write(&output, &sample.arena, &err);
	fclose(stdout);
	stdout = saved;
	assert_int_equal(status, BG_OK);
	size_t count = count_cases(folder, file, &sample);
	assert_int_equal(bg_tree_remove(folder, &err), BG_OK);
	sample_release(&sample);
	return count;
}

static void a_junit_file_holds_no_more_cells_than_its_readers_take(void **state)
{
	(void)state;
	size_t most = bg_reporter_find("junit")->cells_max;
	assert_true(most > 0);
	assert_int_equal(cases_in("report.junit.xml", most + 3), most);
	assert_int_equal(cases_in("report.junit.2.xml", most + 3), 3);
	assert_int_equal(cases_in("report.junit.3.xml", most + 3), 0);
}

static void few_cells_are_one_file(void **state)
{
	(void)state;
	assert_int_equal(cases_in("report.junit.xml", 5), 5);
	assert_int_equal(cases_in("report.junit.2.xml", 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_junit_file_holds_no_more_cells_than_its_readers_take),
		cmocka_unit_test(few_cells_are_one_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
