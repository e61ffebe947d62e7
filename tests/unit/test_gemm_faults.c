/* gemm of every engine with a library that errs on purpose: see tests/fakes/fake.h. */
#include "gate/core/file.h"
#include "gate/core/process.h"
#include "tests/fakes/fake.h"
#include "tests/unit/module_case.h"

#include <dlfcn.h>
#include <math.h>

struct engine {
	const char *name, *source;
	const char *soname;	 /* NULL: dnnl's, of the version of its headers */
	const char *dtypes[4];	 /* f32 first */
	const char *needs_exact; /* a type whose result no rounding explains */
	struct module_case gemm;
	void *library;
	int *mode, *threads_max, *calls;
	const char **kernel;
	const void **a, **b;
};

static struct engine openblas = {
	"openblas",	  "tests/fakes/fake_blas.c", "libopenblas.so.0",
	{ "f32", "f64" }, .needs_exact = "f64",
};
static struct engine blis = {
	"blis", "tests/fakes/fake_blas.c", "libblis.so.4", { "f32", "f64" }, .needs_exact = "f64",
};
static struct engine onednn = {
	"onednn",
	"tests/fakes/fake_dnnl.c",
	NULL,
	{ "f32", "bf16", "s8", "u8" },
	.needs_exact = "s8",
};
static struct engine *const engines[] = { &openblas, &blis, &onednn };

static struct bg_arena arena;

/* Compiles a fake under a name and loads it. */
static void *open_fake(const struct engine *engine, const char *folder, const char *soname)
{
	struct bg_error err = BG_ERROR_INIT;
	const char *file = bg_arena_format(&arena, "%s/%s", folder, soname);
	const char *cc = getenv("CC"), *include = getenv("onednn_CFLAGS");
	const char *const argv[] = { cc ? cc : "cc",
				     "-std=c11",
				     "-O1",
				     "-shared",
				     "-fPIC",
				     "-I.",
				     include && *include ? include : "-I.",
				     bg_arena_format(&arena, "-Wl,-soname,%s", soname),
				     "-o",
				     file,
				     engine->source,
				     NULL };
	struct bg_command command = { .argv = argv, .log_fd = STDERR_FILENO };
	int status = -1;
	assert_int_equal(bg_command_run(&status, NULL, &command, &err), BG_OK);
	assert_int_equal(status, 0);
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	return library;
}

static void load_engine(struct engine *engine)
{
	char folder[] = "/tmp/batchgate-gemm-XXXXXX";
	struct bg_error err = BG_ERROR_INIT;
	const char *soname = engine->soname;
	if (!module_case_load(&engine->gemm, "gemm", engine->name, &arena))
		return;
	assert_non_null(mkdtemp(folder));
	if (!soname) {
		void *unnamed = open_fake(engine, folder, "libdnnl.so");
		const int *major = dlsym(unnamed, "fake_major");
		soname = bg_arena_format(&arena, "libdnnl.so.%d", *major);
	}
	engine->library = open_fake(engine, folder, soname);
	assert_int_equal(bg_tree_remove(folder, &err), BG_OK);
	engine->mode = dlsym(engine->library, "fake_mode");
	engine->threads_max = dlsym(engine->library, "fake_threads_max");
	engine->calls = dlsym(engine->library, "fake_calls");
	engine->kernel = dlsym(engine->library, "fake_kernel");
	engine->a = dlsym(engine->library, "fake_a");
	engine->b = dlsym(engine->library, "fake_b");
}

static int load(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
		load_engine(engines[i]);
	return 0;
}

static int release_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

/* The engine of a test, its library without fault. */
static struct engine *sound(struct engine *engine)
{
	if (!engine->gemm.operation) {
		print_message("# %s\n", engine->gemm.why.text);
		skip();
	}
	*engine->mode = FAKE_RIGHT;
	return engine;
}

static const char *axes_of(const struct engine *engine, size_t dtype, const char *shape)
{
	return bg_arena_format(&arena, "dtype=%s %s", engine->dtypes[dtype], shape);
}

#define DTYPES(engine) (sizeof(engine)->dtypes / sizeof *(engine)->dtypes)

static void what_errs_not_is_found_right(void **state)
{
	struct engine *engine = sound(*state);
	for (size_t i = 0; i < DTYPES(engine) && engine->dtypes[i]; i++) {
		*engine->calls = 0;
		if (module_case_once(&engine->gemm, axes_of(engine, i, "m=5 n=6 k=7 batch=3"), 1) !=
		    BG_ANSWER_OK)
			fail_msg("%s: %s", engine->dtypes[i], engine->gemm.why.text);
		assert_in_range(*engine->calls, 1, 3);
	}
	/* The library sums as the reference does, in f64. */
	const char *axes = bg_arena_format(&arena, "dtype=%s m=40 n=30 k=70", engine->needs_exact);
	assert_int_equal(module_case_once(&engine->gemm, axes, 1), BG_ANSWER_OK);
	assert_true(engine->gemm.error == 0);
}

