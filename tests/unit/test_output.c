#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/cli/gate_options.h"
#include "gate/cli/output.h"
#include "gate/core/file.h"

/* Every test runs in a folder of its own, with none of the variables that mean colour. */
struct fixture {
	char folder[64];
	struct bg_arena arena;
	struct bg_error err;
	struct bg_result result;
	struct bg_report report;
	struct bg_texts reports;
	struct bg_output output;
};

static int setup(void **state)
{
	static struct fixture f;
	f = (struct fixture){ .folder = "/tmp/batchgate-test-XXXXXX" };
	if (!mkdtemp(f.folder) || chdir(f.folder) != 0)
		return -1;
	unsetenv("NO_COLOR");
	unsetenv("FORCE_COLOR");
	unsetenv("CLICOLOR_FORCE");
	setenv("TERM", "xterm", 1);
	f.result = (struct bg_result){ .suite = "smoke", .started_utc = "2026-12-01T03:48:21" };
	f.report = (struct bg_report){ .result = &f.result,
				       .verdict = "pass",
				       .sentence = "pass: nothing to say" };
	f.output = (struct bg_output){ .report = &f.report, .reports = &f.reports };
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct bg_error err = BG_ERROR_INIT;
	bg_arena_release(&f->arena);
	return chdir("/") == 0 && bg_tree_remove(f->folder, &err) == BG_OK ? 0 : -1;
}

static void ask_for(struct fixture *f, const char *report)
{
	f->reports.values = bg_arena_grow(&f->arena, f->reports.values, f->reports.count,
					  &f->reports.capacity, sizeof *f->reports.values);
	f->reports.values[f->reports.count++] = report;
}

static void assert_check_fails(struct fixture *f, enum bg_status status, const char *text)
{
	assert_int_equal(bg_output_check(&f->reports, &f->err), status);
	assert_string_equal(f->err.text, text);
}

static size_t size_of(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 ? (size_t)info.st_size : 0;
}

static void write_text(const char *path, const char *text)
{
	struct bg_error err = BG_ERROR_INIT;
	assert_int_equal(bg_file_replace(path, text, strlen(text), &err), BG_OK);
}

