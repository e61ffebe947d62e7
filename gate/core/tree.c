#include "gate/core/tree.h"

#include "gate/core/clock.h"
#include "gate/core/procfs.h"

#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STOP_LIMIT_NS (200 * BG_NS_PER_MS)
#define KILL_LIMIT_NS (2 * BG_NS_PER_S)
#define TASKS_MAX 1024

void bg_forest_fence(struct bg_forest *forest)
{
	forest->fenced_count = bg_procfs_children(getpid(), forest->fenced, BG_FENCED_MAX);
}

void bg_tree_join(struct bg_tree *tree, pid_t root, struct bg_forest *forest)
{
	tree->forest = forest;
	tree->root = root;
	tree->root_stopped = false;
	tree->adopted_count = 0;
	tree->count = 1;
	tree->pid[0] = root;
	size_t place = 0;
	while (forest->tree[place] && forest->tree[place] != tree)
		place++;
	assert(place < BG_FOREST_MAX - 1);
	forest->tree[place] = tree;
}

static void leave(struct bg_tree *tree)
{
	struct bg_forest *forest = tree->forest;
	size_t last = 0, place = BG_FOREST_MAX;
	for (; last < BG_FOREST_MAX && forest->tree[last]; last++)
		if (forest->tree[last] == tree)
			place = last;
	if (place < last) {
		forest->tree[place] = forest->tree[last - 1];
		forest->tree[last - 1] = NULL;
	}
	tree->forest = NULL;
	tree->root = 0;
	tree->adopted_count = tree->count = 0;
}

