#include "baselines/built_cache.h"

#include "baselines/built_key.h"
#include "gate/core/clock.h"
#include "tests/unit/git_scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)
#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"
#define BUILT "cache/batchgate/built/"

static const char key_a[BG_SHA256_TEXT_SIZE] = KEY "a";

static struct bg_built_cache opened(struct scratch *s, const char key[BG_SHA256_TEXT_SIZE])
{
	struct bg_built_cache cache;
	if (bg_built_open(&cache, key, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return cache;
}

/* A tree as a build left it, base-aaaaaa, and a fresh checkout, base-bbbbbb. */
static void make_trees(struct scratch *s)
{
	scratch_run(s, "mkdir -p base-aaaaaa/src base-aaaaaa/out/deep base-bbbbbb/src"
		       " base-bbbbbb/gone/deep base-bbbbbb/sub; cd base-aaaaaa;"
		       "echo gitdir >.git; echo 1 >src/a.c; touch -d 2001-02-03 src/a.c;"
		       "echo prog >out/prog; chmod 750 out/prog; touch -d 2001-02-04 out/prog;"
		       "ln -s prog out/link; ln -s /etc/passwd out/far; : >out/empty;"
		       "touch -d 2001-02-05 out/deep; chmod 500 out/deep; echo log >../log;"
		       "cd ../base-bbbbbb; echo other >.git; echo 1 >src/a.c; echo x >gone/deep/x;"
		       "echo mod >sub/.git; ln -s nowhere out");
}

static void keep(struct scratch *s, const char key[BG_SHA256_TEXT_SIZE])
{
	const char *why = "x";
	struct bg_built_cache cache = opened(s, key);
	bg_built_keep(&cache, scratch_path(s, "base-aaaaaa"), scratch_path(s, "log"), &why,
		      &s->arena);
	if (why)
		fail_msg("%s", why);
	bg_built_close(&cache);
}

static enum bg_built_taken take(struct scratch *s, const char key[BG_SHA256_TEXT_SIZE])
{
	enum bg_built_taken how;
	struct bg_built_cache cache = opened(s, key);
	int log = open(scratch_path(s, "log.taken"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (bg_built_take(&how, &cache, scratch_path(s, "base-bbbbbb"), log, &s->arena, &s->err) !=
	    BG_OK)
		fail_msg("%s", s->err.text);
	close(log);
	bg_built_close(&cache);
	return how;
}

static void holds(struct scratch *s, const char *condition)
{
	if (scratch_try(s, condition) != 0)
		fail_msg("not so: %s", condition);
}

static void a_kept_build_comes_back_as_it_was(void **state)
{
	struct scratch *s = *state;
	make_trees(s);
	assert_int_equal(take(s, key_a), BG_BUILT_ABSENT);
	keep(s, key_a);
	assert_int_equal(take(s, key_a), BG_BUILT_TAKEN);
	holds(s, "f() { (cd $1; find . -name .git -prune -o -path ./sub -prune -o ! -path . "
		 "-printf '%p %m %T@ %l %y\\n' | sort); }; f base-aaaaaa >a; f base-bbbbbb >b;"
		 "diff a b >&2 && test -s a");
	holds(s, "diff -r --no-dereference base-aaaaaa/out base-bbbbbb/out && cmp log log.taken");
	holds(s, "test $(cat base-bbbbbb/.git) = other && test ! -e base-bbbbbb/gone");
	holds(s, "test $(stat -c %a " BUILT ") = 700");
}

static void another_key_is_another_build(void **state)
{
	struct scratch *s = *state;
	make_trees(s);
	keep(s, key_a);
	assert_int_equal(take(s, KEY "b"), BG_BUILT_ABSENT);
	holds(s, "test -L base-bbbbbb/out");
}

static void is_damaged_by(struct scratch *s, const char *script)
{
	scratch_run(s, "rm -rf base-aaaaaa base-bbbbbb");
	make_trees(s);
	keep(s, key_a);
	scratch_run(s, bg_arena_format(&s->arena, "cd " BUILT KEY "a; %s", script));
	if (take(s, key_a) != BG_BUILT_DAMAGED)
		fail_msg("not damaged: %s", script);
	/* What is damaged is gone, and base's tree was not touched. */
	holds(s, "test ! -e " BUILT KEY "a && test -z \"$(ls " BUILT " | grep draft)\"");
	holds(s, "test -f base-bbbbbb/gone/deep/x");
	assert_int_equal(take(s, key_a), BG_BUILT_ABSENT);
}

static void a_damaged_entry_is_dropped(void **state)
{
	struct scratch *s = *state;
	is_damaged_by(s, "echo prig >tree/out/prog; touch -d 2001-02-04 tree/out/prog");
	is_damaged_by(s, "rm tree/out/empty");
	is_damaged_by(s, "echo >tree/out/more");
	is_damaged_by(s, "chmod 777 tree/out/prog");
	is_damaged_by(s, "touch tree/src/a.c");
	is_damaged_by(s, "ln -sf other tree/out/link");
	is_damaged_by(s, "rm listing");
	is_damaged_by(s, ": >listing");
	is_damaged_by(s, "rm -r tree; ln -s /etc tree");
}

static void an_old_build_is_not_used(void **state)
{
	struct scratch *s = *state;
	make_trees(s);
	keep(s, key_a);
	scratch_run(s, "touch -d '8 days ago' " BUILT KEY "a/listing");
	assert_int_equal(take(s, key_a), BG_BUILT_ABSENT);
	holds(s, "test ! -e " BUILT KEY "a");
}

static void a_tree_with_its_path_built_in_is_not_kept(void **state)
{
	struct scratch *s = *state;
	const char *why = NULL;
	make_trees(s);
	scratch_run(s, "echo \"prefix=$PWD/base-aaaaaa\" >base-aaaaaa/out/config");
	struct bg_built_cache cache = opened(s, key_a);
	bg_built_keep(&cache, scratch_path(s, "base-aaaaaa"), scratch_path(s, "log"), &why,
		      &s->arena);
	assert_string_equal(why, "out/config has its own path built in");
	bg_built_close(&cache);
	holds(s, "test \"$(ls " BUILT ")\" = lock");
}

static void what_cannot_be_copied_is_not_kept(void **state)
{
	struct scratch *s = *state;
	const char *why = NULL;
	make_trees(s);
	scratch_run(s, "mkfifo base-aaaaaa/out/pipe");
	struct bg_built_cache cache = opened(s, key_a);
	bg_built_keep(&cache, scratch_path(s, "base-aaaaaa"), scratch_path(s, "log"), &why,
		      &s->arena);
	assert_non_null(strstr(why, "pipe: neither a file nor a folder nor a link"));
	bg_built_close(&cache);
	holds(s, "test \"$(ls " BUILT ")\" = lock");
}

static void the_least_recently_used_go_first(void **state)
{
	struct scratch *s = *state;
	make_trees(s);
	for (int c = '0'; c < '8'; c++) {
		char key[BG_SHA256_TEXT_SIZE];
		snprintf(key, sizeof key, KEY "%c", c);
		keep(s, key);
		/* Used longer ago than what comes next, whatever the clock's grain. */
		scratch_run(s, bg_arena_format(&s->arena, "touch -d '%d minutes ago' " BUILT "%s",
					       20 - (c - '0'), key));
	}
	assert_int_equal(take(s, KEY "0"), BG_BUILT_TAKEN);
	keep(s, KEY "8");
	assert_int_equal(take(s, KEY "1"), BG_BUILT_ABSENT);
	assert_int_equal(take(s, KEY "0"), BG_BUILT_TAKEN);
	assert_int_equal(take(s, KEY "2"), BG_BUILT_TAKEN);
	holds(s, "test $(ls " BUILT " | wc -l) = 9"); /* eight and the lock */
}

static void drafts_go_once_nobody_is_at_work(void **state)
{
	struct scratch *s = *state;
	make_trees(s);
	keep(s, key_a);
	scratch_run(s, "mkdir -p " BUILT "draft-dead01/tree; echo mine >" BUILT "other");
	int other = open(scratch_path(s, BUILT "lock"), O_RDWR);
	assert_int_equal(flock(other, LOCK_SH), 0);
	assert_int_equal(take(s, key_a), BG_BUILT_TAKEN);
	holds(s, "test -e " BUILT "draft-dead01/tree");
	close(other);
	assert_int_equal(take(s, key_a), BG_BUILT_TAKEN);
	holds(s, "test ! -e " BUILT "draft-dead01 && test -f " BUILT "other");
}

static void a_cache_that_others_can_write_to_is_not_used(void **state)
{
	struct scratch *s = *state;
	struct bg_built_cache cache;
	scratch_run(s, "mkdir -p cache/batchgate/built; chmod 777 cache/batchgate/built");
	assert_int_equal(bg_built_open(&cache, key_a, &s->arena, &s->err), BG_E_SYSTEM);
	assert_non_null(strstr(s->err.text, "not a folder that only you can write to"));
	bg_error_clear(&s->err);
	scratch_run(s, "rmdir cache/batchgate/built; mkdir real; ln -s ../../real "
		       "cache/batchgate/built");
	assert_int_equal(bg_built_open(&cache, key_a, &s->arena, &s->err), BG_E_SYSTEM);
	bg_error_clear(&s->err);
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "relative", 1);
	assert_int_equal(bg_built_open(&cache, key_a, &s->arena, &s->err), BG_E_SYSTEM);
	bg_error_clear(&s->err);
}

/* Killed at some moment of its work, a command leaves a whole entry or none. */
static void a_kill_leaves_no_half_entry(void **state)
{
	struct scratch *s = *state;
	unsigned kept = 0;
	make_trees(s);
	scratch_run(s, "cd base-aaaaaa/out; for i in $(seq 200); do echo $i >f$i; done");
	uint64_t start_ns = bg_clock_ns();
	keep(s, KEY "b");
	unsigned step_us = (unsigned)((bg_clock_ns() - start_ns) / 1000 / 30);
	for (unsigned i = 0; i < 40; i++) {
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			keep(s, key_a);
			_exit(0);
		}
		usleep(i * step_us);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		enum bg_built_taken how = take(s, key_a);
		assert_int_not_equal(how, BG_BUILT_DAMAGED);
		kept += how == BG_BUILT_TAKEN;
		holds(s, "test -z \"$(ls " BUILT " | grep draft)\"");
		scratch_run(s, "rm -rf " BUILT KEY "a");
	}
	print_message("%u of 40 were kept\n", kept);
}

static void two_commands_keep_the_same_build_once(void **state)
{
	struct scratch *s = *state;
	pid_t children[4];
	make_trees(s);
	for (size_t i = 0; i < 4; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0) {
			keep(s, key_a);
			_exit(0);
		}
	}
	for (size_t i = 0; i < 4; i++) {
		int status = -1;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(take(s, key_a), BG_BUILT_TAKEN);
	holds(s, "test \"$(ls " BUILT " | wc -l)\" = 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_kept_build_comes_back_as_it_was),
		TEST(another_key_is_another_build),
		TEST(a_damaged_entry_is_dropped),
		TEST(an_old_build_is_not_used),
		TEST(a_tree_with_its_path_built_in_is_not_kept),
		TEST(what_cannot_be_copied_is_not_kept),
		TEST(the_least_recently_used_go_first),
		TEST(drafts_go_once_nobody_is_at_work),
		TEST(a_cache_that_others_can_write_to_is_not_used),
		TEST(a_kill_leaves_no_half_entry),
		TEST(two_commands_keep_the_same_build_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
