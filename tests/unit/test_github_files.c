#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/cli/github_files.h"
#include "gate/cli/output.h"
#include "gate/core/file.h"
#include "tests/unit/sample_report.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every test runs in a folder of its own, with both variables set to files that are not there. */
struct fixture {
	char folder[64];
	struct sample sample;
	struct bg_report_view view;
	struct bg_github_files files;
	struct bg_error err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	*state = f;
	memcpy(f->folder, "/tmp/batchgate-test-XXXXXX", 27);
	if (!mkdtemp(f->folder) || chdir(f->folder) != 0)
		return -1;
	setenv("GITHUB_OUTPUT", "outputs", 1);
	setenv("GITHUB_STEP_SUMMARY", "summary", 1);
	sample_init(&f->sample);
	sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .05);
	sample_finish(&f->sample);
	f->view = (struct bg_report_view){ .report = &f->sample.report, .exit_code = 1 };
	f->files = (struct bg_github_files){ .view = &f->view };
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	struct bg_error err = BG_ERROR_INIT;
	unsetenv("GITHUB_OUTPUT");
	unsetenv("GITHUB_STEP_SUMMARY");
	sample_release(&f->sample);
	int rc = chdir("/") == 0 && bg_tree_remove(f->folder, &err) == BG_OK ? 0 : -1;
	free(f);
	return rc;
}

static const char *content(struct fixture *f, const char *path)
{
	struct bg_error err = BG_ERROR_INIT;
	char *text;
	size_t size;
	assert_int_equal(bg_file_read(&text, &size, path, (size_t)1 << 21, &f->sample.arena, &err),
			 BG_OK);
	return text;
}

static void write_text(const char *path, const char *text, size_t size)
{
	struct bg_error err = BG_ERROR_INIT;
	assert_int_equal(bg_file_replace(path, text, size, &err), BG_OK);
}

static void write_files(struct fixture *f, enum bg_status expected)
{
	assert_int_equal(bg_github_files_write(&f->files, &f->sample.arena, &f->err), expected);
}

static void both_files_are_filled(void **state)
{
	struct fixture *f = *state;
	write_files(f, BG_OK);
	const char *text = content(f, "outputs");
	assert_memory_equal(text, "verdict<<bg_", 12);
	assert_non_null(strstr(text, "\nregression\nbg_"));
	assert_non_null(strstr(text, "\nexit_code<<bg_"));
	assert_non_null(strstr(text, "\nnot_judged<<bg_"));
	assert_memory_equal(content(f, "summary"), "<!-- batchgate:smoke -->\n", 25);
}

static void a_delimiter_is_used_once(void **state)
{
	struct fixture *f = *state;
	write_files(f, BG_OK);
	const char *text = content(f, "outputs");
	char first[36] = { 0 };
	memcpy(first, text + 9, 35);
	assert_int_equal(strspn(first + 3, "0123456789abcdef"), 32);
	size_t found = 0;
	for (const char *at = text; (at = strstr(at, first)); at += 35)
		found++;
	assert_int_equal(found, 2);
}

static void what_is_there_already_stays(void **state)
{
	struct fixture *f = *state;
	write_text("outputs", "a=1", 3);
	write_text("summary", "# Before", 8);
	write_files(f, BG_OK);
	assert_memory_equal(content(f, "outputs"), "a=1\nverdict<<bg_", 16);
	assert_memory_equal(content(f, "summary"), "# Before\n\n<!-- batchgate:", 25);
}

static void an_output_tells_where_the_reports_are(void **state)
{
	struct fixture *f = *state;
	char expected[128];
	write_text("r.json", "{}", 2);
	f->files.json = "r.json";
	write_files(f, BG_OK);
	snprintf(expected, sizeof expected, "\n%s/r.json\nbg_", f->folder);
	assert_non_null(strstr(content(f, "outputs"), "\nreport_json<<bg_"));
	assert_non_null(strstr(content(f, "outputs"), expected));
}

static void without_the_variables_nothing_is_written(void **state)
{
	struct fixture *f = *state;
	unsetenv("GITHUB_OUTPUT");
	setenv("GITHUB_STEP_SUMMARY", "", 1);
	write_files(f, BG_OK);
	assert_int_equal(access("outputs", F_OK), -1);
	assert_int_equal(access("summary", F_OK), -1);
}

static void a_link_is_not_followed(void **state)
{
	struct fixture *f = *state;
	write_text("victim", "", 0);
	assert_int_equal(symlink("victim", "outputs"), 0);
	write_files(f, BG_E_SYSTEM);
	assert_non_null(strstr(f->err.text, "GITHUB_OUTPUT: outputs: cannot write: "));
	assert_string_equal(content(f, "victim"), "");
	/* The summary is written all the same. */
	assert_non_null(strstr(content(f, "summary"), "a/x=1"));
}