static bool contains(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static bool belongs_elsewhere(const struct bg_tree *tree, pid_t pid)
{
	if (contains(tree->forest->fenced, tree->forest->fenced_count, pid))
		return true;
	for (size_t i = 0; i < BG_FOREST_MAX && tree->forest->tree[i]; i++) {
		const struct bg_tree *other = tree->forest->tree[i];
		if (other != tree &&
		    (other->root == pid || contains(other->adopted, other->adopted_count, pid)))
			return true;
	}
	return false;
}

/* Children of ours that nobody owns can only come from the tree that ran last: this one. */
static void adopt_orphans(struct bg_tree *tree)
{
	pid_t ours[BG_ADOPTED_MAX + 16];
	size_t count = bg_procfs_children(getpid(), ours, sizeof ours / sizeof *ours);
	for (size_t i = 0; i < count; i++) {
		if (ours[i] == tree->root || belongs_elsewhere(tree, ours[i]) ||
		    contains(tree->adopted, tree->adopted_count, ours[i]))
			continue;
		if (tree->adopted_count < BG_ADOPTED_MAX)
			tree->adopted[tree->adopted_count++] = ours[i];
	}
}

static void drop_dead_orphans(struct bg_tree *tree)
{
	size_t kept = 0;
	for (size_t i = 0; i < tree->adopted_count; i++)
		if (waitpid(tree->adopted[i], NULL, WNOHANG) == 0)
			tree->adopted[kept++] = tree->adopted[i];
	tree->adopted_count = kept;
}

/* Breadth first from the root and the adopted. False where the tree is too large. */
bool bg_tree_list(struct bg_tree *tree)
{
	adopt_orphans(tree);
	drop_dead_orphans(tree);
	tree->count = 0;
	if (tree->root)
		tree->pid[tree->count++] = tree->root;
	for (size_t i = 0; i < tree->adopted_count; i++)
		tree->pid[tree->count++] = tree->adopted[i];
	for (size_t i = 0; i < tree->count; i++)
		tree->count += bg_procfs_children(tree->pid[i], tree->pid + tree->count,
						  BG_TREE_MAX - tree->count);
	return tree->count < BG_TREE_MAX;
}

/*
 * At rest: stopped, traced, dead, or in the kernel without using a core (D: the parent of a vfork
 * whose child is stopped stays there until the child goes on).
 */
static bool is_resting(char state)
{
	return state == 'T' || state == 't' || state == 'Z' || state == 'X' || state == 'D' ||
	       state == 0;
}

static bool process_rests(pid_t pid)
{
	pid_t tasks[TASKS_MAX];
	size_t count = bg_procfs_tasks(pid, tasks, TASKS_MAX);
	for (size_t i = 0; i < count; i++)
		if (!is_resting(bg_procfs_state(pid, tasks[i])))
			return false;
	return true;
}

static bool wait_until_rest(struct bg_tree *tree, uint64_t deadline_ns)
{
	for (size_t i = 0; i < tree->count; i++) {
		while (!process_rests(tree->pid[i])) {
			if (bg_clock_ns() > deadline_ns)
				return false;
			sched_yield();
		}
	}
	return true;
}

static void signal_all(const struct bg_tree *tree, int number)
{
	for (size_t i = 0; i < tree->count; i++)
		kill(tree->pid[i], number);
}

/*
 * The kernel reports the stop of our own child once its last thread has stopped. Spinning finds it
 * 20 - 50 us sooner than sleeping; a root that waits for a vfork (state D) never reports.
 */
static void wait_root_stopped(struct bg_tree *tree, uint64_t deadline_ns)
{
	for (unsigned round = 0; bg_clock_ns() < deadline_ns; round++) {
		siginfo_t info = { 0 };
		if (waitid(P_PID, (id_t)tree->root, &info,
			   WSTOPPED | WEXITED | WNOHANG | WNOWAIT) != 0)
			return;
		if (info.si_pid != 0) {
			tree->root_stopped = info.si_code == CLD_STOPPED;
			if (tree->root_stopped)
				(void)waitid(P_PID, (id_t)tree->root, &info, WSTOPPED | WNOHANG);
			return;
		}
		if (round % 64 == 63 && process_rests(tree->root))
			return;
		sched_yield();
	}
}

bool bg_tree_stop(struct bg_tree *tree)
{
	uint64_t deadline_ns = bg_clock_ns() + STOP_LIMIT_NS;
	signal_all(tree, SIGSTOP);
	if (tree->root)
		wait_root_stopped(tree, deadline_ns);
	/* A process may have forked before its stop arrived: list again until nothing is new. */
	for (;;) {
		size_t before = tree->count;
		pid_t first = tree->count ? tree->pid[tree->count - 1] : 0;
		if (!bg_tree_list(tree))
			return false;
		bool same =
			tree->count == before && (before == 0 || tree->pid[before - 1] == first);
		if (!same)
			signal_all(tree, SIGSTOP);
		if (!wait_until_rest(tree, deadline_ns))
			return false;
		if (same)
			return true;
	}
}

void bg_tree_continue(struct bg_tree *tree)
{
	tree->root_stopped = false;
	signal_all(tree, SIGCONT);
}

void bg_tree_usage(struct bg_tree_usage *ret, const struct bg_tree *tree)
{
	*ret = (struct bg_tree_usage){ 0 };
	for (size_t i = 0; i < tree->count; i++) {
		uint64_t ns;
		if (bg_procfs_cpu_ns(&ns, tree->pid[i]))
			ret->cpu_ns += ns;
		pid_t tasks[TASKS_MAX];
		size_t count = bg_procfs_tasks(tree->pid[i], tasks, TASKS_MAX);
		for (size_t j = 0; j < count; j++)
			if (bg_procfs_wait_ns(&ns, tree->pid[i], tasks[j]))
				ret->wait_ns += ns;
		ret->task_count += count;
	}
}

size_t bg_tree_kill(struct bg_tree *tree)
{
	if (!tree->forest)
		return 0;
	uint64_t deadline_ns = bg_clock_ns() + KILL_LIMIT_NS;
	size_t stray = 0;
	bool first = true;
	while (bg_clock_ns() < deadline_ns) {
		(void)bg_tree_list(tree);
		if (first && tree->count > 0)
			stray = tree->count - (tree->root ? 1 : 0);
		first = false;
		if (tree->count == 0)
			break;
		/* A stopped process dies of SIGKILL without being continued. */
		signal_all(tree, SIGKILL);
		if (tree->root && waitpid(tree->root, NULL, WNOHANG) != 0)
			tree->root = 0;
		struct timespec nap = { 0, 200000 };
		nanosleep(&nap, NULL);
	}
	leave(tree);
	return stray;
}
