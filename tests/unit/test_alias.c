#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/two_suites.h"

#define SUITE                                                                                      \
	"suite: s\n"                                                                               \
	"workloads:\n"                                                                             \
	"  - {use: exec, name: a, run: ./a}\n"                                                     \
	"  - {use: exec, name: b, run: './b {x}', x: [1, 2]}\n"

static const struct bg_filter everything;

static void assert_message(const char *rest, const char *message)
{
	struct two_suites two;
	char text[512];
	snprintf(text, sizeof text, SUITE "%s", rest);
	assert_string_equal(two_suites_check(&two, text, &everything), message);
	two_suites_release(&two);
}

static void aliases_that_say_something_are_taken(void **state)
{
	(void)state;
	assert_message("aliases: {a: old, b/x=1: 'old-b/x=1'}\n", "");
	/* Of a workload without axes: one case, which may have had some. */
	assert_message("aliases: {a: old/size=3}\n", "");
	/* A case that had no axes. */
	assert_message("aliases: {b/x=1: c}\n", "");
	/* Older and older names, on both levels. */
	assert_message("aliases: {b: b1, b1: b2, b2/x=2: b3/y=2}\n", "");
}

static void a_name_must_lead_to_something_that_is_there(void **state)
{
	(void)state;
	assert_message(
		"aliases:\n  fgh: d\n",
		"head.yml:6:3: aliases: 'fgh' is no workload or case of this suite, nor an old "
		"name of one");
	assert_message(
		"aliases:\n  b/x=3: d\n",
		"head.yml:6:3: aliases: 'b/x=3' is no workload or case of this suite, nor an "
		"old name of one");
	assert_message("aliases:\n  c: d\n  d: c\n",
		       "head.yml:6:3: aliases: 'c' leads back to itself, or through more than 64 "
		       "names");
	assert_message("aliases:\n  c: c\n",
		       "head.yml:6:3: aliases: 'c' leads back to itself, or through more than 64 "
		       "names");
}

static void an_old_name_must_be_gone_and_belong_to_one(void **state)
{
	(void)state;
	assert_message(
		"aliases:\n  a: b\n",
		"head.yml:6:3: aliases: 'b' is the old name of 'a', but this suite still has "
		"it");
	assert_message(
		"aliases: {a: a}\n",
		"head.yml:5:11: aliases: 'a' is the old name of 'a', but this suite still has "
		"it");
	assert_message(
		"aliases:\n  a: b/x=2\n",
		"head.yml:6:3: aliases: 'b/x=2' is the old name of 'a', but this suite still "
		"has it");
	assert_message(
		"aliases:\n  a: c\n  b: c\n",
		"head.yml:7:3: aliases: 'c' is the old name of two; the other is 'a' in line "
		"6");
}

static void a_workload_was_a_workload(void **state)
{
	(void)state;
	assert_message("aliases:\n  b: c/x=1\n",
		       "head.yml:6:3: aliases: 'b' is a workload and 'c/x=1' a case; allowed: a "
		       "workload's old name for a workload, a case's for a case");
}

static void what_is_no_name_is_refused_where_it_stands(void **state)
{
	(void)state;
	assert_message("aliases: [a]\n",
		       "head.yml:5:10: aliases must be a map from new names to old ones, such as { "
		       "tokenizer-fast: tokenizer }");
	assert_message("aliases: {}\n",
		       "head.yml:5:10: aliases must be a map from new names to old ones, such as { "
		       "tokenizer-fast: tokenizer }");
	assert_message("aliases:\n  a: 'x y'\n",
		       "head.yml:6:6: aliases: 'x y' is no name of a workload or case; allowed: "
		       "names as reports show them, such as tokenizer or tokenizer/batch=16");
	assert_message(
		"aliases:\n  'a*': x\n",
		"head.yml:6:3: aliases: 'a*' is no name of a workload or case; allowed: names "
		"as reports show them, such as tokenizer or tokenizer/batch=16");
	assert_message("aliases:\n  a: [x]\n",
		       "head.yml:6:6: each alias must be one value, not a list");
	assert_message("aliases: {a: x, a: y}\n",
		       "head.yml:5:17: duplicate key 'a'; the first is in line 5");
}

static void values_given_by_axis_leave_cases_unchecked_and_workloads_not(void **state)
{
	(void)state;
	struct bg_axis_text x = { "x", "7" };
	const struct bg_filter filter = { .axis_count = 1, .axes = &x };
	struct two_suites two;
	assert_string_equal(two_suites_check(&two, SUITE "aliases: {b/x=1: b/y=1}\n", &filter), "");
	two_suites_release(&two);
	assert_string_equal(
		two_suites_check(&two, SUITE "aliases: {fgh: d}\n", &filter),
		"head.yml:5:11: aliases: 'fgh' is no workload or case of this suite, nor "
		"an old name of one");
	two_suites_release(&two);
}

static void cases_left_out_by_only_are_still_there(void **state)
{
	(void)state;
	static const char *const globs[] = { "a" };
	const struct bg_filter filter = { .glob_count = 1, .globs = globs };
	struct two_suites two;
	assert_string_equal(two_suites_check(&two, SUITE "aliases: {b/x=1: c}\n", &filter), "");
	two_suites_release(&two);
}

static void old_names_are_found_case_by_case_and_step_by_step(void **state)
{
	(void)state;
	struct two_suites two;
	struct bg_alias_index index;
	assert_string_equal(two_suites_check(&two,
					     SUITE "aliases: {b: b1, b/x=1: 'b0/x=1', b1: b2}\n",
					     &everything),
			    "");
	bg_alias_index_make(&index, &two.suite[1], &two.arena);
	assert_string_equal(bg_alias_old_name(&index, "b/x=1", &two.arena), "b0/x=1");
	assert_string_equal(bg_alias_old_name(&index, "b/x=2", &two.arena), "b1/x=2");
	assert_string_equal(bg_alias_old_name(&index, "b1/x=2", &two.arena), "b2/x=2");
	assert_string_equal(bg_alias_old_name(&index, "b", &two.arena), "b1");
	assert_null(bg_alias_old_name(&index, "b2/x=2", &two.arena));
	assert_null(bg_alias_old_name(&index, "bb/x=2", &two.arena));
	two_suites_release(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aliases_that_say_something_are_taken),
		cmocka_unit_test(a_name_must_lead_to_something_that_is_there),
		cmocka_unit_test(an_old_name_must_be_gone_and_belong_to_one),
		cmocka_unit_test(a_workload_was_a_workload),
		cmocka_unit_test(what_is_no_name_is_refused_where_it_stands),
		cmocka_unit_test(values_given_by_axis_leave_cases_unchecked_and_workloads_not),
		cmocka_unit_test(cases_left_out_by_only_are_still_there),
		cmocka_unit_test(old_names_are_found_case_by_case_and_step_by_step),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
