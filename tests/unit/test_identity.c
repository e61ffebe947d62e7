#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sweeps/identity.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two trees of equal shape, in each a program that loads a library of its own and waits. */
struct trees {
	char dir[2][64];
	char root[48];
};

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
	char line[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		execl("/bin/sh", "sh", "-ec", line, (char *)NULL);
		_exit(127);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int begin(void **state)
{
	struct trees *trees = calloc(1, sizeof *trees);
	snprintf(trees->root, sizeof trees->root, "/tmp/batchgate-identity-XXXXXX");
	if (!mkdtemp(trees->root))
		return -1;
	for (size_t i = 0; i < 2; i++) {
		snprintf(trees->dir[i], sizeof trees->dir[i], "%s/%s", trees->root,
			 i ? "head" : "base");
		run("mkdir %s; cd %s; echo 'int f(void){return 7;}' >lib.c;"
		    "printf '#include <unistd.h>\\nint f(void);\\nint "
		    "main(void){write(1,\"x\",f()>0);"
		    "pause();return 0;}' >main.c; cc -O1 -shared -fPIC lib.c -o lib.so;"
		    "cc -O1 main.c ./lib.so -Wl,-rpath,'$ORIGIN' -o work",
		    trees->dir[i], trees->dir[i]);
	}
	*state = trees;
	return 0;
}

static int end(void **state)
{
	struct trees *trees = *state;
	run("rm -rf %s", trees->root);
	free(trees);
	return 0;
}

/* Starts DIR/PROGRAM with one more word and variable, and waits until it runs. */
static pid_t start(const char *dir, const char *program, const char *word, const char *variable)
{
	int ends[2];
	char path[128], c;
	snprintf(path, sizeof path, "%s/%s", program[0] == '/' ? "" : dir, program);
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char *argv[] = { path, (char *)(uintptr_t)word, NULL };
		char *envp[] = { (char *)(uintptr_t)variable, NULL };
		dup2(ends[1], 1);
		if (chdir(dir) == 0)
			execve(program[0] == '/' ? program : path, argv, envp);
		_exit(127);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &c, 1), 1);
	close(ends[0]);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool same(const struct trees *trees, const char *program, const char *word,
		 const char *variable)
{
	pid_t base = start(trees->dir[0], program, "worker", "A=1");
	pid_t head = start(trees->dir[1], program, word, variable);
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_identity_side a = { base, trees->dir[0] }, b = { head, trees->dir[1] };
	bool is_same = bg_identity_same(&a, &b, &arena);
	assert_true(bg_identity_same(&b, &a, &arena) == is_same);
	bg_arena_release(&arena);
	stop(base);
	stop(head);
	return is_same;
}

static void equal_programs_of_equal_trees_are_the_same(void **state)
{
	assert_true(same(*state, "work", "worker", "A=1"));
}

static void another_argument_or_variable_is_another_program(void **state)
{
	assert_false(same(*state, "work", "worker2", "A=1"));
	assert_false(same(*state, "work", "worker", "A=2"));
}

static void a_library_that_differs_counts_and_one_with_other_comments_does_not(void **state)
{
	struct trees *trees = *state;
	run("cd %s; echo '\n\nint f(void){return 7;}' >lib.c; cc -g -O1 -shared -fPIC lib.c -o "
	    "new.so;"
	    "mv new.so lib.so",
	    trees->dir[1]);
	assert_true(same(trees, "work", "worker", "A=1"));
	run("cd %s; echo 'int f(void){return 8;}' >lib.c; cc -O1 -shared -fPIC lib.c -o new.so;"
	    "mv new.so lib.so",
	    trees->dir[1]);
	assert_false(same(trees, "work", "worker", "A=1"));
}

/* What it reads is not mapped. */
static void an_interpreter_from_elsewhere_is_never_the_same(void **state)
{
	struct trees *trees = *state;
	for (size_t i = 0; i < 2; i++)
		run("cd %s; printf '#!/bin/sh\\nprintf x; read line </dev/null; while :; do sleep "
		    "60;"
		    " done' >script; chmod +x script",
		    trees->dir[i]);
	assert_false(same(trees, "script", "worker", "A=1"));
}

static void a_process_that_has_gone_is_not_the_same(void **state)
{
	struct trees *trees = *state;
	pid_t base = start(trees->dir[0], "work", "worker", "A=1");
	struct bg_arena arena = BG_ARENA_INIT;
	stop(base);
	struct bg_identity_side a = { base, trees->dir[0] };
	assert_false(bg_identity_same(&a, &a, &arena));
	bg_arena_release(&arena);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_programs_of_equal_trees_are_the_same),
		TEST(another_argument_or_variable_is_another_program),
		TEST(a_library_that_differs_counts_and_one_with_other_comments_does_not),
		TEST(an_interpreter_from_elsewhere_is_never_the_same),
		TEST(a_process_that_has_gone_is_not_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
