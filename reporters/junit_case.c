#include "reporters/junit_case.h"

#include "gate/core/random.h" /* bg_hash */
#include "reporters/evidence.h"
#include "reporters/visible.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NAME_FLAGS (BG_VISIBLE_LINE | BG_VISIBLE_ONE_TO_ONE)
#define MESSAGE_MAX 2000 /* bytes; what Bitbucket shows of a field */

/* The plain word of a verdict that counts against the build; JUnit readers group by it. */
static const char *type_of(enum bg_verdict verdict)
{
	static const char *const types[BG_VERDICT_COUNT] = {
		[BG_NEW] = "new",
		[BG_REMOVED] = "removed",
		[BG_SKIPPED] = "skipped",
		[BG_INCONCLUSIVE] = "inconclusive",
		[BG_UNSTABLE] = "unstable",
		[BG_MISTRUSTED] = "mistrusted",
		[BG_NO_BASELINE] = "no-baseline",
		[BG_BROKEN] = "broken",
		[BG_REGRESSED] = "regression",
		[BG_INCORRECT] = "incorrect",
		[BG_FAILED] = "failed",
		[BG_SUSPICIOUS] = "suspicious",
		[BG_MISSING] = "missing",
	};
	return types[verdict] ? types[verdict] : "no-result";
}

/* The word for a run that ended by something other than its cells (design: exit codes). */
static const char *type_of_exit(int exit_code)
{
	switch (exit_code) {
	case 2:
		return "input";
	case 4:
		return "environment";
	case 5:
		return "internal";
	default:
		return exit_code > 128 ? "interrupted" : "no-result";
	}
}

struct naming {
	struct bg_arena *arena;
	struct bg_buffer *text; /* scratch */
	const char *suite;	/* visible */
};

/* The name gathered in the scratch, bounded in size; different names stay different. */
static const char *take_name(const struct naming *naming)
{
	struct bg_buffer *text = naming->text;
	if (text->size > BG_JUNIT_NAME_MAX) {
		uint64_t hash = bg_hash(BG_HASH_INIT, text->bytes, text->size);
		char *whole = bg_arena_bytes(naming->arena, text->bytes, text->size);
		bg_buffer_clear(text);
		/* At most four bytes a column. */
		bg_visible_cut(text, whole, BG_JUNIT_NAME_MAX / 4 - 8);
		bg_buffer_format(text, " \\#%016llx", (unsigned long long)hash);
	}
	const char *name = bg_arena_bytes(naming->arena, text->bytes, text->size);
	bg_buffer_clear(text);
	return name;
}

static const char *class_name(const struct naming *naming, const char *part)
{
	bg_buffer_format(naming->text, "%s.", naming->suite);
	bg_visible_add(naming->text, part, NAME_FLAGS);
	return take_name(naming);
}

static const char *cell_name(const struct naming *naming, const struct bg_cell *cell)
{
	bg_visible_add(naming->text, cell->of->name, NAME_FLAGS);
	bg_buffer_format(naming->text, " %s", bg_metric_info(cell->metric)->name);
	return take_name(naming);
}

static void add_case(struct bg_junit_list *list, struct bg_junit_case added)
{
	list->failures += added.outcome == BG_OUTCOME_FAILURE;
	list->errors += added.outcome == BG_OUTCOME_ERROR;
	list->skipped += added.outcome == BG_OUTCOME_SKIPPED;
	list->cases[list->count++] = added;
}

static void add_cells(struct bg_junit_list *list, const struct bg_report_view *view,
		      const struct naming *naming)
{
	const struct bg_report *report = view->report;
	size_t end = report->cell_count;
	assert(view->cell_first <= end);
	if (view->cell_max > 0 && view->cell_max < end - view->cell_first)
		end = view->cell_first + view->cell_max;
	const char *workload = NULL, *classname = NULL;
	for (size_t i = view->cell_first; i < end; i++) {
		const struct bg_cell *cell = &report->cells[i];
		/* Neighbours mostly share their workload, and so the class. */
		if (!workload || strcmp(workload, cell->of->workload) != 0)
			classname = class_name(naming, cell->of->workload);
		workload = cell->of->workload;
		add_case(list, (struct bg_junit_case){
				       .cell = cell,
				       .classname = classname,
				       .name = cell_name(naming, cell),
				       .outcome = cell->outcome,
				       .type = type_of(cell->verdict),
			       });
	}
}

