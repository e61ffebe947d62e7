#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "gate/core/process.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SH(script) ((const char *const[]){ "sh", "-c", script, NULL })

static struct bg_buffer output;

static int run(const char *const *argv, const char *dir, double timeout_s, struct bg_error *err)
{
	struct bg_command command = {
		.argv = argv, .dir = dir, .timeout_s = timeout_s, .log_fd = -1
	};
	int exit_status = -1;
	*err = (struct bg_error)BG_ERROR_INIT;
	bg_buffer_clear(&output);
	enum bg_status status = bg_command_run(&exit_status, &output, &command, err);
	assert_int_equal(status, err->status);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return exit_status;
}

static void output_and_exit_status_come_back(void **state)
{
	(void)state;
	struct bg_error err;
	assert_int_equal(run(SH("echo out; echo err >&2; exit 3"), NULL, 10, &err), 3);
	assert_string_equal(output.bytes, "out\nerr\n");
	assert_int_equal(run(SH("kill -KILL $$"), NULL, 10, &err), 128 + 9);
}

static void what_cannot_start_is_told(void **state)
{
	(void)state;
	struct bg_error err;
	run((const char *const[]){ "no-such-program-anywhere", NULL }, NULL, 10, &err);
	assert_string_equal(err.text, "cannot run no-such-program-anywhere: not found in PATH");
	run((const char *const[]){ "./none", NULL }, NULL, 10, &err);
	assert_string_equal(err.text, "cannot run ./none: No such file or directory");
	run((const char *const[]){ "/etc/passwd", NULL }, NULL, 10, &err);
	assert_string_equal(err.text, "cannot run /etc/passwd: Permission denied");
	run(SH(":"), "/nowhere", 10, &err);
	assert_string_equal(err.text, "cannot run sh: No such file or directory in /nowhere");
}

static void a_relative_program_is_relative_to_its_folder(void **state)
{
	(void)state;
	struct bg_error err;
	char dir[] = "/tmp/bg-process-XXXXXX", path[64];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/tool", dir);
	FILE *file = fopen(path, "w");
	fputs("#!/bin/sh\npwd\n", file);
	fclose(file);
	chmod(path, 0755);
	assert_int_equal(run((const char *const[]){ "./tool", NULL }, dir, 10, &err), 0);
	assert_memory_equal(output.bytes, dir, strlen(dir));
	/* Without its first line it is no program. */
	file = fopen(path, "w");
	fputs("pwd\n", file);
	fclose(file);
	run((const char *const[]){ "./tool", NULL }, dir, 10, &err);
	assert_non_null(strstr(err.text, "Exec format error"));
	unlink(path);
	rmdir(dir);
}

static void output_is_bounded_and_the_rest_drained(void **state)
{
	(void)state;
	struct bg_error err;
	assert_int_equal(run(SH("head -c 300000000 /dev/zero; echo end >&2"), NULL, 60, &err), 0);
	assert_true(output.full);
	assert_int_equal(output.size, 1000);
}

static void a_deadline_ends_the_whole_session(void **state)
{
	(void)state;
	struct bg_error err;
	run(SH("trap '' TERM INT HUP; (setsid sleep 60 &); while :; do sleep 1; done"), NULL, .3,
	    &err);
	assert_int_equal(err.status, BG_E_SYSTEM);
	assert_string_equal(err.text, "sh: still running after 0.3 s");
}

static void a_grandchild_that_holds_the_pipe_does_not_hold_us(void **state)
{
	(void)state;
	struct bg_error err;
	uint64_t start_ns = bg_clock_ns();
	assert_int_equal(run(SH("echo said; (setsid sleep 50 &)"), NULL, 0, &err), 0);
	assert_string_equal(output.bytes, "said\n");
	/* The sleeper's end would be 50 s away: a hang, not a speed, is what this tells. */
	assert_true(bg_clock_ns() - start_ns < 40 * BG_NS_PER_S);
}

