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

static void what_is_gone_may_be_named_by_workload_case_or_glob(void **state)
{
	(void)state;
	assert_message("removed: [c, b/x=3, 'c/*', 'b/x=?3']\n", "");
	assert_message("aliases: {a: c}\nremoved: [d, c/x=1]\n", "");
}

static void what_is_still_there_is_refused(void **state)
{
	(void)state;
	assert_message("removed:\n  - b\n",
		       "head.yml:6:5: removed: 'b', but this suite still has 'b'");
	assert_message("removed: [c, b/x=2]\n",
		       "head.yml:5:14: removed: 'b/x=2', but this suite still has 'b/x=2'");
	assert_message("removed: ['b/x=?']\n",
		       "head.yml:5:11: removed: 'b/x=?', but this suite still has 'b/x=1'");
	assert_message("removed: ['*']\n",
		       "head.yml:5:11: removed: '*', but this suite still has 'a'");
	assert_message(
		"aliases: {a: c}\nremoved: [c]\n",
		"head.yml:6:11: removed: 'c' is the old name of 'a' under aliases:; it is one "
		"or the other");
}

static void what_is_no_name_is_refused_where_it_stands(void **state)
{
	(void)state;
	assert_message("removed: c\n", "head.yml:5:10: removed must be a list, such as [a, b]");
	assert_message("removed: []\n", "head.yml:5:10: removed is an empty list");
	assert_message(
		"removed: ['c d']\n",
		"head.yml:5:11: removed: 'c d' is no name of a workload or case; allowed: "
		"names as reports show them, such as tokenizer or 'tokenizer/batch=*', where "
		"* and ? stand for other characters");
	assert_message("removed: [c, d, c]\n", "head.yml:5:17: removed lists 'c' twice");
	assert_message("removed: [{c: d}]\n",
		       "head.yml:5:11: each item of removed must be one value, not a map");
}

static void globs_are_bounded_in_number(void **state)
{
	(void)state;
	struct two_suites two;
	char text[4096] = SUITE "removed: [";
	for (unsigned i = 0; i < 101; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%u*,", 100 + i);
	snprintf(text + strlen(text), sizeof text - strlen(text), "]\n");
	assert_string_equal(two_suites_check(&two, text, &everything),
			    "head.yml:5:511: removed has more than 100 items with * or ?");
	two_suites_release(&two);
}

static void globs_match_as_a_shell_would(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "c/*", "c/x=1", true },
		{ "c/*", "c", false },
		{ "c*", "c", true },
		{ "c*", "c/x=1,y=2", true },
		{ "*y=2", "c/x=1,y=2", true },
		{ "*y=2", "c/x=1,y=22", false },
		{ "*x*y*", "c/x=1,y=2", true },
		{ "*y*x*", "c/x=1,y=2", false },
		{ "c/x=?", "c/x=12", false },
		{ "c/x=??", "c/x=12", true },
		{ "*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
		{ "c", "cc", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bg_removal removal = { .pattern = cases[i].pattern,
					      .is_glob = strpbrk(cases[i].pattern, "*?") != NULL };
		struct bg_suite suite = { .removal_count = 1, .removals = &removal };
		if ((bg_removal_of(&suite, cases[i].name, "w") != NULL) != cases[i].matches)
			fail_msg("%s, %s", cases[i].pattern, cases[i].name);
	}
}

static void a_workload_stands_for_all_its_cases(void **state)
{
	(void)state;
	struct bg_removal removals[] = { { "w", false, { 1, 1 } }, { "w/*", true, { 2, 1 } } };
	struct bg_suite suite = { .removal_count = 2, .removals = removals };
	assert_ptr_equal(bg_removal_of(&suite, "w/x=1", "w"), &removals[0]);
	assert_null(bg_removal_of(&suite, "v/x=1", "v"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_gone_may_be_named_by_workload_case_or_glob),
		cmocka_unit_test(what_is_still_there_is_refused),
		cmocka_unit_test(what_is_no_name_is_refused_where_it_stands),
		cmocka_unit_test(globs_are_bounded_in_number),
		cmocka_unit_test(globs_match_as_a_shell_would),
		cmocka_unit_test(a_workload_stands_for_all_its_cases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
