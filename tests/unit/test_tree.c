#include "gate/core/clock.h"
#include "gate/core/process.h"
#include "gate/core/procfs.h"
#include "gate/core/tree.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct bg_forest forest;

static void start(struct bg_tree *tree, const char *script)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	struct bg_spawn spawn = { .argv = argv, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1 };
	struct bg_error err = BG_ERROR_INIT;
	pid_t pid;
	assert_int_equal(bg_spawn(&pid, &spawn, &err), BG_OK);
	bg_tree_join(tree, pid, &forest);
}

/*
 * Lists until the tree has had as many processes ten times in a row: while a script is still
 * starting, a shell in between may make up the number for a moment.
 */
static void wait_for(struct bg_tree *tree, size_t count)
{
	uint64_t deadline_ns = bg_clock_ns() + 10 * BG_NS_PER_S;
	for (int steady = 0; steady < 10;) {
		assert_true(bg_tree_list(tree));
		assert_true(bg_clock_ns() < deadline_ns);
		bool enough = count == 1 ? tree->count >= 1 : tree->count == count;
		steady = enough ? steady + 1 : 0;
		usleep(2000);
	}
}

static uint64_t cpu_of(const struct bg_tree *tree)
{
	struct bg_tree_usage usage;
	bg_tree_usage(&usage, tree);
	return usage.cpu_ns;
}

static void assert_at_rest(const struct bg_tree *tree)
{
	/* A task that was just stopped may still be on its way off a core that was taken from us.
	 */
	uint64_t before_ns = cpu_of(tree), deadline_ns = bg_clock_ns() + 2 * BG_NS_PER_S;
	usleep(20000);
	while (cpu_of(tree) != before_ns && bg_clock_ns() < deadline_ns) {
		before_ns = cpu_of(tree);
		usleep(20000);
	}
	usleep(50000);
	assert_int_equal(cpu_of(tree) - before_ns, 0);
	for (size_t i = 0; i < tree->count; i++)
		assert_int_equal(bg_procfs_running(tree->pid[i]), 0);
}

static void assert_runs(const struct bg_tree *tree)
{
	uint64_t before_ns = cpu_of(tree), deadline_ns = bg_clock_ns() + 10 * BG_NS_PER_S;
	while (cpu_of(tree) - before_ns < 5 * BG_NS_PER_MS)
		assert_true(bg_clock_ns() < deadline_ns);
}

static void assert_all_gone(const pid_t *pids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(kill(pids[i], 0), -1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

#define SPIN "while :; do :; done"

static void stops_and_continues(const char *script, size_t processes)
{
	struct bg_tree tree;
	start(&tree, script);
	wait_for(&tree, processes);
	for (int round = 0; round < 3; round++) {
		assert_true(bg_tree_stop(&tree));
		assert_true(tree.count >= processes);
		assert_at_rest(&tree);
		bg_tree_continue(&tree);
		assert_runs(&tree);
	}
	pid_t pids[16];
	size_t count = tree.count < 16 ? tree.count : 16;
	for (size_t i = 0; i < count; i++)
		pids[i] = tree.pid[i];
	bg_tree_kill(&tree);
	assert_all_gone(pids, count);
}

static void one_process_stops_and_continues(void **state)
{
	(void)state;
	stops_and_continues(SPIN, 1);
}

static void children_stop_with_their_parent(void **state)
{
	(void)state;
	stops_and_continues("(" SPIN ") & (" SPIN ") & wait", 3);
}

static void a_child_in_a_session_of_its_own_stops_too(void **state)
{
	(void)state;
	stops_and_continues("setsid sh -c '" SPIN "; :' & wait", 2);
}

static void a_child_under_timeout_stops_too(void **state)
{
	(void)state;
	stops_and_continues("timeout 60 sh -c '" SPIN "; :'; :", 3);
}

static void a_daemon_is_adopted_and_stopped(void **state)
{
	(void)state;
	/* The middle process ends, so that its child comes to us; the root goes on sleeping. */
	stops_and_continues("(setsid sh -c '" SPIN "; :' &) ; sleep 60; :", 3);
}

static void a_tree_that_keeps_forking_comes_to_rest(void **state)
{
	(void)state;
	stops_and_continues("while :; do (:); (:) & (:) & wait; done", 1);
}

static void an_orphan_of_one_tree_is_not_taken_by_the_other(void **state)
{
	(void)state;
	struct bg_tree a, b;
	start(&a, "(setsid sleep 61 &); sleep 60; :");
	wait_for(&a, 3);
	start(&b, "sleep 60; :");
	wait_for(&b, 2);
	assert_int_equal(b.count, 2);
	assert_int_equal(bg_tree_kill(&b), 1);
	assert_true(bg_tree_list(&a));
	assert_int_equal(a.count, 3);
	assert_int_equal(bg_tree_kill(&a), 2);
}

static void a_fenced_child_is_left_alone(void **state)
{
	(void)state;
	struct bg_tree a, b;
	struct bg_forest other = { .fenced_count = 0 };
	start(&a, "sleep 60; :");
	wait_for(&a, 2);
	bg_forest_fence(&other);
	start(&b, "(setsid sleep 61 &); sleep 60; :");
	bg_tree_kill(&b);
	const char *argv[] = { "sleep", "60", NULL };
	struct bg_spawn spawn = { .argv = argv, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1 };
	struct bg_error err = BG_ERROR_INIT;
	pid_t pid;
	assert_int_equal(bg_spawn(&pid, &spawn, &err), BG_OK);
	bg_tree_join(&b, pid, &other);
	assert_int_equal(bg_tree_kill(&b), 0);
	assert_int_equal(kill(a.root, 0), 0);
	assert_int_equal(bg_tree_kill(&a), 1);
}

static void a_stopped_tree_can_be_killed(void **state)
{
	(void)state;
	struct bg_tree tree;
	start(&tree, "(" SPIN ") & " SPIN);
	wait_for(&tree, 2);
	assert_true(bg_tree_stop(&tree));
	pid_t pids[2] = { tree.pid[0], tree.pid[1] };
	assert_int_equal(bg_tree_kill(&tree), 1);
	assert_all_gone(pids, 2);
}

static void a_root_that_ended_stops_at_once(void **state)
{
	(void)state;
	struct bg_tree tree;
	start(&tree, "exit 3");
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)tree.root, &info, WEXITED | WNOWAIT), 0);
	assert_true(bg_tree_stop(&tree));
	assert_false(tree.root_stopped);
	assert_int_equal(bg_tree_kill(&tree), 0);
}

static void killing_an_empty_tree_does_nothing(void **state)
{
	(void)state;
	struct bg_tree tree = { 0 };
	assert_int_equal(bg_tree_kill(&tree), 0);
}

int main(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_process_stops_and_continues),
		cmocka_unit_test(children_stop_with_their_parent),
		cmocka_unit_test(a_child_in_a_session_of_its_own_stops_too),
		cmocka_unit_test(a_child_under_timeout_stops_too),
		cmocka_unit_test(a_daemon_is_adopted_and_stopped),
		cmocka_unit_test(a_tree_that_keeps_forking_comes_to_rest),
		cmocka_unit_test(an_orphan_of_one_tree_is_not_taken_by_the_other),
		cmocka_unit_test(a_fenced_child_is_left_alone),
		cmocka_unit_test(a_stopped_tree_can_be_killed),
		cmocka_unit_test(a_root_that_ended_stops_at_once),
		cmocka_unit_test(killing_an_empty_tree_does_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
