#include "tests/unit/suite_catalogue.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct bg_arena arena;

static int drop_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

static const char *expand(const char *text, size_t size, const struct bg_filter *filter,
			  struct bg_suite *suite, struct bg_case_list *cases)
{
	static struct bg_error err;
	err = (struct bg_error)BG_ERROR_INIT;
	*cases = (struct bg_case_list){ 0 };
	if (bg_suite_parse(suite, text, size, "s.yml", &arena, &err) != BG_OK ||
	    bg_cases_expand(cases, suite, &suite_catalogue, filter, &arena, &err) != BG_OK)
		return err.text;
	return "";
}

static struct bg_case_list cases_of(const char *text)
{
	struct bg_suite suite;
	struct bg_case_list cases;
	assert_string_equal(expand(text, strlen(text), &(struct bg_filter){ 0 }, &suite, &cases),
			    "");
	return cases;
}

static void assert_names(const struct bg_case_list *cases, const char *const *names, size_t count)
{
	assert_int_equal(cases->count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(cases->cases[i].name, names[i]);
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__ })

/* What is wrong, and the one line that says so. */
static const struct {
	const char *suite, *message;
} mistakes[] = {
	{ "suite: s\n"
	  "workloads:\n"
	  "  - &x\n"
	  "    use: exec\n"
	  "    name: a\n"
	  "    run: b\n"
	  "  - *x\n",
	  "s.yml:3:5: anchors (&name) are not supported; remove it" },
	{ "suite: &a s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n",
	  "s.yml:1:8: anchors (&name) are not supported; remove it" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    engine: openblass\n",
	  "s.yml:4:13: unknown engine 'openblass' (did you mean openblas?); there are openblas, "
	  "onednn; not available: blis (not built)" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    shape: bert-base\n",
	  "s.yml:4:12: shape is 'bert-base'; allowed: MxNxK in whole numbers, such as 512x512x512 "
	  "(names of models are not known to this version)" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    m: 0\n",
	  "s.yml:4:8: m is '0'; allowed: whole numbers from 1 to 65536" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    m: 1.5\n",
	  "s.yml:4:8: m is '1.5'; allowed: whole numbers from 1 to 65536" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    m: -3\n",
	  "s.yml:4:8: m is '-3'; allowed: whole numbers from 1 to 65536" },
	{ "suite: s\n"
	  "suite: t\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n",
	  "s.yml:2:1: duplicate key 'suite'; the first is in line 1" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n",
	  "s.yml:7:11: two workloads are named 'a'; the other is in line 3" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    m: [5, 5]\n",
	  "s.yml:4:12: m has the value '5' twice" },
	{ "", "s.yml:1:1: the suite is empty; it needs suite: and workloads:" },
	{ "suite: s\n"
	  "workloads: []\n",
	  "s.yml:2:12: workloads is an empty list" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    m: 99999999999999999999\n",
	  "s.yml:4:8: m is '99999999999999999999'; allowed: whole numbers from 1 to 65536" },
	{ "- a\n", "s.yml:1:1: the suite must be a map with keys such as suite:" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n"
	  "margins:\n"
	  "  tim: 3%\n",
	  "s.yml:7:3: unknown metric 'tim' (did you mean time?); allowed: time, time.mean, "
	  "latency.p50, latency.p90, latency.p99, memory.host_peak, memory.device_peak, "
	  "energy.per_item, power.mean, setup, start, io.read, io.write" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n"
	  "margins:\n"
	  "  time: 300%\n",
	  "s.yml:7:9: time has the margin '300%'; allowed: above 0 and at most 100%, such as 3% or "
	  "0.03" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - <<: {use: exec}\n"
	  "    name: a\n"
	  "    run: b\n",
	  "s.yml:3:5: merge keys (<<) are not supported; write the keys" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    m: [[5]]\n",
	  "s.yml:4:9: each value of m must be one value, not a list" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    run: ./a\n",
	  "s.yml:3:5: a workload with use: exec needs the key name:" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n",
	  "s.yml:3:5: a workload with use: exec needs the key run:" },
	{ "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n",
	  "s.yml:1:1: the suite needs the key suite:" },
	{ "suite: s\n", "s.yml:1:1: the suite needs the key workloads:" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a | cat\n",
	  "s.yml:5:10: unquoted | needs a shell; write [sh, -c, '...'] to have one, or quote it to "
	  "mean the character" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a 'b\n",
	  "s.yml:5:10: a ' without its closing '" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a {b}\n"
	  "    b: 8..1 x2\n",
	  "s.yml:6:8: range '8..1 x2' descends; write the smaller end first" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a {b}\n"
	  "    b: 1..8\n",
	  "s.yml:6:8: range '1..8' has no step; write 1..64 x2 or 1..9 +2" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    shape: 1x2x3\n"
	  "    m: 5\n",
	  "s.yml:5:5: m beside shape, which stands for m, n and k; give one or the other" },
	{ "suite:\ts\n"
	  "\tx: y\n",
	  "s.yml:2:1: not valid YAML: found a tab character that violates indentation (while "
	  "scanning a plain scalar that starts in line 1)" },
	{ "suite: !!str s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n",
	  "s.yml:1:8: tags (!name) are not supported; a value's type comes from its key" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n"
	  "    timeout: forever\n",
	  "s.yml:6:14: timeout is 'forever'; allowed: 1ms to 24h, such as 30s or 10m" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n"
	  "---\n"
	  "suite: t\n",
	  "s.yml:6:1: a second document; a suite is one document" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a {batch}\n",
	  "s.yml:5:10: {batch} in run is no axis of this workload; add batch: with its values, or "
	  "write {{batch}} for the braces" },
	{ "suite: s\n"
	  "workload:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n",
	  "s.yml:2:1: unknown key 'workload' in the suite (did you mean workloads?); allowed: "
	  "suite, workloads, arms, margins, judge, aliases, removed" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    dtyp: f32\n",
	  "s.yml:4:5: unknown key 'dtyp' (did you mean dtype?); gemm has the axes engine, m, n, k, "
	  "batch, dtype, shape" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gem\n",
	  "s.yml:3:5: unknown workload 'gem' (did you mean gemm?); there are gemm, exec, "
	  "program, plugin; not available: blis (not built)" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: exec\n"
	  "    name: a\n"
	  "    run: ./a\n"
	  "    batch: [1,2]\n",
	  "s.yml:6:5: unknown key 'batch'; allowed: use, name, run, timeout, threads, turns, "
	  "margins, and axes that stand in run as {batch}" },
	{ "suite: \377\376\n", "s.yml:1:8: byte 0xff is not UTF-8; a suite is text in UTF-8" },
	{ "suite: s\n"
	  "workloads:\n"
	  "  - use: gemm\n"
	  "    dtype: f33\n",
	  "s.yml:4:12: dtype is 'f33'; allowed: one of f32, f64" },
};