static const char *take_message(const struct naming *naming, const char *text)
{
	bg_visible_add_some(naming->text, text, MESSAGE_MAX,
			    BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	const char *message =
		bg_arena_bytes(naming->arena, naming->text->bytes, naming->text->size);
	bg_buffer_clear(naming->text);
	return message;
}

/*
 * Base's policy is in force, so a change of it is worth a look but fails nothing. What stands
 * before a line's first ": " says what changed and holds no value: the name.
 */
static void add_policy_changes(struct bg_junit_list *list, const struct bg_result *result,
			       const struct naming *naming)
{
	const char *classname = class_name(naming, "policy");
	for (size_t i = 0; i < result->policy_change_count; i++) {
		const char *line = result->policy_changes[i], *end = strstr(line, ": ");
		size_t size = end ? (size_t)(end - line) : strlen(line);
		bg_buffer_text(naming->text, "policy ");
		bg_visible_add(naming->text, bg_arena_bytes(naming->arena, line, size), NAME_FLAGS);
		const char *name = take_name(naming);
		add_case(list, (struct bg_junit_case){
				       .classname = classname,
				       .name = name,
				       .outcome = BG_OUTCOME_PASS,
				       .message = take_message(naming, line),
			       });
	}
}

/* A red build always has a red case, and a document is never empty: Jenkins skips empty suites. */
static void add_run(struct bg_junit_list *list, const struct bg_report_view *view,
		    const struct naming *naming)
{
	const struct bg_report *report = view->report;
	bool red = false;
	for (size_t i = 0; i < report->cell_count && !red; i++)
		red = report->cells[i].outcome >= BG_OUTCOME_ERROR;
	const char *message = view->fault;
	if (!message && report->cell_count == 0)
		message = "nothing was measured: the run has no cell to judge";
	if (!message && view->exit_code != 0 && !red)
		message = report->sentence ? report->sentence : "nothing was judged";
	if (!message)
		return;
	add_case(list, (struct bg_junit_case){
			       .classname = class_name(naming, "batchgate"),
			       .name = "run",
			       .outcome = BG_OUTCOME_ERROR,
			       .type = type_of_exit(view->exit_code),
			       .message = take_message(naming, message),
		       });
}

static int by_name(const void *a, const void *b)
{
	const struct bg_junit_case *x = *(const struct bg_junit_case *const *)a;
	const struct bg_junit_case *y = *(const struct bg_junit_case *const *)b;
	int order = strcmp(x->classname, y->classname);
	if (order == 0)
		order = strcmp(x->name, y->name);
	return order != 0 ? order : (x > y) - (x < y);
}

/*
 * Readers keep only the first of two equal names. The mark cannot meet another name: in a visible
 * name a backslash is followed by x, u, U or a second one.
 */
static void tell_apart(struct bg_junit_list *list, struct bg_arena *arena)
{
	struct bg_junit_case **sorted = bg_arena_array(arena, list->count, sizeof *sorted);
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = &list->cases[i];
	qsort(sorted, list->count, sizeof *sorted, by_name);
	for (size_t i = 0, first = 0; i < list->count; i++) {
		if (strcmp(sorted[i]->classname, sorted[first]->classname) != 0 ||
		    strcmp(sorted[i]->name, sorted[first]->name) != 0)
			first = i;
		else if (i > first)
			sorted[i]->name =
				bg_arena_format(arena, "%s \\%zu", sorted[i]->name, i - first + 1);
	}
}

void bg_junit_cases(struct bg_junit_list *ret, const struct bg_report_view *view,
		    struct bg_arena *arena)
{
	const struct bg_report *report = view->report;
	BG_AUTO(bg_buffer_release) struct bg_buffer text;
	bg_buffer_init(&text, (size_t)1 << 24);
	struct naming naming = { .arena = arena, .text = &text };
	const char *suite = report->result->suite;
	bg_visible_add(&text, suite && *suite ? suite : "batchgate", NAME_FLAGS);
	naming.suite = take_name(&naming);
	*ret = (struct bg_junit_list){ .suite = naming.suite };
	size_t most = report->cell_count + report->result->policy_change_count + 1;
	ret->cases = bg_arena_array(arena, most, sizeof *ret->cases);
	if (view->cell_first == 0) {
		add_run(ret, view, &naming);
		add_policy_changes(ret, report->result, &naming);
	}
	add_cells(ret, view, &naming);
	tell_apart(ret, arena);
}
