/* Cases of programs and plugins, against what imagined workers of head offer. */
#include "sweeps/own_worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const kinds[] = { "plain", "square" };
static const struct bg_axis_info attention_axes[] = {
	{ "batch", NULL, "1", BG_AXIS_INTEGER, 1, 64, 0, NULL },
	{ "kind", NULL, "plain", BG_AXIS_WORD, 0, 0, 2, kinds },
};
static const struct bg_axis_info threads_axes[] = {
	{ "threads", NULL, "1", BG_AXIS_INTEGER, 1, 64, 0, NULL },
	{ "rate", NULL, "1.0", BG_AXIS_NUMBER, 0, 2, 0, NULL },
};
static const struct bg_workload_info one[] = { { "anything", NULL, NULL, NULL, 2,
						 attention_axes } };
static const struct bg_workload_info several[] = {
	{ "attention", NULL, NULL, NULL, 2, attention_axes },
	{ "pool", "cpu", NULL, NULL, 2, threads_axes },
	{ "pool", "vector", NULL, NULL, 2, threads_axes },
};

static struct bg_arena arena;

static int drop_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

struct expanded {
	struct bg_suite suite;
	struct bg_own_offer offers[4];
	struct bg_catalogue catalogue;
	struct bg_case_list cases;
	struct bg_error err;
	bool lenient;
};

/* A suite whose every entry's worker offers the same list. */
static struct expanded *parse(const char *workloads, const struct bg_workload_info *infos,
			      size_t count)
{
	struct expanded *x = bg_arena_alloc(&arena, sizeof *x);
	struct bg_error err = BG_ERROR_INIT;
	const char *text = bg_arena_format(&arena, "suite: s\nworkloads:\n%s", workloads);
	assert_int_equal(bg_suite_parse(&x->suite, text, strlen(text), "s.yml", &arena, &err),
			 BG_OK);
	for (size_t i = 0; i < x->suite.workload_count; i++) {
		struct bg_own_offer *offer = &x->offers[x->catalogue.own_count++];
		*offer = (struct bg_own_offer){ .entry = &x->suite.workloads[i], .asked = true };
		offer->list.workload_count = count;
		offer->list.workloads = infos;
		assert_null(bg_own_list_check(&offer->list, &arena));
	}
	x->catalogue.own = x->offers;
	x->catalogue.self = "/bin/batchgate";
	x->err = (struct bg_error)BG_ERROR_INIT;
	return x;
}

static enum bg_status expand(struct expanded *x)
{
	struct bg_filter filter = { .lenient = x->lenient };
	return bg_cases_expand(&x->cases, &x->suite, &x->catalogue, &filter, &arena, &x->err);
}

static void assert_names(struct expanded *x, const char *const *names)
{
	assert_int_equal(expand(x), BG_OK);
	size_t count = 0;
	for (; names[count]; count++) {
		assert_true(count < x->cases.count);
		assert_string_equal(x->cases.cases[count].name, names[count]);
	}
	assert_int_equal(x->cases.count, count);
}
#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void a_program_is_named_by_its_entry_and_its_declared_axes(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: program\n"
				   "    name: bench\n"
				   "    run: python3 bench.py {{x}}\n"
				   "    kind: [square, plain]\n"
				   "    batch: [1, 04]\n",
				   one, 1);
	/* The suite's order of values, the program's order of axes, defaults left out. */
	assert_names(x, NAMES("bench/kind=square", "bench/batch=4,kind=square", "bench",
			      "bench/batch=4"));
	const struct bg_case *first = &x->cases.cases[0];
	assert_string_equal(first->workload, "anything");
	assert_null(first->engine);
	assert_null(first->unchecked);
	assert_int_equal(first->axis_count, 2);
	assert_string_equal(first->axes[0].value, "1");
	assert_string_equal(first->worker[1], "bench.py");
	assert_string_equal(first->worker[2], "{x}");
	assert_null(first->worker[3]);
	assert_ptr_equal(first->worker, x->cases.cases[3].worker);
	assert_int_equal(first->worker_group, 1);
}

