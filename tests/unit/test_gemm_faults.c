/*
 * The gemm module with a library that errs on purpose. It is compiled here under OpenBLAS' name and
 * loaded first, so that the module's own dlopen of libopenblas.so.0 gives it.
 */
#include "gate/core/file.h"
#include "gate/core/process.h"
#include "tests/unit/gemm_case.h"

#include <dlfcn.h>
#include <math.h>

enum mode { RIGHT, FIRST_WRONG, LAST_WRONG, UNWRITTEN, TRANSPOSED, ROUGH, ALL_ZERO };

static const char library_source[] =
	"int mode, threads_max = 64, calls;\n"
	"const char *core = \"Fake\", *config = \"OpenBLAS 9\";\n"
	"const void *seen_a, *seen_b;\n"
	"static int threads = 1;\n"
	"#define GEMM(name, type) void name(int o, int ta, int tb, int m, int n, int k, \\\n"
	" type alpha, const type *a, int lda, const type *b, int ldb, type beta, type *c, int ldc) "
	"\\\n"
	"{ long i, j, l, last = (long)(m - 1) * ldc + n - 1; \\\n"
	"  calls++; seen_a = a; seen_b = b; \\\n"
	"  if (o != 101 || ta != 111 || tb != 111 || alpha != 1 || beta != 0 || mode == 3) return; "
	"\\\n"
	"  for (i = 0; i < m; i++) for (j = 0; j < n; j++) { \\\n"
	"    double s = 0; \\\n"
	"    for (l = 0; l < k; l++) s += (double)a[i * lda + l] * b[mode == 4 ? j * k + l : l * "
	"ldb + j]; \\\n"
	"    c[i * ldc + j] = mode == 5 ? (type)(s * (1 + 1e-3)) : mode == 6 ? 0 : (type)s; } \\\n"
	"  if (mode == 1) c[0] = -c[0]; \\\n"
	"  if (mode == 2) c[last] = -c[last]; }\n"
	"GEMM(cblas_sgemm, float)\nGEMM(cblas_dgemm, double)\n"
	"void openblas_set_num_threads(int n) { threads = n < threads_max ? n : threads_max; }\n"
	"int openblas_get_num_threads(void) { return threads; }\n"
	"const char *openblas_get_corename(void) { return core; }\n"
	"const char *openblas_get_config(void) { return config; }\n";

static struct bg_arena arena;
static struct gemm_case gemm;
static int *mode, *threads_max, *calls;
static const char **core, **config;
static const void **seen_a, **seen_b;

static void *open_library(const char *folder)
{
	struct bg_error err = BG_ERROR_INIT;
	const char *source = bg_arena_format(&arena, "%s/fake.c", folder);
	const char *library = bg_arena_format(&arena, "%s/fake.so", folder);
	const char *cc = getenv("CC");
	const char *const argv[] = {
		cc ? cc : "cc", "-O1",	 "-shared", "-fPIC", "-Wl,-soname,libopenblas.so.0",
		"-o",		library, source,    NULL
	};
	struct bg_command command = { .argv = argv, .log_fd = STDERR_FILENO };
	int status = -1;
	assert_int_equal(bg_file_replace(source, library_source, strlen(library_source), &err),
			 BG_OK);
	assert_int_equal(bg_command_run(&status, NULL, &command, &err), BG_OK);
	assert_int_equal(status, 0);
	return dlopen(library, RTLD_NOW | RTLD_LOCAL);
}

static int load(void **state)
{
	(void)state;
	char folder[] = "/tmp/batchgate-gemm-XXXXXX";
	struct bg_error err = BG_ERROR_INIT;
	assert_non_null(mkdtemp(folder));
	void *library = open_library(folder);
	assert_non_null(library);
	assert_int_equal(bg_tree_remove(folder, &err), BG_OK);
	mode = dlsym(library, "mode");
	threads_max = dlsym(library, "threads_max");
	calls = dlsym(library, "calls");
	core = dlsym(library, "core");
	config = dlsym(library, "config");
	seen_a = dlsym(library, "seen_a");
	seen_b = dlsym(library, "seen_b");
	gemm_load(&gemm, &arena);
	return 0;
}

static int release_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

static void what_errs_not_is_found_right(void **state)
{
	(void)state;
	*mode = RIGHT;
	*calls = 0;
	assert_int_equal(gemm_once(&gemm, "m=5 n=6 k=7 batch=3", 1), BG_ANSWER_OK);
	assert_int_equal(*calls, 3);
	assert_string_equal(gemm.module->kernel(), "Fake");
	/* The library sums as the reference does, in f64. */
	assert_int_equal(gemm_once(&gemm, "dtype=f64 m=40 n=30 k=70", 1), BG_ANSWER_OK);
	assert_true(gemm.error == 0);
}

/* The second is compared as a whole, the others by sample, the last by its corners alone. */
static const char *const shapes[] = { "m=200 n=200 k=64", "m=20 n=30 k=40 batch=2",
				      "m=17 n=16 k=20000", "m=3 n=2 k=600000" };

