#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sweeps/policy.h"
#include "tests/unit/comma_locale.h"
#include "tests/unit/two_suites.h"

#define WORKLOADS "workloads: [{use: exec, name: a, run: ./a}]\n"

static void assert_changes(const char *base, const char *head, const char *const *lines,
			   size_t count)
{
	struct two_suites two;
	const struct bg_filter everything = { 0 };
	two_suites_plan(&two, base, head, &everything);
	for (size_t i = 0; i < two.result.policy_change_count && i < count; i++)
		assert_string_equal(two.result.policy_changes[i], lines[i]);
	assert_int_equal(two.result.policy_change_count, count);
	two_suites_release(&two);
}

#define ASSERT_CHANGES(base, head, ...)                                                            \
	do {                                                                                       \
		static const char *const lines[] = { __VA_ARGS__ };                                \
		assert_changes(base, head, lines, sizeof lines / sizeof *lines);                   \
	} while (0)

static void equal_suites_have_no_changes(void **state)
{
	(void)state;
	static const char suite[] = "suite: s\n"
				    "workloads:\n"
				    "  - {use: exec, name: a, run: ./a, margins: {time: 5%}}\n"
				    "  - {use: gemm, batch: [1, 2]}\n"
				    "arms: {build: make}\n"
				    "margins: {time: 3%, setup: {floor: 1ms}}\n"
				    "judge: [setup]\n"
				    "aliases: {a: b}\n"
				    "removed: [c]\n";
	assert_changes(suite, suite, NULL, 0);
	/* The same said in other words. */
	assert_changes("suite: s\n" WORKLOADS "margins: {time: 3%}\narms: {build: make all}\n",
		       "suite: s\n" WORKLOADS
		       "margins: {time: 0.03}\narms: {build: [make, 'all']}\n",
		       NULL, 0);
}

static void margins_and_floors_are_told_with_what_was_in_force(void **state)
{
	(void)state;
	ASSERT_CHANGES("suite: s\n" WORKLOADS "margins: {time: 3%}\n",
		       "suite: s\n" WORKLOADS "margins: {time: 50%}\n",
		       "margins.time: 3 % -> 50 % (base's 3 % was used)");
	ASSERT_CHANGES(
		"suite: s\n" WORKLOADS,
		"suite: s\n" WORKLOADS
		"margins: {time: {worse: 7%, floor: 1ms}, memory.host_peak: {floor: 8MiB}}\n",
		"margins.time: not set -> 7 % (base's 2 % was used)",
		"margins.time.floor: not set -> 1 ms (base's 1 us was used)",
		"margins.memory.host_peak.floor: not set -> 8 MiB (base's 1 MiB was used)");
	ASSERT_CHANGES("suite: s\n" WORKLOADS "margins: {setup: 3%}\n", "suite: s\n" WORKLOADS,
		       "margins.setup: 3 % -> not set (base's 3 % was used)");
	/* What rounding would hide is told by all digits. */
	ASSERT_CHANGES("suite: s\n" WORKLOADS "margins: {time: 0.03}\n",
		       "suite: s\n" WORKLOADS "margins: {time: 0.0300000001}\n",
		       "margins.time: 0.03 -> 0.0300000001 (base's 3 % was used)");
}

static void a_workloads_margins_fall_back_to_bases_suite(void **state)
{
	(void)state;
	ASSERT_CHANGES("suite: s\n"
		       "workloads:\n"
		       "  - {use: exec, name: a, run: './a {x}', x: [1, 2]}\n"
		       "  - {use: exec, name: b, run: ./b, margins: {time: 9%}}\n"
		       "margins: {time: 4%}\n",
		       "suite: s\n"
		       "workloads:\n"
		       "  - {use: exec, name: a, run: './a {x}', x: [1, 2], margins: {time: 50%}}\n"
		       "  - {use: exec, name: b, run: ./b}\n"
		       "margins: {time: 4%}\n",
		       "workloads.a.margins.time: not set -> 50 % (base's 4 % was used)",
		       "workloads.b.margins.time: 9 % -> not set (base's 9 % was used)");
}

static void a_definition_is_told_key_by_key(void **state)
{
	(void)state;
	ASSERT_CHANGES(
		"suite: s\n"
		"workloads:\n"
		"  - {use: exec, name: a, run: [./a, 'x y'], timeout: 30s, threads: 2}\n",
		"suite: s\n"
		"workloads:\n"
		"  - {use: exec, name: a, run: [./a, \"it's\\n\"], timeout: 10m, turns: step}\n",
		"workloads.a.run: ./a 'x y' -> ./a 'it'\\''s\\x0A' (head's was run in both arms)",
		"workloads.a.timeout: 30 s -> 600 s (head's was used)",
		"workloads.a.threads: 2 -> not set (head's was used)",
		"workloads.a.turns: auto -> step (head's was used)");
	ASSERT_CHANGES("suite: s\nworkloads: [{use: gemm, timeout: 1s}]\n",
		       "suite: s\nworkloads: [{use: gemm}]\n",
		       "workloads.gemm.timeout: 1 s -> not set (head's was used)");
}

static void long_commands_are_cut_to_where_they_differ(void **state)
{
	(void)state;
	char base[2048], head[2048], line[1024], same[500], tail[301];
	memset(same, 'x', sizeof same - 1);
	same[sizeof same - 1] = '\0';
	memset(tail, 'y', sizeof tail - 1);
	tail[sizeof tail - 1] = '\0';
	snprintf(base, sizeof base, "suite: s\nworkloads: [{use: exec, name: a, run: ./%s1}]\n",
		 same);
	snprintf(head, sizeof head, "suite: s\nworkloads: [{use: exec, name: a, run: ./%s2%s}]\n",
		 same, tail);
	snprintf(line, sizeof line,
		 "workloads.a.run: ...%.20s1 -> ...%.20s2%.179s... (head's was run in both arms)",
		 same, same, tail);
	const char *const lines[] = { line };
	assert_changes(base, head, lines, 1);
}

