#include "gate/core/clock.h"
#include "gate/core/guard.h"
#include "gate/core/interrupt.h"
#include "gate/core/process.h"
#include "gate/core/procfs.h"
#include "gate/core/random.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char marker[64];

static bool carries_marker(const char *pid)
{
	char path[300], environment[65536];
	snprintf(path, sizeof path, "/proc/%s/environ", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t size = read(fd, environment, sizeof environment);
	close(fd);
	return size > 0 && memmem(environment, (size_t)size, marker, strlen(marker)) != NULL &&
	       bg_procfs_state((pid_t)strtol(pid, NULL, 10), (pid_t)strtol(pid, NULL, 10)) != 'Z';
}

/* Processes started with the marker that are alive in whatever state. */
static size_t count_marked(void)
{
	size_t count = 0;
	DIR *proc = opendir("/proc");
	for (struct dirent *entry = readdir(proc); entry; entry = readdir(proc))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			count += carries_marker(entry->d_name);
	closedir(proc);
	return count;
}

static void assert_none_marked(void)
{
	uint64_t deadline_ns = bg_clock_ns() + 2 * BG_NS_PER_S;
	while (count_marked() > 0 && bg_clock_ns() < deadline_ns)
		usleep(5000);
	assert_int_equal(count_marked(), 0);
}

static const char *const scripts[] = {
	"while :; do :; done",
	"(setsid sleep 61 &); sleep 60",
	"timeout 60 sleep 60; :",
	"(sleep 60 & sleep 60 & wait); :",
	"(setsid sh -c '(setsid sleep 62 &); exit 0' &); exec sleep 60",
	"trap '' TERM INT HUP; sleep 60; sleep 60",
};
#define SCRIPT_COUNT (sizeof scripts / sizeof *scripts)

static void start_all(bool stop_them)
{
	const char *envp[] = { marker, "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
	for (size_t i = 0; i < SCRIPT_COUNT; i++) {
		const char *argv[] = { "sh", "-c", scripts[i], NULL };
		struct bg_spawn spawn = {
			.argv = argv, .envp = envp, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1
		};
		struct bg_error err = BG_ERROR_INIT;
		pid_t pid;
		if (bg_spawn(&pid, &spawn, &err) == BG_OK && stop_them && i % 2)
			kill(pid, SIGSTOP);
	}
}

/* What a command does: starts programs, then waits until something ends it. */
static int work_until_told(void *context)
{
	bg_interrupt_install();
	start_all(*(bool *)context);
	while (!bg_interrupt_pending())
		ppoll(NULL, 0, NULL, bg_interrupt_mask());
	bg_guard_kill_tree();
	return 128 + bg_interrupt_pending();
}

static int work_and_forget(void *context)
{
	start_all(*(bool *)context);
	return 7;
}

static int crash(void *context)
{
	start_all(*(bool *)context);
	raise(SIGKILL);
	return 0;
}

static pid_t guard_in_child(int (*work)(void *), bool stop_them)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(bg_guard_run(work, &stop_them));
	return pid;
}

static int wait_code(pid_t pid)
{
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void what_was_forgotten_is_killed(void **state)
{
	(void)state;
	assert_int_equal(wait_code(guard_in_child(work_and_forget, true)), 7);
	assert_int_equal(count_marked(), 0);
}

static void a_crash_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(wait_code(guard_in_child(crash, true)), 128 + SIGKILL);
	assert_int_equal(count_marked(), 0);
}

static void a_signal_is_passed_on_and_ends_in_order(void **state)
{
	(void)state;
	pid_t pid = guard_in_child(work_until_told, false);
	usleep(300000);
	assert_true(count_marked() > SCRIPT_COUNT);
	kill(pid, SIGTERM);
	assert_int_equal(wait_code(pid), 128 + SIGTERM);
	assert_int_equal(count_marked(), 0);
}

static void kill_at_random_moments(bool of_guardian)
{
	struct bg_random random;
	bg_random_init(&random, 7, of_guardian ? "guardian" : "worker");
	for (int round = 0; round < 25; round++) {
		pid_t pid = guard_in_child(work_until_told, round % 2), target = pid;
		usleep((useconds_t)bg_random_below(&random, 60000));
		if (!of_guardian && bg_procfs_children(pid, &target, 1) != 1)
			target = pid;
		kill(target, SIGKILL);
		(void)wait_code(pid);
		assert_none_marked();
	}
}

static void kill_9_of_the_guardian_leaves_nothing(void **state)
{
	(void)state;
	kill_at_random_moments(true);
}

static void kill_9_of_the_worker_leaves_nothing(void **state)
{
	(void)state;
	kill_at_random_moments(false);
}

int main(void)
{
	snprintf(marker, sizeof marker, "BG_GUARD_TEST=%d.%llu", (int)getpid(),
		 (unsigned long long)bg_clock_ns());
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_forgotten_is_killed),
		cmocka_unit_test(a_crash_leaves_nothing),
		cmocka_unit_test(a_signal_is_passed_on_and_ends_in_order),
		cmocka_unit_test(kill_9_of_the_guardian_leaves_nothing),
		cmocka_unit_test(kill_9_of_the_worker_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
