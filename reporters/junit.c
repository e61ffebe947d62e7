/*
 * JUnit XML for the readers of CI services, in two dialects (docs/reports.md): "ci" has what they
 * show beyond the schemas (file, line, messages of skipped cases, output of passed ones, totals at
 * the root); "strict" is valid in both schemas that circulate, Jenkins' and Ant's. One suite, never
 * nested: some readers drop what is inside, others count it twice.
 */
#include "reporters/evidence.h"
#include "reporters/junit_case.h"
#include "reporters/repeat.h"
#include "reporters/summary.h"
#include "reporters/visible.h"

#include "gate/core/clock.h"
#include "gate/core/text.h"

#include <libxml/xmlwriter.h>
#include <string.h>

#define BODY_SIZE_MAX ((size_t)64 << 10)
#define VALUE_SIZE_MAX 4096 /* of a foreign attribute: PATH_MAX */
/* Whole bodies for this many cases; the rest keep their sentence, so that a file stays small. */
#define WHOLE_BODIES_MAX 2000
/* Passed cases say what was measured unless the document nears GitLab's bound on objects. */
#define PASSED_OUTPUTS_MAX 20000
/*
 * GitLab stops at 250,000 XML objects and 30 MB a file; three objects and at most about 600 bytes a
 * cell leave room below both.
 */
#define CELLS_MAX 40000
#define YEAR_S 31536000.0 /* Jenkins clamps a time to it */

struct document {
	xmlTextWriterPtr xml;
	const struct bg_report_view *view;
	struct bg_junit_list list;
	struct bg_buffer body; /* scratch */
	size_t bodies;
	bool failed; /* libxml2 refused something */
};

static void close_writer(xmlTextWriterPtr *writer)
{
	if (*writer)
		xmlFreeTextWriter(*writer);
}

static int write_out(void *context, const char *bytes, int size)
{
	bg_buffer_add(context, bytes, (size_t)size);
	return size;
}

static void check(struct document *document, int result)
{
	document->failed |= result < 0;
}

static void open_element(struct document *document, const char *name)
{
	check(document, xmlTextWriterStartElement(document->xml, BAD_CAST name));
}

static void close_element(struct document *document)
{
	check(document, xmlTextWriterEndElement(document->xml));
}

static void put(struct document *document, const char *name, const char *value)
{
	check(document, xmlTextWriterWriteAttribute(document->xml, BAD_CAST name, BAD_CAST value));
}

static void put_count(struct document *document, const char *name, size_t count)
{
	char text[24];
	snprintf(text, sizeof text, "%zu", count);
	put(document, name, text);
}

static void put_time(struct document *document, double seconds)
{
	char text[BG_FIXED_SIZE];
	bool fits = seconds >= 0 && seconds <= YEAR_S;
	put(document, "time", bg_text_fixed(text, fits ? seconds : seconds > 0 ? YEAR_S : 0, 3));
}

/* Foreign text as an attribute. */
static void put_visible(struct document *document, const char *name, const char *text)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer value;
	bg_buffer_init(&value, BODY_SIZE_MAX);
	bg_visible_add_some(&value, text, VALUE_SIZE_MAX, BG_VISIBLE_LINE);
	put(document, name, value.bytes ? value.bytes : "");
}

/* The body gathered in the scratch, as the text of the open element. */
static void put_body(struct document *document)
{
	bg_visible_guard_lines(&document->body);
	bg_visible_trim(&document->body);
	check(document, xmlTextWriterWriteString(document->xml, BAD_CAST document->body.bytes));
	bg_buffer_clear(&document->body);
}

static void add_line(struct bg_buffer *body, const char *label, const struct bg_arm_result *arm)
{
	bg_buffer_format(body, "%s ", label);
	bg_summary_arm(body, arm, BG_WHOLE_ID_SIZE);
	bg_buffer_text(body, "\n");
}

/* First the sentence: GitLab shows the body alone, others only its first lines. */
static void gather_body(struct document *document, const struct bg_junit_case *of)
{
	struct bg_buffer *body = &document->body;
	const struct bg_result *result = document->view->report->result;
	if (of->cell)
		bg_evidence_sentence(body, of->cell);
	else
		bg_buffer_text(body, of->message);
	if (document->bodies++ >= WHOLE_BODIES_MAX)
		return;
	bg_buffer_text(body, "\n");
	add_line(body, "base", &result->base);
	add_line(body, "head", &result->head);
	if (of->cell) {
		bg_buffer_text(body, "repeat: ");
		bg_repeat_add(body, document->view->command, of->cell->of->name);
		bg_buffer_text(body, "\n");
		bg_evidence_add(body, of->cell, (struct bg_wrap){ 0, 0 });
	}
}

static void put_message(struct document *document, const struct bg_junit_case *of)
{
	if (!of->cell) {
		put(document, "message", of->message);
		return;
	}
	bg_evidence_sentence(&document->body, of->cell);
	put(document, "message", document->body.bytes);
	bg_buffer_clear(&document->body);
}