static void of_several_workloads_the_name_chooses(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: program\n"
				   "    name: attention\n"
				   "    run: ./bench\n",
				   several, 3);
	assert_names(x, NAMES("attention"));
	x = parse("  - use: program\n"
		  "    name: pool\n"
		  "    run: ./bench\n"
		  "    engine: vector\n",
		  several, 3);
	assert_names(x, NAMES("pool/engine=vector"));
	assert_string_equal(x->cases.cases[0].engine, "vector");
	x = parse("  - use: program\n"
		  "    name: atention\n"
		  "    run: ./bench\n",
		  several, 3);
	assert_int_equal(expand(x), BG_E_INPUT);
	assert_string_equal(x->err.text,
			    "s.yml:3:5: the program offers no workload atention (did you mean "
			    "attention?); there are attention, pool");
}

static void a_plugin_is_named_by_its_operation(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: plugin\n"
				   "    path: build/kernels.so\n"
				   "    batch: 8\n",
				   one, 1);
	assert_names(x, NAMES("anything/batch=8"));
	assert_string_equal(x->cases.cases[0].worker[0], "/bin/batchgate");
	assert_string_equal(x->cases.cases[0].worker[3], "build/kernels.so");
	x = parse("  - use: plugin\n"
		  "    path: build/kernels.so\n",
		  several, 3);
	assert_int_equal(expand(x), BG_E_INPUT);
	assert_string_equal(x->err.text,
			    "s.yml:3:5: build/kernels.so offers several operations; add name: "
			    "with one of attention, pool");
	/* Unlike a program's, its name is never the suite's own word. */
	x = parse("  - use: plugin\n"
		  "    path: build/kernels.so\n"
		  "    name: other\n",
		  one, 1);
	assert_int_equal(expand(x), BG_E_INPUT);
	assert_string_equal(x->err.text, "s.yml:3:5: build/kernels.so offers no workload other; "
					 "there are anything");
}

static void axes_and_values_are_checked_at_their_place(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: program\n"
				   "    name: bench\n"
				   "    run: ./bench\n"
				   "    bach: 4\n",
				   one, 1);
	assert_int_equal(expand(x), BG_E_INPUT);
	assert_string_equal(x->err.text, "s.yml:6:5: unknown key 'bach' (did you mean batch?); "
					 "anything has the axes batch, kind");
	x = parse("  - use: program\n"
		  "    name: bench\n"
		  "    run: ./bench\n"
		  "    batch: [1, 65]\n",
		  one, 1);
	assert_int_equal(expand(x), BG_E_INPUT);
	assert_string_equal(x->err.text,
			    "s.yml:6:16: batch is '65'; allowed: whole numbers from 1 to 64");
	x = parse("  - use: program\n"
		  "    name: bench\n"
		  "    run: ./bench\n"
		  "    kind: cubic\n",
		  one, 1);
	assert_int_equal(expand(x), BG_E_INPUT);
	assert_string_equal(x->err.text,
			    "s.yml:6:11: kind is 'cubic'; allowed: one of plain, square");
}

static void threads_are_cores_and_where_there_is_one_an_axis(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: program\n"
				   "    name: attention\n"
				   "    run: ./bench\n"
				   "    threads: 2\n",
				   several, 3);
	assert_names(x, NAMES("attention"));
	assert_int_equal(x->cases.cases[0].entry->threads, 2);
	x = parse("  - use: program\n"
		  "    name: pool\n"
		  "    run: ./bench\n"
		  "    engine: cpu\n"
		  "    threads: 2\n"
		  "    rate: 1.0\n",
		  several, 3);
	assert_names(x, NAMES("pool/engine=cpu,threads=2"));
	x = parse("  - use: program\n"
		  "    name: pool\n"
		  "    run: ./bench\n"
		  "    engine: cpu\n"
		  "    threads: 1..4 x2\n",
		  several, 3);
	assert_names(x, NAMES("pool/engine=cpu", "pool/engine=cpu,threads=2",
			      "pool/engine=cpu,threads=4"));
}

