/* The memory module's triad. */
#include "tests/unit/module_case.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>

static struct bg_arena arena;
static struct module_case triad;

static int load(void **state)
{
	(void)state;
	module_case_load(&triad, "triad", "c", &arena);
	return 0;
}

static int release_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

static void need_two_cores(void)
{
	cpu_set_t cpus;
	assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
	if (CPU_COUNT(&cpus) < 2) {
		print_message("# only one core is allowed here\n");
		skip();
	}
}

/* Around the widths of vectors, the pages and their shares. */
static const char *const counts[] = { "n=1",	"n=2",	  "n=7",    "n=511",	"n=512",   "n=513",
				      "n=1024", "n=1025", "n=4097", "n=100003", "n=300000" };

static void sums_are_right_for_every_size_and_number_of_threads(void **state)
{
	(void)state;
	module_case_need(&triad);
	cpu_set_t cpus;
	assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
	int threads_max = CPU_COUNT(&cpus) < 3 ? CPU_COUNT(&cpus) : 3;
	static const char *const dtypes[] = { "f64", "f32" };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (size_t j = 0; j < 2; j++)
			for (int threads = 1; threads <= threads_max; threads++) {
				const char *axes = bg_arena_format(&arena, "dtype=%s %s threads=%d",
								   dtypes[j], counts[i], threads);
				if (module_case_once(&triad, axes, 3) != BG_ANSWER_OK)
					fail_msg("%s: %s", axes, triad.why.text);
				assert_true(triad.error >= 0 && triad.error <= triad.tolerance);
				assert_true(triad.tolerance > 0 &&
					    triad.tolerance < (j ? 1.3e-7 : 5e-16));
			}
}

/* STREAM's: three arrays, each read or written once. */
static void bytes_are_those_of_stream(void **state)
{
	(void)state;
	module_case_need(&triad);
	static const char *const axes[] = { "dtype=f64 n=1001", "dtype=f32 n=1001" };
	for (size_t i = 0; i < 2; i++) {
		struct bg_costs costs = { -1, -1, -1 };
		assert_int_equal(module_case_setup(&triad, axes[i], 1), BG_ANSWER_OK);
		triad.operation->costs(triad.state, &costs);
		module_case_teardown(&triad);
		assert_true(costs.bytes == (i ? 12 : 24) * 1001.);
		assert_true(costs.flops == 2 * 1001.);
		assert_true(costs.items == 1001);
	}
}

static void sums_that_were_not_made_are_incorrect(void **state)
{
	(void)state;
	module_case_need(&triad);
	static const char *const axes[] = { "dtype=f64 n=1001", "dtype=f32 n=1001", "n=400000" };
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
		assert_int_equal(module_case_setup(&triad, axes[i], 1), BG_ANSWER_OK);
		enum bg_answer answer = triad.operation->verify(triad.state, &triad.error,
								&triad.tolerance, &triad.why);
		module_case_teardown(&triad);
		assert_int_equal(answer, BG_ANSWER_INCORRECT);
		assert_true(isnan(triad.error));
		assert_non_null(strstr(triad.why.text, "the sum is wrong"));
	}
}

/* Number of this process' threads. */
static size_t thread_count(void)
{
	size_t count = 0;
	DIR *tasks = opendir("/proc/self/task");
	assert_non_null(tasks);
	for (const struct dirent *task; (task = readdir(tasks));)
		count += task->d_name[0] != '.';
	closedir(tasks);
	return count;
}

static void threads_are_pinned_and_gone_after_teardown(void **state)
{
	(void)state;
	module_case_need(&triad);
	need_two_cores();
	cpu_set_t before, during, after;
	size_t threads = thread_count();
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	assert_int_equal(module_case_setup(&triad, "n=5000 threads=2", 1), BG_ANSWER_OK);
	assert_int_equal(sched_getaffinity(0, sizeof during, &during), 0);
	size_t more = thread_count();
	module_case_teardown(&triad);
	assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
	assert_int_equal(CPU_COUNT(&during), 1);
	assert_int_equal(more, threads + 1);
	assert_true(CPU_EQUAL(&before, &after));
}

/* A pin that came in between is the engine's. */
static void teardown_leaves_a_later_pin_alone(void **state)
{
	(void)state;
	module_case_need(&triad);
	need_two_cores();
	cpu_set_t before, own, other, after;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	assert_int_equal(module_case_setup(&triad, "n=5000", 1), BG_ANSWER_OK);
	assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
	CPU_XOR(&other, &before, &own);
	assert_int_equal(sched_setaffinity(0, sizeof other, &other), 0);
	module_case_teardown(&triad);
	assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	assert_true(CPU_EQUAL(&after, &other));
}

static void idle_threads_leave_the_cores_alone(void **state)
{
	(void)state;
	module_case_need(&triad);
	need_two_cores();
	assert_int_equal(module_case_setup(&triad, "n=100000 threads=2", 1), BG_ANSWER_OK);
	for (int i = 0; i < 100; i++)
		assert_int_equal(triad.operation->run(triad.state, &triad.why), BG_ANSWER_OK);
	double share = module_case_idle_share();
	module_case_teardown(&triad);
	/* CPU time, not the clock's. */
	if (share > .1)
		fail_msg("%.0f %% of a core between steps", 100 * share);
}

static void what_cannot_be_done_is_refused(void **state)
{
	(void)state;
	module_case_need(&triad);
	assert_int_equal(module_case_once(&triad, "threads=1024 n=5", 1), BG_ANSWER_UNSUPPORTED);
	assert_non_null(strstr(triad.why.text, "1024"));
	assert_int_equal(module_case_once(&triad, "n=1099511627776", 1), BG_ANSWER_OUT_OF_MEMORY);
	assert_non_null(strstr(triad.why.text, "GiB are free"));
	triad.operation->teardown(NULL);
}

static void the_kernel_names_the_instructions(void **state)
{
	(void)state;
	module_case_need(&triad);
	const char *expected = "baseline";
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		expected = "avx2";
#endif
	assert_string_equal(triad.module->kernel(), expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_right_for_every_size_and_number_of_threads),
		cmocka_unit_test(bytes_are_those_of_stream),
		cmocka_unit_test(sums_that_were_not_made_are_incorrect),
		cmocka_unit_test(threads_are_pinned_and_gone_after_teardown),
		cmocka_unit_test(teardown_leaves_a_later_pin_alone),
		cmocka_unit_test(idle_threads_leave_the_cores_alone),
		cmocka_unit_test(what_cannot_be_done_is_refused),
		cmocka_unit_test(the_kernel_names_the_instructions),
	};
	return cmocka_run_group_tests(tests, load, release_arena);
}
