#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reporters/reporter.h"
#include "tests/unit/comma_locale.h"
#include "tests/unit/sample_report.h"

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <unistd.h>

struct fixture {
	struct sample sample;
	struct bg_report_view view;
	struct bg_buffer out;
	struct bg_error err;
	xmlDocPtr document;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	*state = f;
	sample_init(&f->sample);
	bg_buffer_init(&f->out, (size_t)1 << 30);
	f->view =
		(struct bg_report_view){ .report = &f->sample.report,
					 .command =
						 "batchgate gate --suite batchgate.yml --seed 1" };
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	setlocale(LC_ALL, "C");
	xmlFreeDoc(f->document);
	bg_buffer_release(&f->out);
	sample_release(&f->sample);
	free(f);
	return 0;
}

/* Writes the report and reads it back the way consumers do: default options, nothing repaired. */
static xmlNodePtr write_and_read(struct fixture *f)
{
	bg_buffer_clear(&f->out);
	xmlFreeDoc(f->document);
	assert_int_equal(bg_reporter_find("junit")->write(&f->out, &f->view, &f->err), BG_OK);
	f->document = xmlReadMemory(f->out.bytes, (int)f->out.size, "report.xml", NULL, 0);
	assert_non_null(f->document);
	xmlNodePtr root = xmlDocGetRootElement(f->document);
	assert_string_equal((const char *)root->name, "testsuites");
	return root;
}

static xmlNodePtr finish(struct fixture *f)
{
	sample_finish(&f->sample);
	f->view.exit_code = f->sample.report.exit_code;
	return write_and_read(f);
}

static xmlNodePtr child(xmlNodePtr parent, const char *name)
{
	for (xmlNodePtr node = parent->children; node; node = node->next)
		if (strcmp((const char *)node->name, name) == 0)
			return node;
	return NULL;
}

static size_t count_children(xmlNodePtr parent, const char *name)
{
	size_t count = 0;
	for (xmlNodePtr node = parent->children; node; node = node->next)
		count += strcmp((const char *)node->name, name) == 0;
	return count;
}

static xmlNodePtr suite_of(struct fixture *f)
{
	return child(xmlDocGetRootElement(f->document), "testsuite");
}

/* The index-th test case. */
static xmlNodePtr testcase(struct fixture *f, size_t index)
{
	for (xmlNodePtr node = suite_of(f)->children; node; node = node->next)
		if (strcmp((const char *)node->name, "testcase") == 0 && index-- == 0)
			return node;
	fail_msg("too few test cases");
	return NULL;
}

static void attribute(xmlNodePtr node, const char *name, const char *expected)
{
	xmlChar *value = xmlGetProp(node, BAD_CAST name);
	if (!value || !expected)
		assert_true(!value && !expected);
	else
		assert_string_equal((const char *)value, expected);
	xmlFree(value);
}

static void content_starts(xmlNodePtr node, const char *expected)
{
	xmlChar *content = xmlNodeGetContent(node);
	assert_memory_equal(content, expected, strlen(expected));
	xmlFree(content);
}

static void content_has(xmlNodePtr node, const char *expected)
{
	xmlChar *content = xmlNodeGetContent(node);
	if (!strstr((const char *)content, expected))
		fail_msg("\"%s\" does not have \"%s\"", content, expected);
	xmlFree(content);
}

static void a_regression_is_a_failure_with_its_sentence_first(void **state)
{
	struct fixture *f = *state;
	struct bg_cell *cell = sample_cell(&f->sample, "tokenizer/batch=16", BG_REGRESSED, .061);
	cell->sentence = "time +6.1 % (+4.9..+7.3), limit 2 %, 24 launches, confirmed";
	finish(f);
	xmlNodePtr found = testcase(f, 0), failure = child(found, "failure");
	attribute(found, "classname", "smoke.tokenizer");
	attribute(found, "name", "tokenizer/batch=16 time");
	attribute(found, "file", "batchgate.yml");
	attribute(found, "line", "7");
	attribute(found, "time", "0.107");
	attribute(failure, "type", "regression");
	attribute(failure, "message", cell->sentence);
	content_starts(
		failure,
		"time +6.1 % (+4.9..+7.3), limit 2 %, 24 launches, confirmed\n"
		"base 1111111111111111111111111111111111111111 (first parent of HEAD): Add the "
		"cache\n"
		"head 2222222222222222222222222222222222222222 (HEAD, with uncommitted changes): "
		"Rewrite the tokenizer\n"
		"repeat: batchgate gate --suite batchgate.yml --seed 1 --only "
		"'tokenizer/batch=16'\n");
}