static void what_is_no_file_is_refused(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	setenv("GITHUB_STEP_SUMMARY", "pipe", 1);
	write_files(f, BG_E_SYSTEM);
	assert_string_equal(f->err.text, "GITHUB_STEP_SUMMARY: pipe: is no regular file");
}

static void the_summary_counts_what_stands_before_it(void **state)
{
	struct fixture *f = *state;
	size_t before = BG_GITHUB_SUMMARY_MAX - 20000;
	char *filler = bg_arena_alloc(&f->sample.arena, before);
	memset(filler, 'x', before);
	for (int i = 0; i < 1000; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/y=%d", i),
			    BG_REGRESSED, .05);
	sample_finish(&f->sample);
	write_text("summary", filler, before);
	write_files(f, BG_OK);
	const char *text = content(f, "summary");
	assert_in_range(strlen(text), before + 10000, BG_GITHUB_SUMMARY_MAX);
	assert_non_null(strstr(text, "Left out for want of room"));
}

static void a_summary_without_room_is_left_out(void **state)
{
	struct fixture *f = *state;
	size_t before = BG_GITHUB_SUMMARY_MAX - 100;
	char *filler = bg_arena_alloc(&f->sample.arena, before);
	memset(filler, 'x', before);
	write_text("summary", filler, before);
	write_files(f, BG_OK);
	assert_int_equal(strlen(content(f, "summary")), before);
	assert_non_null(strstr(content(f, "outputs"), "verdict<<"));
}

static const char *ask(struct fixture *f, const char *const *reports, size_t count)
{
	const struct bg_texts texts = { .count = count, .values = (const char **)(size_t)reports };
	struct bg_output output = { .report = &f->sample.report, .reports = &texts };
	if (bg_output_check(&texts, &f->err) != BG_OK)
		return f->err.text;
	return bg_output_write(&output, &f->sample.arena, &f->err) == BG_OK ? "" : f->err.text;
}

static void only_who_asks_for_annotations_gets_the_files(void **state)
{
	struct fixture *f = *state;
	static const char *const others[] = { "json=a", "junit=b", "markdown=c", "text=d" };
	assert_string_equal(ask(f, others, 4), "");
	assert_int_equal(access("outputs", F_OK), -1);
	static const char *const github[] = { "json=a", "github=b", "text=c" };
	assert_string_equal(ask(f, github, 3), "");
	assert_non_null(strstr(content(f, "outputs"), "/a\nbg_"));
	assert_memory_equal(content(f, "b"), "::error file=batchgate.yml,line=7,", 34);
}

static void a_failure_to_write_them_is_a_failure_of_the_output(void **state)
{
	struct fixture *f = *state;
	static const char *const github[] = { "github=b", "text=c" };
	setenv("GITHUB_OUTPUT", "absent/outputs", 1);
	assert_string_equal(ask(f, github, 2), "GITHUB_OUTPUT: absent/outputs: cannot write: No "
					       "such file or directory");
}

static void no_annotation_at_all_is_an_empty_file(void **state)
{
	struct fixture *f = *state;
	static const char *const github[] = { "github=b", "text=c" };
	f->sample.report.cells[0].outcome = BG_OUTCOME_PASS;
	assert_string_equal(ask(f, github, 2), "");
	assert_string_equal(content(f, "b"), "");
}

static void annotations_share_stdout_with_the_text_alone(void **state)
{
	struct fixture *f = *state;
	static const char *const both[] = { "github", "text" }, *const json[] = { "json",
										  "github" };
	const struct bg_texts shared = { .count = 2, .values = (const char **)(size_t)both };
	const struct bg_texts refused = { .count = 2, .values = (const char **)(size_t)json };
	assert_int_equal(bg_output_check(&shared, &f->err), BG_OK);
	assert_int_equal(bg_output_check(&refused, &f->err), BG_E_USAGE);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(both_files_are_filled),
		T(a_delimiter_is_used_once),
		T(what_is_there_already_stays),
		T(an_output_tells_where_the_reports_are),
		T(without_the_variables_nothing_is_written),
		T(a_link_is_not_followed),
		T(what_is_no_file_is_refused),
		T(the_summary_counts_what_stands_before_it),
		T(a_summary_without_room_is_left_out),
		T(only_who_asks_for_annotations_gets_the_files),
		T(a_failure_to_write_them_is_a_failure_of_the_output),
		T(no_annotation_at_all_is_an_empty_file),
		T(annotations_share_stdout_with_the_text_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