static void each_mistake_is_one_line_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct bg_suite suite;
		struct bg_case_list cases;
		const char *message = expand(mistakes[i].suite, strlen(mistakes[i].suite),
					     &(struct bg_filter){ 0 }, &suite, &cases);
		assert_string_equal(message, mistakes[i].message);
		assert_null(strchr(message, '\n'));
	}
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	(void)state;
	struct bg_suite suite;
	struct bg_case_list cases;
	static const char nul[] = "suite: s\0\nworkloads: []\n";
	assert_string_equal(expand(nul, sizeof nul - 1, &(struct bg_filter){ 0 }, &suite, &cases),
			    "s.yml:1:9: NUL byte; a suite is text in UTF-8");
}

static void depth_is_bounded(void **state)
{
	(void)state;
	char text[128] = "suite: ";
	struct bg_suite suite;
	struct bg_case_list cases;
	memset(text + 7, '[', 40);
	memset(text + 47, ']', 40);
	text[87] = '\n';
	assert_string_equal(expand(text, 88, &(struct bg_filter){ 0 }, &suite, &cases),
			    "s.yml:1:39: lists and maps nested deeper than 32");
}

static void names_leave_defaults_out_and_follow_the_declared_order(void **state)
{
	(void)state;
	struct bg_case_list cases = cases_of("suite: s\nworkloads:\n  - use: gemm\n"
					     "    engine: openblas\n    dtype: [f32, f64]\n"
					     "    batch: 1..4 x2\n    m: 0512\n");
	assert_names(&cases,
		     NAMES("gemm/engine=openblas", "gemm/engine=openblas,batch=2",
			   "gemm/engine=openblas,batch=4", "gemm/engine=openblas,dtype=f64",
			   "gemm/engine=openblas,batch=2,dtype=f64",
			   "gemm/engine=openblas,batch=4,dtype=f64"),
		     6);
	assert_int_equal(cases.cases[1].axis_count, 5);
	assert_string_equal(cases.cases[1].axes[3].value, "2");
}