static void outcomes_become_their_elements_and_totals_match_them(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	sample_cell(&f->sample, "a/x=2", BG_REGRESSED, .1);
	sample_cell(&f->sample, "a/x=3", BG_BROKEN, 0);
	sample_cell(&f->sample, "a/x=4", BG_SKIPPED, 0);
	sample_cell(&f->sample, "a/x=5", BG_UNCHANGED_BY_IDENTITY, 0);
	xmlNodePtr root = finish(f);
	assert_null(child(testcase(f, 0), "failure"));
	assert_non_null(child(testcase(f, 0), "system-out"));
	assert_non_null(child(testcase(f, 1), "failure"));
	attribute(child(testcase(f, 2), "error"), "type", "broken");
	attribute(child(testcase(f, 3), "skipped"), "message",
		  "time SKIPPED: because the test says so");
	for (int level = 0; level < 2; level++) {
		xmlNodePtr totals = level == 0 ? root : suite_of(f);
		attribute(totals, "tests", "5");
		attribute(totals, "failures", "1");
		attribute(totals, "errors", "1");
		attribute(totals, "time", "84.200");
	}
	attribute(suite_of(f), "skipped", "1");
	attribute(suite_of(f), "timestamp", "2026-12-01T03:48:21");
	assert_int_equal(count_children(root, "testsuite"), 1);
	assert_int_equal(count_children(suite_of(f), "testsuite"), 0);
	content_has(child(suite_of(f), "system-out"),
		    "3 cells judged, 2 not judged: 1 SKIPPED, 1 BROKEN");
}

static void hostile_names_survive_as_visible_text(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *name, *shown;
	} table[] = {
		{ "w/a\x1b[31mb", "w/a\\x1B[31mb time" },
		{ "w/\x01", "w/\\x01 time" },
		{ "w/\xff", "w/\\xFF time" },
		{ "w/\xed\xa0\x80", "w/\\xED\\xA0\\x80 time" },
		{ "w/\xef\xbf\xbf", "w/\\uFFFF time" },
		{ "w/\"<>&'", "w/\"<>&' time" },
		{ "w/a\nb\r\tc", "w/a\\x0Ab\\x0D\\x09c time" },
		{ "w/::error::x", "w/::error::x time" },
		{ "w/]]>", "w/]]> time" },
		{ "w/[[ATTACHMENT|/etc/passwd]]", "w/[\\x5BATTACHMENT|/etc/passwd]] time" },
		{ "w/caf\xc3\xa9", "w/caf\xc3\xa9 time" },
		{ "w/a\\b", "w/a\\\\b time" },
	};
	size_t count = sizeof table / sizeof *table;
	for (size_t i = 0; i < count; i++) {
		struct bg_cell *cell = sample_cell(&f->sample, table[i].name, BG_FAILED, 0);
		cell->reason = table[i].name;
	}
	finish(f);
	for (size_t i = 0; i < count; i++) {
		attribute(testcase(f, i), "name", table[i].shown);
		content_has(child(testcase(f, i), "failure"), "time FAILED: w/");
	}
	assert_null(memchr(f->out.bytes, 0x1b, f->out.size));
	assert_null(strstr(f->out.bytes, "&#27;"));
}

static void terminal_colours_vanish_from_messages(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_FAILED, 0)->reason = "\x1b[31mfatal:\x1b[0m ]]> no";
	finish(f);
	attribute(child(testcase(f, 0), "failure"), "message", "time FAILED: fatal: ]]> no");
	content_starts(child(testcase(f, 0), "failure"), "time FAILED: fatal: ]]> no\n");
}

/* What GitLab does with duplicates: only the first counts. */
static void names_that_look_alike_stay_two_cases(void **state)
{
	struct fixture *f = *state;
	static char long_a[10001], long_b[10001];
	memset(long_a, 'n', sizeof long_a - 1);
	memcpy(long_b, long_a, sizeof long_b);
	long_b[5000] = 'm';
	const char *const names[] = { "a/\x01", "a/\\x01", "a/\x02", long_a,
				      long_b,	"same",	   "same",   "same" };
	size_t count = sizeof names / sizeof *names;
	for (size_t i = 0; i < count; i++)
		sample_cell(&f->sample, names[i], BG_NOT_WORSE, 0);
	finish(f);
	for (size_t i = 0; i < count; i++) {
		xmlChar *a = xmlGetProp(testcase(f, i), BAD_CAST "name");
		assert_true(strlen((const char *)a) <= 1024 + 64);
		for (size_t j = i + 1; j < count; j++) {
			xmlChar *b = xmlGetProp(testcase(f, j), BAD_CAST "name");
			assert_string_not_equal((const char *)a, (const char *)b);
			xmlFree(b);
		}
		xmlFree(a);
	}
}

