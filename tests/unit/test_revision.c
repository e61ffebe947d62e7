#include "gate/core/text.h"

#include "tests/unit/repository_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

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

static void a_revision_has_its_parents_and_its_branch(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	const char *first = scratch_run(s, "git -C work rev-parse HEAD~1");
	struct bg_revision head = found(s, &repository, "HEAD");
	assert_string_equal(head.parent, first);
	assert_int_equal(head.parent_count, 1);
	assert_string_equal(head.branch, "main");
	struct bg_revision root = found(s, &repository, "HEAD~1");
	assert_null(root.parent);
	assert_int_equal(root.parent_count, 0);
	assert_null(root.branch);
	scratch_run(s, "cd work; git checkout -q -b team/side HEAD~1; git commit -q --allow-empty "
		       "-m side; git checkout -q --detach main; git merge -q --no-edit team/side;"
		       "git tag main-tag");
	struct bg_revision merge = found(s, &repository, "HEAD");
	assert_null(merge.branch);
	assert_int_equal(merge.parent_count, 2);
	assert_string_equal(merge.parent, scratch_run(s, "git -C work rev-parse main"));
	assert_string_equal(merge.parents[0], merge.parent);
	assert_string_equal(merge.parents[1], scratch_run(s, "git -C work rev-parse team/side"));
	assert_string_equal(found(s, &repository, "team/side").branch, "team/side");
	assert_null(found(s, &repository, "main-tag").branch);
	assert_null(found(s, &repository, merge.parent).branch);
	bg_repository_close(&repository);
}

/* git's own listings leave them out there. */
static void at_the_edge_of_a_shallow_clone_parents_are_still_told(void **state)
{
	struct scratch *s = *state;
	bool here = true;
	scratch_repository(s);
	scratch_run(s, "git clone -q --depth 1 file://$PWD/work thin");
	struct bg_repository repository = opened(s, scratch_path(s, "thin"));
	assert_true(repository.shallow);
	struct bg_revision head = found(s, &repository, "HEAD");
	assert_string_equal(head.parent, scratch_run(s, "git -C work rev-parse HEAD~1"));
	assert_int_equal(bg_revision_is_here(&here, &repository, head.parent, &s->err), BG_OK);
	assert_false(here);
	assert_int_equal(bg_revision_is_here(&here, &repository, head.commit, &s->err), BG_OK);
	assert_true(here);
	expect_part(s, find(s, &repository, "HEAD~1"), BG_E_USAGE,
		    "unknown revision 'HEAD~1'; this clone is shallow: git fetch --unshallow");
	bg_repository_close(&repository);
}

static void a_warning_of_git_is_not_part_of_the_answer(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = opened(s, scratch_repository(s));
	scratch_run(s, "git -C work tag main HEAD~1");
	struct bg_revision main = found(s, &repository, "heads/main");
	assert_string_equal(main.commit, scratch_run(s, "git -C work rev-parse refs/heads/main"));
	assert_string_equal(main.branch, "main");
	struct bg_revision tag = found(s, &repository, "main");
	assert_string_equal(tag.commit, scratch_run(s, "git -C work rev-parse refs/tags/main"));
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
		TEST(a_revision_has_its_parents_and_its_branch),
		TEST(at_the_edge_of_a_shallow_clone_parents_are_still_told),
		TEST(a_warning_of_git_is_not_part_of_the_answer),
		TEST(subjects_are_clean_text_of_bounded_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
