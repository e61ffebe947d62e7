/* gemm of every engine, with the libraries of this machine. */
#include "tests/unit/module_case.h"

#include <sched.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): the sanitizers' own names */

/*
 * The libraries are not built for ThreadSanitizer: what their threads do to wait for each other is
 * not seen, and every product of two threads would look like a race.
 */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:libopenblas.so\nrace:libdnnl.so\nrace:libgomp.so\nrace:libblis.so\n";
}

/*
 * gcc 12's LeakSanitizer guesses where a thread keeps the variables of a library loaded later, and
 * dies of a wrong guess about OpenMP's, which still live at the end: it is not to look there.
 */
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "use_tls=0:print_suppressions=0";
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* What one engine offers; tolerance: of sums of up to 600,000 products, 0 where they are exact. */
struct dtype {
	const char *word;
	double tolerance, a_size, b_size, c_size;
};

struct engine {
	const char *name;
	struct dtype dtypes[4];
	struct module_case gemm;
};

#define F32                                                                                        \
	{                                                                                          \
		"f32", 4e-4, 4, 4, 4                                                               \
	}
#define F64                                                                                        \
	{                                                                                          \
		"f64", 2e-12, 8, 8, 8                                                              \
	}

static struct engine openblas = { .name = "openblas", .dtypes = { F32, F64 } };
static struct engine blis = { .name = "blis", .dtypes = { F32, F64 } };
static struct engine onednn = {
	.name = "onednn",
	.dtypes = { F32, { "bf16", 4e-4, 2, 2, 2 }, { "s8", 0, 1, 1, 4 }, { "u8", 0, 1, 1, 4 } }
};
static struct engine *const engines[] = { &openblas, &blis, &onednn };

static struct bg_arena arena;

static int load(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
		module_case_load(&engines[i]->gemm, "gemm", engines[i]->name, &arena);
	return 0;
}

static int release_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

/* The engine of a test that has what it needs. */
static struct module_case *needed(void **state)
{
	struct engine *engine = *state;
	module_case_need(&engine->gemm);
	return &engine->gemm;
}

static const struct dtype *dtype_at(void **state, size_t i)
{
	const struct engine *engine = *state;
	return i < sizeof engine->dtypes / sizeof *engine->dtypes && engine->dtypes[i].word
		       ? &engine->dtypes[i]
		       : NULL;
}

/* A processor may lack a type: then the reason names it, and the rest is still tested. */
static bool is_refused(struct module_case *gemm, const struct dtype *dtype)
{
	const char *axes = bg_arena_format(&arena, "dtype=%s", dtype->word);
	enum bg_answer answer = module_case_once(gemm, axes, 1);
	if (answer != BG_ANSWER_UNSUPPORTED)
		return false;
	assert_non_null(strstr(gemm->why.text, dtype->word));
	assert_string_not_equal(dtype->word, "f32");
	print_message("# without %s: %s\n", dtype->word, gemm->why.text);
	return true;
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
	struct module_case *gemm = needed(state);
	const struct dtype *dtype;
	for (size_t j = 0; (dtype = dtype_at(state, j)); j++) {
		if (is_refused(gemm, dtype))
			continue;
		for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
			const char *axes =
				bg_arena_format(&arena, "dtype=%s %s", dtype->word, shapes[i]);
			if (module_case_once(gemm, axes, 1 + i) != BG_ANSWER_OK)
				fail_msg("%s: %s", axes, gemm->why.text);
			assert_true(gemm->error >= 0 && gemm->error <= gemm->tolerance);
			assert_true(gemm->tolerance <= dtype->tolerance);
			assert_true((gemm->tolerance > 0) == (dtype->tolerance > 0));
		}
	}
}

/* Skips where only one core is allowed. */
static void need_two_cores(void)
{
	cpu_set_t cpus;
	assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
	if (CPU_COUNT(&cpus) < 2) {
		print_message("# only one core is allowed here\n");
		skip();
	}
}

static void two_threads_give_the_same_product(void **state)
{
	struct module_case *gemm = needed(state);
	need_two_cores();
	assert_int_equal(module_case_once(gemm, "threads=2 m=301 n=303 k=302", 5), BG_ANSWER_OK);
	assert_int_equal(module_case_once(gemm, "threads=2 m=65 k=70 batch=6", 5), BG_ANSWER_OK);
	assert_int_equal(module_case_once(gemm, "threads=1 m=301 n=303 k=302", 5), BG_ANSWER_OK);
}

/* The other side of a comparison runs on the same cores by then. */
static void idle_threads_leave_the_cores_alone(void **state)
{
	struct module_case *gemm = needed(state);
	need_two_cores();
	assert_int_equal(module_case_setup(gemm, "threads=2", 5), BG_ANSWER_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gemm->operation->run(gemm->state, &gemm->why), BG_ANSWER_OK);
	double share = module_case_idle_share();
	module_case_teardown(gemm);
	/* CPU time, not the clock's: a thread that spins uses all of a core, or a third of it. */
	if (share > .1)
		fail_msg("%.0f %% of a core between steps", 100 * share);
}

