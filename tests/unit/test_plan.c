#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/two_suites.h"

#include <math.h>

static const struct bg_filter everything;

static const struct bg_case_result *find(const struct two_suites *two, const char *name)
{
	for (size_t i = 0; i < two->result.case_count; i++)
		if (strcmp(two->result.cases[i].name, name) == 0)
			return &two->result.cases[i];
	fail_msg("there is no case %s", name);
	return NULL;
}

static void assert_state(const struct two_suites *two, const char *name, enum bg_case_state state,
			 const char *reason)
{
	const struct bg_case_result *of = find(two, name);
	assert_int_equal(of->state, state);
	if (reason)
		assert_string_equal(of->reason, reason);
	else
		assert_null(of->reason);
}

static void a_changed_definition_is_measured_all_the_same(void **state)
{
	(void)state;
	struct two_suites two;
	two_suites_plan(&two,
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: a, run: ./a}\n"
			"  - {use: exec, name: b, run: ./b, timeout: 1s}\n",
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: a, run: ./a --fast}\n"
			"  - {use: exec, name: b, run: ./b, timeout: 9s}\n",
			&everything);
	assert_state(&two, "a", BG_CASE_MEASURED, NULL);
	assert_state(&two, "b", BG_CASE_MEASURED, NULL);
	assert_string_equal(two.session.runs[0].of->command[1], "--fast");
	assert_true(two.session.runs[1].of->entry->timeout_s == 9);
	two_suites_release(&two);
}

static void a_renamed_case_is_missing_and_new_with_a_hint(void **state)
{
	(void)state;
	struct two_suites two;
	two_suites_plan(&two,
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: a, run: './a {x}', x: [1, 2]}\n"
			"  - {use: exec, name: c, run: ./c}\n",
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: b, run: './a {x}', x: [1, 2]}\n",
			&everything);
	static const char hint[] = "base's suite has this case, head's does not, but a new one of "
				   "the same definition; "
				   "if it was renamed, say so: aliases: { b: a }";
	assert_state(&two, "a/x=1", BG_CASE_MISSING, hint);
	assert_state(&two, "a/x=2", BG_CASE_MISSING, hint);
	assert_state(&two, "c", BG_CASE_MISSING,
		     "base's suite has this case, head's does not; if that is meant, list it under "
		     "removed:");
	assert_state(&two, "b/x=2", BG_CASE_NEW,
		     "nothing to compare with: base's suite has no such case");
	two_suites_release(&two);
}

static void an_alias_is_compared_with_the_old_name_by_its_policy(void **state)
{
	(void)state;
	struct two_suites two;
	two_suites_plan(
		&two,
		"suite: s\nworkloads:\n"
		"  - {use: exec, name: a, run: './a {x}', x: [1, 2, 4], margins: {time: 7%}}\n"
		"margins: {memory.host_peak: 8%}\n",
		"suite: s\nworkloads:\n"
		"  - {use: exec, name: b, run: './b {x}', x: [1, 2, 3], margins: {time: 90%}}\n"
		"margins: {memory.host_peak: 90%}\n"
		"aliases: {b: a}\n"
		"removed: [a/x=4]\n",
		&everything);
	assert_state(&two, "b/x=1", BG_CASE_MEASURED, NULL);
	assert_state(&two, "b/x=2", BG_CASE_MEASURED, NULL);
	assert_state(&two, "b/x=3", BG_CASE_NEW,
		     "nothing to compare with: base's suite has no such case, nor 'a/x=3'");
	assert_state(&two, "a/x=4", BG_CASE_REMOVED,
		     "gone from head, and listed under removed: in line 6 of its suite");
	assert_int_equal(two.result.case_count, 4);
	assert_string_equal(two.session.runs[0].of->command[0], "./b");
	for (size_t i = 0; i < two.result.case_count; i++) {
		assert_true(fabs(two.result.cases[i].margin[BG_METRIC_TIME] - .07) < 1e-12);
		assert_true(fabs(two.result.cases[i].margin[BG_METRIC_HOST_PEAK] - .08) < 1e-12);
	}
	two_suites_release(&two);
}

/* After the rename is merged, base has the new name; the alias stays for older history. */
static void an_alias_that_base_knows_by_its_new_name_does_nothing(void **state)
{
	(void)state;
	struct two_suites two;
	static const char suite[] = "suite: s\nworkloads:\n"
				    "  - {use: exec, name: b, run: ./a}\n"
				    "aliases: {b: a}\nremoved: [c]\n";
	two_suites_plan(&two, suite, suite, &everything);
	assert_int_equal(two.result.case_count, 1);
	assert_state(&two, "b", BG_CASE_MEASURED, NULL);
	assert_int_equal(two.result.policy_change_count, 0);
	assert_int_equal(two.result.condition_count, 1);
	assert_string_equal(two.result.conditions[0],
			    "removed: names what base does not have either: c");
	two_suites_release(&two);
}

static void twice_renamed_is_found_by_its_oldest_name(void **state)
{
	(void)state;
	struct two_suites two;
	two_suites_plan(&two, "suite: s\nworkloads: [{use: exec, name: a, run: ./a}]\n",
			"suite: s\nworkloads: [{use: exec, name: c, run: ./a}]\n"
			"aliases: {c: b, b: a}\n",
			&everything);
	assert_int_equal(two.result.case_count, 1);
	assert_state(&two, "c", BG_CASE_MEASURED, NULL);
	two_suites_release(&two);
}

