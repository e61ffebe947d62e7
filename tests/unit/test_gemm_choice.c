/* What gemm's engines say about their libraries: kernels, the user's environment, what is missing.
 */
#include "gate/core/file.h"
#include "gate/core/process.h"
#include "tests/unit/module_case.h"

#include <strings.h>

static struct bg_arena arena;

static int release_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

/* Skips the test where the engine cannot be used here. */
static void need(const char *engine)
{
	struct module_case gemm;
	module_case_load(&gemm, "gemm", engine, &arena);
	module_case_need(&gemm);
}

/*
 * What another process of this program, with one variable in its environment, says about a case:
 * "KERNEL" or "unsupported: WHY".
 */
static const char *say(const char *engine, const char *axes, const char *variable)
{
	const char *const argv[] = { "/proc/self/exe", engine, axes, NULL };
	const char *path = getenv("LD_LIBRARY_PATH");
	/* Of two the loader takes the last. */
	const char *const envp[] = { bg_arena_format(&arena, "LD_LIBRARY_PATH=%s",
						     path ? path : ""),
				     variable, "ASAN_OPTIONS=detect_leaks=0", NULL };
	struct bg_command command = { .argv = argv, .envp = envp, .log_fd = -1 };
	struct bg_error err = BG_ERROR_INIT;
	struct bg_buffer output;
	int status = -1;
	bg_buffer_init(&output, 1 << 16);
	assert_int_equal(bg_command_run(&status, &output, &command, &err), BG_OK);
	char *text = bg_arena_bytes(&arena, output.bytes, output.size);
	bg_buffer_release(&output);
	if (status != 0)
		fail_msg("%s %s: exit status %d: %s", engine, variable, status, text);
	return text;
}

static int say_kernel(const char *engine, const char *axes)
{
	struct module_case gemm;
	if (!module_case_load(&gemm, "gemm", engine, &arena))
		return 1;
	if (gemm.module->kernel())
		return 2; /* not before setup */
	enum bg_answer answer = gemm.operation->usable(&gemm.why);
	if (answer == BG_ANSWER_OK)
		answer = module_case_setup(&gemm, axes, 1);
	const char *kernel = gemm.module->kernel();
	if (answer == BG_ANSWER_OK)
		printf("%s", kernel ? kernel : "(none)");
	else
		printf("unsupported: %s", gemm.why.text);
	module_case_teardown(&gemm);
	bg_arena_release(&arena);
	return 0;
}

static void assert_says(const char *said, const char *part)
{
	if (!strstr(said, part))
		fail_msg("\"%s\" does not contain \"%s\"", said, part);
}

/* Skips where the kernels of AVX2 and its forerunners are not there to choose from. */
static void need_avx2(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return;
#endif
	print_message("# this processor has no AVX2\n");
	skip();
}

static void openblas_kernel_fits_the_processor(void **state)
{
	(void)state;
	need("openblas");
	const char *kernel = say("openblas", "", "NOTHING=");
	assert_true(*kernel != '\0');
	assert_int_not_equal(strcasecmp(kernel, "Prescott"), 0);
}

static void openblas_core_type_of_the_user_is_kept_unless_far_too_old(void **state)
{
	(void)state;
	need("openblas");
	need_avx2();
	assert_says(say("openblas", "", "OPENBLAS_CORETYPE=Haswell"), "Haswell");
	assert_says(say("openblas", "", "OPENBLAS_CORETYPE=Prescott"),
		    "unsupported: OpenBLAS runs its kernels for Prescott");
	assert_says(say("openblas", "", "OPENBLAS_CORETYPE=Nehalem"), "unset OPENBLAS_CORETYPE");
	assert_string_equal(say("openblas", "", "OPENBLAS_CORETYPE="),
			    say("openblas", "", "NOTHING="));
}

