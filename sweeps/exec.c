#include "sweeps/exec.h"

#include "gate/core/descriptor.h"
#include "gate/core/clock.h"
#include "gate/core/process.h"
#include "gate/core/procfs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLE_NS (2 * BG_NS_PER_MS)
#define WAIT_SUBTRACTED .01 /* design: section 1 */
#define WAIT_VOIDS .20
#define IDLE_VOIDS .01

/* One live execution. */
struct execution {
	const char *arm;
	struct bg_tree tree;
	int done_fd;
	struct bg_capture out, err;
	int status;
	struct rusage used;
};

static bool open_capture(struct bg_capture *capture, int *write_end)
{
	int ends[2];
	*capture = (struct bg_capture){ .fd = -1, .hash = BG_HASH_INIT };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	capture->fd = ends[0];
	*write_end = ends[1];
	return true;
}

/* A program that cannot be started is the arm's failure, told in ran. */
static enum bg_status start(struct execution *run, const struct bg_exec_setup *setup, size_t which,
			    struct bg_ran *ran, struct bg_error *err)
{
	int out = -1, errors = -1;
	run->arm = setup->arm[which]->name;
	if (setup->probe && (!open_capture(&run->out, &out) || !open_capture(&run->err, &errors))) {
		bg_descriptor_drop(&out);
		return bg_fail(err, BG_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
	}
	struct bg_spawn spawn = {
		.argv = setup->command[which],
		.envp = setup->arm[which]->envp,
		.dir = setup->arm[which]->dir,
		.stdin_fd = -1,
		.stdout_fd = out,
		.stderr_fd = errors,
		.cpus = &setup->cpus,
		.stopped = setup->turn_ns > 0,
	};
	pid_t pid;
	enum bg_status status = bg_spawn(&pid, &spawn, err);
	bg_descriptor_drop(&out);
	bg_descriptor_drop(&errors);
	ran->ok = status == BG_OK;
	if (status == BG_E_SYSTEM) {
		snprintf(ran->reason, sizeof ran->reason, "%s: %.480s", run->arm, err->text);
		bg_error_clear(err);
		return BG_OK;
	}
	if (status != BG_OK)
		return status;
	bg_tree_join(&run->tree, pid, setup->forest);
	run->done_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (run->done_fd < 0)
		return bg_fail(err, BG_E_SYSTEM, "pidfd_open: %s (Linux 5.3 or later is needed)",
			       strerror(errno));
	(void)fcntl(run->done_fd, F_SETFD, FD_CLOEXEC);
	return BG_OK;
}

/* Ends whatever still lives of an execution and gives everything back. */
static size_t discard(struct execution *run)
{
	size_t strays = bg_tree_kill(&run->tree);
	bg_descriptor_drop(&run->done_fd);
	bg_descriptor_drop(&run->out.fd);
	bg_descriptor_drop(&run->err.fd);
	return strays;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* A zombie's own thread still shows what it waited; threads that ended before do not. */
static void reap(struct execution *run, struct bg_side *side)
{
	uint64_t wait_ns;
	pid_t pid = run->tree.root;
	if (bg_procfs_wait_ns(&wait_ns, pid, pid) && wait_ns > side->wait_ns)
		side->wait_ns = wait_ns;
	if (wait4(pid, &run->status, 0, &run->used) == pid)
		run->tree.root = 0;
}

static void describe_end(struct bg_ran *ran, const struct execution *run)
{
	char last[256];
	ran->ok = WIFEXITED(run->status) && WEXITSTATUS(run->status) == 0;
	if (ran->ok)
		return;
	bg_capture_last_line(last, sizeof last, &run->err);
	if (last[0] == '\0')
		bg_capture_last_line(last, sizeof last, &run->out);
	const char *colon = last[0] ? ": " : "";
	if (WIFSIGNALED(run->status))
		snprintf(ran->reason, sizeof ran->reason, "%s: killed by signal %d (%s)%s%s",
			 run->arm, WTERMSIG(run->status), strsignal(WTERMSIG(run->status)), colon,
			 last);
	else
		snprintf(ran->reason, sizeof ran->reason, "%s: exit status %d%s%s", run->arm,
			 WEXITSTATUS(run->status), colon, last);
}

/* What is left in the pipes; a stray that holds them open must not hold us. */
static void drain(struct execution *run)
{
	bg_capture_read(&run->out);
	bg_capture_read(&run->err);
}

static void sum_up(struct bg_ran *ran, struct execution *run, struct bg_side *side,
		   const struct bg_exec_setup *setup)
{
	reap(run, side);
	drain(run);
	describe_end(ran, run);
	double wall_s = (double)side->own_ns * 1e-9;
	ran->cpu_s = seconds(run->used.ru_utime) + seconds(run->used.ru_stime);
	uint64_t foreign_ns = bg_foreign_wait_ns(side->own_ns, (uint64_t)(ran->cpu_s * 1e9),
						 side->wait_ns, setup->cores);
	double foreign_s = (double)foreign_ns * 1e-9;
	ran->wait_share = wall_s > 0 ? foreign_s / wall_s : 0;
	ran->time_s = ran->wait_share > WAIT_SUBTRACTED ? wall_s - foreign_s : wall_s;
	double busy_s = ran->cpu_s + (double)side->wait_ns * 1e-9;
	ran->blocked_share = wall_s > busy_s ? (wall_s - busy_s) / wall_s : 0;
	/* With several threads the sum hides waiting; the samples do not. */
	if (side->sampled >= 20 && side->running_max > 1) {
		double seen = (double)side->blocked / (double)side->sampled;
		if (seen > ran->blocked_share)
			ran->blocked_share = seen;
	}
	ran->idle_share = side->idle_ns ? (double)side->idle_cpu_ns / (double)side->idle_ns : 0;
	ran->busy_max = bg_side_cores(side, ran->cpu_s);
	ran->hash = run->out.hash;
	ran->size = run->out.size;
}

static const char *void_reason(const struct bg_ran *ran)
{
	if (ran->wait_share > WAIT_VOIDS)
		return "kept waiting for its core for over 20 % of the time";
	if (ran->idle_share > IDLE_VOIDS)
		return "used its core while it was stopped";
	return NULL;
}

static void describe_stop(struct bg_ran *ran, const char *arm, enum bg_turn_end end,
			  const struct bg_exec_setup *setup)
{
	ran->ok = false;
	if (end == BG_TURN_TIMEOUT)
		snprintf(ran->reason, sizeof ran->reason, "%s: still running after %g s (timeout)",
			 arm, setup->timeout_s);
	else
		snprintf(ran->reason, sizeof ran->reason, "%s: its processes could not be stopped",
			 arm);
}

static struct bg_side make_side(struct execution *run, const struct bg_exec_setup *setup)
{
	return (struct bg_side){ .tree = &run->tree,
				 .done_fd = run->done_fd,
				 .is_stopped = setup->turn_ns > 0,
				 .out = setup->probe ? &run->out : NULL,
				 .err = setup->probe ? &run->err : NULL };
}

/* Runs sides[0..count) that were started; fills what belongs to each. */
static enum bg_status run_started(struct bg_exec_pair *ret, struct execution *runs,
				  const size_t *which, size_t count,
				  const struct bg_exec_setup *setup, struct bg_error *err)
{
	struct bg_side sides[2];
	for (size_t i = 0; i < count; i++)
		sides[i] = make_side(&runs[i], setup);
	struct bg_turn_rule rule = { .turn_ns = setup->turn_ns,
				     .jitter = setup->jitter,
				     .limit_ns = (uint64_t)(setup->timeout_s * 1e9),
				     .sample_ns = setup->probe ? SAMPLE_NS : 0 };
	size_t at = 0;
	enum bg_turn_end end = bg_turns_run(sides, count, 0, &rule, &at);
	if (end == BG_TURN_INTERRUPTED)
		return bg_fail(err, BG_E_INTERRUPTED, "interrupted");
	for (size_t i = 0; i < count; i++) {
		struct bg_ran *ran = &ret->ran[which[i]];
		if (sides[i].done)
			sum_up(ran, &runs[i], &sides[i], setup);
		else if (i == at)
			describe_stop(ran, runs[i].arm, end, setup);
		else
			ran->ok = true; /* unfinished through no fault of its own */
		const char *why = sides[i].done ? void_reason(ran) : "the other arm did not finish";
		if (!ret->voided)
			ret->voided = why;
	}
	return BG_OK;
}

enum bg_status bg_exec_pair_run(struct bg_exec_pair *ret, const struct bg_exec_setup *setup,
				size_t first, size_t count, struct bg_error *err)
{
	struct execution runs[2];
	size_t which[2] = { first, 1 - first };
	assert(first < 2 && count <= 2);
	*ret = (struct bg_exec_pair){ 0 };
	memset(runs, 0, sizeof runs);
	for (size_t i = 0; i < 2; i++)
		runs[i].done_fd = runs[i].out.fd = runs[i].err.fd = -1;
	bool together = setup->turn_ns > 0 && count > 1, started = true;
	enum bg_status status = BG_OK;
	for (size_t i = 0; i < count && status == BG_OK; i++) {
		struct bg_ran *ran = &ret->ran[which[i]];
		status = start(&runs[i], setup, which[i], ran, err);
		started = started && ran->ok;
		if (status == BG_OK && ran->ok && !together)
			status = run_started(ret, &runs[i], &which[i], 1, setup, err);
		if (!together)
			ran->strays = discard(&runs[i]);
	}
	if (status == BG_OK && together && started)
		status = run_started(ret, runs, which, 2, setup, err);
	for (size_t i = 0; together && i < count; i++)
		ret->ran[which[i]].strays = discard(&runs[i]);
	return status;
}
