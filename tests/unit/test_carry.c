#include "baselines/carry.h"

#include "baselines/beneath.h"
#include "tests/unit/git_scratch.h"

#include <errno.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

static void is_carried(struct scratch *s, const char *path)
{
	if (bg_carry(scratch_path(s, "base"), scratch_path(s, "head"), path, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
}

static void fails(struct scratch *s, enum bg_status got, enum bg_status expected, const char *text)
{
	assert_int_equal(got, expected);
	assert_string_equal(s->err.text, text);
	bg_error_clear(&s->err);
}

static void is_not_carried(struct scratch *s, const char *path, const char *text)
{
	fails(s, bg_carry(scratch_path(s, "base"), scratch_path(s, "head"), path, &s->err),
	      BG_E_INPUT, text);
}

/* A shell's condition must hold in the scratch folder. */
static void holds(struct scratch *s, const char *condition)
{
	if (scratch_try(s, condition) != 0)
		fail_msg("not so: %s", condition);
}

static void a_folder_becomes_what_head_has(void **state)
{
	struct scratch *s = *state;
	scratch_run(s,
		    "mkdir -p base/bench/gone/deep head/bench/new/deep base/src;"
		    "echo old >base/bench/a; echo old >base/bench/gone/deep/b; echo o >base/src/c;"
		    "echo new >head/bench/a; echo new >head/bench/new/deep/b;"
		    "touch head/bench/empty; mkdir head/bench/nothing;"
		    "chmod 755 head/bench/a; chmod 500 head/bench/new;"
		    "ln -s /etc/passwd head/bench/out; ln -s a head/bench/in");
	is_carried(s, "bench/");
	holds(s, "diff -r --no-dereference base/bench head/bench");
	holds(s, "test ! -e base/bench/gone && test -x base/bench/a && test -d base/bench/nothing");
	holds(s, "test $(stat -c %a base/bench/new) = 500");
	holds(s, "test $(readlink base/bench/out) = /etc/passwd");
	holds(s, "test $(cat base/src/c) = o");
}

static void a_file_and_its_folders_are_made(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p base head/a/b; echo x >head/a/b/c; echo y >head/a/b/d");
	is_carried(s, "./a//b/c");
	holds(s, "test $(cat base/a/b/c) = x && test ! -e base/a/b/d");
}

static void kinds_may_differ(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p base/a/x head/b; echo f >base/b; echo f >head/a; echo f >head/b/y;"
		       "ln -s b head/c; mkdir base/c; touch base/c/z");
	is_carried(s, "a");
	is_carried(s, "b");
	is_carried(s, "c");
	holds(s, "test -f base/a && test -f base/b/y && test $(readlink base/c) = b");
}

static void gits_own_is_left_out(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p base head/sub/deep/.git; echo x >head/sub/f;"
		       "echo gitdir >head/sub/.git; touch head/sub/deep/.git/x");
	is_carried(s, "sub");
	holds(s, "test -f base/sub/f && test -d base/sub/deep && test ! -e base/sub/.git &&"
		 "test ! -e base/sub/deep/.git");
}

static void a_link_in_base_is_replaced_and_not_followed(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p base head/d/e outside/e; echo new >head/d/e/f; echo new >head/g;"
		       "echo mine >outside/e/f; echo mine >outside/g;"
		       "ln -s ../outside base/d; ln -s ../outside/g base/g");
	is_carried(s, "d/e/f");
	is_carried(s, "g");
	holds(s, "test $(cat outside/e/f) = mine && test $(cat outside/g) = mine");
	holds(s, "test ! -L base/d && test $(cat base/d/e/f) = new && test ! -L base/g");
	scratch_run(s, "rm -r base/d; ln -s ../outside base/d");
	is_carried(s, "d");
	holds(s, "test -f outside/e/f && test ! -L base/d");
}

static void a_link_in_head_is_not_followed(void **state)
{
	struct scratch *s = *state;
	scratch_run(s,
		    "mkdir -p base head outside; echo secret >outside/f; ln -s ../outside head/d");
	is_not_carried(s, "d/f", "d/f: d is no folder in head");
	holds(s, "test ! -e base/d");
	is_carried(s, "d");
	holds(s, "test $(readlink base/d) = ../outside");
}

static void what_head_lacks_is_told_and_base_is_untouched(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p base/bench head; echo x >base/bench/a; echo x >head/f");
	is_not_carried(s, "bench/", "head has no bench/");
	is_not_carried(s, "no/where", "head has no no/where");
	is_not_carried(s, "f/x", "f/x: f is no folder in head");
	holds(s, "test -f base/bench/a");
}

