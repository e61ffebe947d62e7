#include "tests/unit/repository_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

static void refuses(struct scratch *s, const char *dir, const char *part)
{
	struct bg_repository repository = { .root = "untouched" };
	enum bg_status status = bg_repository_open(&repository, dir, &s->arena, &s->err);
	expect_part(s, status, BG_E_SYSTEM, part);
	assert_string_equal(repository.root, "untouched");
}

static bool dirty(struct scratch *s, const struct bg_repository *repository)
{
	bool ret;
	if (bg_repository_is_dirty(&ret, repository, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return ret;
}

static void a_repository_is_found_from_a_folder_in_it(void **state)
{
	struct scratch *s = *state;
	const char *root = scratch_repository(s);
	scratch_run(s, "mkdir -p work/a/b");
	struct bg_repository repository = opened(s, scratch_path(s, "work/a/b"));
	assert_string_equal(repository.root, root);
	assert_string_equal(repository.common_dir, scratch_path(s, "work/.git"));
	assert_false(repository.shallow);
	assert_non_null(repository.handle);
	assert_int_equal(bg_repository_need_handle(&repository, &s->err), BG_OK);
	bg_repository_close(&repository);
	bg_repository_close(&repository);
}

static void a_repository_without_a_commit_says_so(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git init -q -b main work");
	struct bg_repository repository = opened(s, scratch_path(s, "work"));
	expect_part(s, find(s, &repository, "HEAD"), BG_E_SYSTEM, "no commit yet");
	expect_part(s, find(s, &repository, "main"), BG_E_USAGE, "unknown revision 'main'");
	assert_false(dirty(s, &repository));
	scratch_run(s, "cd work; echo 1 >old; git add old");
	assert_true(dirty(s, &repository));
	bg_repository_close(&repository);
}

static void a_folder_outside_every_repository_is_refused(void **state)
{
	struct scratch *s = *state;
	refuses(s, s->dir, "not in a git repository; run inside a clone");
	refuses(s, scratch_path(s, "absent"), "not in a git repository");
}

static void a_bare_repository_is_refused(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git init -q --bare bare.git");
	refuses(s, scratch_path(s, "bare.git"), "a bare repository");
}

static void a_damaged_repository_is_refused(void **state)
{
	struct scratch *s = *state;
	scratch_repository(s);
	scratch_run(s, "echo '[core' >work/.git/config");
	refuses(s, scratch_path(s, "work"), "cannot open the repository: ");
}

static void formats_that_git_cannot_read_are_named(void **state)
{
	struct scratch *s = *state;
	scratch_repository(s);
	scratch_run(s, "cd work; git config core.repositoryFormatVersion 1;"
		       "git config extensions.tomorrow yes");
	refuses(s, scratch_path(s, "work"),
		"work: this git cannot read the repository (unknown repository extension found: "
		"tomorrow); a newer git can");
	scratch_run(s, "cd work; git config --file .git/config core.repositoryFormatVersion 7");
	refuses(s, scratch_path(s, "work"), "cannot open the repository: ");
}

static void what_git_can_read_is_read(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git init -q -b main --object-format=sha256 wide; cd wide; echo 1 >old;"
		       "git add .; git commit -qm one; git commit -q --allow-empty -m two");
	struct bg_repository repository = opened(s, scratch_path(s, "wide"));
	struct bg_revision head = found(s, &repository, "HEAD");
	assert_null(repository.handle); /* libgit2 cannot */
	expect_part(s, bg_repository_need_handle(&repository, &s->err), BG_E_SYSTEM,
		    "cannot read this repository's format");
	assert_int_equal(strlen(head.commit), 64);
	assert_int_equal(strlen(head.parent), 64);
	assert_int_equal(strlen(head.tree), 64);
	assert_false(dirty(s, &repository));
	scratch_run(s, "echo 2 >wide/old");
	assert_true(dirty(s, &repository));
	scratch_repository(s);
	scratch_run(s, "cd work; git config extensions.worktreeConfig true;"
		       "git config core.repositoryFormatVersion 1;"
		       "git config extensions.partialClone origin");
	repository = opened(s, scratch_path(s, "work"));
	assert_string_equal(found(s, &repository, "HEAD").subject, "two");
	bg_repository_close(&repository);
}

/* Only a later git can make one. */
static void a_repository_with_reftables_is_read_where_git_reads_it(void **state)
{
	struct scratch *s = *state;
	if (scratch_try(s, "git init -q -b main --ref-format=reftable work") != 0) {
		print_message("this git has no reftables\n");
		skip();
	}
	scratch_run(s, "cd work; git commit -q --allow-empty -m one; git branch side");
	struct bg_repository repository = opened(s, scratch_path(s, "work"));
	assert_string_equal(found(s, &repository, "HEAD").branch, "main");
	assert_string_equal(found(s, &repository, "side").subject, "one");
	bg_repository_close(&repository);
}

static void a_folder_of_git_s_own_is_no_work_tree(void **state)
{
	struct scratch *s = *state;
	scratch_repository(s);
	refuses(s, scratch_path(s, "work/.git/refs"), "work/.git: a folder of git's own: files to");
}

/* The command that the message gives is run, and must be enough. */
static void refuse_then_trust(struct scratch *s, const char *dir)
{
	struct bg_repository repository;
	const char *start = "git config --global --add safe.directory ";
	expect_part(s, bg_repository_open(&repository, dir, &s->arena, &s->err), BG_E_SYSTEM,
		    start);
	assert_int_equal(bg_repository_open(&repository, dir, &s->arena, &s->err), BG_E_SYSTEM);
	scratch_run(s, strstr(s->err.text, start));
	bg_error_clear(&s->err);
	repository = opened(s, dir);
	assert_string_equal(found(s, &repository, "HEAD").subject, "two");
	assert_false(dirty(s, &repository));
	bg_repository_close(&repository);
}

static bool can_change_owner(void)
{
	if (geteuid() == 0)
		return true;
	print_message("only root can give files to another user\n");
	return false;
}

static void another_users_repository_opens_once_it_is_trusted(void **state)
{
	struct scratch *s = *state;
	if (!can_change_owner())
		skip();
	unsetenv("GIT_CONFIG_GLOBAL");
	scratch_repository(s);
	scratch_run(s, "mv work \"it's a repository\"; mkdir \"it's a repository/sub\";"
		       "chown -R 12345 \"it's a repository\"");
	refuse_then_trust(s, scratch_path(s, "it's a repository/sub"));
	scratch_repository(s);
	scratch_run(s, "chown -R 12345 work");
	refuse_then_trust(s, scratch_path(s, "work"));
}

static void a_trust_in_every_folder_is_honoured(void **state)
{
	struct scratch *s = *state;
	if (!can_change_owner())
		skip();
	unsetenv("GIT_CONFIG_GLOBAL");
	scratch_repository(s);
	scratch_run(s, "chown -R 12345 work; git config --global safe.directory '*'");
	struct bg_repository repository = opened(s, scratch_path(s, "work"));
	bg_repository_close(&repository);
	scratch_run(s, "git config --global safe.directory /elsewhere");
	refuses(s, scratch_path(s, "work"), "safe.directory");
}

static void a_linked_work_tree_is_a_repository(void **state)
{
	struct scratch *s = *state;
	scratch_repository(s);
	scratch_run(s, "git -C work worktree add -q ../linked HEAD~1");
	struct bg_repository repository = opened(s, scratch_path(s, "linked"));
	assert_string_equal(repository.root, scratch_path(s, "linked"));
	assert_string_equal(repository.common_dir, scratch_path(s, "work/.git"));
	assert_string_equal(found(s, &repository, "HEAD").subject, "one");
	assert_false(dirty(s, &repository));
	bg_repository_close(&repository);
}

static void a_submodule_is_a_repository(void **state)
{
	struct scratch *s = *state;
	scratch_repository(s);
	scratch_run(s, "git init -q -b main outer; cd outer;"
		       "git -c protocol.file.allow=always submodule --quiet add $PWD/../work sub;"
		       "git commit -qm sub");
	struct bg_repository repository = opened(s, scratch_path(s, "outer/sub"));
	assert_string_equal(repository.root, scratch_path(s, "outer/sub"));
	assert_string_equal(repository.common_dir, scratch_path(s, "outer/.git/modules/sub"));
	assert_string_equal(found(s, &repository, "HEAD").subject, "two");
	bg_repository_close(&repository);
	repository = opened(s, scratch_path(s, "outer"));
	assert_false(dirty(s, &repository));
	scratch_run(s, "echo x >outer/sub/untracked");
	assert_false(dirty(s, &repository));
	scratch_run(s, "echo x >outer/sub/old");
	assert_true(dirty(s, &repository));
	bg_repository_close(&repository);
}

static void the_variables_of_a_hook_do_not_misdirect(void **state)
{
	struct scratch *s = *state;
	scratch_repository(s);
	scratch_run(s, "git init -q other; cd other; echo 9 >mine; git add mine");
	setenv("GIT_DIR", scratch_path(s, "other/.git"), 1);
	setenv("GIT_WORK_TREE", scratch_path(s, "other"), 1);
	setenv("GIT_INDEX_FILE", scratch_path(s, "other/.git/index"), 1);
	setenv("GIT_PREFIX", "nowhere/", 1);
	struct bg_repository repository = opened(s, scratch_path(s, "work"));
	assert_string_equal(repository.root, scratch_path(s, "work"));
	assert_string_equal(found(s, &repository, "HEAD").subject, "two");
	assert_false(dirty(s, &repository));
	bg_repository_close(&repository);
}

static void only_tracked_changes_make_it_dirty(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	assert_false(dirty(s, &repository));
	scratch_run(s, "touch -d 2001-01-01 work/old; echo x >work/untracked");
	assert_false(dirty(s, &repository));
	scratch_run(s, "echo 3 >>work/old");
	assert_true(dirty(s, &repository));
	scratch_run(s, "git -C work add old");
	assert_true(dirty(s, &repository));
	scratch_run(s, "cd work; git show HEAD:old >old");
	assert_true(dirty(s, &repository)); /* staged, though the file is HEAD's */
	scratch_run(s, "git -C work reset -q --hard; rm work/new");
	assert_true(dirty(s, &repository));
	bg_repository_close(&repository);
}

static void warnings_of_git_are_not_changes(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	setenv("GIT_TRACE", "1", 1);
	scratch_run(s, "mkdir work/shut; chmod 0 work/shut; git -C work config core.autocrlf true;"
		       "touch work/old");
	assert_false(dirty(s, &repository));
	unsetenv("GIT_TRACE");
	bg_repository_close(&repository);
}

static void asking_runs_no_program_of_the_repositorys_settings(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	scratch_run(s, "cd work; git config core.fsmonitor \"touch $PWD/../ran; true\";"
		       "git config diff.external \"touch $PWD/../ran\"; echo 7 >old");
	assert_true(dirty(s, &repository));
	assert_int_not_equal(access(scratch_path(s, "ran"), F_OK), 0);
	bg_repository_close(&repository);
}

static void an_unreadable_index_is_a_fault(void **state)
{
	struct scratch *s = *state;
	bool ret = true;
	struct bg_repository repository = opened(s, scratch_repository(s));
	scratch_run(s, "echo rubbish >work/.git/index");
	expect_part(s, bg_repository_is_dirty(&ret, &repository, &s->err), BG_E_SYSTEM,
		    "git diff: ");
	assert_true(ret);
	bg_repository_close(&repository);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_repository_is_found_from_a_folder_in_it),
		TEST(a_repository_without_a_commit_says_so),
		TEST(a_folder_outside_every_repository_is_refused),
		TEST(a_bare_repository_is_refused),
		TEST(a_damaged_repository_is_refused),
		TEST(formats_that_git_cannot_read_are_named),
		TEST(what_git_can_read_is_read),
		TEST(a_repository_with_reftables_is_read_where_git_reads_it),
		TEST(a_folder_of_git_s_own_is_no_work_tree),
		TEST(another_users_repository_opens_once_it_is_trusted),
		TEST(a_trust_in_every_folder_is_honoured),
		TEST(a_linked_work_tree_is_a_repository),
		TEST(a_submodule_is_a_repository),
		TEST(the_variables_of_a_hook_do_not_misdirect),
		TEST(only_tracked_changes_make_it_dirty),
		TEST(warnings_of_git_are_not_changes),
		TEST(asking_runs_no_program_of_the_repositorys_settings),
		TEST(an_unreadable_index_is_a_fault),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
