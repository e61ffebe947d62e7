#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "gate/core/random.h"
#include "tests/unit/worktree_scratch.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <utime.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

#define KILLS 50
#define MAKERS 4
#define ROUNDS 3

/* What a command does with its trees, in a process of its own; its exit status. */
static int make_and_remove(struct trees_fixture *f)
{
	struct bg_worktrees trees;
	struct bg_error err = BG_ERROR_INIT;
	bg_worktrees_sweep(&f->repository, &f->s->arena);
	if (bg_worktrees_make(&trees, &f->repository, f->base.commit, f->head.commit, &f->s->arena,
			      &err) != BG_OK)
		return 1;
	const char *old = file_text(f->s, trees.base, "old");
	const char *new = file_text(f->s, trees.head, "new");
	if (!old || strcmp(old, "1") != 0 || !new || strcmp(new, "2") != 0)
		return 2;
	return bg_worktrees_remove(&trees, &err) == BG_OK ? 0 : 3;
}

static pid_t start_maker(struct trees_fixture *f, int rounds)
{
	pid_t maker = fork();
	if (maker != 0)
		return maker;
	int status = 0;
	for (int i = 0; status == 0 && i < rounds; i++)
		status = make_and_remove(f);
	_exit(status);
}

static int ending_of(pid_t pid)
{
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Puts a program of the name git before the real one, which it can call as "$GIT". */
static void replace_git(struct scratch *s, const char *script)
{
	setenv("GIT", scratch_run(s, "command -v git"), 1);
	setenv("SCRIPT", script, 1);
	scratch_run(s, "mkdir -p bin; printf '#!/bin/sh\\n%s\\n' \"$SCRIPT\" >bin/git;"
		       "chmod +x bin/git");
	const char *path = getenv("PATH");
	assert_non_null(path);
	if (!path)
		return; /* never reached: the assertion jumps */
	setenv("REAL_PATH", path, 1);
	setenv("PATH", bg_arena_format(&s->arena, "%s/bin:%s", s->dir, path), 1);
}

static void restore_git(void)
{
	const char *path = getenv("REAL_PATH");
	assert_non_null(path);
	if (path)
		setenv("PATH", path, 1);
}

/* Of "git ... worktree add ... TREE COMMIT"; both empty for another command. */
#define ARGUMENTS                                                                                  \
	"tree= name=; for word; do case $word in */run-*) tree=$word; name=${tree##*/};; esac; "   \
	"done;"

static void several_commands_at_once_do_not_disturb_each_other(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	struct bg_worktrees ours = trees_make(&f);
	pid_t makers[MAKERS];
	for (int i = 0; i < MAKERS; i++)
		makers[i] = start_maker(&f, ROUNDS);
	int failed = 0;
	for (int i = 0; i < MAKERS; i++)
		failed += ending_of(makers[i]) != 0 ? 1 : 0;
	assert_int_equal(failed, 0);
	assert_string_equal(file_text(f.s, ours.head, "new"), "2");
	assert_int_equal(registered_count(&f), 2);
	trees_remove(&f, &ours);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void registrations_are_made_one_at_a_time(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	pid_t makers[MAKERS];
	int failed = 0;
	setenv("MARK", scratch_path(f.s, "mark"), 1);
	setenv("BOTH", scratch_path(f.s, "both"), 1);
	replace_git(f.s,
		    "case $* in *\"worktree add\"*) mkdir \"$MARK\" || echo >\"$BOTH\"; sleep 0.05;"
		    "\"$GIT\" \"$@\"; code=$?; rmdir \"$MARK\"; exit $code;;"
		    "*) exec \"$GIT\" \"$@\";; esac");
	for (int i = 0; i < MAKERS; i++)
		makers[i] = start_maker(&f, 1);
	for (int i = 0; i < MAKERS; i++)
		failed += ending_of(makers[i]) != 0 ? 1 : 0;
	restore_git();
	assert_int_equal(failed, 0);
	assert_int_not_equal(access(scratch_path(f.s, "both"), F_OK), 0);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void a_command_killed_at_any_moment_is_swept(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	struct bg_random random;
	size_t ended = 0;
	bg_random_init(&random, 1, "kills");
	uint64_t start_ns = bg_clock_ns();
	assert_int_equal(ending_of(start_maker(&f, 1)), 0);
	uint64_t whole_ns = bg_clock_ns() - start_ns;
	for (int i = 0; i < KILLS; i++) {
		pid_t maker = start_maker(&f, 1);
		uint64_t wait_ns = bg_random_below(&random, whole_ns);
		struct timespec nap = { (time_t)(wait_ns / BG_NS_PER_S),
					(long)(wait_ns % BG_NS_PER_S) };
		nanosleep(&nap, NULL);
		assert_int_equal(kill(maker, SIGKILL), 0);
		ended += WIFEXITED(ending_of(maker)) ? 1 : 0;
		sweep_all(&f);
		assert_int_equal(run_count(&f), 0);
		assert_int_equal(registered_count(&f), 0);
	}
	assert_true(ended < KILLS);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void a_command_killed_at_a_chosen_step_is_swept(void **state)
{
	/* As git makes a registration: folder, lock, path of the tree, and so on. */
	static const char *const scripts[] = {
		"kill -9 $PPID",
		ARGUMENTS "mkdir -p .git/worktrees/$name; kill -9 $PPID",
		ARGUMENTS "mkdir -p .git/worktrees/$name; cd .git/worktrees/$name;"
			  "echo initializing >locked; kill -9 $PPID",
		ARGUMENTS "mkdir -p .git/worktrees/$name; cd .git/worktrees/$name;"
			  "echo initializing >locked; echo $tree/.git >gitdir; kill -9 $PPID",
		ARGUMENTS "mkdir -p .git/worktrees/$name; cd .git/worktrees/$name;"
			  "echo initializing >locked; echo $tree/.git >gitdir; mkdir $tree;"
			  "echo gitdir: $PWD >$tree/.git; kill -9 $PPID",
		ARGUMENTS "case $name in head-*) kill -9 $PPID;; *) exec \"$GIT\" \"$@\";; esac",
		ARGUMENTS "\"$GIT\" \"$@\" --lock; kill -9 $PPID",
		"\"$GIT\" \"$@\"; kill -9 $PPID",
		"case $* in *reset*) kill -9 $PPID;; *) exec \"$GIT\" \"$@\";; esac",
		"\"$GIT\" \"$@\"; case $* in *reset*) kill -9 $PPID;; esac",
	};
	struct trees_fixture f = trees_fixture_make(*state);
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		replace_git(f.s, scripts[i]);
		int ending = ending_of(start_maker(&f, 1));
		restore_git();
		assert_true(WIFSIGNALED(ending));
		assert_int_equal(run_count(&f), 1);
		sweep_all(&f);
		nothing_is_left(&f);
	}
	bg_repository_close(&f.repository);
}

static void a_checkout_that_outlives_its_command_is_not_swept_under_it(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	setenv("FIFO", scratch_path(f.s, "fifo"), 1);
	setenv("DONE", scratch_path(f.s, "done"), 1);
	scratch_run(f.s, "mkfifo fifo");
	replace_git(f.s, ARGUMENTS
		    "mkdir $tree;"
		    "(read line <\"$FIFO\"; echo >$tree/late; echo >\"$DONE\") & kill -9 $PPID");
	assert_true(WIFSIGNALED(ending_of(start_maker(&f, 1))));
	restore_git();
	for (int i = 0; i < 20; i++)
		bg_worktrees_sweep(&f.repository, &f.s->arena);
	assert_int_equal(run_count(&f), 1);
	scratch_run(f.s, "echo go >fifo");
	sweep_all(&f);
	assert_int_equal(access(scratch_path(f.s, "done"), F_OK), 0);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void a_registration_that_another_git_is_writing_is_waited_for(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	setenv("MARK", scratch_path(f.s, "mark"), 1);
	replace_git(f.s, ARGUMENTS
		    "if mkdir \"$MARK\" 2>/dev/null; then mkdir -p $tree .git/worktrees/$name;"
		    "echo \"fatal: failed to read .git/worktrees/x/commondir: Success\"; exit 128;"
		    "fi; exec \"$GIT\" \"$@\"");
	int ending = ending_of(start_maker(&f, 1));
	restore_git();
	assert_int_equal(ending, 0);
	assert_int_equal(access(scratch_path(f.s, "mark"), F_OK), 0);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void an_interrupted_command_leaves_nothing(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	/* The test's process gets the signal while git runs, and git would never end. */
	replace_git(f.s, ARGUMENTS "\"$GIT\" \"$@\"; kill -TERM $PPID; sleep 1000");
	pid_t maker = fork();
	if (maker == 0) {
		struct bg_worktrees trees;
		struct bg_error err = BG_ERROR_INIT;
		bg_interrupt_install();
		_exit(bg_worktrees_make(&trees, &f.repository, f.base.commit, f.head.commit,
					&f.s->arena, &err) == BG_E_INTERRUPTED
			      ? 7
			      : 1);
	}
	int ending = ending_of(maker);
	restore_git();
	assert_true(WIFEXITED(ending));
	assert_int_equal(WEXITSTATUS(ending), 7);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

/* A registration as a run leaves it whose folder somebody else removed. */
static void register_lost(struct scratch *s, const char *name, const char *tree, time_t age_s)
{
	setenv("NAME", name, 1);
	setenv("TREE", tree, 1);
	scratch_run(s, "mkdir -p \"work/.git/worktrees/$NAME\"; cd \"work/.git/worktrees/$NAME\";"
		       "echo \"$TREE/.git\" >gitdir; echo ../.. >commondir; echo x >locked;"
		       "git -C ../.. rev-parse HEAD >HEAD");
	struct utimbuf times = { time(NULL) - age_s, time(NULL) - age_s };
	assert_int_equal(
		utime(bg_arena_format(&s->arena, "%s/work/.git/worktrees/%s", s->dir, name),
		      &times),
		0);
}

static void old_registrations_of_vanished_runs_are_swept(void **state)
{
	const time_t day_s = 24L * 60 * 60;
	struct trees_fixture f = trees_fixture_make(*state);
	register_lost(f.s, "base-abcdef", "/nowhere/run-abcdef/base-abcdef", 2 * day_s);
	register_lost(f.s, "head-abcdef", "/nowhere/run-abcdef/head-abcdef", 2 * day_s);
	register_lost(f.s, "head-gone00", "/tmp/batchgate-trees-gone00/head-gone00", 2 * day_s);
	bg_worktrees_sweep(&f.repository, &f.s->arena);
	nothing_is_left(&f);
	/* Of a run that may go on elsewhere, and a user's own. */
	const char *there = scratch_path(f.s, "run-there0");
	assert_int_equal(mkdir(there, 0700), 0);
	register_lost(f.s, "base-young0", "/nowhere/run-young0/base-young0", day_s / 2);
	register_lost(f.s, "base-there0", bg_arena_format(&f.s->arena, "%s/base-there0", there),
		      2 * day_s);
	register_lost(f.s, "base-branch", "/media/stick/base-branch", 2 * day_s);
	register_lost(f.s, "head-abcdef", "/nowhere/run-abcdeg/head-abcdef", 2 * day_s);
	register_lost(f.s, "head-ABCDEF", "/nowhere/run-ABCDEF/base-ABCDEF", 2 * day_s);
	register_lost(f.s, "mine", "/media/stick/mine", 2 * day_s);
	bg_worktrees_sweep(&f.repository, &f.s->arena);
	assert_int_equal(registered_count(&f), 6);
	bg_repository_close(&f.repository);
}

static void runs_of_another_repository_are_swept(void **state)
{
	struct scratch *s = *state;
	struct trees_fixture f = trees_fixture_make(s);
	scratch_run(s, "git clone -q work second");
	struct trees_fixture second = trees_fixture_of(s, scratch_path(s, "second"));
	struct bg_worktrees trees = trees_make(&second);
	close(trees.lock_fd);
	bg_worktrees_sweep(&f.repository, &s->arena);
	assert_int_equal(run_count(&f), 0);
	/* Its registrations wait for its own next command, or for git's own pruning. */
	assert_int_equal(registered_count(&second), 2);
	scratch_run(s, "git -C second worktree prune");
	nothing_is_left(&second);
	bg_repository_close(&second.repository);
	bg_repository_close(&f.repository);
}

static bool mount_small(const char *path)
{
	(void)mkdir(path, 0777);
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("none", path, "tmpfs", 0, "size=1m") == 0)
		return true;
	print_message("no file system can be mounted: %s\n", strerror(errno));
	return false;
}

static void a_full_disk_is_told_and_leaves_nothing(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	if (!mount_small(scratch_path(f.s, "cache"))) {
		bg_repository_close(&f.repository);
		skip();
	}
	scratch_run(f.s,
		    "cd work; head -c 1600000 /dev/urandom >big; git add .; git commit -qm big");
	struct bg_worktrees trees;
	const char *big = scratch_run(f.s, "git -C work rev-parse HEAD");
	assert_int_equal(bg_worktrees_make(&trees, &f.repository, f.head.commit, big, &f.s->arena,
					   &f.s->err),
			 BG_E_SYSTEM);
	if (!strstr(f.s->err.text, "unable to write file big"))
		fail_msg("%s", f.s->err.text);
	nothing_is_left(&f);
	assert_int_equal(umount(scratch_path(f.s, "cache")), 0);
	bg_repository_close(&f.repository);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(several_commands_at_once_do_not_disturb_each_other),
		TEST(registrations_are_made_one_at_a_time),
		TEST(a_command_killed_at_any_moment_is_swept),
		TEST(a_command_killed_at_a_chosen_step_is_swept),
		TEST(a_checkout_that_outlives_its_command_is_not_swept_under_it),
		TEST(a_registration_that_another_git_is_writing_is_waited_for),
		TEST(an_interrupted_command_leaves_nothing),
		TEST(old_registrations_of_vanished_runs_are_swept),
		TEST(runs_of_another_repository_are_swept),
		TEST(a_full_disk_is_told_and_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
