#ifndef BG_REPORTERS_JUNIT_CASE_H
#define BG_REPORTERS_JUNIT_CASE_H
/*
 * The test cases of a JUnit document: one a cell, one a policy change, and one for the run itself
 * where something must turn a build red that no cell does. Names are visible text, unique within
 * the document, and carry no value that changes from run to run.
 */
#include "gate/core/arena.h"
#include "reporters/reporter.h"

struct bg_junit_case {
	const struct bg_cell *cell; /* NULL: the run's own */
	const char *classname, *name;
	enum bg_outcome outcome;
	const char *type;    /* of failure or error: one plain word */
	const char *message; /* the run's own: one visible line; a cell's is its sentence */
};

struct bg_junit_list {
	size_t count;
	struct bg_junit_case *cases;
	size_t failures, errors, skipped;
	const char *suite; /* visible */
};

/* Names longer than this many bytes are cut in the middle and get a hash of the whole. */
#define BG_JUNIT_NAME_MAX 1024

/* Borrows the view's report; the rest is owned by the arena. Cost: O(cells log cells). */
void bg_junit_cases(struct bg_junit_list *ret, const struct bg_report_view *view,
		    struct bg_arena *arena);
#endif
