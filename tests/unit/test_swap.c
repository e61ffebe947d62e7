#include "baselines/swap.h"

#include "tests/unit/worktree_scratch.h"

#include <fcntl.h>
#include <sys/xattr.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

/* Two small folders in place of work trees: dir/base-TAG and dir/head-TAG, each with a file. */
static struct bg_worktrees folders(struct scratch *s)
{
	scratch_run(s, "mkdir -p run/base-abcdef/sub run/head-abcdef; cd run;"
		       "echo base >base-abcdef/who; echo head >head-abcdef/who");
	return (struct bg_worktrees){ .dir = scratch_path(s, "run"),
				      .base = scratch_path(s, "run/base-abcdef"),
				      .head = scratch_path(s, "run/head-abcdef"),
				      .lock_fd = -1 };
}

static bool swaps(struct scratch *s, const struct bg_worktrees *trees, const char **remark)
{
	bool swapped = true;
	if (bg_worktrees_swap(trees, &swapped, remark, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return swapped;
}

static void is_swapped(struct scratch *s, const struct bg_worktrees *trees)
{
	const char *remark = "x";
	const char *before = file_text(s, trees->base, "who");
	if (!swaps(s, trees, &remark))
		fail_msg("%s", remark);
	assert_null(remark);
	assert_string_not_equal(file_text(s, trees->base, "who"), before);
	assert_string_equal(file_text(s, trees->head, "who"), before);
}

static void is_refused(struct scratch *s, const struct bg_worktrees *trees, const char *text)
{
	const char *remark = NULL;
	const char *before = file_text(s, trees->base, "who");
	assert_false(swaps(s, trees, &remark));
	assert_non_null(remark);
	assert_string_equal(remark, text);
	assert_string_equal(file_text(s, trees->base, "who"), before);
}

#define REFUSED(what) "confirmation kept the arms' paths: " what

static void paths_are_exchanged_and_brought_back(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	is_swapped(s, &trees);
	assert_string_equal(file_text(s, trees.base, "who"), "head");
	is_swapped(s, &trees);
	assert_string_equal(file_text(s, trees.base, "who"), "base");
}

static void real_work_trees_are_exchanged(void **state)
{
	struct trees_fixture f = trees_fixture_make(*state);
	struct bg_worktrees trees = trees_make(&f);
	const char *remark = NULL;
	assert_true(swaps(f.s, &trees, &remark));
	assert_string_equal(file_text(f.s, trees.base, "new"), "2");
	assert_null(file_text(f.s, trees.head, "new"));
	trees_remove(&f, &trees);
	nothing_is_left(&f);
	bg_repository_close(&f.repository);
}

static void a_file_that_names_its_tree_forbids_it(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	scratch_run(s, "mkdir -p run/base-abcdef/a/b; echo \"x $PWD/run/base-abcdef/lib y\""
		       " >run/base-abcdef/a/b/config");
	is_refused(s, &trees, REFUSED("a/b/config has its own path built in"));
	scratch_run(s, "rm -r run/base-abcdef/a; echo \"$PWD/run/head-abcdef\" >run/head-abcdef/c");
	is_refused(s, &trees, REFUSED("c has its own path built in"));
	scratch_run(s, "echo ../head-abcdef/lib >run/head-abcdef/c");
	is_refused(s, &trees, REFUSED("c has its own path built in"));
	scratch_run(s, "rm run/head-abcdef/c");
	is_swapped(s, &trees);
}

static void a_link_that_names_its_tree_forbids_it(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	scratch_run(s, "ln -s \"$PWD/run/base-abcdef/who\" run/base-abcdef/sub/link");
	is_refused(s, &trees, REFUSED("sub/link has its own path built in"));
	scratch_run(s, "ln -sf ../../base-abcdef/who run/base-abcdef/sub/link");
	is_refused(s, &trees, REFUSED("sub/link has its own path built in"));
	scratch_run(s, "ln -sf ../who run/base-abcdef/sub/link; ln -s /nowhere run/head-abcdef/l");
	is_swapped(s, &trees);
}

static void what_is_not_run_may_name_its_tree(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	scratch_run(s, "cd run/base-abcdef; mkdir .git sub/.git sub/__pycache__;"
		       "for f in .git/gitdir sub/.git/x sub/__pycache__/m.pyc; do pwd >$f; done;"
		       "mkfifo pipe");
	is_swapped(s, &trees);
}

static void of_a_program_only_what_is_loaded_counts(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	if (scratch_try(s, "cd run/base-abcdef; echo 'int main(void) { return 0; }' >p.c;"
			   "cc -g -c -o p.o p.c && ar rc p.a p.o && cc -o p p.o &&"
			   "grep -q base-abcdef p.o && grep -q base-abcdef p") != 0) {
		print_message("cc does not write where it compiled\n");
		skip();
	}
	is_swapped(s, &trees);
	is_swapped(s, &trees);
	scratch_run(s, "cd run/base-abcdef; cc -o p p.o -Wl,-rpath,$PWD/lib");
	is_refused(s, &trees, REFUSED("p has its own path built in"));
	scratch_run(s, "cd run/base-abcdef; rm p; cc -shared -o p.so p.o -Wl,-soname,$PWD/p.so");
	is_refused(s, &trees, REFUSED("p.so has its own path built in"));
}

static void a_broken_program_is_searched_whole(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	/* The path stands behind all that is loaded of it. */
	scratch_run(s, "cp /bin/true run/base-abcdef/p; printf base-abcdef >>run/base-abcdef/p");
	is_swapped(s, &trees);
	is_swapped(s, &trees);
	static const unsigned char beyond[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	/* Where the table of parts stands, its entries' size, and their count. */
	static const struct {
		off_t offset;
		size_t size;
	} fields[] = { { 32, 8 }, { 54, 2 }, { 56, 2 }, { 64 + 8, 8 }, { 64 + 32, 8 } };
	const char *path = scratch_path(s, "run/base-abcdef/p");
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		scratch_run(s, "cp /bin/true run/base-abcdef/p;"
			       "printf base-abcdef >>run/base-abcdef/p");
		int fd = open(path, O_RDWR);
		assert_true(fd >= 0);
		/* A part that is loaded, for those fields that are of a part. */
		static const unsigned char load[4] = { 1, 0, 0, 0 };
		if (fields[i].offset > 64)
			assert_int_equal(pwrite(fd, load, sizeof load, 64), sizeof load);
		assert_int_equal(pwrite(fd, beyond, fields[i].size, fields[i].offset),
				 fields[i].size);
		close(fd);
		is_refused(s, &trees, REFUSED("p has its own path built in"));
		assert_int_equal(truncate(path, 63 + (off_t)i), 0);
		is_swapped(s, &trees);
		is_swapped(s, &trees);
	}
}

static void what_cannot_be_looked_through_forbids_it(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	scratch_run(s, "truncate -s 3G run/base-abcdef/huge");
	is_refused(s, &trees, REFUSED("the trees are too large to look through"));
	scratch_run(s, "rm run/base-abcdef/huge; cd run/base-abcdef;"
		       "for i in $(seq 70); do mkdir d; cd d; done");
	is_refused(s, &trees, REFUSED("the trees are too large to look through"));
	scratch_run(s, "rm -r run/base-abcdef/d");
	trees.head = scratch_path(s, "run/none");
	is_refused(s, &trees, bg_arena_format(&s->arena, REFUSED("%s cannot be read"), trees.head));
}

static void an_unreadable_file_forbids_it(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	if (geteuid() == 0) {
		print_message("root can read every file\n");
		skip();
	}
	scratch_run(s, "echo >run/base-abcdef/sub/shut; chmod 0 run/base-abcdef/sub/shut");
	is_refused(s, &trees, REFUSED("sub/shut cannot be read"));
}

static void long_names_of_files_are_cut_at_their_start(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	scratch_run(s, "n=$(printf '%0100d' 0); cd run/base-abcdef; mkdir -p a$n/b$n/c$n;"
		       "pwd >a$n/b$n/c$n/file");
	const char *remark = NULL;
	assert_false(swaps(s, &trees, &remark));
	assert_non_null(strstr(remark, "/file has its own path built in"));
	assert_null(strstr(remark, "a0000"));
}

static void a_renewed_file_has_another_inode_and_is_the_same_otherwise(void **state)
{
	struct scratch *s = *state;
	struct stat before, after;
	scratch_run(
		s, "head -c 300000 /dev/urandom >p; chmod 0751 p; touch -d 2001-02-03T04:05:06.7 p;"
		   "cp p copy");
	const char *path = scratch_path(s, "p");
	int held = open(path, O_RDONLY); /* so that its inode cannot be given out again */
	assert_int_equal(stat(path, &before), 0);
	bg_file_renew(s->dir, "./p");
	assert_int_equal(stat(path, &after), 0);
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_mode, after.st_mode);
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	scratch_run(s, "cmp p copy");
	assert_string_equal(scratch_run(s, "ls"), "copy\nhome\np");
	close(held);
}

/* True where the path leads to the same inode after bg_file_renew. */
static bool is_kept(struct scratch *s, const char *name)
{
	struct stat before = { 0 }, after = { 0 };
	const char *path = scratch_path(s, name);
	int held = open(path, O_PATH | O_NOFOLLOW);
	(void)lstat(path, &before);
	bg_file_renew(s->dir, name);
	(void)lstat(path, &after);
	if (held >= 0)
		close(held);
	return before.st_ino == after.st_ino && before.st_mode == after.st_mode;
}

static void what_is_no_plain_file_is_not_renewed(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir folder; echo >file; ln -s file link; mkfifo pipe; echo >owner;"
		       "chmod 4755 owner");
	assert_true(is_kept(s, "absent"));
	assert_true(is_kept(s, "folder"));
	assert_true(is_kept(s, "link"));
	assert_true(is_kept(s, "pipe"));
	assert_true(is_kept(s, "owner"));
	assert_false(is_kept(s, "file"));
	assert_string_equal(scratch_run(s, "ls"), "file\nfolder\nhome\nlink\nowner\npipe");
}