static void put_outcome(struct document *document, const struct bg_junit_case *of)
{
	bool strict = document->view->strict_junit;
	if (of->outcome == BG_OUTCOME_PASS) {
		if (strict || document->list.count > PASSED_OUTPUTS_MAX)
			return;
		open_element(document, "system-out");
		if (of->cell)
			bg_evidence_sentence(&document->body, of->cell);
		else
			bg_buffer_text(&document->body, of->message);
		put_body(document);
		close_element(document);
		return;
	}
	open_element(document, of->outcome == BG_OUTCOME_SKIPPED ? "skipped"
			       : of->outcome == BG_OUTCOME_ERROR ? "error"
								 : "failure");
	if (of->outcome != BG_OUTCOME_SKIPPED)
		put(document, "type", of->type);
	if (of->outcome != BG_OUTCOME_SKIPPED || !strict) {
		put_message(document, of);
		gather_body(document, of);
		put_body(document);
	}
	close_element(document);
}

static void put_case(struct document *document, const struct bg_junit_case *of)
{
	open_element(document, "testcase");
	put(document, "name", of->name);
	put(document, "classname", of->classname);
	const struct bg_result *result = document->view->report->result;
	if (!document->view->strict_junit) {
		const char *file = of->cell ? of->cell->of->file : result->suite_file;
		if (file && *file)
			put_visible(document, "file", file);
		if (of->cell && of->cell->of->line > 0)
			put_count(document, "line", of->cell->of->line);
	}
	bool timed = of->cell && of->cell->measured && of->cell->metric == BG_METRIC_TIME;
	put_time(document, timed ? of->cell->head : 0);
	put_outcome(document, of);
	close_element(document);
}

static void put_property(struct document *document, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	open_element(document, "property");
	put(document, "name", name);
	put_visible(document, "value", value);
	close_element(document);
}

static void put_properties(struct document *document)
{
	const struct bg_result *result = document->view->report->result;
	char seed[24];
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)result->seed);
	open_element(document, "properties");
	put_property(document, "base.commit", result->base.commit);
	put_property(document, "base.how", result->base.how);
	put_property(document, "head.commit", result->head.commit);
	put_property(document, "runner_class", result->runner_class);
	put_property(document, "machine", result->machine);
	put_property(document, "program", result->program);
	put_property(document, "seed", seed);
	close_element(document);
}

static void put_suite_output(struct document *document)
{
	const struct bg_report *report = document->view->report;
	bg_summary_counts(&document->body, report);
	bg_buffer_text(&document->body, "\n");
	if (report->sentence)
		bg_visible_add(&document->body, report->sentence, BG_VISIBLE_LINE);
	bg_buffer_text(&document->body, "\n");
	bg_summary_add(&document->body, report, (struct bg_wrap){ 0, 0 });
	open_element(document, "system-out");
	put_body(document);
	close_element(document);
	open_element(document, "system-err");
	close_element(document);
}

static void put_totals(struct document *document)
{
	put_count(document, "tests", document->list.count);
	put_count(document, "failures", document->list.failures);
	put_count(document, "errors", document->list.errors);
}

static void put_suite(struct document *document)
{
	const struct bg_result *result = document->view->report->result;
	bool timed = result->started_utc && bg_clock_is_utc_text(result->started_utc);
	open_element(document, "testsuite");
	put(document, "name", document->list.suite);
	put(document, "package", document->list.suite);
	put(document, "id", "0");
	put_totals(document);
	put_count(document, "skipped", document->list.skipped);
	put_time(document, result->seconds);
	put(document, "hostname", "localhost");
	put(document, "timestamp", timed ? result->started_utc : "1970-01-01T00:00:00");
	put_properties(document);
	for (size_t i = 0; i < document->list.count; i++)
		put_case(document, &document->list.cases[i]);
	put_suite_output(document);
	close_element(document);
}

static void put_document(struct document *document)
{
	check(document, xmlTextWriterSetIndent(document->xml, 1));
	check(document, xmlTextWriterStartDocument(document->xml, NULL, "UTF-8", NULL));
	open_element(document, "testsuites");
	if (!document->view->strict_junit) {
		put(document, "name", "batchgate");
		put_totals(document);
		put_time(document, document->view->report->result->seconds);
	}
	put_suite(document);
	close_element(document);
	check(document, xmlTextWriterEndDocument(document->xml));
	check(document, xmlTextWriterFlush(document->xml));
}

static enum bg_status write_junit(struct bg_buffer *out, const struct bg_report_view *view,
				  struct bg_error *err)
{
	xmlOutputBufferPtr sink = xmlOutputBufferCreateIO(write_out, NULL, out, NULL);
	BG_AUTO(close_writer) xmlTextWriterPtr xml = sink ? xmlNewTextWriter(sink) : NULL;
	if (!xml)
		return bg_fail(err, BG_E_NOMEM, "no memory to write a JUnit report");
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct document document = { .xml = xml, .view = view };
	bg_buffer_init(&document.body, BODY_SIZE_MAX);
	bg_junit_cases(&document.list, view, &arena);
	put_document(&document);
	bg_buffer_release(&document.body);
	if (document.failed)
		return bg_fail(err, BG_E_INTERNAL, "libxml2 cannot write this JUnit report");
	if (out->full)
		return bg_fail(err, BG_E_NOMEM, "the JUnit report passes its bound of %zu bytes",
			       out->size_max);
	return BG_OK;
}

const struct bg_reporter bg_reporter_junit = {
	.name = "junit",
	.summary = "JUnit XML for the test view of a CI service",
	.extension = "xml",
	.cells_max = CELLS_MAX,
	.write = write_junit,
};