static void bases_suite_is_taken_as_it_stands_where_heads_program_is_no_help(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: program\n"
				   "    name: bench\n"
				   "    run: ./bench\n"
				   "    gone: [a, b]\n",
				   one, 1);
	x->lenient = true;
	assert_names(x, NAMES("bench/gone=a", "bench/gone=b"));
	assert_non_null(x->cases.cases[0].unchecked);
	assert_null(x->cases.cases[0].fault);
	x->catalogue.own_count = 0;
	assert_names(x, NAMES("bench/gone=a", "bench/gone=b"));
}

static void a_plugin_that_moved_keeps_its_name(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: plugin\n"
				   "    path: build/kernels.so\n",
				   one, 1);
	struct bg_workload_entry old = x->suite.workloads[0];
	old.path = "kernels.so";
	assert_ptr_equal(bg_own_find(&x->catalogue, &old), &x->offers[0]);
	old.path = "others.so";
	assert_null(bg_own_find(&x->catalogue, &old));
}

static void a_worker_that_does_not_work_is_told_of_with_its_cases(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: program\n"
				   "    name: bench\n"
				   "    run: ./bench\n"
				   "    batch: [1, 2]\n",
				   one, 1);
	x->offers[0].fault = "bench of head ended";
	x->offers[0].of_base = true;
	assert_names(x, NAMES("bench", "bench/batch=2"));
	assert_string_equal(x->cases.cases[0].fault, "bench of head ended");
	assert_true(x->cases.cases[0].base_works);
	x->offers[0].of_base = false;
	x->offers[0].list.workload_count = 0;
	assert_names(x, NAMES("bench/batch=1", "bench/batch=2"));
	assert_string_equal(x->cases.cases[0].fault, "bench of head ended");
	assert_false(x->cases.cases[0].base_works);
}

static void a_program_that_was_not_started_is_not_checked(void **state)
{
	(void)state;
	struct expanded *x = parse("  - use: program\n"
				   "    name: bench\n"
				   "    run: ./bench\n"
				   "    bach: 4\n"
				   "  - use: plugin\n"
				   "    path: build/kernels.so\n",
				   one, 1);
	for (size_t i = 0; i < 2; i++)
		x->offers[i] = (struct bg_own_offer){ .entry = &x->suite.workloads[i] };
	assert_names(x, NAMES("bench/bach=4", "kernels"));
	assert_string_equal(x->cases.cases[0].unchecked, "not checked: bench was not started");
	assert_null(x->cases.cases[0].fault);
}

static void the_hash_follows_the_path_of_a_plugin(void **state)
{
	(void)state;
	struct expanded *a = parse("  - use: plugin\n    path: a/k.so\n", one, 1);
	struct expanded *b = parse("  - use: plugin\n    path: b/k.so\n", one, 1);
	assert_int_equal(expand(a), BG_OK);
	assert_int_equal(expand(b), BG_OK);
	assert_string_not_equal(a->cases.cases[0].hash, b->cases.cases[0].hash);
}