static void the_suites_own_keys_are_told_in_their_order(void **state)
{
	(void)state;
	ASSERT_CHANGES("suite: s\n" WORKLOADS "removed: [c, d]\n"
		       "aliases: {a: b}\n"
		       "judge: [setup]\n",
		       "suite: t\n" WORKLOADS "judge: [start]\n"
		       "aliases: {a: e}\n"
		       "removed: [d, 'f/*']\n"
		       "arms: {build: make, carry: [x, y]}\n",
		       "suite: s -> t (head's was used)",
		       "arms.build: not set -> make (head's was run in both arms)",
		       "arms.carry: not set -> x y (head's was used)",
		       "judge.setup: judged -> not judged (base's was used)",
		       "judge.start: not judged -> judged (base's was used)",
		       "aliases.a: b -> e (head's was used)",
		       "removed.f/*: not listed -> listed (head's was used)",
		       "removed.c: listed -> not listed (head's was used)");
	ASSERT_CHANGES("suite: s\n" WORKLOADS "aliases: {a: b}\n", "suite: s\n" WORKLOADS,
		       "aliases.a: b -> not set (head's was used)");
}

static void a_renamed_workload_is_compared_with_what_it_was(void **state)
{
	(void)state;
	ASSERT_CHANGES("suite: s\n"
		       "workloads: [{use: exec, name: a, run: ./a, margins: {time: 3%}}]\n",
		       "suite: s\n"
		       "workloads: [{use: exec, name: b, run: ./b}]\n"
		       "aliases: {b: a}\n",
		       "workloads.b.run: ./a -> ./b (head's was run in both arms)",
		       "workloads.b.margins.time: 3 % -> not set (base's 3 % was used)",
		       "aliases.b: not set -> a (head's was used)");
}

static void a_new_case_before_the_known_ones_hides_nothing(void **state)
{
	(void)state;
	ASSERT_CHANGES("suite: s\nworkloads: [{use: exec, name: a, run: './a {x}', x: 2}]\n",
		       "suite: s\n"
		       "workloads: [{use: exec, name: a, run: './a -q {x}', x: [1, 2]}]\n",
		       "workloads.a.run: ./a {x} -> ./a -q {x} (head's was run in both arms)");
}

/* A workload may stand in the suite twice, with margins for some cases only. */
static void entries_of_one_workload_are_told_apart_by_their_cases(void **state)
{
	(void)state;
	ASSERT_CHANGES("suite: s\n"
		       "workloads:\n"
		       "  - {use: gemm, engine: openblas, batch: 1, margins: {time: 1%}}\n"
		       "  - {use: gemm, engine: openblas, batch: 2, margins: {time: 9%}}\n",
		       "suite: s\n"
		       "workloads:\n"
		       "  - {use: gemm, engine: openblas, batch: 2, margins: {time: 9%}}\n"
		       "  - {use: gemm, engine: openblas, batch: 1, margins: {time: 2%}}\n",
		       "workloads.gemm.margins.time: 1 % -> 2 % (base's 1 % was used)");
}

static void a_thousand_lines_are_the_limit(void **state)
{
	(void)state;
	static char base[200000], head[200000];
	struct two_suites two;
	const struct bg_filter everything = { 0 };
	size_t size = (size_t)snprintf(base, sizeof base, "suite: s\nworkloads:\n");
	snprintf(head, sizeof head, "%s", base);
	for (unsigned i = 0; i < 1200; i++) {
		snprintf(head + size, sizeof head - size, "  - {use: exec, name: w%u, run: ./b}\n",
			 i);
		size += (size_t)snprintf(base + size, sizeof base - size,
					 "  - {use: exec, name: w%u, run: ./a}\n", i);
	}
	two_suites_plan(&two, base, head, &everything);
	assert_int_equal(two.result.policy_change_count, BG_POLICY_CHANGES_MAX);
	assert_string_equal(two.result.policy_changes[999], "further changes: 201, not listed");
	two_suites_release(&two);
}

static void a_comma_locale_changes_no_byte(void **state)
{
	(void)state;
	if (!comma_locale_set())
		skip();
	ASSERT_CHANGES("suite: s\n" WORKLOADS "margins: {time: {worse: 2.5%, floor: 1.5us}}\n",
		       "suite: s\n" WORKLOADS "margins: {time: {worse: 3.5%, floor: 2.5us}}\n",
		       "margins.time: 2.5 % -> 3.5 % (base's 2.5 % was used)",
		       "margins.time.floor: 1.5 us -> 2.5 us (base's 1.5 us was used)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_suites_have_no_changes),
		cmocka_unit_test(margins_and_floors_are_told_with_what_was_in_force),
		cmocka_unit_test(a_workloads_margins_fall_back_to_bases_suite),
		cmocka_unit_test(a_definition_is_told_key_by_key),
		cmocka_unit_test(long_commands_are_cut_to_where_they_differ),
		cmocka_unit_test(the_suites_own_keys_are_told_in_their_order),
		cmocka_unit_test(a_renamed_workload_is_compared_with_what_it_was),
		cmocka_unit_test(a_new_case_before_the_known_ones_hides_nothing),
		cmocka_unit_test(entries_of_one_workload_are_told_apart_by_their_cases),
		cmocka_unit_test(a_thousand_lines_are_the_limit),
		cmocka_unit_test(a_comma_locale_changes_no_byte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
