#include "gate/core/process.h"

#include "gate/core/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Where argv[0] is found, as execvp would, by the child's own PATH. */
static bool find_program(char path[PATH_MAX], const struct bg_spawn *spawn)
{
	const char *name = spawn->argv[0], *search = NULL;
	if (strchr(name, '/')) {
		int length = snprintf(path, PATH_MAX, "%s", name);
		return length > 0 && length < PATH_MAX;
	}
	const char *const *envp = spawn->envp ? spawn->envp : (const char *const *)environ;
	for (size_t i = 0; envp[i]; i++)
		if (strncmp(envp[i], "PATH=", 5) == 0)
			search = envp[i] + 5;
	if (!search)
		search = "/usr/local/bin:/usr/bin:/bin";
	while (*search) {
		size_t length = strcspn(search, ":");
		int used = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, search, name);
		/* An empty entry means the current folder: never searched. */
		if (length > 0 && used > 0 && used < PATH_MAX && access(path, X_OK) == 0)
			return true;
		search += length + (search[length] == ':');
	}
	return false;
}

static int open_null(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* From here to execve only what a forked child may do; the error goes through the pipe. */
static void become(const struct bg_spawn *spawn, const char *path, pid_t group, int report)
{
	int error;
	pid_t parent = getppid();
	int fds[3] = { spawn->stdin_fd, spawn->stdout_fd, spawn->stderr_fd };
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before we asked to die with it: then the pipe has no reader. */
	struct pollfd reader = { .fd = report, .events = 0 };
	if (getppid() != parent || (poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR)))
		_exit(127);
	(void)setpgid(0, group);
	for (int i = 0; i < 3; i++) {
		int fd = fds[i] >= 0 ? fds[i] : open_null();
		/* Above the three, so that no dup2 overwrites a source still to come. */
		fds[i] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	}
	for (int i = 0; i < 3; i++)
		(void)dup2(fds[i], i);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action = { .sa_handler = SIG_DFL };
		(void)sigaction(number, &action, NULL);
	}
	sigset_t none;
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)prctl(PR_SET_TIMERSLACK, 0);
	/* Each execution has a layout of its own, even where ours was started without. */
	(void)personality((unsigned long)personality(0xffffffff) &
			  ~(unsigned long)ADDR_NO_RANDOMIZE);
	bool ready = !spawn->cpus || sched_setaffinity(0, sizeof *spawn->cpus, spawn->cpus) == 0;
	ready = ready && (!spawn->dir || chdir(spawn->dir) == 0);
	/* A limit on descriptors cannot be relied on: ours are O_CLOEXEC, a library's may not be.
	 */
	(void)syscall(SYS_close_range, 3U, ~0U, 1U << 2);
	if (ready && spawn->stopped)
		(void)raise(SIGSTOP);
	if (ready)
		execve(path, (char *const *)spawn->argv,
		       spawn->envp ? (char *const *)spawn->envp : environ);
	error = errno;
	if (write(report, &error, sizeof error) < 0)
		_exit(126);
	_exit(127);
}

/*
 * A process group whose leader has ended, kept by its zombie until somebody has joined. A program
 * that signals its group ("kill 0" in a script) must not hit us; one that leads its group makes
 * setsid(1) fork and return at once, which nobody means who measures "setsid ./program".
 *
 * vfork, since fork would copy the page tables of all that was measured; setpgid is one system
 * call, which Linux allows there.
 */
static pid_t make_group(void)
{
	pid_t leader = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (leader == 0) {
		(void)setpgid(0, 0); /* NOLINT(clang-analyzer-unix.Vfork) */
		_exit(0);
	}
	siginfo_t info;
	if (leader > 0)
		(void)waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT);
	return leader;
}

/* Waits until the child stands stopped before its execve; false where it ended instead. */
static bool wait_stopped(pid_t pid)
{
	siginfo_t info = { 0 };
	while (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT) != 0)
		if (errno != EINTR)
			return false;
	if (info.si_code != CLD_STOPPED)
		return false;
	(void)waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG);
	return true;
}

/* The child's errno, or 0 once it has executed (the pipe closes on exec) or stands stopped. */
static int read_report(int fd, pid_t pid, bool stopped)
{
	int error = 0;
	if (stopped && wait_stopped(pid))
		return 0;
	ssize_t got;
	do
		got = read(fd, &error, sizeof error);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof error ? error : 0;
}

enum bg_status bg_spawn(pid_t *ret, const struct bg_spawn *spawn, struct bg_error *err)
{
	char path[PATH_MAX];
	BG_AUTO(bg_descriptor_drop) int report_read = -1;
	BG_AUTO(bg_descriptor_drop) int report_write = -1;
	int report[2];
	if (!find_program(path, spawn))
		return bg_fail(err, BG_E_SYSTEM, "cannot run %s: not found in PATH",
			       spawn->argv[0]);
	if (pipe2(report, O_CLOEXEC) != 0)
		return bg_fail(err, BG_E_SYSTEM, "cannot run %s: %s", spawn->argv[0],
			       strerror(errno));
	report_read = report[0];
	report_write = report[1];
	pid_t group = make_group(), pid = group > 0 ? fork() : -1;
	int fork_error = errno;
	if (pid == 0)
		become(spawn, path, group, report_write);
	bg_descriptor_drop(&report_write);
	int error = pid > 0 ? read_report(report_read, pid, spawn->stopped) : 0;
	if (group > 0)
		(void)waitpid(group, NULL, 0);
	if (pid < 0)
		return bg_fail(err, BG_E_SYSTEM, "cannot run %s: %s", spawn->argv[0],
			       strerror(fork_error));
	if (error != 0) {
		(void)waitpid(pid, NULL, 0);
		return bg_fail(err, BG_E_SYSTEM, "cannot run %s: %s%s%s", spawn->argv[0],
			       strerror(error), spawn->dir ? " in " : "",
			       spawn->dir ? spawn->dir : "");
	}
	*ret = pid;
	return BG_OK;
}