static void a_list_that_cannot_be_used_is_told_in_one_line(void **state)
{
	(void)state;
	static const struct bg_axis_info taken = { .name = "timeout",
						   .fallback = "1",
						   .kind = BG_AXIS_WORD };
	static const struct bg_axis_info bad = {
		.name = "batch", .fallback = "0", .min = 1, .max = 9, .kind = BG_AXIS_INTEGER
	};
	static const struct bg_axis_info odd = { .name = "a b",
						 .fallback = "0",
						 .kind = BG_AXIS_WORD };
	static const struct bg_axis_info twice[] = {
		{ .name = "a", .fallback = "0", .kind = BG_AXIS_WORD },
		{ .name = "a", .fallback = "0", .kind = BG_AXIS_WORD }
	};
	const struct {
		struct bg_workload_info infos[2];
		size_t count;
		const char *fault;
	} lists[] = {
		{ { { 0 } }, 0, "offers no workload" },
		{ { { .name = "a/b" } },
		  1,
		  "workload 'a/b': name and engine must be letters, digits and . _ + -" },
		{ { { .name = "a" }, { .name = "a", .engine = "x" } },
		  2,
		  "workload a is there twice" },
		{ { { .name = "a", .axis_count = 1, .axes = &taken } },
		  1,
		  "workload a: axis 'timeout': the name is a key of the suite file" },
		{ { { .name = "a", .axis_count = 1, .axes = &bad } },
		  1,
		  "workload a: axis 'batch': the default '0' is not allowed; allowed: whole "
		  "numbers from 1 to 9" },
		{ { { .name = "a", .axis_count = 1, .axes = &odd } },
		  1,
		  "workload a: axis 'a b': the name must be a letter, then letters, digits and "
		  ". _ -" },
		{ { { .name = "a", .axis_count = 2, .axes = twice } },
		  1,
		  "workload a: axis 'a': it is there twice" },
	};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct bg_catalogue list = { .workload_count = lists[i].count,
					     .workloads = lists[i].infos };
		assert_string_equal(bg_own_list_check(&list, &arena), lists[i].fault);
	}
}

static void each_mistake_of_an_entry_is_one_line_with_its_place(void **state)
{
	(void)state;
	static const char *const mistakes[][2] = {
		{ "  - use: program\n    name: p\n    run: ./p {batch}\n    batch: 1\n",
		  "s.yml:5:10: {batch} in run: a program is started once and gets its axes over "
		  "the step protocol; leave it out, or write {{batch}} for the braces" },
		{ "  - use: plugin\n    name: p\n",
		  "s.yml:3:5: a workload with use: plugin needs the key path:" },
		{ "  - use: plugin\n    path: /usr/lib/x.so\n",
		  "s.yml:4:11: path '/usr/lib/x.so' is absolute; allowed: a path inside the "
		  "commit's work tree, such as build/kernels.so" },
		{ "  - use: plugin\n    path: build/../../x.so\n",
		  "s.yml:4:11: path 'build/../../x.so' leaves the tree; allowed: a path inside the "
		  "commit's work tree, such as build/kernels.so" },
		{ "  - use: program\n    name: p\n    run: ./p\n    threads: many\n",
		  "s.yml:6:14: threads is 'many'; allowed: one whole number, 1 to 1024" },
	};
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct bg_suite suite;
		struct bg_error err = BG_ERROR_INIT;
		const char *text =
			bg_arena_format(&arena, "suite: s\nworkloads:\n%s", mistakes[i][0]);
		assert_int_equal(bg_suite_parse(&suite, text, strlen(text), "s.yml", &arena, &err),
				 BG_E_INPUT);
		assert_string_equal(err.text, mistakes[i][1]);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, drop_arena)
	const struct CMUnitTest tests[] = {
		TEST(a_program_is_named_by_its_entry_and_its_declared_axes),
		TEST(of_several_workloads_the_name_chooses),
		TEST(a_plugin_is_named_by_its_operation),
		TEST(axes_and_values_are_checked_at_their_place),
		TEST(threads_are_cores_and_where_there_is_one_an_axis),
		TEST(bases_suite_is_taken_as_it_stands_where_heads_program_is_no_help),
		TEST(a_plugin_that_moved_keeps_its_name),
		TEST(a_worker_that_does_not_work_is_told_of_with_its_cases),
		TEST(a_program_that_was_not_started_is_not_checked),
		TEST(the_hash_follows_the_path_of_a_plugin),
		TEST(a_list_that_cannot_be_used_is_told_in_one_line),
		TEST(each_mistake_of_an_entry_is_one_line_with_its_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
