#include "gate/core/process.h"

#include "gate/core/descriptor.h"
#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "gate/core/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A grandchild may hold the pipe open after its parent ended: what it prints then is not waited
 * for. */
#define DRAIN_MAX_READS 64

struct running {
	struct bg_forest forest;
	struct bg_tree tree;
	int done_fd, output_fd;
};

static void read_output(struct running *running, struct bg_buffer *output)
{
	char chunk[16384];
	ssize_t got = read(running->output_fd, chunk, sizeof chunk);
	if (got > 0 && output)
		bg_buffer_add(output, chunk, (size_t)got);
	else if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		bg_descriptor_drop(&running->output_fd);
}

static enum bg_status wait_for_end(struct running *running, struct bg_buffer *output,
				   const struct bg_command *command, struct bg_error *err)
{
	uint64_t start_ns = bg_clock_ns();
	for (;;) {
		double left_s = command->timeout_s - (double)(bg_clock_ns() - start_ns) * 1e-9;
		if (command->timeout_s > 0 && left_s <= 0)
			return bg_fail(err, BG_E_SYSTEM, "%s: still running after %g s",
				       command->argv[0], command->timeout_s);
		double nap_s = command->timeout_s > 0 && left_s < 1 ? left_s : 1;
		struct timespec nap = { (time_t)nap_s,
					(long)((nap_s - (double)(time_t)nap_s) * 1e9) };
		struct pollfd fds[2] = { { .fd = running->done_fd, .events = POLLIN },
					 { .fd = running->output_fd, .events = POLLIN } };
		int ready = ppoll(fds, 2, &nap, bg_interrupt_mask());
		if (bg_interrupt_pending())
			return bg_fail(err, BG_E_INTERRUPTED, "interrupted");
		if (ready > 0 && fds[1].revents)
			read_output(running, output);
		if (ready > 0 && fds[0].revents)
			return BG_OK;
	}
}

static enum bg_status start(struct running *running, const struct bg_command *command,
			    struct bg_error *err)
{
	int ends[2] = { -1, -1 };
	if (command->log_fd < 0 && pipe2(ends, O_CLOEXEC) != 0)
		return bg_fail(err, BG_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
	if (ends[0] >= 0)
		(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	running->output_fd = ends[0];
	int to = command->log_fd >= 0 ? command->log_fd : ends[1];
	struct bg_spawn spawn = { .argv = command->argv,
				  .envp = command->envp,
				  .dir = command->dir,
				  .stdin_fd = -1,
				  .stdout_fd = to,
				  .stderr_fd = command->error_fd > 0 ? command->error_fd : to };
	pid_t pid;
	bg_forest_fence(&running->forest);
	enum bg_status status = bg_spawn(&pid, &spawn, err);
	bg_descriptor_drop(&ends[1]);
	if (status != BG_OK)
		return status;
	bg_tree_join(&running->tree, pid, &running->forest);
	running->done_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (running->done_fd < 0)
		return bg_fail(err, BG_E_SYSTEM, "pidfd_open: %s (Linux 5.3 or later is needed)",
			       strerror(errno));
	(void)fcntl(running->done_fd, F_SETFD, FD_CLOEXEC);
	return BG_OK;
}

enum bg_status bg_command_run(int *exit_status, struct bg_buffer *output,
			      const struct bg_command *command, struct bg_error *err)
{
	struct running running = { .done_fd = -1, .output_fd = -1 };
	enum bg_status status = start(&running, command, err);
	if (status == BG_OK)
		status = wait_for_end(&running, output, command, err);
	if (status == BG_OK) {
		int ended = 0;
		for (int i = 0; running.output_fd >= 0 && i < DRAIN_MAX_READS; i++)
			read_output(&running, output);
		if (waitpid(running.tree.root, &ended, 0) == running.tree.root)
			running.tree.root = 0;
		*exit_status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
	}
	(void)bg_tree_kill(&running.tree);
	bg_descriptor_drop(&running.done_fd);
	bg_descriptor_drop(&running.output_fd);
	return status;
}