/* By numbers of the version's own: of 0.9, skx, haswell and penryn. */
static void blis_kernels_chosen_by_hand_are_named_unless_far_too_old(void **state)
{
	(void)state;
	need("blis");
	need_avx2();
	assert_string_not_equal(say("blis", "", "BLIS_ARCH_TYPE=0"),
				say("blis", "", "BLIS_ARCH_TYPE=3"));
	assert_says(say("blis", "", "BLIS_ARCH_TYPE=5"), "unsupported: BLIS runs its kernels for");
}

static void onednn_names_what_it_chose_for_each_type(void **state)
{
	(void)state;
	need("onednn");
	const char *kernel = say("onednn", "", "NOTHING=");
	assert_true(*kernel != '\0' && !strchr(kernel, ' '));
	assert_int_not_equal(strncmp(kernel, "ref", 3), 0);
}

static void onednn_with_fewer_instructions_takes_another_kernel_or_says_why_not(void **state)
{
	(void)state;
	need("onednn");
	need_avx2();
	const char *best = say("onednn", "", "NOTHING=");
	const char *old = say("onednn", "", "ONEDNN_MAX_CPU_ISA=SSE41");
	if (strstr(best, "avx512"))
		assert_string_not_equal(best, old);
	assert_null(strstr(old, "avx"));
	const char *bf16 = say("onednn", "dtype=bf16", "ONEDNN_MAX_CPU_ISA=SSE41");
	assert_says(bf16, "unsupported: oneDNN");
	assert_says(bf16, "bf16");
}

/* LD_LIBRARY_PATH of a folder where the library is text. */
static const char *folder_of_text(const char *file)
{
	static const char text[] = "this is text, and long enough to be looked at as a library "
				   "and to be refused as one\n";
	char folder[] = "/tmp/batchgate-gemm-XXXXXX";
	struct bg_error err = BG_ERROR_INIT;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(bg_file_replace(bg_arena_format(&arena, "%s/%s", folder, file), text,
					 sizeof text, &err),
			 BG_OK);
	return bg_arena_text(&arena, folder);
}

static void a_library_that_does_not_load_is_named_with_the_cure(void **state)
{
	(void)state;
	static const struct {
		const char *engine, *file, *cure;
	} libraries[] = {
		{ "openblas", "libopenblas.so.0", "install OpenBLAS" },
		{ "blis", "libblis.so.4", "install BLIS" },
		{ "onednn", "libdnnl.so.2", "install oneDNN" },
		{ "onednn", "libdnnl.so.3", "install oneDNN" },
	};
	size_t refused = 0;
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		struct module_case gemm;
		struct bg_error err = BG_ERROR_INIT;
		const char *file = libraries[i].file, *engine = libraries[i].engine;
		if (!module_case_load(&gemm, "gemm", engine, &arena))
			continue;
		const char *folder = folder_of_text(file);
		const char *said =
			say(engine, "", bg_arena_format(&arena, "LD_LIBRARY_PATH=%s", folder));
		assert_int_equal(bg_tree_remove(folder, &err), BG_OK);
		/* oneDNN's is that of one major version, the one this was built for. */
		if (strcmp(engine, "onednn") == 0 && !strstr(said, file))
			continue;
		assert_says(said, bg_arena_format(&arena, "%s: invalid ELF header: %s", file,
						  libraries[i].cure));
		refused++;
	}
	assert_in_range(refused, 1, 3);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return say_kernel(argv[1], argv[2]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(openblas_kernel_fits_the_processor),
		cmocka_unit_test(openblas_core_type_of_the_user_is_kept_unless_far_too_old),
		cmocka_unit_test(blis_kernels_chosen_by_hand_are_named_unless_far_too_old),
		cmocka_unit_test(onednn_names_what_it_chose_for_each_type),
		cmocka_unit_test(
			onednn_with_fewer_instructions_takes_another_kernel_or_says_why_not),
		cmocka_unit_test(a_library_that_does_not_load_is_named_with_the_cure),
	};
	return cmocka_run_group_tests(tests, NULL, release_arena);
}