/* The first is compared as a whole, the others by sample, the last by its corners alone. */
static const char *const shapes[] = { "m=20 n=30 k=40 batch=2", "m=200 n=200 k=64",
				      "m=17 n=16 k=20000", "m=3 n=2 k=600000" };

/* A thousandth is what rounding of f32 may do to a long sum, and of bf16 to any result. */
static bool is_explained(const struct engine *engine, size_t dtype, size_t shape, int mode)
{
	const char *word = engine->dtypes[dtype];
	return mode == FAKE_ROUGH &&
	       (strcmp(word, "bf16") == 0 || (strcmp(word, "f32") == 0 && shape >= 2));
}

static void every_wrong_product_is_found(void **state)
{
	struct engine *engine = sound(*state);
	static const int wrong[] = { FAKE_FIRST_WRONG, FAKE_LAST_WRONG, FAKE_UNWRITTEN, FAKE_ROUGH,
				     FAKE_ALL_ZERO };
	struct module_case *gemm = &engine->gemm;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (size_t j = 0; j < DTYPES(engine) && engine->dtypes[j]; j++)
			for (size_t l = 0; l < sizeof wrong / sizeof *wrong; l++) {
				const char *axes = axes_of(engine, j, shapes[i]);
				if (is_explained(engine, j, i, wrong[l]))
					continue;
				*engine->mode = wrong[l];
				if (module_case_once(gemm, axes, 7) != BG_ANSWER_INCORRECT)
					fail_msg("%s, mode %d: %s", axes, wrong[l], gemm->why.text);
				assert_false(gemm->error <= gemm->tolerance);
				assert_non_null(strstr(gemm->why.text, "the product is wrong"));
			}
}

static void a_transposed_operand_is_found(void **state)
{
	struct engine *engine = sound(*state);
	for (size_t i = 0; i < DTYPES(engine) && engine->dtypes[i]; i++) {
		const char *axes = axes_of(engine, i, "m=30 n=30 k=30");
		*engine->mode = FAKE_RIGHT;
		assert_int_equal(module_case_once(&engine->gemm, axes, 1), BG_ANSWER_OK);
		*engine->mode = FAKE_TRANSPOSED;
		assert_int_equal(module_case_once(&engine->gemm, axes, 1), BG_ANSWER_INCORRECT);
	}
}

struct operands {
	float a[20 * 30], b[30 * 10];
};

/* Runs a product and copies what the library saw; sizes in bytes. */
static void take_operands(struct engine *engine, const char *axes, uint64_t seed,
			  struct operands *ret)
{
	struct module_case *gemm = &engine->gemm;
	assert_int_equal(module_case_setup(gemm, axes, seed), BG_ANSWER_OK);
	assert_int_equal(gemm->operation->run(gemm->state, &gemm->why), BG_ANSWER_OK);
	memcpy(ret->a, *engine->a, sizeof ret->a);
	memcpy(ret->b, *engine->b, sizeof ret->b);
	module_case_teardown(gemm);
}

static void the_seed_makes_the_operands(void **state)
{
	struct engine *engine = sound(*state);
	struct operands first, again, other;
	take_operands(engine, "m=20 n=10 k=30", 1, &first);
	take_operands(engine, "m=20 n=10 k=30", 1, &again);
	take_operands(engine, "m=20 n=10 k=30", 2, &other);
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

/* So that no processor's sums of two products overflow 16 bits, and none is skipped as zero. */
static void integers_are_odd_and_those_of_b_small(void **state)
{
	struct engine *engine = sound(*state);
	for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
		struct operands seen;
		const int8_t *a = (const void *)seen.a, *b = (const void *)seen.b;
		int largest_a = 0, largest_b = 0;
		take_operands(engine,
			      is_unsigned ? "dtype=u8 m=80 n=40 k=30" : "dtype=s8 m=80 n=40 k=30",
			      1, &seen);
		for (size_t i = 0; i < sizeof seen.a; i++) {
			int value = is_unsigned ? (uint8_t)a[i] : abs(a[i]);
			assert_int_equal(value % 2, 1);
			largest_a = value > largest_a ? value : largest_a;
		}
		for (size_t i = 0; i < sizeof seen.b; i++) {
			assert_int_equal(abs(b[i]) % 2, 1);
			largest_b = abs(b[i]) > largest_b ? abs(b[i]) : largest_b;
		}
		assert_int_equal(largest_a, is_unsigned ? 255 : 127);
		assert_int_equal(largest_b, 63);
	}
}

