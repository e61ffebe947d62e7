#ifndef BG_TESTS_TWO_SUITES_H
#define BG_TESTS_TWO_SUITES_H
/* Base's and head's suite, from texts to the plan of a gate. */
#include "sweeps/alias.h"
#include "sweeps/plan.h"
#include "sweeps/removal.h"
#include "tests/unit/suite_catalogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct two_suites {
	struct bg_arena arena;
	struct bg_suite suite[2]; /* base, head */
	struct bg_case_list cases[2];
	struct bg_session session;
	struct bg_result result;
	struct bg_error err;
};

static inline void two_suites_release(struct two_suites *two)
{
	bg_arena_release(&two->arena);
}

static inline bool two_suites_read(struct two_suites *two, size_t arm, const char *text,
				   const struct bg_filter *filter)
{
	struct bg_suite *suite = &two->suite[arm];
	return bg_suite_parse(suite, text, strlen(text), arm ? "head.yml" : "base.yml", &two->arena,
			      &two->err) == BG_OK &&
	       bg_cases_expand(&two->cases[arm], suite, &suite_catalogue, filter, &two->arena,
			       &two->err) == BG_OK;
}

/* What is wrong with a suite's aliases and removals, or "". Owned by two. */
static inline const char *two_suites_check(struct two_suites *two, const char *text,
					   const struct bg_filter *filter)
{
	*two = (struct two_suites){ .err = BG_ERROR_INIT };
	if (!two_suites_read(two, 1, text, filter))
		return two->err.text;
	const struct bg_name_map *names = filter->axis_count == 0 ? &two->cases[1].names : NULL;
	if (bg_aliases_check(&two->suite[1], names, &two->arena, &two->err) != BG_OK ||
	    bg_removed_check(&two->suite[1], names, &two->arena, &two->err) != BG_OK)
		return two->err.text;
	return "";
}

/* Plans a gate of both; base NULL: base has no suite. The session is good for its runs only. */
static inline void two_suites_plan(struct two_suites *two, const char *base, const char *head,
				   const struct bg_filter *filter)
{
	const struct bg_filter whole = { .axis_count = filter->axis_count,
					 .axes = filter->axes,
					 .lenient = true };
	assert_string_equal(two_suites_check(two, head, filter), "");
	if (base && !two_suites_read(two, 0, base, &whole))
		fail_msg("%s", two->err.text);
	two->session.result = &two->result;
	two->session.arena = &two->arena;
	bg_plan_make(&two->session,
		     &(struct bg_plan_input){ .base_suite = base ? &two->suite[0] : NULL,
					      .head_suite = &two->suite[1],
					      .base = base ? &two->cases[0] : NULL,
					      .head = &two->cases[1],
					      .filter = filter,
					      .base_lacks = "base has no base.yml" });
}
#endif
