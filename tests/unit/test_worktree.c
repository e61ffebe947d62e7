#include "tests/unit/worktree_scratch.h"

#include <fcntl.h>
#include <sys/file.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

static void holds_its_commits(struct trees_fixture *f, const struct bg_worktrees *trees)
{
	assert_string_equal(file_text(f->s, trees->base, "old"), "1");
	assert_null(file_text(f->s, trees->base, "new"));
	assert_string_equal(file_text(f->s, trees->head, "old"), "1");
	assert_string_equal(file_text(f->s, trees->head, "new"), "2");
}

static void both_trees_hold_their_commits_and_are_removed(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	struct bg_worktrees trees = trees_make(&f);
	struct stat info;
	holds_its_commits(&f, &trees);
	assert_int_equal(strlen(trees.base), strlen(trees.head));
	assert_int_equal(stat(trees.dir, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0700);
	assert_int_equal(fcntl(trees.lock_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(registered_count(&f), 2);
	assert_string_equal(scratch_run(f.s, "git -C cache/batchgate/trees/*/head-* rev-parse "
					     "--abbrev-ref HEAD"),
			    "HEAD");
	trees_remove(&f, &trees);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void both_trees_may_hold_the_same_commit(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	f.base = f.head;
	struct bg_worktrees trees = trees_make(&f);
	assert_string_equal(file_text(f.s, trees.base, "new"), "2");
	assert_string_equal(file_text(f.s, trees.head, "new"), "2");
	trees_remove(&f, &trees);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void removing_what_was_never_made_is_fine(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = { 0 };
	assert_int_equal(bg_worktrees_remove(&trees, &s->err), BG_OK);
}

static void no_hook_and_no_monitor_runs(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	scratch_run(f.s,
		    "cd work; for h in post-checkout reference-transaction post-index-change; do "
		    "printf '#!/bin/sh\\ntouch '$PWD/../ran >.git/hooks/$h;"
		    "chmod +x .git/hooks/$h; done;"
		    "git config core.fsmonitor \"touch $PWD/../ran; true\"");
	assert_int_not_equal(access(scratch_path(f.s, "ran"), F_OK), 0);
	struct bg_worktrees trees = trees_make(&f);
	trees_remove(&f, &trees);
	assert_int_not_equal(access(scratch_path(f.s, "ran"), F_OK), 0);
	bg_repository_close(&f.repository);
}

static void the_variables_of_a_hook_do_not_misdirect(void **state)
{
	struct scratch *s = *state;
	struct trees_fixture f = trees_fixture_make(s);
	scratch_run(s, "git init -q other");
	setenv("GIT_DIR", scratch_path(s, "other/.git"), 1);
	setenv("GIT_WORK_TREE", scratch_path(s, "other"), 1);
	setenv("GIT_INDEX_FILE", scratch_path(s, "work/.git/index"), 1);
	const char *before = scratch_run(s, "cksum <work/.git/index");
	struct bg_worktrees trees = trees_make(&f);
	holds_its_commits(&f, &trees);
	assert_string_equal(scratch_run(s, "cksum <work/.git/index"), before);
	trees_remove(&f, &trees);
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
	unsetenv("GIT_INDEX_FILE");
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void paths_may_hold_any_character(void **state)
{
	static const char *const names[] = {
		"a b", "-dash", "line\nend", "quo\"te's", "gr\xc3\xbc\xc3\x9f", "\xff\x01$(x)*\\"
	};
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *dir = scratch_path(s, names[i]);
		s->cache = bg_arena_format(&s->arena, "%s/c%s/batchgate/trees", s->dir, names[i]);
		scratch_repository(s);
		assert_int_equal(rename(scratch_path(s, "work"), dir), 0);
		setenv("XDG_CACHE_HOME", bg_arena_format(&s->arena, "%s/c%s", s->dir, names[i]), 1);
		struct trees_fixture f = trees_fixture_of(s, dir);
		struct bg_worktrees trees = trees_make(&f);
		assert_memory_equal(trees.dir, s->cache, strlen(s->cache));
		holds_its_commits(&f, &trees);
		trees_remove(&f, &trees);
		nothing_is_left(&f);
		bg_repository_close(&f.repository);
	}
}

static void folders_without_write_permission_are_removed(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	struct bg_worktrees trees = trees_make(&f);
	scratch_run(f.s, "cd cache/batchgate/trees/*/base-*; mkdir -p m/n; touch m/n/f;"
			 "chmod 0555 m/n m; chmod 0444 m/n/f");
	trees_remove(&f, &trees);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void trees_that_changed_places_are_removed(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	struct bg_worktrees trees = trees_make(&f);
	assert_int_equal(renameat2(AT_FDCWD, trees.base, AT_FDCWD, trees.head, RENAME_EXCHANGE), 0);
	assert_string_equal(file_text(f.s, trees.base, "new"), "2");
	setenv("TREE", trees.base, 1);
	assert_string_equal(scratch_run(f.s, "git -C \"$TREE\" status --porcelain"), "");
	trees_remove(&f, &trees);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void a_linked_work_tree_and_a_submodule_have_trees(void **state)
{
	struct scratch *s = *state;
	scratch_repository(s);
	scratch_run(s, "git clone -q work linkable; git -C linkable worktree add -q ../linked;"
		       "git init -q -b main outer; cd outer;"
		       "git -c protocol.file.allow=always submodule --quiet add $PWD/../work sub");
	static const char *const names[] = { "linked", "outer/sub" };
	for (size_t i = 0; i < 2; i++) {
		struct trees_fixture f = trees_fixture_of(s, scratch_path(s, names[i]));
		size_t before = registered_count(&f);
		struct bg_worktrees trees = trees_make(&f);
		holds_its_commits(&f, &trees);
		assert_int_equal(registered_count(&f), before + 2);
		trees_remove(&f, &trees);
		assert_int_equal(registered_count(&f), before);
		assert_int_equal(run_count(&f), 0);
		bg_repository_close(&f.repository);
	}
}

static void a_partial_clone_fetches_what_its_trees_need(void **state)
{
	struct scratch *s = *state;
	scratch_repository(s);
	scratch_run(s, "cd work; git config uploadpack.allowFilter true; git rm -q old;"
		       "git commit -qm three; cd ..;"
		       "git clone -q --filter=blob:none file://$PWD/work thin");
	struct trees_fixture f = trees_fixture_of(s, scratch_path(s, "thin"));
	f.base = found(s, &f.repository, "HEAD~2");
	struct bg_worktrees trees = trees_make(&f);
	assert_string_equal(file_text(s, trees.base, "old"), "1");
	trees_remove(&f, &trees);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void fails(struct trees_fixture *f, enum bg_status status, const char *part)
{
	struct bg_worktrees trees = { .dir = "untouched" };
	assert_int_equal(bg_worktrees_make(&trees, &f->repository, f->base.commit, f->head.commit,
					   &f->s->arena, &f->s->err),
			 status);
	if (!strstr(f->s->err.text, part))
		fail_msg("\"%s\" does not say \"%s\"", f->s->err.text, part);
	assert_string_equal(trees.dir, "untouched");
	bg_error_clear(&f->s->err);
}

static void a_failed_checkout_tells_gits_reason_and_leaves_nothing(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	const char *head = f.head.commit;
	f.head.commit = "1234567890123456789012345678901234567890";
	fails(&f, BG_E_SYSTEM, "git worktree add 123456789012: fatal: ");
	nothing_is_left(&f);
	f.head.commit = head;
	scratch_run(f.s, "cd work; git config filter.broken.smudge false;"
			 "git config filter.broken.required true;"
			 "echo 'new filter=broken' >.git/info/attributes");
	fails(&f, BG_E_SYSTEM, "error: external filter 'false' failed");
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void without_git_nothing_is_left(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	const char *path = bg_arena_text(&f.s->arena, getenv("PATH"));
	setenv("PATH", f.s->dir, 1);
	fails(&f, BG_E_SYSTEM, "cannot run git: not found in PATH");
	setenv("PATH", path, 1);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void a_tree_that_cannot_be_removed_is_told_and_the_rest_goes(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	struct bg_worktrees trees = trees_make(&f);
	struct bg_error err = BG_ERROR_INIT;
	const char *dir = trees.dir, *base = trees.base, *head = trees.head;
	setenv("TREE", base, 1);
	if (scratch_try(f.s, "chattr +i \"$TREE/old\"") != 0) {
		trees_remove(&f, &trees);
		print_message("files cannot be made immutable here\n");
		skip();
	}
	enum bg_status status = bg_worktrees_remove(&trees, &err);
	/* Nobody holds the lock now: the next sweep tries again. */
	bg_worktrees_sweep(&f.repository, &f.s->arena);
	int left = access(base, F_OK), gone = access(head, F_OK);
	scratch_run(f.s, "chattr -i \"$TREE/old\"");
	assert_int_equal(status, BG_E_SYSTEM);
	assert_non_null(strstr(err.text, base));
	assert_int_equal(left, 0);
	assert_int_equal(gone, -1);
	assert_int_equal(access(dir, F_OK), 0);
	bg_worktrees_sweep(&f.repository, &f.s->arena);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_trees_hold_their_commits_and_are_removed),
		TEST(both_trees_may_hold_the_same_commit),
		TEST(removing_what_was_never_made_is_fine),
		TEST(no_hook_and_no_monitor_runs),
		TEST(the_variables_of_a_hook_do_not_misdirect),
		TEST(paths_may_hold_any_character),
		TEST(folders_without_write_permission_are_removed),
		TEST(trees_that_changed_places_are_removed),
		TEST(a_linked_work_tree_and_a_submodule_have_trees),
		TEST(a_partial_clone_fetches_what_its_trees_need),
		TEST(a_failed_checkout_tells_gits_reason_and_leaves_nothing),
		TEST(without_git_nothing_is_left),
		TEST(a_tree_that_cannot_be_removed_is_told_and_the_rest_goes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
