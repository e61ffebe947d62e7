#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/cli/progress.h"
#include "gate/cli/service.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const variables[] = { "CI",		"GITHUB_ACTIONS",
					 "GITLAB_CI",	"TF_BUILD",
					 "BUILDKITE",	"CIRCLECI",
					 "JENKINS_URL", "BITBUCKET_BUILD_NUMBER" };
static int own_stderr = -1;

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	setenv("TERM", "xterm", 1);
	own_stderr = dup(STDERR_FILENO);
	return own_stderr < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	fflush(stderr);
	int back = dup2(own_stderr, STDERR_FILENO);
	close(own_stderr);
	return back < 0 ? -1 : 0;
}

/* Standard error becomes a terminal; returns its other side. */
static int open_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		return -1;
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	int moved = slave < 0 ? -1 : dup2(slave, STDERR_FILENO);
	if (slave >= 0)
		close(slave);
	return moved < 0 ? -1 : master;
}

static bool is_live(void)
{
	struct bg_progress_line line;
	bg_progress_init(&line, false);
	return line.live;
}

static void a_service_is_known_by_its_own_variable(void **state)
{
	(void)state;
	static const struct {
		const char *name, *value;
		bool detected;
	} rows[] = {
		{ "CI", "true", true },
		{ "CI", "1", true },
		{ "CI", "false", false },
		{ "CI", "False", false },
		{ "CI", "0", false },
		{ "CI", "", false },
		{ "GITHUB_ACTIONS", "true", true },
		{ "GITLAB_CI", "true", true },
		{ "TF_BUILD", "True", true },
		{ "BUILDKITE", "true", true },
		{ "CIRCLECI", "true", true },
		{ "JENKINS_URL", "http://x", true },
		{ "BITBUCKET_BUILD_NUMBER", "12", true },
		{ "GITLAB_CI", "", false },
	};
	assert_false(bg_service_detected());
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		setenv(rows[i].name, rows[i].value, 1);
		if (bg_service_detected() != rows[i].detected)
			fail_msg("%s=%s", rows[i].name, rows[i].value);
		unsetenv(rows[i].name);
	}
	setenv("CI", "false", 1);
	setenv("GITLAB_CI", "true", 1);
	assert_true(bg_service_detected());
}

static void the_live_line_needs_a_terminal_and_no_service(void **state)
{
	(void)state;
	int pipe_fd[2];
	assert_int_equal(pipe(pipe_fd), 0);
	assert_true(dup2(pipe_fd[1], STDERR_FILENO) >= 0);
	assert_false(is_live());
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	int master = open_terminal();
	if (master < 0) {
		print_message("no pseudo terminal can be opened\n");
		skip();
	}
	assert_true(is_live());
	setenv("TERM", "dumb", 1);
	assert_false(is_live());
	setenv("TERM", "xterm", 1);
	setenv("CI", "false", 1);
	assert_true(is_live());
	setenv("CI", "true", 1);
	assert_false(is_live());
	unsetenv("CI");
	setenv("GITHUB_ACTIONS", "true", 1);
	assert_false(is_live());
	close(master);
}

/* What is printed within a moment: the first line, and none more before ten seconds are over. */
static void a_log_gets_a_line_every_ten_seconds_at_most(void **state)
{
	(void)state;
	int fd[2];
	char text[4096];
	assert_int_equal(pipe(fd), 0);
	assert_true(dup2(fd[1], STDERR_FILENO) >= 0);
	close(fd[1]);
	struct bg_progress_line line;
	const struct bg_progress progress = { .cases = 4, .cases_left = 4 };
	bg_progress_init(&line, false);
	for (int i = 0; i < 50; i++)
		bg_progress_show(&line, &progress);
	bg_progress_end(&line);
	fflush(stderr);
	assert_true(dup2(own_stderr, STDERR_FILENO) >= 0);
	ssize_t size = read(fd[0], text, sizeof text - 1);
	close(fd[0]);
	assert_true(size > 0);
	text[size] = '\0';
	assert_ptr_equal(strchr(text, '\n'), text + size - 1);
	assert_memory_equal(text, "batchgate: measuring, ", 22);
	assert_null(strchr(text, '\r'));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_service_is_known_by_its_own_variable),
		T(the_live_line_needs_a_terminal_and_no_service),
		T(a_log_gets_a_line_every_ten_seconds_at_most),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
