#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/core/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/batchgate-image-XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static void run(const char *const *argv)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int end(void **state)
{
	(void)state;
	const char *const argv[] = { "rm", "-rf", folder, NULL };
	run(argv);
	return 0;
}

static void put(const char *name, const char *text, size_t size)
{
	FILE *file = fopen(name, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void compile(const char *name, const char *source, const char *option)
{
	put("source.c", source, strlen(source));
	const char *const argv[] = { "cc",	"-O1",	 "-fno-sanitize=all", option,
				     "-shared", "-fPIC", "source.c",	      "-o",
				     name,	NULL };
	run(argv);
}

static const char plain[] = "int f(int x){return 3*x;}\nconst char *g(void){return \"abc\";}\n";
/* A comment moves every debug line, and with it the build id. */
static const char moved[] = "/* */\n\n\nint f(int x){return 3*x;}\n"
			    "const char *g(void){return \"abc\";}\n";
static const char code[] = "int f(int x){return 5*x;}\nconst char *g(void){return \"abc\";}\n";
static const char text[] = "int f(int x){return 3*x;}\nconst char *g(void){return \"abd\";}\n";

static void debug_lines_and_build_id_do_not_count(void **state)
{
	(void)state;
	compile("a.so", plain, "-g");
	compile("b.so", moved, "-g");
	compile("c.so", plain, "-g0");
	assert_true(bg_image_equal("a.so", "b.so"));
	assert_true(bg_image_equal("a.so", "c.so"));
	assert_true(bg_image_equal("a.so", "a.so"));
}

static void another_instruction_or_text_counts(void **state)
{
	(void)state;
	compile("a.so", plain, "-g");
	compile("b.so", code, "-g");
	compile("c.so", text, "-g");
	assert_false(bg_image_equal("a.so", "b.so"));
	assert_false(bg_image_equal("a.so", "c.so"));
}

static void what_is_no_program_is_compared_whole(void **state)
{
	(void)state;
	put("a", "#!/bin/sh\n", 10);
	put("b", "#!/bin/sh\n", 10);
	put("c", "#!/bin/sh \n", 11);
	put("empty", "", 0);
	assert_true(bg_image_equal("a", "b"));
	assert_false(bg_image_equal("a", "c"));
	assert_false(bg_image_equal("a", "nowhere"));
	assert_false(bg_image_equal("empty", "empty"));
	assert_false(bg_image_equal(".", "."));
}

/* Whatever the headers claim, nothing is read outside the file, and nothing broken is equal. */
static void a_damaged_program_is_equal_only_to_its_own_bytes(void **state)
{
	(void)state;
	static char bytes[1 << 20];
	compile("a.so", plain, "-g0");
	FILE *file = fopen("a.so", "re");
	assert_non_null(file);
	size_t size = fread(bytes, 1, sizeof bytes, file);
	assert_int_equal(fclose(file), 0);
	put("copy.so", bytes, size);
	assert_true(bg_image_equal("a.so", "copy.so"));
	for (size_t i = 16; i < 64; i++) { /* all of the header behind its magic */
		char kept = bytes[i];
		bytes[i] = (char)~kept;
		put("damaged.so", bytes, size);
		(void)bg_image_equal("a.so", "damaged.so");
		put("twin.so", bytes, size);
		assert_true(bg_image_equal("damaged.so", "twin.so"));
		bytes[i] = kept;
	}
	for (size_t cut = 1; cut < size; cut += size / 50 + 1) {
		put("short.so", bytes, cut);
		assert_false(bg_image_equal("a.so", "short.so"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debug_lines_and_build_id_do_not_count),
		cmocka_unit_test(another_instruction_or_text_counts),
		cmocka_unit_test(what_is_no_program_is_compared_whole),
		cmocka_unit_test(a_damaged_program_is_equal_only_to_its_own_bytes),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