static void colour_follows_the_documented_order(void **state)
{
	static const struct {
		const char *name, *value;
		unsigned choice;
		bool is_terminal, colored;
	} rows[] = {
		{ "TERM", "xterm", BG_COLOR_AUTO, true, true },
		{ "TERM", "xterm", BG_COLOR_AUTO, false, false },
		{ "TERM", "dumb", BG_COLOR_AUTO, true, false },
		{ "NO_COLOR", "1", BG_COLOR_AUTO, true, false },
		{ "NO_COLOR", "", BG_COLOR_AUTO, true, true },
		{ "NO_COLOR", "1", BG_COLOR_ALWAYS, false, true },
		{ "FORCE_COLOR", "1", BG_COLOR_AUTO, false, true },
		{ "FORCE_COLOR", "0", BG_COLOR_AUTO, false, false },
		{ "FORCE_COLOR", "", BG_COLOR_AUTO, false, false },
		{ "FORCE_COLOR", "1", BG_COLOR_NEVER, true, false },
		{ "CLICOLOR_FORCE", "1", BG_COLOR_AUTO, false, true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		setenv(rows[i].name, rows[i].value, 1);
		assert_int_equal(bg_output_is_colored(rows[i].choice, rows[i].is_terminal),
				 rows[i].colored);
		unsetenv(rows[i].name);
	}
	setenv("NO_COLOR", "1", 1);
	setenv("FORCE_COLOR", "1", 1);
	assert_false(bg_output_is_colored(BG_COLOR_AUTO, true));
}

static void colour_is_of_standard_output_alone(void **state)
{
	struct fixture *f = *state;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_error err = BG_ERROR_INIT;
	char *text;
	size_t size;
	setenv("FORCE_COLOR", "1", 1);
	f->output.color = BG_COLOR_ALWAYS;
	ask_for(f, "text=a.txt");
	ask_for(f, "json=/dev/null");
	assert_int_equal(bg_output_write(&f->output, &f->arena, &f->err), BG_OK);
	unsetenv("FORCE_COLOR");
	assert_int_equal(bg_file_read(&text, &size, "a.txt", 4096, &arena, &err), BG_OK);
	assert_non_null(strstr(text, "pass: nothing to say"));
	assert_null(strchr(text, '\x1b'));
	bg_arena_release(&arena);
}

static void an_unknown_format_names_its_neighbour(void **state)
{
	struct fixture *f = *state;
	ask_for(f, "jnuit=a.xml");
	assert_check_fails(f, BG_E_USAGE,
			   "--report: unknown format 'jnuit': did you mean 'junit'?");
}

static void a_format_far_from_all_lists_them(void **state)
{
	struct fixture *f = *state;
	ask_for(f, "spreadsheet");
	assert_int_equal(bg_output_check(&f->reports, &f->err), BG_E_USAGE);
	assert_non_null(strstr(f->err.text, "there are text, json, junit"));
}

static void two_reports_on_stdout_are_refused(void **state)
{
	struct fixture *f = *state;
	ask_for(f, "json");
	ask_for(f, "text=-");
	assert_check_fails(f, BG_E_USAGE,
			   "--report: both json and text go to standard output: give one a file "
			   "of its own");
}

static void two_reports_in_one_file_are_refused(void **state)
{
	struct fixture *f = *state;
	ask_for(f, "json=a");
	ask_for(f, "junit=a");
	assert_check_fails(f, BG_E_USAGE,
			   "--report: both json and junit go to a: give one a file of its own");
}

static void a_report_without_a_name_is_refused(void **state)
{
	struct fixture *f = *state;
	ask_for(f, "json=");
	assert_check_fails(f, BG_E_USAGE, "--report: 'json=' names no file");
}

static void an_old_report_is_gone_before_the_run(void **state)
{
	struct fixture *f = *state;
	write_text("old.json", "stale");
	ask_for(f, "json=old.json");
	assert_int_equal(bg_output_check(&f->reports, &f->err), BG_OK);
	assert_int_equal(access("old.json", F_OK), -1);
}

static void folders_of_a_report_are_made(void **state)
{
	struct fixture *f = *state;
	ask_for(f, "json=a/b/c.json");
	assert_int_equal(bg_output_check(&f->reports, &f->err), BG_OK);
	f->output.reports = &f->reports;
	assert_int_equal(bg_output_write(&f->output, &f->arena, &f->err), BG_OK);
	assert_true(size_of("a/b/c.json") > 0);
}

static void a_place_that_cannot_be_written_fails_before_the_run(void **state)
{
	struct fixture *f = *state;
	write_text("file", "x");
	ask_for(f, "json=file/a.json");
	assert_int_equal(bg_output_check(&f->reports, &f->err), BG_E_SYSTEM);
	f->err = (struct bg_error)BG_ERROR_INIT;
	assert_int_equal(mkdir("folder", 0777), 0);
	f->reports.values[0] = "json=folder";
	assert_check_fails(f, BG_E_SYSTEM, "--report: folder: is a folder");
}

static void the_folder_gets_json_and_junit(void **state)
{
	struct fixture *f = *state;
	f->output.out = "made/out";
	assert_int_equal(bg_output_write(&f->output, &f->arena, &f->err), BG_OK);
	assert_true(size_of("made/out/report.json") > 0);
	assert_true(size_of("made/out/report.junit.xml") > 0);
}

static void one_failed_report_does_not_stop_the_others(void **state)
{
	struct fixture *f = *state;
	ask_for(f, "json=/dev/full");
	ask_for(f, "junit=after.xml");
	assert_int_equal(bg_output_check(&f->reports, &f->err), BG_OK);
	assert_int_equal(bg_output_write(&f->output, &f->arena, &f->err), BG_E_SYSTEM);
	assert_non_null(strstr(f->err.text, "/dev/full: cannot write: No space left"));
	assert_true(size_of("after.xml") > 0);
}

static void a_device_is_written_to_and_not_replaced(void **state)
{
	struct fixture *f = *state;
	struct stat info;
	ask_for(f, "json=/dev/null");
	assert_int_equal(bg_output_check(&f->reports, &f->err), BG_OK);
	assert_int_equal(bg_output_write(&f->output, &f->arena, &f->err), BG_OK);
	assert_int_equal(stat("/dev/null", &info), 0);
	assert_true(S_ISCHR(info.st_mode));
}

static void a_large_junit_report_goes_on_in_further_files(void **state)
{
	struct fixture *f = *state;
	struct bg_case_result of = { .name = "exec/a", .workload = "exec" };
	f->report.cell_count = 40001;
	f->report.cells = bg_arena_array(&f->arena, f->report.cell_count, sizeof *f->report.cells);
	f->report.worst_first =
		bg_arena_array(&f->arena, f->report.cell_count, sizeof *f->report.worst_first);
	for (size_t i = 0; i < f->report.cell_count; i++) {
		f->report.cells[i] = (struct bg_cell){ .of = &of, .sentence = "time +0.0 %" };
		f->report.worst_first[i] = &f->report.cells[i];
	}
	write_text("a.b.3.xml", "stale");
	write_text("a.b.4.xml", "stale");
	ask_for(f, "junit=a.b.xml");
	ask_for(f, "text=/dev/null");
	assert_int_equal(bg_output_write(&f->output, &f->arena, &f->err), BG_OK);
	assert_true(size_of("a.b.2.xml") > 0);
	assert_true(size_of("a.b.xml") > 1000 * size_of("a.b.2.xml"));
	assert_int_equal(access("a.b.3.xml", F_OK), -1);
	assert_int_equal(access("a.b.4.xml", F_OK), -1);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(colour_follows_the_documented_order),
		T(colour_is_of_standard_output_alone),
		T(an_unknown_format_names_its_neighbour),
		T(a_format_far_from_all_lists_them),
		T(two_reports_on_stdout_are_refused),
		T(two_reports_in_one_file_are_refused),
		T(a_report_without_a_name_is_refused),
		T(an_old_report_is_gone_before_the_run),
		T(folders_of_a_report_are_made),
		T(a_place_that_cannot_be_written_fails_before_the_run),
		T(the_folder_gets_json_and_junit),
		T(one_failed_report_does_not_stop_the_others),
		T(a_device_is_written_to_and_not_replaced),
		T(a_large_junit_report_goes_on_in_further_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