static void a_huge_reason_is_cut_and_the_file_still_parses(void **state)
{
	struct fixture *f = *state;
	size_t size = (size_t)20 << 20;
	char *log = malloc(size + 1);
	assert_non_null(log);
	for (size_t i = 0; i + 3 <= size; i += 3)
		memcpy(log + i, "\xe2\x82\xac", 3);
	log[size - size % 3] = '\0';
	struct bg_cell *cell = sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .1);
	cell->sentence = "the sentence";
	cell->reason = log;
	finish(f);
	xmlChar *body = xmlNodeGetContent(child(testcase(f, 0), "failure"));
	assert_true(xmlStrlen(body) <= 64 << 10);
	assert_true(xmlStrlen(body) > 32 << 10);
	xmlFree(body);
	content_starts(child(testcase(f, 0), "failure"), "the sentence\nbase 1111");
	free(log);
}

static void a_run_without_cells_is_one_error(void **state)
{
	struct fixture *f = *state;
	sample_finish(&f->sample);
	f->view.exit_code = 3;
	xmlNodePtr root = write_and_read(f);
	attribute(root, "tests", "1");
	attribute(root, "errors", "1");
	attribute(testcase(f, 0), "classname", "smoke.batchgate");
	attribute(testcase(f, 0), "name", "run");
	attribute(child(testcase(f, 0), "error"), "type", "no-result");
	content_starts(child(testcase(f, 0), "error"), "nothing was measured");
}

static void a_fault_is_an_error_beside_the_cells(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	sample_finish(&f->sample);
	f->view.exit_code = 4;
	f->view.fault = "cannot write \x1b[1mreport.json\x1b[0m: No space left on device";
	xmlNodePtr root = write_and_read(f);
	attribute(root, "tests", "2");
	attribute(root, "errors", "1");
	attribute(child(testcase(f, 0), "error"), "type", "environment");
	attribute(child(testcase(f, 0), "error"), "message",
		  "cannot write report.json: No space left on device");
}

static void a_red_build_always_has_a_red_case(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_SKIPPED, 0);
	sample_finish(&f->sample);
	f->sample.report.sentence = "no cell was judged";
	f->view.exit_code = 3;
	attribute(write_and_read(f), "errors", "1");
	attribute(child(testcase(f, 0), "error"), "message", "no cell was judged");
	f->view.exit_code = 0;
	attribute(write_and_read(f), "errors", "0");
}

static void policy_changes_are_passing_cases_with_names_free_of_values(void **state)
{
	struct fixture *f = *state;
	static const char *changes[] = { "margins.time: 3 % -> 50 % (base's 3 % was used)",
					 "removed.a/\x1bx=*: not listed -> listed",
					 "margins.time: 3 % -> 60 %" };
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0);
	f->sample.result.policy_changes = changes;
	f->sample.result.policy_change_count = 3;
	xmlNodePtr root = finish(f);
	attribute(root, "tests", "4");
	attribute(suite_of(f), "skipped", "0");
	attribute(root, "failures", "0");
	attribute(testcase(f, 0), "classname", "smoke.policy");
	attribute(testcase(f, 0), "name", "policy margins.time");
	content_has(child(testcase(f, 0), "system-out"), changes[0]);
	attribute(testcase(f, 1), "name", "policy removed.a/\\x1Bx=*");
	attribute(testcase(f, 2), "name", "policy margins.time \\2");
	content_has(child(suite_of(f), "system-out"), changes[0]);
	f->view.strict_junit = true;
	write_and_read(f);
	attribute(testcase(f, 0), "name", "policy margins.time");
	assert_null(child(testcase(f, 0), "system-out"));
	content_has(child(suite_of(f), "system-out"), changes[0]);
}

static void parts_hold_each_cell_once(void **state)
{
	struct fixture *f = *state;
	static const char *changes[] = { "x" };
	f->sample.result.policy_changes = changes;
	f->sample.result.policy_change_count = 1;
	for (int i = 0; i < 7; i++)
		sample_cell(&f->sample, bg_arena_format(&f->sample.arena, "a/x=%d", i),
			    BG_NOT_WORSE, 0);
	f->view.cell_max = 3;
	attribute(finish(f), "tests", "4");
	f->view.cell_first = 3;
	attribute(write_and_read(f), "tests", "3");
	attribute(testcase(f, 0), "name", "a/x=3 time");
	f->view.cell_first = 6;
	attribute(write_and_read(f), "tests", "1");
	attribute(suite_of(f), "skipped", "0");
}

