/* The gemm module with the OpenBLAS of this machine. */
#include "gate/core/file.h"
#include "gate/core/process.h"
#include "tests/unit/gemm_case.h"

#include <sched.h>
#include <strings.h>

/*
 * OpenBLAS is not built for ThreadSanitizer: what its threads do to wait for each other is not
 * seen, and every product of two threads would look like a race.
 */
/* NOLINTBEGIN(bugprone-reserved-identifier): the sanitizer's own name */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
/* NOLINTEND(bugprone-reserved-identifier) */
{
	return "race:libopenblas.so\n";
}

static struct bg_arena arena;
static struct gemm_case gemm;

#define NEEDS_OPENBLAS()                                                                           \
	do {                                                                                       \
		gemm.why.text[0] = '\0';                                                           \
		if (gemm.gemm->usable(&gemm.why) != BG_ANSWER_OK) {                                \
			print_message("# %s\n", gemm.why.text);                                    \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static int load(void **state)
{
	(void)state;
	gemm_load(&gemm, &arena);
	return 0;
}

static int release_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

static const char *const shapes[] = {
	"m=1 n=1 k=1",
	"m=1 n=7 k=5",
	"m=9 n=1 k=4",
	"m=2 n=3 k=1",
	"m=37 n=53 k=71",
	"m=64 n=64 k=64 batch=3",
	"m=37 n=53 k=71 batch=3",
	"m=129 n=257 k=300 batch=2",
	"m=3 n=2 k=600000",
	"m=1 n=1 k=600000",
	"",
};

static void products_of_odd_sizes_are_right(void **state)
{
	(void)state;
	NEEDS_OPENBLAS();
	static const char *const dtypes[] = { "f32", "f64" };
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (size_t j = 0; j < 2; j++) {
			const char *axes =
				bg_arena_format(&arena, "dtype=%s %s", dtypes[j], shapes[i]);
			if (gemm_once(&gemm, axes, 1 + i) != BG_ANSWER_OK)
				fail_msg("%s: %s", axes, gemm.why.text);
			assert_true(gemm.error >= 0 && gemm.error <= gemm.tolerance);
			/* Of f64 the bound at these sizes is below 2e-12, of f32 below 4e-4. */
			assert_true(gemm.tolerance > 0 && gemm.tolerance < (j ? 2e-12 : 4e-4));
		}
}

static void two_threads_give_the_same_product(void **state)
{
	(void)state;
	NEEDS_OPENBLAS();
	cpu_set_t cpus;
	assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
	if (CPU_COUNT(&cpus) < 2) {
		print_message("# only one core is allowed here\n");
		skip();
	}
	assert_int_equal(gemm_once(&gemm, "threads=2 m=301 n=303 k=302", 5), BG_ANSWER_OK);
	assert_int_equal(gemm_once(&gemm, "threads=1 m=301 n=303 k=302", 5), BG_ANSWER_OK);
}

static void more_threads_than_cores_are_refused(void **state)
{
	(void)state;
	NEEDS_OPENBLAS();
	assert_int_equal(gemm_once(&gemm, "threads=1024", 1), BG_ANSWER_UNSUPPORTED);
	assert_non_null(strstr(gemm.why.text, "1024"));
}

static void costs_follow_the_sizes(void **state)
{
	(void)state;
	NEEDS_OPENBLAS();
	struct bg_costs costs = { -1, -1, -1 };
	assert_int_equal(gemm_setup(&gemm, "dtype=f64 m=2 n=3 k=5 batch=7", 1), BG_ANSWER_OK);
	gemm.gemm->costs(gemm.state, &costs);
	gemm.gemm->teardown(gemm.state);
	assert_true(costs.flops == 2 * 7 * 2 * 3 * 5);
	assert_true(costs.bytes == 8 * 7 * (2 * 5 + 5 * 3 + 2 * 3));
	assert_true(costs.items == 7);
}

static void what_no_memory_holds_is_out_of_memory(void **state)
{
	(void)state;
	NEEDS_OPENBLAS();
	/* Products and sums that wrap around in 64 bits, and some that do not. */
	static const char *const large[] = {
		"m=2147483647 n=2147483647",
		"m=2147483647 n=2147483647 k=2147483647 batch=2147483647",
		"m=536870912 n=2147483647",
		"m=2147483647 n=32768 k=1",
		"batch=2147483647 m=2147483647 n=1 k=1 dtype=f64",
		"batch=2147483647",
	};
	for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
		if (gemm_once(&gemm, large[i], 1) != BG_ANSWER_OUT_OF_MEMORY)
			fail_msg("%s: %s", large[i], gemm.why.text);
		assert_non_null(strstr(gemm.why.text, "GiB are free"));
	}
}

static void sizes_of_32_bits_are_the_limit(void **state)
{
	(void)state;
	for (size_t i = 0; i < gemm.gemm->axis_count; i++)
		if (gemm.gemm->axes[i].kind == BG_OPERATION_INTEGER)
			assert_true(gemm.gemm->axes[i].max <= 2147483647 &&
				    gemm.gemm->axes[i].min == 1);
}

static void a_product_that_was_not_made_is_incorrect(void **state)
{
	(void)state;
	NEEDS_OPENBLAS();
	assert_int_equal(gemm_setup(&gemm, "m=3 n=4 k=5", 1), BG_ANSWER_OK);
	enum bg_answer answer =
		gemm.gemm->verify(gemm.state, &gemm.error, &gemm.tolerance, &gemm.why);
	gemm.gemm->teardown(gemm.state);
	assert_int_equal(answer, BG_ANSWER_INCORRECT);
	assert_non_null(strstr(gemm.why.text, "the product is wrong"));
}

static void teardown_accepts_nothing(void **state)
{
	(void)state;
	gemm.gemm->teardown(NULL);
}

/* What another process of this program says about the library: "KERNEL" or "unsupported: WHY". */
static const char *say(const char *variable)
{
	const char *const argv[] = { "/proc/self/exe", "say", NULL };
	const char *const envp[] = { variable, "ASAN_OPTIONS=detect_leaks=0", NULL };
	struct bg_command command = { .argv = argv, .envp = envp, .log_fd = -1 };
	struct bg_error err = BG_ERROR_INIT;
	struct bg_buffer output;
	int status = -1;
	bg_buffer_init(&output, 1 << 16);
	assert_int_equal(bg_command_run(&status, &output, &command, &err), BG_OK);
	char *text = bg_arena_bytes(&arena, output.bytes, output.size);
	bg_buffer_release(&output);
	if (status != 0)
		fail_msg("%s: exit status %d: %s", variable, status, text);
	return text;
}

static int say_kernel(void)
{
	gemm_load(&gemm, &arena);
	if (gemm.module->kernel())
		return 1; /* not before usable */
	if (gemm.gemm->usable(&gemm.why) == BG_ANSWER_OK)
		printf("%s", gemm.module->kernel());
	else
		printf("unsupported: %s", gemm.why.text);
	bg_arena_release(&arena);
	return 0;
}

static void assert_says(const char *variable, const char *part)
{
	const char *text = say(variable);
	if (!strstr(text, part))
		fail_msg("%s: \"%s\" does not contain \"%s\"", variable, text, part);
}

static void the_kernel_fits_the_processor(void **state)
{
	(void)state;
	NEEDS_OPENBLAS();
	const char *kernel = say("NOTHING=");
	assert_true(*kernel != '\0');
	assert_string_equal(gemm.module->kernel(), kernel);
	assert_int_not_equal(strcasecmp(kernel, "Prescott"), 0);
}

static void the_users_core_type_is_kept_unless_far_too_old(void **state)
{
	(void)state;
	NEEDS_OPENBLAS();
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		assert_says("OPENBLAS_CORETYPE=Haswell", "Haswell");
		assert_says("OPENBLAS_CORETYPE=Prescott",
			    "unsupported: OpenBLAS runs its kernels for Prescott");
		assert_says("OPENBLAS_CORETYPE=Nehalem", "unset OPENBLAS_CORETYPE");
		assert_string_equal(say("OPENBLAS_CORETYPE="), say("NOTHING="));
		return;
	}
#endif
	print_message("# this processor has no AVX2\n");
	skip();
}

