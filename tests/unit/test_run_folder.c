#include "baselines/run_folder.h"

#include "tests/unit/git_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

static struct bg_run_folder made(struct scratch *s)
{
	struct bg_run_folder folder;
	if (bg_run_folder_make(&folder, scratch_path(s, "work"), &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return folder;
}

static void removed(struct scratch *s, const struct bg_run_folder *folder)
{
	if (bg_run_folder_remove(folder->path, folder->lock_fd, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	assert_int_equal(access(folder->path, F_OK), -1);
}

/* Makes a folder and removes it again; it must have been below the scratch folder's `where`. */
static void is_made_below(struct scratch *s, const char *where)
{
	struct bg_run_folder folder = made(s);
	const char *below = scratch_path(s, where);
	bool right = strncmp(folder.path, below, strlen(below)) == 0 &&
		     folder.path[strlen(below)] == '/';
	removed(s, &folder);
	if (!right)
		fail_msg("%s is not in %s", folder.path, below);
}

static void a_folder_is_private_and_its_lock_is_held(void **state)
{
	struct scratch *s = *state;
	struct bg_run_folder folder = made(s);
	struct stat info;
	assert_int_equal(stat(folder.path, &info), 0);
	assert_int_equal(info.st_mode, S_IFDIR | 0700);
	assert_int_equal(strlen(folder.tag), BG_RUN_TAG_SIZE);
	assert_int_equal(fcntl(folder.lock_fd, F_GETFD), FD_CLOEXEC);
	int other = open(bg_arena_format(&s->arena, "%s/lock", folder.path), O_RDWR);
	assert_true(other >= 0);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	close(other);
	removed(s, &folder);
}

static void places_are_tried_in_order(void **state)
{
	struct scratch *s = *state;
	(void)mkdir(scratch_path(s, "tmp"), 0700);
	setenv("TMPDIR", scratch_path(s, "tmp"), 1);
	is_made_below(s, "cache/batchgate/trees");
	setenv("XDG_CACHE_HOME", "", 1);
	is_made_below(s, "home/.cache/batchgate/trees");
	setenv("XDG_CACHE_HOME", "cache", 1); /* relative: as if unset, says its specification */
	is_made_below(s, "home/.cache/batchgate/trees");
	unsetenv("HOME");
	is_made_below(s, "tmp");
	setenv("HOME", "home", 1);
	is_made_below(s, "tmp");
	setenv("TMPDIR", scratch_path(s, "absent"), 1);
	struct bg_run_folder folder = made(s);
	assert_memory_equal(folder.path, "/tmp/batchgate-trees-", 21);
	removed(s, &folder);
}

static void a_place_that_cannot_be_written_is_passed_over(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "echo >cache");
	is_made_below(s, "home/.cache/batchgate/trees");
	scratch_run(s, "rm cache; mkdir -p cache/batchgate; ln -s /nowhere cache/batchgate/trees");
	is_made_below(s, "home/.cache/batchgate/trees");
	scratch_run(s, "rm -r cache home; mkdir home; echo >cache; chmod 0500 home");
	if (geteuid() == 0) /* for whom no mode is an obstacle */
		setenv("HOME", "/proc", 1);
	setenv("TMPDIR", s->dir, 1);
	struct bg_run_folder folder = made(s);
	assert_memory_equal(folder.path, s->dir, strlen(s->dir));
	removed(s, &folder);
}

static void a_place_in_the_repository_is_passed_over(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir work worker; ln -s work by-link");
	setenv("XDG_CACHE_HOME", scratch_path(s, "work/.cache"), 1);
	is_made_below(s, "home/.cache/batchgate/trees");
	assert_int_equal(access(scratch_path(s, "work/.cache"), F_OK), -1);
	setenv("XDG_CACHE_HOME", scratch_path(s, "by-link/.cache"), 1);
	is_made_below(s, "home/.cache/batchgate/trees");
	setenv("XDG_CACHE_HOME", scratch_path(s, "worker"), 1);
	is_made_below(s, "worker/batchgate/trees");
}

static void where_no_place_serves_what_to_set_is_said(void **state)
{
	struct scratch *s = *state;
	struct bg_run_folder folder = { .path = "untouched" };
	assert_int_equal(bg_run_folder_make(&folder, "/", &s->arena, &s->err), BG_E_SYSTEM);
	assert_string_equal(s->err.text,
			    "no folder for the work trees (/tmp: lies in the repository); set "
			    "XDG_CACHE_HOME to a writable one outside the repository");
	assert_string_equal(folder.path, "untouched");
}

/* A file system of its own for this process alone; gone with it. */
static bool mount_on(const char *path, unsigned long flags)
{
	(void)mkdir(path, 0777);
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("none", path, "tmpfs", flags, "size=1m") == 0)
		return true;
	print_message("no file system can be mounted: %s\n", strerror(errno));
	return false;
}

static void a_place_where_programs_cannot_run_is_passed_over(void **state)
{
	struct scratch *s = *state;
	if (!mount_on(scratch_path(s, "cache"), MS_NOEXEC))
		skip();
	is_made_below(s, "home/.cache/batchgate/trees");
	assert_int_equal(umount(scratch_path(s, "cache")), 0);
}

static void note(const struct bg_run_folder *dead, void *context)
{
	struct scratch *s = context;
	bg_buffer_format(&s->output, "%s %s\n", strrchr(dead->path, '/') + 1, dead->tag);
	removed(s, dead);
}

static const char *swept(struct scratch *s)
{
	bg_buffer_clear(&s->output);
	bg_run_folders_sweep(note, s, &s->arena);
	return s->output.size > 0 ? bg_arena_text(&s->arena, s->output.bytes) : "";
}

static void only_dead_runs_are_swept(void **state)
{
	struct scratch *s = *state;
	struct bg_run_folder alive = made(s), dead = made(s);
	close(dead.lock_fd);
	const char *expected = bg_arena_format(&s->arena, "run-%s %s\n", dead.tag, dead.tag);
	assert_string_equal(swept(s), expected);
	assert_string_equal(swept(s), "");
	assert_int_equal(access(alive.path, F_OK), 0);
	removed(s, &alive);
}

static void a_folder_that_died_before_its_lock_was_made_is_swept(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p cache/batchgate/trees/run-abcdef/base-abcdef");
	assert_string_equal(swept(s), "run-abcdef abcdef\n");
	assert_int_equal(access(scratch_path(s, "cache/batchgate/trees/run-abcdef"), F_OK), -1);
}

static void what_is_not_a_runs_folder_is_left_alone(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p cache/batchgate/trees; cd cache/batchgate/trees;"
		       "mkdir run-abcde run-abcdefg run-abcde. work-abcdef batchgate-trees-abcdef;"
		       "echo >run-ghijkl; ln -s ../../../home run-mnopqr; mkdir run-aaaaaa;"
		       "mkdir run-aaaaaa/lock");
	assert_string_equal(swept(s), "");
	assert_string_equal(scratch_run(s, "ls cache/batchgate/trees | wc -l"), "8");
	assert_string_equal(scratch_run(s, "ls home | wc -l"), "0");
}

static void another_users_folder_is_left_alone(void **state)
{
	struct scratch *s = *state;
	if (geteuid() != 0) {
		print_message("only root can give files to another user\n");
		skip();
	}
	scratch_run(s, "mkdir -p cache/batchgate/trees/run-abcdef;"
		       "chown 12345 cache/batchgate/trees/run-abcdef");
	assert_string_equal(swept(s), "");
}

static void folders_in_the_temporary_folder_are_swept_too(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir tmp; mkdir tmp/batchgate-trees-abcdef tmp/run-abcdef");
	setenv("TMPDIR", scratch_path(s, "tmp"), 1);
	assert_string_equal(swept(s), "batchgate-trees-abcdef abcdef\n");
	assert_int_equal(access(scratch_path(s, "tmp/run-abcdef"), F_OK), 0);
}

static void names_are_recognised_with_their_tag(void **state)
{
	(void)state;
	assert_true(bg_run_folder_owns("/x/run-abcdef", "abcdef"));
	assert_true(bg_run_folder_owns("/tmp/batchgate-trees-a1B2c3", "a1B2c3"));
	assert_false(bg_run_folder_owns("/x/run-abcdef", "abcdeg"));
	assert_false(bg_run_folder_owns("/x/run-abcdef", "bcdef"));
	assert_false(bg_run_folder_owns("/x/run-abcdef/y", "abcdef"));
	assert_false(bg_run_folder_owns("", ""));
}

#define MAKERS 4
#define ROUNDS 60

/* Makes folders and looks whether a sweeper took one away; exits 0 where none did. */
static int keep_making(struct scratch *s)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct bg_run_folder folder;
		struct bg_error err = BG_ERROR_INIT;
		if (bg_run_folder_make(&folder, scratch_path(s, "work"), &s->arena, &err) != BG_OK)
			return 1;
		const char *inside = bg_arena_format(&s->arena, "%s/base", folder.path);
		if (mkdir(inside, 0700) != 0)
			return 2;
		sched_yield();
		if (access(inside, F_OK) != 0)
			return 3;
		if (bg_run_folder_remove(folder.path, folder.lock_fd, &err) != BG_OK)
			return 4;
	}
	return 0;
}