static void a_shape_is_its_three_sizes(void **state)
{
	(void)state;
	struct bg_case_list a = cases_of("suite: s\nworkloads:\n  - use: gemm\n"
					 "    engine: openblas\n    shape: [512x512x512, 1x2x3]\n");
	struct bg_case_list b = cases_of("suite: s\nworkloads:\n  - use: gemm\n"
					 "    engine: openblas\n    k: 3\n    n: 2\n    m: 1\n");
	assert_names(&a, NAMES("gemm/engine=openblas", "gemm/engine=openblas,m=1,n=2,k=3"), 2);
	assert_string_equal(b.cases[0].name, a.cases[1].name);
	assert_string_equal(b.cases[0].hash, a.cases[1].hash);
}

static void what_an_engine_lacks_is_skipped_with_the_reason(void **state)
{
	(void)state;
	struct bg_case_list cases = cases_of("suite: s\nworkloads:\n  - use: gemm\n"
					     "    engine: [openblas, onednn, blis]\n"
					     "    dtype: [f64, bf16]\n");
	static const char *const skips[] = {
		NULL,
		"engine openblas has no dtype bf16",
		"engine onednn has no dtype f64",
		NULL,
		"engine blis is not available: not built",
		"engine blis is not available: not built",
	};
	assert_int_equal(cases.count, 6);
	for (size_t i = 0; i < 6; i++) {
		if (skips[i])
			assert_string_equal(cases.cases[i].skip, skips[i]);
		else
			assert_null(cases.cases[i].skip);
	}
	assert_string_equal(cases.cases[5].name, "gemm/engine=blis,dtype=bf16");
}

/* A name must not stand for another engine on another machine. */
static void without_an_engine_it_is_always_the_same_one(void **state)
{
	(void)state;
	struct bg_case_list cases = cases_of("suite: s\nworkloads:\n  - use: gemm\n    m: 64\n");
	assert_names(&cases, NAMES("gemm/m=64"), 1);
	assert_string_equal(cases.cases[0].engine, "openblas");
}

static void commands_are_split_first_and_filled_then(void **state)
{
	(void)state;
	struct bg_case_list cases = cases_of(
		"suite: s\nworkloads:\n  - use: exec\n    name: a\n"
		"    run: ./a '--say=x y' --{kind}={{b}} {kind}\n    kind: ['p q', \"r;s\"]\n");
	assert_names(&cases, NAMES("a/kind=p%20q", "a/kind=r%3Bs"), 2);
	const char *const *words = cases.cases[0].command;
	assert_string_equal(words[0], "./a");
	assert_string_equal(words[1], "--say=x y");
	assert_string_equal(words[2], "--p q={b}");
	assert_string_equal(words[3], "p q");
	assert_null(words[4]);
}

static void the_hash_follows_what_is_measured_and_not_its_limits(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"suite: s\nworkloads:\n  - use: exec\n    name: a\n    run: ./a\n",
		("suite: s\nworkloads:\n  - use: exec\n    name: a\n    run: ./a\n    margins: "
		 "{time: 9%}\n"),
		"suite: s\nworkloads:\n  - use: exec\n    name: a\n    run: ./a -O3\n",
		"suite: s\nworkloads:\n  - use: exec\n    name: a\n    run: ./a\n    threads: 2\n",
	};
	const char *hash[4];
	for (size_t i = 0; i < 4; i++) {
		hash[i] = cases_of(texts[i]).cases[0].hash;
		assert_int_equal(strlen(hash[i]), 16);
	}
	assert_string_equal(hash[0], hash[1]);
	assert_string_not_equal(hash[0], hash[2]);
	assert_string_not_equal(hash[0], hash[3]);
}