static void what_is_no_file_is_refused(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p base head/d; mkfifo head/d/pipe");
	fails(s, bg_carry(scratch_path(s, "base"), scratch_path(s, "head"), "d", &s->err),
	      BG_E_SYSTEM, "d: d: pipe: neither a file nor a folder nor a link");
}

static void a_folder_without_an_end_is_refused(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p base head; cd head;"
		       "p=d; for i in $(seq 140); do p=$p/d; done; mkdir -p $p");
	enum bg_status got =
		bg_carry(scratch_path(s, "base"), scratch_path(s, "head"), "d", &s->err);
	assert_int_equal(got, BG_E_SYSTEM);
	assert_non_null(strstr(s->err.text, "more than 128 folders deep"));
}

static enum bg_status link_in(struct scratch *s, const char *path)
{
	struct bg_link_place place = { scratch_path(s, "tree"), "base" };
	return bg_link_in(&place, scratch_path(s, "mine"), path, &s->err);
}

static void ignored_paths_become_links(void **state)
{
	struct scratch *s = *state;
	scratch_run(
		s, "mkdir -p tree/have mine/.venv/bin mine/a/b/data mine/have; echo x >mine/have/f;"
		   "echo y >mine/a/b/data/d");
	assert_int_equal(link_in(s, ".venv/"), BG_OK);
	assert_int_equal(link_in(s, "./a//b/data/"), BG_OK);
	assert_int_equal(link_in(s, "have/f"), BG_OK);
	holds(s, "test $(readlink tree/.venv) = $PWD/mine/.venv");
	holds(s, "test $(readlink tree/a/b/data) = $PWD/mine/a/b/data");
	holds(s, "test $(cat tree/a/b/data/d) = y && test $(cat tree/have/f) = x");
}

static void what_is_missing_is_told(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p tree mine; ln -s nowhere mine/dangling");
	fails(s, link_in(s, ".venv"), BG_E_INPUT,
	      bg_arena_format(&s->arena, ".venv: not in your work tree %s/mine: %s", s->dir,
			      strerror(ENOENT)));
	assert_int_equal(link_in(s, "dangling"), BG_E_INPUT);
	holds(s, "test -z \"$(ls -A tree)\"");
}

static void what_is_tracked_is_refused(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p tree/src mine/src; touch tree/file mine/file; ln -s x tree/l;"
		       "touch mine/l");
#define TRACKED " is tracked in base; link is for ignored paths, carry for tracked ones"
	fails(s, link_in(s, "src/"), BG_E_INPUT, "src/" TRACKED);
	fails(s, link_in(s, "file"), BG_E_INPUT, "file" TRACKED);
	fails(s, link_in(s, "l"), BG_E_INPUT, "l" TRACKED);
}

static void no_link_leads_out_of_the_tree(void **state)
{
	struct scratch *s = *state;
	scratch_run(s,
		    "mkdir -p tree mine/d/x mine/f outside; ln -s ../outside tree/d; touch tree/f;"
		    "touch mine/f/x");
	fails(s, link_in(s, "d/x"), BG_E_INPUT, "d/x: d is no folder in base");
	fails(s, link_in(s, "f/x"), BG_E_INPUT, "f/x: f is no folder in base");
	holds(s, "test -z \"$(ls -A outside)\"");
}

static void removing_a_tree_leaves_what_it_links_to(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p tree mine/data; echo x >mine/data/f; chmod 500 mine/data");
	assert_int_equal(link_in(s, "data"), BG_OK);
	assert_int_equal(bg_tree_remove(scratch_path(s, "tree"), &s->err), BG_OK);
	holds(s,
	      "test -f mine/data/f && test $(stat -c %a mine/data) = 500 && chmod 700 mine/data");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_folder_becomes_what_head_has),
		TEST(a_file_and_its_folders_are_made),
		TEST(kinds_may_differ),
		TEST(gits_own_is_left_out),
		TEST(a_link_in_base_is_replaced_and_not_followed),
		TEST(a_link_in_head_is_not_followed),
		TEST(what_head_lacks_is_told_and_base_is_untouched),
		TEST(what_is_no_file_is_refused),
		TEST(a_folder_without_an_end_is_refused),
		TEST(ignored_paths_become_links),
		TEST(what_is_missing_is_told),
		TEST(what_is_tracked_is_refused),
		TEST(no_link_leads_out_of_the_tree),
		TEST(removing_a_tree_leaves_what_it_links_to),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
