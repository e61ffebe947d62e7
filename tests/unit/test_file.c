#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/core/file.h"

/* Every test runs in a folder of its own. */
struct fixture {
	char folder[64];
	struct bg_arena arena;
	struct bg_error err;
};

static int setup(void **state)
{
	static struct fixture f;
	f = (struct fixture){ .folder = "/tmp/batchgate-test-XXXXXX" };
	*state = &f;
	return mkdtemp(f.folder) && chdir(f.folder) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct bg_error err = BG_ERROR_INIT;
	bg_arena_release(&f->arena);
	return chdir("/") == 0 && bg_tree_remove(f->folder, &err) == BG_OK ? 0 : -1;
}

static size_t entry_count(const char *folder)
{
	DIR *open = opendir(folder);
	assert_non_null(open);
	size_t count = 0;
	while (readdir(open))
		count++;
	closedir(open);
	return count - 2;
}

static void a_file_comes_back_whole(void **state)
{
	struct fixture *f = *state;
	char *bytes;
	size_t size;
	assert_int_equal(bg_file_replace("a", "x\0y", 3, &f->err), BG_OK);
	assert_int_equal(bg_file_read(&bytes, &size, "a", 3, &f->arena, &f->err), BG_OK);
	assert_int_equal(size, 3);
	assert_memory_equal(bytes, "x\0y\0", 4);
}

static void what_cannot_be_read_says_why(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *path, *text;
	} rows[] = {
		{ "absent", "absent: cannot read: No such file or directory" },
		{ ".", ".: not a regular file" },
		{ "pipe", "pipe: not a regular file" },
		{ "big", "big: larger than the limit of 4 bytes" },
	};
	char *bytes;
	size_t size;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(bg_file_replace("big", "12345", 5, &f->err), BG_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		f->err = (struct bg_error)BG_ERROR_INIT;
		assert_int_equal(bg_file_read(&bytes, &size, rows[i].path, 4, &f->arena, &f->err),
				 BG_E_INPUT);
		assert_string_equal(f->err.text, rows[i].text);
	}
}

static void a_replaced_file_leaves_no_temporary(void **state)
{
	struct fixture *f = *state;
	struct stat info;
	mode_t mask = umask(027);
	assert_int_equal(bg_file_replace("a", "old", 3, &f->err), BG_OK);
	assert_int_equal(bg_file_replace("a", "newer", 5, &f->err), BG_OK);
	umask(mask);
	assert_int_equal(stat("a", &info), 0);
	assert_int_equal(info.st_size, 5);
	assert_int_equal(info.st_mode & 0777, 0640);
	assert_int_equal(entry_count("."), 1);
}

static void a_failed_replacement_leaves_the_old_file(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(mkdir("a", 0777), 0);
	assert_int_equal(bg_file_replace("a", "x", 1, &f->err), BG_E_SYSTEM);
	assert_string_equal(f->err.text, "a: cannot write: Is a directory");
	assert_int_equal(entry_count("."), 1);
	f->err = (struct bg_error)BG_ERROR_INIT;
	assert_int_equal(bg_file_replace("no/such", "x", 1, &f->err), BG_E_SYSTEM);
	assert_string_equal(f->err.text, "no/such: cannot write: No such file or directory");
}

static void folders_are_made_with_their_parents(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(bg_dir_make("a/b/c", &f->err), BG_OK);
	assert_int_equal(bg_dir_make("a//b/c/", &f->err), BG_OK);
	assert_int_equal(access("a/b/c", X_OK), 0);
	assert_int_equal(bg_file_replace("a/file", "", 0, &f->err), BG_OK);
	assert_int_equal(bg_dir_make("a/file/d", &f->err), BG_E_SYSTEM);
	assert_string_equal(f->err.text, "a/file: cannot make folder: File exists");
	f->err = (struct bg_error)BG_ERROR_INIT;
	assert_int_equal(bg_dir_make("", &f->err), BG_E_SYSTEM);
}

static void a_tree_goes_and_its_links_are_not_followed(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(bg_dir_make("tree/deep/er", &f->err), BG_OK);
	assert_int_equal(bg_dir_make("kept", &f->err), BG_OK);
	assert_int_equal(bg_file_replace("kept/file", "x", 1, &f->err), BG_OK);
	assert_int_equal(symlink("../../kept", "tree/deep/link"), 0);
	assert_int_equal(chmod("tree/deep/er", 0500), 0);
	assert_int_equal(chmod("tree/deep", 0500), 0);
	assert_int_equal(bg_tree_remove("tree", &f->err), BG_OK);
	assert_int_equal(access("tree", F_OK), -1);
	assert_int_equal(access("kept/file", F_OK), 0);
	assert_int_equal(bg_tree_remove("tree", &f->err), BG_OK);
	assert_int_equal(symlink("kept", "link"), 0);
	assert_int_equal(bg_tree_remove("link", &f->err), BG_OK);
	assert_int_equal(access("kept/file", F_OK), 0);
}

static void a_path_is_resolved_or_named(void **state)
{
	struct fixture *f = *state;
	char *path;
	assert_int_equal(bg_dir_make("a", &f->err), BG_OK);
	assert_int_equal(symlink("a", "link"), 0);
	assert_int_equal(bg_path_absolute(&path, "./link/.", &f->arena, &f->err), BG_OK);
	assert_string_equal(path, bg_arena_format(&f->arena, "%s/a", f->folder));
	assert_int_equal(bg_path_absolute(&path, "absent", &f->arena, &f->err), BG_E_SYSTEM);
	assert_string_equal(f->err.text, "absent: No such file or directory");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_file_comes_back_whole),
		T(what_cannot_be_read_says_why),
		T(a_replaced_file_leaves_no_temporary),
		T(a_failed_replacement_leaves_the_old_file),
		T(folders_are_made_with_their_parents),
		T(a_tree_goes_and_its_links_are_not_followed),
		T(a_path_is_resolved_or_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
