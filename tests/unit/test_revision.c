#include "gate/core/text.h"

#include "tests/unit/repository_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

static enum bg_status auto_base(struct scratch *s, struct bg_revision *base,
				const struct bg_repository *repository, const char *head)
{
	struct bg_revision revision = found(s, repository, head);
	return bg_revision_auto_base(base, repository, &revision, &s->arena, &s->err);
}

static void a_revision_has_its_commit_tree_subject_and_name(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	struct bg_revision head = found(s, &repository, "HEAD");
	assert_string_equal(head.commit, scratch_run(s, "git -C work rev-parse HEAD"));
	assert_string_equal(head.tree, scratch_run(s, "git -C work rev-parse HEAD^{tree}"));
	assert_string_equal(head.subject, "two");
	assert_string_equal(head.how, "HEAD");
	bg_repository_close(&repository);
}

static void revisions_are_named_as_git_names_them(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	scratch_run(s, "cd work; git tag light HEAD~1; git tag -am note heavy HEAD~1;"
		       "git branch auto HEAD~1; git update-ref refs/remotes/origin/x HEAD~1");
	const char *first = scratch_run(s, "git -C work rev-parse HEAD~1");
	static const char *const names[] = { "HEAD~1", "HEAD^",		  "main~",    "light",
					     "heavy",  "refs/heads/auto", "origin/x", "@~1",
					     ":/one",  "HEAD@{1}" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_string_equal(found(s, &repository, names[i]).commit, first);
	assert_string_equal(found(s, &repository, first).commit, first);
	const char *brief = bg_arena_bytes(&s->arena, first, 10);
	assert_string_equal(found(s, &repository, brief).commit, first);
	bg_repository_close(&repository);
}

static void what_names_no_commit_is_a_fault_of_usage(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	expect_text(s, find(s, &repository, "nowhere"), BG_E_USAGE, "unknown revision 'nowhere'");
	expect_text(s, find(s, &repository, "HEAD~7"), BG_E_USAGE, "unknown revision 'HEAD~7'");
	expect_text(s, find(s, &repository, "HEAD:old"), BG_E_USAGE,
		    "revision 'HEAD:old' is no commit but a blob");
	expect_text(s, find(s, &repository, "HEAD~1..HEAD"), BG_E_USAGE,
		    "'HEAD~1..HEAD' is not one revision: give a commit, branch or tag");
	static const char *const odd[] = { "",	   "-x",	 "--all", "..", "^",   "HEAD^{",
					   "@{u}", "\xff\n\x1b", "~",	  ":",	"a b", "HEAD^9" };
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		expect_part(s, find(s, &repository, odd[i]), BG_E_USAGE, "revision");
	bg_repository_close(&repository);
}

static void a_missing_object_is_no_commit_either(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	expect_part(s, find(s, &repository, "1234567890123456789012345678901234567890"), BG_E_USAGE,
		    "unknown revision");
	bg_repository_close(&repository);
}

static void a_commit_that_cannot_be_read_is_the_environments_fault(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	scratch_run(s, "cd work; c=$(git rev-parse HEAD);"
		       "f=.git/objects/$(echo $c | cut -c1-2)/$(echo $c | cut -c3-);"
		       "chmod u+w $f; echo rubbish >$f");
	expect_part(s, find(s, &repository, "HEAD"), BG_E_SYSTEM, "cannot read revision 'HEAD'");
	bg_repository_close(&repository);
}

static void the_base_of_a_commit_is_its_parent(void **state)
{
	struct scratch *s = *state;
	struct bg_revision base;
	struct bg_repository repository = opened(s, scratch_repository(s));
	assert_int_equal(auto_base(s, &base, &repository, "HEAD"), BG_OK);
	assert_string_equal(base.commit, scratch_run(s, "git -C work rev-parse HEAD~1"));
	assert_string_equal(base.tree, scratch_run(s, "git -C work rev-parse HEAD~1^{tree}"));
	assert_string_equal(base.subject, "one");
	assert_string_equal(base.how, "first parent of HEAD");
	bg_repository_close(&repository);
}

static void the_base_of_a_merge_is_its_first_parent(void **state)
{
	struct scratch *s = *state;
	struct bg_revision base;
	struct bg_repository repository = opened(s, scratch_repository(s));
	scratch_run(s, "cd work; git checkout -q -b side HEAD~1; git commit -q --allow-empty -m x;"
		       "git checkout -q --detach main; git merge -q --no-edit side");
	assert_int_equal(auto_base(s, &base, &repository, "HEAD"), BG_OK);
	assert_string_equal(base.commit, scratch_run(s, "git -C work rev-parse main"));
	assert_string_equal(base.how, "first parent of merge HEAD");
	assert_int_equal(auto_base(s, &base, &repository, "side"), BG_OK);
	assert_string_equal(base.how, "first parent of side");
	bg_repository_close(&repository);
}

static void a_first_commit_has_no_base(void **state)
{
	struct scratch *s = *state;
	struct bg_revision base;
	struct bg_repository repository = opened(s, scratch_repository(s));
	expect_text(s, auto_base(s, &base, &repository, "HEAD~1"), BG_E_UNJUDGED,
		    "HEAD~1 is the first commit: nothing to compare with; --aa compares it with "
		    "itself");
	bg_repository_close(&repository);
}

static void a_shallow_clone_says_how_to_get_the_base(void **state)
{
	struct scratch *s = *state;
	struct bg_revision base;
	scratch_repository(s);
	scratch_run(s, "git clone -q --depth 1 file://$PWD/work thin");
	struct bg_repository repository = opened(s, scratch_path(s, "thin"));
	assert_true(repository.shallow);
	const char *first = scratch_run(s, "git -C work rev-parse HEAD~1");
	expect_text(s, auto_base(s, &base, &repository, "HEAD"), BG_E_UNJUDGED,
		    bg_arena_format(&s->arena,
				    "the first parent of HEAD, %.12s, is not in this shallow "
				    "clone: git fetch --deepen=1 (actions/checkout: fetch-depth: "
				    "0; GitLab: GIT_DEPTH: 0)",
				    first));
	expect_part(s, find(s, &repository, "HEAD~1"), BG_E_USAGE,
		    "unknown revision 'HEAD~1'; this clone is shallow: git fetch --unshallow");
	bg_repository_close(&repository);
	scratch_run(s, "cd thin; git fetch -q --deepen=1");
	repository = opened(s, scratch_path(s, "thin"));
	assert_int_equal(auto_base(s, &base, &repository, "HEAD"), BG_OK);
	assert_string_equal(base.commit, first);
	bg_repository_close(&repository);
}

static void a_first_commit_in_a_shallow_clone_is_still_the_first(void **state)
{
	struct scratch *s = *state;
	struct bg_revision base;
	scratch_repository(s);
	scratch_run(s, "git -C work branch old HEAD~1;"
		       "git clone -q --depth 1 --branch old file://$PWD/work thin");
	struct bg_repository repository = opened(s, scratch_path(s, "thin"));
	expect_part(s, auto_base(s, &base, &repository, "HEAD"), BG_E_UNJUDGED,
		    "HEAD is the first commit");
	bg_repository_close(&repository);
}

static void a_lost_parent_in_a_full_clone_is_damage(void **state)
{
	struct scratch *s = *state;
	struct bg_revision base;
	struct bg_repository repository = opened(s, scratch_repository(s));
	scratch_run(s, "cd work; c=$(git rev-parse HEAD~1);"
		       "rm -f .git/objects/$(echo $c | cut -c1-2)/$(echo $c | cut -c3-)");
	expect_part(s, auto_base(s, &base, &repository, "HEAD"), BG_E_SYSTEM, "git fsck");
	bg_repository_close(&repository);
}

static void subject_is(struct scratch *s, const struct bg_repository *repository,
		       const char *message, const char *subject)
{
	FILE *file = fopen(scratch_path(s, "message"), "w");
	assert_non_null(file);
	assert_true(fputs(message, file) >= 0);
	assert_int_equal(fclose(file), 0);
	scratch_run(s, "git -C work -c i18n.commitEncoding=latin1 commit -q --allow-empty "
		       "--allow-empty-message --cleanup=verbatim -F ../message");
	struct bg_revision head = found(s, repository, "HEAD");
	assert_string_equal(head.subject, subject);
	assert_true(bg_text_is_utf8(head.subject, strlen(head.subject)));
	assert_true(strlen(head.subject) <= 200);
}

static void subjects_are_clean_text_of_bounded_length(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	char wide[302], cut[200];
	subject_is(s, &repository, "first\n\nsecond", "first");
	subject_is(s, &repository,
		   "Gr\xc3\xbc\xc3\x9f"
		   "e \xe2\x82\xac",
		   "Gr\xc3\xbc\xc3\x9f"
		   "e \xe2\x82\xac");
	subject_is(s, &repository,
		   "a\x1b[31mb\x7f\xc2\x9b"
		   "c\xff\xc3",
		   "a?[31mb??c??");
	subject_is(s, &repository, "\xed\xa0\x80", "???"); /* a surrogate */
	subject_is(s, &repository, "", "");
	for (size_t i = 0; i + 3 <= 300; i += 3)
		memcpy(wide + i, "\xe2\x82\xac", 4);
	memcpy(cut, wide, 198);
	cut[198] = '\0';
	subject_is(s, &repository, wide, cut);
	bg_repository_close(&repository);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_revision_has_its_commit_tree_subject_and_name),
		TEST(revisions_are_named_as_git_names_them),
		TEST(what_names_no_commit_is_a_fault_of_usage),
		TEST(a_missing_object_is_no_commit_either),
		TEST(a_commit_that_cannot_be_read_is_the_environments_fault),
		TEST(the_base_of_a_commit_is_its_parent),
		TEST(the_base_of_a_merge_is_its_first_parent),
		TEST(a_first_commit_has_no_base),
		TEST(a_shallow_clone_says_how_to_get_the_base),
		TEST(a_first_commit_in_a_shallow_clone_is_still_the_first),
		TEST(a_lost_parent_in_a_full_clone_is_damage),
		TEST(subjects_are_clean_text_of_bounded_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