static void drop(const struct bg_run_folder *dead, void *context)
{
	struct bg_error err = BG_ERROR_INIT;
	*(size_t *)context += 1;
	(void)!bg_run_folder_remove(dead->path, dead->lock_fd, &err);
}

static void a_sweep_takes_no_folder_that_is_being_made(void **state)
{
	struct scratch *s = *state;
	pid_t makers[MAKERS];
	int statuses[MAKERS];
	for (int i = 0; i < MAKERS; i++) {
		makers[i] = fork();
		if (makers[i] == 0)
			_exit(keep_making(s));
	}
	size_t taken = 0;
	for (int left = MAKERS; left > 0;) {
		bg_run_folders_sweep(drop, &taken, &s->arena);
		for (int i = 0; i < MAKERS; i++)
			if (makers[i] > 0 && waitpid(makers[i], &statuses[i], WNOHANG) != 0) {
				makers[i] = 0;
				left--;
			}
	}
	for (int i = 0; i < MAKERS; i++)
		assert_int_equal(statuses[i], 0);
	bg_run_folders_sweep(drop, &taken, &s->arena);
	assert_string_equal(scratch_run(s, "ls cache/batchgate/trees"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_folder_is_private_and_its_lock_is_held),
		TEST(places_are_tried_in_order),
		TEST(a_place_that_cannot_be_written_is_passed_over),
		TEST(a_place_in_the_repository_is_passed_over),
		TEST(where_no_place_serves_what_to_set_is_said),
		TEST(a_place_where_programs_cannot_run_is_passed_over),
		TEST(only_dead_runs_are_swept),
		TEST(a_folder_that_died_before_its_lock_was_made_is_swept),
		TEST(what_is_not_a_runs_folder_is_left_alone),
		TEST(another_users_folder_is_left_alone),
		TEST(folders_in_the_temporary_folder_are_swept_too),
		TEST(names_are_recognised_with_their_tag),
		TEST(a_sweep_takes_no_folder_that_is_being_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