/* --only takes head's names; what base called a case does not matter. */
static void a_filter_does_not_hide_the_old_name(void **state)
{
	(void)state;
	static const char *const globs[] = { "b" };
	const struct bg_filter filter = { .glob_count = 1, .globs = globs };
	struct two_suites two;
	two_suites_plan(&two,
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: a, run: ./a}\n"
			"  - {use: exec, name: gone, run: ./c}\n",
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: b, run: ./a}\n"
			"  - {use: exec, name: d, run: ./d}\n"
			"aliases: {b: a}\n",
			&filter);
	assert_int_equal(two.result.case_count, 1);
	assert_state(&two, "b", BG_CASE_MEASURED, NULL);
	two_suites_release(&two);
}

static void without_a_suite_of_base_all_is_new_by_heads_policy(void **state)
{
	(void)state;
	struct two_suites two;
	two_suites_plan(&two, NULL,
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: a, run: ./a, margins: {time: 9%}}\n"
			"aliases: {a: b}\nremoved: [c]\n",
			&everything);
	assert_state(&two, "a", BG_CASE_NEW, "nothing to compare with: base has no base.yml");
	assert_true(fabs(two.result.cases[0].margin[BG_METRIC_TIME] - .09) < 1e-12);
	assert_int_equal(two.result.policy_change_count, 0);
	assert_int_equal(two.result.condition_count, 0);
	two_suites_release(&two);
}

static void what_is_judged_is_bases_choice(void **state)
{
	(void)state;
	struct two_suites two;
	two_suites_plan(&two,
			"suite: s\nworkloads: [{use: exec, name: a, run: ./a}]\njudge: [setup]\n",
			"suite: s\nworkloads: [{use: exec, name: a, run: ./a}]\njudge: [start]\n",
			&everything);
	assert_true(two.session.runs[0].judged[BG_METRIC_SETUP]);
	assert_false(two.session.runs[0].judged[BG_METRIC_START]);
	two_suites_release(&two);
}

/* Of one workload's margin and the suite's, both are base's: never one of each arm. */
static void a_margin_is_never_put_together_from_both_suites(void **state)
{
	(void)state;
	struct two_suites two;
	two_suites_plan(&two,
			"suite: s\nworkloads: [{use: exec, name: a, run: ./a}]\n"
			"margins: {time: 4%}\n",
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: a, run: ./a, margins: {time: 50%}}\n"
			"  - {use: exec, name: n, run: ./n}\n"
			"margins: {time: 60%, memory.host_peak: {worse: 70%, floor: 1 GiB}}\n",
			&everything);
	assert_true(fabs(find(&two, "a")->margin[BG_METRIC_TIME] - .04) < 1e-12);
	assert_true(fabs(find(&two, "a")->margin[BG_METRIC_HOST_PEAK] - .01) < 1e-12);
	assert_true(find(&two, "a")->floor[BG_METRIC_HOST_PEAK] == 0x1p20);
	assert_true(fabs(find(&two, "n")->margin[BG_METRIC_TIME] - .04) < 1e-12);
	two_suites_release(&two);
}

/* Else a commit could drop one workload from its worker, and no other would be judged. */
static void a_workload_of_base_that_cannot_be_run_does_not_hide_the_others(void **state)
{
	(void)state;
	struct two_suites two;
	static const char base[] = "suite: s\nworkloads:\n"
				   "  - {use: exec, name: a, run: ./a}\n"
				   "  - {use: nosuch, n: [1, 2]}\n"
				   "  - {use: nosuch, n: 3}\n"
				   "  - {use: other}\n"
				   "  - {use: gemm, engine: openblas, batch: 2}\n"
				   "  - {use: gemm, engine: openblas, batch: [4, x]}\n";
	two_suites_plan(&two, base,
			"suite: s\nworkloads:\n"
			"  - {use: exec, name: a, run: ./a}\n"
			"  - {use: gemm, engine: openblas, batch: [2, 4]}\n"
			"removed: [other]\n",
			&everything);
	assert_int_equal(two.result.case_count, 5);
	assert_state(&two, "a", BG_CASE_MEASURED, NULL);
	assert_state(&two, "gemm/engine=openblas,batch=2", BG_CASE_MEASURED, NULL);
	assert_state(&two, "gemm/engine=openblas,batch=4", BG_CASE_NEW,
		     "nothing to compare with: base's suite has no such case");
	assert_state(&two, "nosuch", BG_CASE_MISSING,
		     "base's suite has this workload, head's does not, and it cannot be run "
		     "(base.yml:4:5: unknown workload 'nosuch'; there are gemm, exec, program, "
		     "plugin; not available: "
		     "blis (not built)); if that is meant, list it under removed:");
	assert_state(&two, "other", BG_CASE_REMOVED,
		     "gone from head, and listed under removed: in line 5 of its suite");
	assert_int_equal(two.result.condition_count, 2);
	assert_string_equal(two.result.conditions[1],
			    "base's suite cannot be run in full: base.yml:8:46: batch is 'x'; "
			    "allowed: whole numbers from 1 to 4096");
	two_suites_release(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_definition_is_measured_all_the_same),
		cmocka_unit_test(a_renamed_case_is_missing_and_new_with_a_hint),
		cmocka_unit_test(an_alias_is_compared_with_the_old_name_by_its_policy),
		cmocka_unit_test(an_alias_that_base_knows_by_its_new_name_does_nothing),
		cmocka_unit_test(twice_renamed_is_found_by_its_oldest_name),
		cmocka_unit_test(a_filter_does_not_hide_the_old_name),
		cmocka_unit_test(without_a_suite_of_base_all_is_new_by_heads_policy),
		cmocka_unit_test(what_is_judged_is_bases_choice),
		cmocka_unit_test(a_margin_is_never_put_together_from_both_suites),
		cmocka_unit_test(a_workload_of_base_that_cannot_be_run_does_not_hide_the_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