static void every_wrong_product_is_found(void **state)
{
	(void)state;
	static const enum mode wrong[] = { FIRST_WRONG, LAST_WRONG, UNWRITTEN, ROUGH, ALL_ZERO };
	static const char *const dtypes[] = { "f32", "f64" };
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (size_t j = 0; j < 2; j++)
			for (size_t l = 0; l < sizeof wrong / sizeof *wrong; l++) {
				*mode = (int)wrong[l];
				/* A thousandth is what rounding of f32 may do to so long a sum. */
				if (wrong[l] == ROUGH && i >= 2 && j == 0)
					continue;
				const char *axes = bg_arena_format(&arena, "dtype=%s %s", dtypes[j],
								   shapes[i]);
				if (gemm_once(&gemm, axes, 7) != BG_ANSWER_INCORRECT)
					fail_msg("%s, mode %d: %s", axes, *mode, gemm.why.text);
				assert_false(gemm.error <= gemm.tolerance);
				assert_non_null(strstr(gemm.why.text, "the product is wrong"));
			}
}

static void a_transposed_operand_is_found(void **state)
{
	(void)state;
	*mode = RIGHT;
	assert_int_equal(gemm_once(&gemm, "m=30 n=30 k=30", 1), BG_ANSWER_OK);
	*mode = TRANSPOSED;
	assert_int_equal(gemm_once(&gemm, "m=30 n=30 k=30", 1), BG_ANSWER_INCORRECT);
}

struct operands {
	float a[20 * 30], b[30 * 10];
};

static struct operands take_operands(uint64_t seed)
{
	struct operands ret;
	assert_int_equal(gemm_setup(&gemm, "m=20 n=10 k=30", seed), BG_ANSWER_OK);
	assert_int_equal(gemm.gemm->run(gemm.state, &gemm.why), BG_ANSWER_OK);
	memcpy(ret.a, *seen_a, sizeof ret.a);
	memcpy(ret.b, *seen_b, sizeof ret.b);
	gemm.gemm->teardown(gemm.state);
	return ret;
}

static void the_seed_makes_the_operands(void **state)
{
	(void)state;
	*mode = RIGHT;
	struct operands first = take_operands(1), again = take_operands(1),
			other = take_operands(2);
	assert_memory_equal(&first, &again, sizeof first);
	assert_memory_not_equal(&first, &other, sizeof first);
	assert_memory_not_equal(first.a, first.b, sizeof first.b);
	int negative = 0;
	for (size_t i = 0; i < sizeof first.a / sizeof *first.a; i++) {
		assert_true(fabsf(first.a[i]) < 1);
		assert_true(fabsf(first.a[i]) >= 0x1p-23f);
		negative += first.a[i] < 0;
	}
	/* Fair coins: 300 of 600, sd 12. */
	assert_in_range(negative, 230, 370);
}

static void a_library_with_fewer_threads_is_refused(void **state)
{
	(void)state;
	*mode = RIGHT;
	*threads_max = 0;
	assert_int_equal(gemm_once(&gemm, "threads=1", 1), BG_ANSWER_UNSUPPORTED);
	assert_string_equal(gemm.why.text, "OpenBLAS takes 0 of 1 threads");
	*threads_max = 64;
}

static void a_library_with_64_bit_sizes_is_refused(void **state)
{
	(void)state;
	*mode = RIGHT;
	*config = "OpenBLAS 9 USE64BITINT DYNAMIC_ARCH";
	assert_int_equal(gemm.gemm->usable(&gemm.why), BG_ANSWER_UNSUPPORTED);
	assert_non_null(strstr(gemm.why.text, "64-bit sizes"));
	*config = "OpenBLAS 9";
}

static void kernels_far_too_old_are_refused(void **state)
{
	(void)state;
#if defined(__x86_64__)
	static const char *const old[] = { "Prescott", "Nehalem", "generic", "Sandybridge" };
	if (__builtin_cpu_supports("avx2")) {
		for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
			*core = old[i];
			assert_int_equal(gemm_once(&gemm, "", 1), BG_ANSWER_UNSUPPORTED);
			assert_non_null(strstr(gemm.why.text, old[i]));
		}
		*core = "Haswell";
		assert_int_equal(gemm.gemm->usable(&gemm.why), BG_ANSWER_OK);
		return;
	}
#endif
	print_message("# this processor has no AVX2\n");
	skip();
}

int main(void)
{
	if (gemm_is_left_out())
		return gemm_run_left_out();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_errs_not_is_found_right),
		cmocka_unit_test(every_wrong_product_is_found),
		cmocka_unit_test(a_transposed_operand_is_found),
		cmocka_unit_test(the_seed_makes_the_operands),
		cmocka_unit_test(a_library_with_fewer_threads_is_refused),
		cmocka_unit_test(a_library_with_64_bit_sizes_is_refused),
		cmocka_unit_test(kernels_far_too_old_are_refused),
	};
	return cmocka_run_group_tests(tests, load, release_arena);
}