static void a_file_behind_a_link_is_not_renewed(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir -p mine/bin tree; echo >mine/bin/file; ln -s ../mine tree/.venv;"
		       "ln -s mine here");
	assert_true(is_kept(s, "tree/.venv/bin/file"));
	assert_true(is_kept(s, "here/bin/file"));
	assert_true(is_kept(s, "tree/../mine/bin/file"));
	assert_true(is_kept(s, "."));
	assert_false(is_kept(s, "mine/bin/file"));
}

static void links_to_the_users_files_do_not_forbid_it(void **state)
{
	struct scratch *s = *state;
	struct bg_worktrees trees = folders(s);
	/* What the user's own folder holds is not looked through, nor moved. */
	scratch_run(s, "mkdir -p mine/.venv; echo \"$PWD/run/base-abcdef\" >mine/.venv/cfg;"
		       "for t in base head; do ln -s $PWD/mine/.venv run/$t-abcdef/.venv; done");
	is_swapped(s, &trees);
	scratch_run(s, "test -L run/base-abcdef/.venv && test -f mine/.venv/cfg");
}

static void a_program_with_capabilities_is_not_renewed(void **state)
{
	struct scratch *s = *state;
	/* Revision 2 of the attribute: effective cap_net_raw. */
	static const unsigned char raw[20] = { 1, 0, 0, 2, 0, 0x20 };
	scratch_run(s, "echo >file");
	const char *path = scratch_path(s, "file");
	if (setxattr(path, "security.capability", raw, sizeof raw, 0) != 0) {
		print_message("capabilities cannot be given to files here\n");
		skip();
	}
	assert_true(is_kept(s, "file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths_are_exchanged_and_brought_back),
		TEST(real_work_trees_are_exchanged),
		TEST(a_file_that_names_its_tree_forbids_it),
		TEST(a_link_that_names_its_tree_forbids_it),
		TEST(what_is_not_run_may_name_its_tree),
		TEST(of_a_program_only_what_is_loaded_counts),
		TEST(a_broken_program_is_searched_whole),
		TEST(what_cannot_be_looked_through_forbids_it),
		TEST(an_unreadable_file_forbids_it),
		TEST(long_names_of_files_are_cut_at_their_start),
		TEST(a_renewed_file_has_another_inode_and_is_the_same_otherwise),
		TEST(what_is_no_plain_file_is_not_renewed),
		TEST(a_file_behind_a_link_is_not_renewed),
		TEST(links_to_the_users_files_do_not_forbid_it),
		TEST(a_program_with_capabilities_is_not_renewed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