static void a_library_with_fewer_threads_is_refused(void **state)
{
	struct engine *engine = sound(*state);
	*engine->threads_max = 0;
	enum bg_answer answer = module_case_once(&engine->gemm, "threads=1", 1);
	*engine->threads_max = 64;
	assert_int_equal(answer, BG_ANSWER_UNSUPPORTED);
	assert_non_null(strstr(engine->gemm.why.text, "takes 0 of 1 threads"));
}

static void the_kernel_is_the_librarys_word(void **state)
{
	struct engine *engine = sound(*state);
	assert_int_equal(module_case_setup(&engine->gemm, "", 1), BG_ANSWER_OK);
	const char *kernel = bg_arena_text(&arena, engine->gemm.module->kernel());
	module_case_teardown(&engine->gemm);
	assert_string_equal(kernel, *engine->kernel);
}

static void openblas_with_64_bit_sizes_is_refused(void **state)
{
	struct engine *engine = sound(*state);
	const char **config = dlsym(engine->library, "fake_config"), *before = *config;
	*config = "OpenBLAS 9 USE64BITINT DYNAMIC_ARCH";
	assert_int_equal(engine->gemm.operation->usable(&engine->gemm.why), BG_ANSWER_UNSUPPORTED);
	assert_non_null(strstr(engine->gemm.why.text, "64-bit sizes"));
	*config = before;
}

static void blis_with_other_sizes_is_refused(void **state)
{
	struct engine *engine = sound(*state);
	struct module_case *gemm = &engine->gemm;
	const char **size = dlsym(engine->library, "fake_int_size");
	int64_t *blas_size = dlsym(engine->library, "fake_blas_int_size");
	*size = "32";
	assert_int_equal(gemm->operation->usable(&gemm->why), BG_ANSWER_UNSUPPORTED);
	*size = "64";
	*blas_size = 64;
	assert_int_equal(gemm->operation->usable(&gemm->why), BG_ANSWER_UNSUPPORTED);
	assert_non_null(strstr(gemm->why.text, "sizes of 64 bits"));
	*blas_size = 32;
	assert_int_equal(gemm->operation->usable(&gemm->why), BG_ANSWER_OK);
}

static void blis_without_threads_takes_one(void **state)
{
	struct engine *engine = sound(*state);
	struct module_case *gemm = &engine->gemm;
	int64_t *threading = dlsym(engine->library, "fake_threading");
	*threading = 0;
	enum bg_answer one = module_case_once(gemm, "threads=1 m=4", 1);
	enum bg_answer two = module_case_once(gemm, "threads=2 m=4", 1);
	*threading = 1;
	assert_int_equal(one, BG_ANSWER_OK);
	assert_int_equal(two, BG_ANSWER_UNSUPPORTED);
	/* Where there is one core only, that comes first. */
	assert_true(strstr(gemm->why.text, "built without threads") ||
		    strstr(gemm->why.text, "may use 1 core"));
}

static void kernels_far_too_old_are_refused(void **state)
{
	struct engine *engine = sound(*state);
	const char *before = *engine->kernel;
#if defined(__x86_64__)
	static const char *const old[][4] = {
		{ "Prescott", "Nehalem", "generic", "Sandybridge" },
		{ "penryn", "sandybridge", "generic", "bulldozer" },
	};
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
		for (size_t i = 0; i < 4; i++) {
			*engine->kernel = old[engine == &blis][i];
			assert_int_equal(module_case_once(&engine->gemm, "", 1),
					 BG_ANSWER_UNSUPPORTED);
			assert_non_null(strstr(engine->gemm.why.text, *engine->kernel));
		}
		*engine->kernel = engine == &blis ? "haswell" : "Haswell";
		assert_int_equal(engine->gemm.operation->usable(&engine->gemm.why), BG_ANSWER_OK);
		*engine->kernel = before;
		return;
	}
#endif
	(void)before;
	print_message("# this processor has no AVX2\n");
	skip();
}

static void onednn_of_another_major_version_is_refused(void **state)
{
	struct engine *engine = sound(*state);
	int *major = dlsym(engine->library, "fake_major"), before = *major;
	*major = before + 1;
	enum bg_answer answer = engine->gemm.operation->usable(&engine->gemm.why);
	*major = before;
	assert_int_equal(answer, BG_ANSWER_UNSUPPORTED);
	assert_non_null(strstr(engine->gemm.why.text,
			       bg_arena_format(&arena, "is oneDNN %d.9", before + 1)));
}