static void impossible_times_become_zero(void **state)
{
	struct fixture *f = *state;
	f->sample.result.seconds = -1;
	f->sample.result.started_utc = "2026-02-30T00:00:00Z";
	sample_cell(&f->sample, "a/x=1", BG_NOT_WORSE, 0)->head = (double)NAN;
	finish(f);
	attribute(suite_of(f), "time", "0.000");
	attribute(suite_of(f), "timestamp", "1970-01-01T00:00:00");
	attribute(testcase(f, 0), "time", "0.000");
	f->sample.result.seconds = 1e12;
	write_and_read(f);
	attribute(suite_of(f), "time", "31536000.000");
}

static void a_comma_locale_changes_no_byte(void **state)
{
	struct fixture *f = *state;
	sample_cell(&f->sample, "a/x=1", BG_REGRESSED, .061);
	finish(f);
	char *first = bg_arena_bytes(&f->sample.arena, f->out.bytes, f->out.size);
	if (!comma_locale_set())
		skip();
	write_and_read(f);
	assert_string_equal(first, f->out.bytes);
}

/* All kinds of cases, for the schemas. */
static void fill(struct fixture *f)
{
	static const char *changes[] = { "margin of time" };
	f->sample.result.policy_changes = changes;
	f->sample.result.policy_change_count = 1;
	for (int verdict = 0; verdict < BG_VERDICT_COUNT; verdict++) {
		char *name = bg_arena_format(&f->sample.arena, "w\xff/\x1b\n]]>&<\"%d", verdict);
		sample_cell(&f->sample, name, (enum bg_verdict)verdict, .01);
	}
	f->view.fault = "a fault";
	f->view.strict_junit = true;
	finish(f);
}

static bool is_valid(xmlDocPtr document, const char *schema_file)
{
	const char *data = getenv("BATCHGATE_TEST_DATA");
	char path[4096];
	snprintf(path, sizeof path, "%s/junit/xsd/%s", data ? data : "../shared/data", schema_file);
	if (access(path, R_OK) != 0) {
		printf("no %s: set BATCHGATE_TEST_DATA to the folder of test data\n", path);
		skip();
	}
	xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(path);
	xmlSchemaPtr schema = xmlSchemaParse(parser);
	assert_non_null(schema);
	xmlSchemaValidCtxtPtr context = xmlSchemaNewValidCtxt(schema);
	int result = xmlSchemaValidateDoc(context, document);
	xmlSchemaFreeValidCtxt(context);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
	return result == 0;
}

static void strict_reports_are_valid_for_jenkins(void **state)
{
	struct fixture *f = *state;
	fill(f);
	assert_true(is_valid(f->document, "jenkins-junit-10.xsd"));
}

static void strict_reports_are_valid_for_ant(void **state)
{
	struct fixture *f = *state;
	fill(f);
	assert_true(is_valid(f->document, "windyroad-JUnit.xsd"));
	attribute(xmlDocGetRootElement(f->document), "tests", NULL);
	for (size_t i = 0; i < 4; i++)
		attribute(testcase(f, i), "file", NULL);
}

static void ten_thousand_cells_parse_and_are_complete(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 10000; i++) {
		char *name =
			bg_arena_format(&f->sample.arena, "gemm/m=%d,batch=%d", i / 100, i % 100);
		sample_cell(&f->sample, name, i % 2 ? BG_REGRESSED : BG_NOT_WORSE, .1);
	}
	attribute(finish(f), "tests", "10000");
	attribute(suite_of(f), "failures", "5000");
	assert_int_equal(count_children(suite_of(f), "testcase"), 10000);
	content_starts(child(testcase(f, 9999), "failure"), "time +10.0 %");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_regression_is_a_failure_with_its_sentence_first),
		TEST(outcomes_become_their_elements_and_totals_match_them),
		TEST(hostile_names_survive_as_visible_text),
		TEST(terminal_colours_vanish_from_messages),
		TEST(names_that_look_alike_stay_two_cases),
		TEST(a_huge_reason_is_cut_and_the_file_still_parses),
		TEST(a_run_without_cells_is_one_error),
		TEST(a_fault_is_an_error_beside_the_cells),
		TEST(a_red_build_always_has_a_red_case),
		TEST(policy_changes_are_passing_cases_with_names_free_of_values),
		TEST(parts_hold_each_cell_once),
		TEST(impossible_times_become_zero),
		TEST(a_comma_locale_changes_no_byte),
		TEST(strict_reports_are_valid_for_jenkins),
		TEST(strict_reports_are_valid_for_ant),
		TEST(ten_thousand_cells_parse_and_are_complete),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	xmlCleanupParser();
	return failed;
}