static void no_descriptor_but_three_is_inherited(void **state)
{
	(void)state;
	struct bg_error err;
	int leaked = open("/dev/null", O_RDONLY);
	assert_true(leaked > 2);
	run(SH("ls /proc/self/fd"), NULL, 10, &err);
	close(leaked);
	/* ls itself opens the folder it lists. */
	assert_string_equal(output.bytes, "0\n1\n2\n3\n");
}

static void signals_start_at_their_defaults(void **state)
{
	(void)state;
	struct bg_error err;
	run(SH("sed -n 's/^Sig[BI][lg][kn]:.//p' /proc/self/status"), NULL, 10, &err);
	/* glibc's posix_spawn, and so make, leaves its own signals 32 and 33 ignored. */
	const unsigned long long internal = 3ull << 31;
	char *rest;
	assert_int_equal(strtoull(output.bytes, &rest, 16), 0);
	assert_int_equal(strtoull(rest, &rest, 16) & ~internal, 0);
	assert_string_equal(rest, "\n");
}

static void a_program_that_signals_its_group_hits_nobody_else(void **state)
{
	(void)state;
	struct bg_error err;
	assert_int_equal(run(SH("sleep 60 & kill -TERM 0; sleep 60"), NULL, 20, &err), 128 + 15);
}

static void setsid_does_not_fork_away(void **state)
{
	(void)state;
	struct bg_error err;
	const char *argv[] = { "setsid", "sh", "-c", "sleep 0.2; echo waited for; exit 5", NULL };
	assert_int_equal(run(argv, NULL, 20, &err), 5);
	assert_string_equal(output.bytes, "waited for\n");
}

static void a_stopped_program_has_not_begun(void **state)
{
	(void)state;
	struct bg_error err = BG_ERROR_INIT;
	char dir[] = "/tmp/bg-process-XXXXXX";
	assert_non_null(mkdtemp(dir));
	struct bg_spawn spawn = { .argv = SH("touch begun"),
				  .dir = dir,
				  .stdin_fd = -1,
				  .stdout_fd = -1,
				  .stderr_fd = -1,
				  .stopped = true };
	pid_t pid;
	char path[64];
	int status;
	snprintf(path, sizeof path, "%s/begun", dir);
	assert_int_equal(bg_spawn(&pid, &spawn, &err), BG_OK);
	usleep(50000);
	assert_int_equal(access(path, F_OK), -1);
	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	rmdir(dir);
}

static void a_signal_ends_the_wait(void **state)
{
	(void)state;
	/* In a child: the note of a signal cannot be taken back. */
	pid_t pid = fork();
	if (pid == 0) {
		struct bg_error err = BG_ERROR_INIT;
		struct bg_command command = { .argv = SH("sleep 60"), .log_fd = -1 };
		int exit_status;
		signal(SIGALRM, SIG_DFL);
		pid_t killer = fork();
		if (killer == 0) {
			usleep(200000);
			kill(getppid(), SIGTERM);
			_exit(0);
		}
		enum bg_status got = bg_command_run(&exit_status, NULL, &command, &err);
		_exit(got == BG_E_INTERRUPTED && bg_interrupt_pending() == SIGTERM ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bg_interrupt_install();
	bg_buffer_init(&output, 1000);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_exit_status_come_back),
		cmocka_unit_test(what_cannot_start_is_told),
		cmocka_unit_test(a_relative_program_is_relative_to_its_folder),
		cmocka_unit_test(output_is_bounded_and_the_rest_drained),
		cmocka_unit_test(a_deadline_ends_the_whole_session),
		cmocka_unit_test(a_grandchild_that_holds_the_pipe_does_not_hold_us),
		cmocka_unit_test(no_descriptor_but_three_is_inherited),
		cmocka_unit_test(signals_start_at_their_defaults),
		cmocka_unit_test(a_program_that_signals_its_group_hits_nobody_else),
		cmocka_unit_test(setsid_does_not_fork_away),
		cmocka_unit_test(a_stopped_program_has_not_begun),
		cmocka_unit_test(a_signal_ends_the_wait),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	bg_buffer_release(&output);
	return failed;
}