static void onednn_on_threads_nobody_can_count_is_refused(void **state)
{
	struct engine *engine = sound(*state);
	int *runtime = dlsym(engine->library, "fake_runtime"), before = *runtime;
	*runtime = 4; /* TBB */
	enum bg_answer tbb = engine->gemm.operation->usable(&engine->gemm.why);
	bool is_named = strstr(engine->gemm.why.text, "TBB") != NULL;
	*runtime = 1; /* sequential */
	enum bg_answer one = module_case_once(&engine->gemm, "m=4", 1);
	enum bg_answer two = module_case_once(&engine->gemm, "m=4 threads=2", 1);
	*runtime = before;
	assert_int_equal(tbb, BG_ANSWER_UNSUPPORTED);
	assert_true(is_named);
	assert_int_equal(one, BG_ANSWER_OK);
	assert_int_equal(two, BG_ANSWER_UNSUPPORTED);
}

static void onednn_reference_is_refused(void **state)
{
	struct engine *engine = sound(*state);
	static const char *const names[] = { "ref:any", "ref_int8:any" };
	const char *before = *engine->kernel;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		*engine->kernel = names[i];
		assert_int_equal(module_case_once(&engine->gemm, "dtype=s8", 1),
				 BG_ANSWER_UNSUPPORTED);
		assert_non_null(strstr(engine->gemm.why.text, names[i]));
	}
	*engine->kernel = before;
}

static void onednn_says_why_it_has_no_product(void **state)
{
	struct engine *engine = sound(*state);
	int *status = dlsym(engine->library, "fake_status");
	static const struct {
		int status;
		enum bg_answer answer;
	} faults[] = {
		{ 1, BG_ANSWER_OUT_OF_MEMORY }, /* dnnl_out_of_memory */
		{ 2, BG_ANSWER_FAILED },	/* dnnl_invalid_arguments */
		{ 3, BG_ANSWER_UNSUPPORTED },	/* dnnl_unimplemented */
	};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		*status = faults[i].status;
		enum bg_answer answer = module_case_once(&engine->gemm, "dtype=bf16", 1);
		*status = 0;
		assert_int_equal(answer, faults[i].answer);
		assert_non_null(strstr(engine->gemm.why.text, "multiply matrices of bf16"));
	}
}

static void onednn_objects_are_all_destroyed(void **state)
{
	struct engine *engine = sound(*state);
	int *alive = dlsym(engine->library, "fake_alive");
	int *status = dlsym(engine->library, "fake_status");
	assert_int_equal(*alive, 0);
	assert_int_equal(module_case_setup(&engine->gemm, "m=4", 1), BG_ANSWER_OK);
	assert_in_range(*alive, 7, 7); /* engine, stream, description, primitive, operands */
	module_case_teardown(&engine->gemm);
	assert_int_equal(*alive, 0);
	*status = 2;
	assert_int_equal(module_case_once(&engine->gemm, "m=4", 1), BG_ANSWER_FAILED);
	*status = 0;
	assert_int_equal(*alive, 0);
}

#define OF(engine, test)                                                                           \
	{                                                                                          \
#engine ": " #test, test, NULL, NULL, &engine                                      \
	}
#define ALL_OF(engine)                                                                             \
	OF(engine, what_errs_not_is_found_right), OF(engine, every_wrong_product_is_found),        \
		OF(engine, a_transposed_operand_is_found),                                         \
		OF(engine, the_seed_makes_the_operands),                                           \
		OF(engine, a_library_with_fewer_threads_is_refused),                               \
		OF(engine, the_kernel_is_the_librarys_word)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALL_OF(openblas),
		ALL_OF(blis),
		ALL_OF(onednn),
		OF(onednn, integers_are_odd_and_those_of_b_small),
		OF(openblas, openblas_with_64_bit_sizes_is_refused),
		OF(openblas, kernels_far_too_old_are_refused),
		OF(blis, kernels_far_too_old_are_refused),
		OF(blis, blis_with_other_sizes_is_refused),
		OF(blis, blis_without_threads_takes_one),
		OF(onednn, onednn_of_another_major_version_is_refused),
		OF(onednn, onednn_on_threads_nobody_can_count_is_refused),
		OF(onednn, onednn_reference_is_refused),
		OF(onednn, onednn_says_why_it_has_no_product),
		OF(onednn, onednn_objects_are_all_destroyed),
	};
	return cmocka_run_group_tests(tests, load, release_arena);
}