static void margins_and_other_keys_are_read(void **state)
{
	(void)state;
	static const char text[] =
		"suite: s\nworkloads:\n  - use: exec\n    name: a\n    run: [./a]\n"
		"    timeout: 90s\n    threads: 2\n    turns: step\n    margins: {time: 5%}\n"
		"arms:\n  build: make -s 'all of it'\n"
		"margins:\n  time: 0.03\n  memory.host_peak: { worse: 1%, floor: 4 MiB }\n"
		"judge: [setup]\n";
	struct bg_suite suite;
	struct bg_case_list cases;
	assert_string_equal(expand(text, sizeof text - 1, &(struct bg_filter){ 0 }, &suite, &cases),
			    "");
	const struct bg_workload_entry *entry = &suite.workloads[0];
	assert_true(entry->timeout_s == 90);
	assert_int_equal(entry->threads, 2);
	assert_int_equal(entry->turns, BG_TURNS_STEP);
	assert_int_equal(entry->mark.line, 3);
	assert_true(fabs(entry->margins.margin[BG_METRIC_TIME] - .05) < 1e-12);
	assert_true(isnan(entry->margins.margin[BG_METRIC_HOST_PEAK]));
	assert_true(fabs(suite.margins.margin[BG_METRIC_TIME] - .03) < 1e-12);
	assert_true(suite.margins.floor[BG_METRIC_HOST_PEAK] == 4194304);
	assert_true(suite.judge[BG_METRIC_SETUP]);
	assert_int_equal(suite.arms.build_count, 3);
	assert_string_equal(suite.arms.build[2], "all of it");
}

static void filters_choose_cases_and_replace_axes(void **state)
{
	(void)state;
	static const char text[] = "suite: s\nworkloads:\n  - use: gemm\n    engine: openblas\n"
				   "    batch: [1, 2]\n  - use: exec\n    name: a\n"
				   "    run: ./a {size}\n    size: 7\n";
	struct bg_suite suite;
	struct bg_case_list cases;
	struct bg_axis_text axes[] = { { "batch", "4..8 x2" }, { "m", "64" } };
	struct bg_filter filter = {
		.glob_count = 1, .globs = NAMES("gemm/*"), .axis_count = 2, .axes = axes
	};
	assert_string_equal(expand(text, sizeof text - 1, &filter, &suite, &cases), "");
	assert_names(
		&cases,
		NAMES("gemm/engine=openblas,m=64,batch=4", "gemm/engine=openblas,m=64,batch=8"), 2);
	filter = (struct bg_filter){ .glob_count = 1, .globs = NAMES("nothing*") };
	assert_string_equal(expand(text, sizeof text - 1, &filter, &suite, &cases),
			    "--only matches none of the 3 cases of s.yml, such as "
			    "gemm/engine=openblas");
	axes[0] = (struct bg_axis_text){ "batches", "4" };
	filter = (struct bg_filter){ .axis_count = 1, .axes = axes };
	assert_string_equal(expand(text, sizeof text - 1, &filter, &suite, &cases),
			    "--axis: no workload of s.yml has an axis batches");
}

static void a_hundred_thousand_cases_are_the_limit(void **state)
{
	(void)state;
	char text[256];
	struct bg_suite suite;
	struct bg_case_list cases;
	for (unsigned c = 100; c <= 101; c++) {
		snprintf(text, sizeof text,
			 "suite: s\nworkloads:\n  - use: exec\n    name: a\n    run: ./a {b} {c}\n"
			 "    b: 1..1000 +1\n    c: 1..%u +1\n",
			 c);
		const char *message =
			expand(text, strlen(text), &(struct bg_filter){ 0 }, &suite, &cases);
		assert_string_equal(message, c == 100 ? ""
						      : "s.yml:3:5: the suite has more than "
							"100000 cases; use fewer values");
		assert_int_equal(cases.count, c == 100 ? 100000 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mistake_is_one_line_with_its_place),
		cmocka_unit_test(bytes_that_are_no_text_are_refused),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(names_leave_defaults_out_and_follow_the_declared_order),
		cmocka_unit_test(a_shape_is_its_three_sizes),
		cmocka_unit_test(what_an_engine_lacks_is_skipped_with_the_reason),
		cmocka_unit_test(without_an_engine_it_is_always_the_same_one),
		cmocka_unit_test(commands_are_split_first_and_filled_then),
		cmocka_unit_test(the_hash_follows_what_is_measured_and_not_its_limits),
		cmocka_unit_test(margins_and_other_keys_are_read),
		cmocka_unit_test(filters_choose_cases_and_replace_axes),
		cmocka_unit_test(a_hundred_thousand_cases_are_the_limit),
	};
	return cmocka_run_group_tests(tests, NULL, drop_arena);
}