static void more_threads_than_cores_are_refused(void **state)
{
	struct module_case *gemm = needed(state);
	assert_int_equal(module_case_once(gemm, "threads=1024", 1), BG_ANSWER_UNSUPPORTED);
	assert_non_null(strstr(gemm->why.text, "1024"));
}

static void costs_follow_the_sizes(void **state)
{
	struct module_case *gemm = needed(state);
	const struct dtype *dtype;
	for (size_t j = 0; (dtype = dtype_at(state, j)); j++) {
		struct bg_costs costs = { -1, -1, -1 };
		if (is_refused(gemm, dtype))
			continue;
		const char *axes =
			bg_arena_format(&arena, "dtype=%s m=2 n=3 k=5 batch=7", dtype->word);
		assert_int_equal(module_case_setup(gemm, axes, 1), BG_ANSWER_OK);
		gemm->operation->costs(gemm->state, &costs);
		module_case_teardown(gemm);
		assert_true(costs.flops == 2 * 7 * 2 * 3 * 5);
		assert_true(costs.bytes == 7 * (dtype->a_size * 2 * 5 + dtype->b_size * 5 * 3 +
						dtype->c_size * 2 * 3));
		assert_true(costs.items == 7);
	}
}

static void what_no_memory_holds_is_out_of_memory(void **state)
{
	struct module_case *gemm = needed(state);
	/* Products and sums that wrap around in 64 bits, and some that do not. */
	static const char *const large[] = {
		"m=2147483647 n=2147483647",
		"m=2147483647 n=2147483647 k=2147483647 batch=2147483647",
		"m=536870912 n=2147483647",
		"m=2147483647 n=32768 k=1",
		"batch=2147483647 m=2147483647 n=1 k=1",
		"batch=2147483647",
	};
	for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
		if (module_case_once(gemm, large[i], 1) != BG_ANSWER_OUT_OF_MEMORY)
			fail_msg("%s: %s", large[i], gemm->why.text);
		assert_non_null(strstr(gemm->why.text, "GiB are free"));
	}
}

/* So that a suite may name several engines. */
static void the_axes_are_those_of_every_engine(void **state)
{
	static const char *const names[] = { "dtype", "m", "n", "k", "batch", "threads" };
	const struct bg_operation *gemm = needed(state)->operation;
	assert_int_equal(gemm->axis_count, sizeof names / sizeof *names);
	for (size_t i = 0; i < gemm->axis_count; i++) {
		assert_string_equal(gemm->axes[i].name, names[i]);
		if (gemm->axes[i].kind == BG_OPERATION_INTEGER)
			assert_true(gemm->axes[i].max <= 2147483647 && gemm->axes[i].min == 1);
	}
	const struct dtype *dtype;
	size_t count = 0;
	while ((dtype = dtype_at(state, count)))
		assert_string_equal(gemm->axes[0].words[count++], dtype->word);
	assert_int_equal(gemm->axes[0].word_count, count);
}

static void a_product_that_was_not_made_is_incorrect(void **state)
{
	struct module_case *gemm = needed(state);
	const struct dtype *dtype;
	for (size_t j = 0; (dtype = dtype_at(state, j)); j++) {
		if (is_refused(gemm, dtype))
			continue;
		const char *axes = bg_arena_format(&arena, "dtype=%s m=3 n=4 k=5", dtype->word);
		assert_int_equal(module_case_setup(gemm, axes, 1), BG_ANSWER_OK);
		enum bg_answer answer = gemm->operation->verify(gemm->state, &gemm->error,
								&gemm->tolerance, &gemm->why);
		module_case_teardown(gemm);
		assert_int_equal(answer, BG_ANSWER_INCORRECT);
		assert_non_null(strstr(gemm->why.text, "the product is wrong"));
	}
}

static void the_kernel_is_known_after_setup(void **state)
{
	struct module_case *gemm = needed(state);
	assert_int_equal(module_case_setup(gemm, "", 1), BG_ANSWER_OK);
	const char *kernel = gemm->module->kernel();
	bool known = kernel && *kernel;
	module_case_teardown(gemm);
	assert_true(known);
}

static void teardown_accepts_nothing(void **state)
{
	needed(state)->operation->teardown(NULL);
}

#define OF(engine, test)                                                                           \
	{                                                                                          \
#engine ": " #test, test, NULL, NULL, &engine                                      \
	}
#define ALL_OF(engine)                                                                             \
	OF(engine, products_of_odd_sizes_are_right),                                               \
		OF(engine, two_threads_give_the_same_product),                                     \
		OF(engine, idle_threads_leave_the_cores_alone),                                    \
		OF(engine, more_threads_than_cores_are_refused),                                   \
		OF(engine, costs_follow_the_sizes),                                                \
		OF(engine, what_no_memory_holds_is_out_of_memory),                                 \
		OF(engine, the_axes_are_those_of_every_engine),                                    \
		OF(engine, a_product_that_was_not_made_is_incorrect),                              \
		OF(engine, the_kernel_is_known_after_setup), OF(engine, teardown_accepts_nothing)

int main(void)
{
	const struct CMUnitTest tests[] = { ALL_OF(openblas), ALL_OF(blis), ALL_OF(onednn) };
	return cmocka_run_group_tests(tests, load, release_arena);
}