static void a_library_that_does_not_load_is_named_with_the_cure(void **state)
{
	(void)state;
	char folder[] = "/tmp/batchgate-gemm-XXXXXX";
	assert_non_null(mkdtemp(folder));
	struct bg_error err = BG_ERROR_INIT;
	static const char text[] = "this is text, and long enough to be looked at as a library "
				   "and to be refused as one\n";
	assert_int_equal(bg_file_replace(bg_arena_format(&arena, "%s/libopenblas.so.0", folder),
					 text, sizeof text, &err),
			 BG_OK);
	assert_says(bg_arena_format(&arena, "LD_LIBRARY_PATH=%s", folder),
		    "libopenblas.so.0: invalid ELF header: install OpenBLAS");
	assert_int_equal(bg_tree_remove(folder, &err), BG_OK);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "say") == 0)
		return say_kernel();
	if (gemm_is_left_out())
		return gemm_run_left_out();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_of_odd_sizes_are_right),
		cmocka_unit_test(two_threads_give_the_same_product),
		cmocka_unit_test(more_threads_than_cores_are_refused),
		cmocka_unit_test(costs_follow_the_sizes),
		cmocka_unit_test(what_no_memory_holds_is_out_of_memory),
		cmocka_unit_test(sizes_of_32_bits_are_the_limit),
		cmocka_unit_test(a_product_that_was_not_made_is_incorrect),
		cmocka_unit_test(teardown_accepts_nothing),
		cmocka_unit_test(the_kernel_fits_the_processor),
		cmocka_unit_test(the_users_core_type_is_kept_unless_far_too_old),
		cmocka_unit_test(a_library_that_does_not_load_is_named_with_the_cure),
	};
	return cmocka_run_group_tests(tests, load, release_arena);
}
