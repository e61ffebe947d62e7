#include "gate/core/guard.h"

#include "gate/core/clock.h"
#include "gate/core/procfs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILL_LIMIT_NS (2 * BG_NS_PER_S)
#define DESCENDANTS_MAX 8192
#define CANNOT_RUN 5
#define SIGNALS_UNTIL_KILL 3

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP };
#define FORWARDED_COUNT (sizeof forwarded / sizeof *forwarded)

static size_t list_descendants(pid_t *pids)
{
	size_t count = bg_procfs_children(getpid(), pids, DESCENDANTS_MAX);
	for (size_t i = 0; i < count; i++)
		count += bg_procfs_children(pids[i], pids + count, DESCENDANTS_MAX - count);
	return count;
}

size_t bg_guard_kill_tree(void)
{
	uint64_t deadline_ns = bg_clock_ns() + KILL_LIMIT_NS;
	size_t found = 0;
	pid_t *pids = calloc(DESCENDANTS_MAX, sizeof *pids);
	while (pids && bg_clock_ns() < deadline_ns) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		size_t count = list_descendants(pids);
		if (count == 0)
			break;
		if (count > found)
			found = count;
		/* Youngest first: a parent must not see its child die and start another. */
		for (size_t i = count; i > 0; i--)
			kill(pids[i - 1], SIGKILL);
		struct timespec nap = { 0, 500000 };
		nanosleep(&nap, NULL);
	}
	free(pids);
	return found;
}

/* The child's part: it dies with its guardian, politely, and only then works. */
static void become_worker(int (*work)(void *), void *context, pid_t guardian,
			  const sigset_t *before)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* Ctrl-C reaches us through the guardian, once; what we start has no terminal to stop at.
	 */
	(void)setsid();
	sigprocmask(SIG_SETMASK, before, NULL);
	if (getppid() != guardian)
		_exit(CANNOT_RUN);
	exit(work(context));
}

static int wait_for(pid_t worker, const sigset_t *watched)
{
	int status, signals = 0;
	for (;;) {
		pid_t ended = waitpid(worker, &status, WNOHANG);
		if (ended == worker || (ended < 0 && errno != EINTR))
			break;
		struct timespec nap = { 1, 0 };
		int number = sigtimedwait(watched, NULL, &nap);
		if (number <= 0 || number == SIGCHLD)
			continue;
		kill(worker, ++signals >= SIGNALS_UNTIL_KILL ? SIGKILL : number);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int bg_guard_run(int (*work)(void *context), void *context)
{
	sigset_t watched, before;
	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	for (size_t i = 0; i < FORWARDED_COUNT; i++)
		sigaddset(&watched, forwarded[i]);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigprocmask(SIG_BLOCK, &watched, &before);
	fflush(NULL);
	pid_t guardian = getpid(), worker = fork();
	if (worker == 0)
		become_worker(work, context, guardian, &before);
	if (worker < 0)
		return CANNOT_RUN;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, of_stop;
	sigaction(SIGTSTP, &ignore, &of_stop);
	int code = wait_for(worker, &watched);
	(void)bg_guard_kill_tree();
	sigaction(SIGTSTP, &of_stop, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}
