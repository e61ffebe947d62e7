#include "tests/unit/base_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, base_make, scratch_remove)

static void on_the_default_branch_it_is_the_parent(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git clone -q upstream work");
	struct bg_base base = base_is(s, "work", "HEAD", "m3", "first parent of HEAD");
	assert_string_equal(base.revision.commit, base_id(s, "main~1"));
	assert_string_equal(base.revision.tree, base_id(s, "main~1^{tree}"));
	assert_int_equal(base.remark_count, 0);
	/* Ahead of what was pushed, too: each commit is judged against the one before. */
	scratch_run(s, "cd work; git commit -q --allow-empty -m m5; git commit -q --allow-empty "
		       "-m m6");
	base_is(s, "work", "HEAD", "m5", "first parent of HEAD");
	base_is(s, "work", "HEAD~1", "m4", "first parent of HEAD~1");
}

static void on_another_branch_it_is_where_that_left_the_default_branch(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git clone -q upstream work; git -C work checkout -q side");
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	/* Detached at the same commit, and named from elsewhere: the same base. */
	scratch_run(s, "git -C work checkout -q --detach");
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	scratch_run(s, "git -C work checkout -q main");
	base_is(s, "work", "side", "m2", base_how(s, "side and origin/main", "main"));
	base_is(s, "work", "origin/side~1", "m2",
		base_how(s, "origin/side~1 and origin/main", "main"));
}

static void with_nothing_new_it_is_the_parent(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git clone -q upstream work; cd work; git checkout -q -b fresh");
	base_is(s, "work", "HEAD", "m3", "first parent of HEAD");
	scratch_run(s, "cd work; git reset -q --hard HEAD~1");
	base_is(s, "work", "HEAD", "m2", "first parent of HEAD");
	scratch_run(s, "cd work; git checkout -q --detach origin/main~2");
	base_is(s, "work", "HEAD", "m1", "first parent of HEAD");
}

static void the_remote_says_which_branch_is_the_default(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "cd upstream; git branch trunk side~1; git checkout -q trunk; cd ..;"
		       "git clone -q upstream work; cd work; git checkout -q side");
	base_is(s, "work", "HEAD", "s1", base_how(s, "HEAD and origin/trunk", "trunk"));
	/* Without its word, a branch named main, then master, is taken. */
	scratch_run(s, "cd work; git remote set-head origin --delete");
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	scratch_run(s, "cd work; git update-ref refs/remotes/origin/master origin/main~1;"
		       "git update-ref -d refs/remotes/origin/main");
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/master", "main~1"));
}

static void a_remote_of_another_name_is_as_good(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git clone -q -o company upstream work; git -C work checkout -q side");
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and company/main", "main"));
	scratch_run(s, "cd work; git remote add fork ../upstream");
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and main", "main"));
}

static void without_a_remote_the_own_default_branch_counts(void **state)
{
	struct scratch *s = *state;
	base_is(s, "upstream", "HEAD", "m3", "first parent of HEAD");
	base_is(s, "upstream", "side", "m2", base_how(s, "side and main", "main"));
	scratch_run(s, "cd upstream; git branch -m main elsewhere");
	base_is(s, "upstream", "side", "s1", "first parent of side");
}

static void a_merge_on_the_default_branch_has_its_first_parent(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "cd upstream; git merge -q -m merged side");
	base_is(s, "upstream", "HEAD", "m4", "first parent of merge HEAD");
}

static void an_octopus_has_its_first_parent_too(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "cd upstream; git checkout -q -b a main~1; echo a >a; git add a;"
		       "git commit -qm a1; git checkout -q -b b main~1; echo b >b; git add b;"
		       "git commit -qm b1; git checkout -q main; git merge -q -m octopus a b side");
	base_is(s, "upstream", "HEAD", "m4", "first parent of merge HEAD");
	scratch_run(s, "cd upstream; git checkout -q -b away; git reset -q --hard main~1;"
		       "git merge -q -m all a b side");
	base_is(s, "upstream", "HEAD", "m4",
		bg_arena_format(&s->arena, "%s, of 4 the one on that branch's own line",
				base_how(s, "HEAD and main", "main")));
}

/* main and side each merged the other's first commit: both of these are nearest. */
static void criss_cross(struct scratch *s)
{
	scratch_run(s,
		    "cd upstream; git checkout -q -b cross main; git commit -q --allow-empty -m c1;"
		    "git checkout -q main; git commit -q --allow-empty -m d1;"
		    "git merge -q -m d2 cross~0; git checkout -q cross;"
		    "git merge -q -m c2 main~1; git commit -q --allow-empty -m c3;"
		    "git checkout -q main; git commit -q --allow-empty -m d3");
	assert_string_equal(scratch_run(s, "git -C upstream merge-base --all main cross | wc -l"),
			    "2");
}

static void of_two_merge_bases_the_one_on_the_branch_s_own_line_is_taken(void **state)
{
	struct scratch *s = *state;
	criss_cross(s);
	const char *how = bg_arena_format(&s->arena, "%s, of 2 the one on that branch's own line",
					  base_how(s, "cross and main", "main"));
	base_is(s, "upstream", "cross", "d1", how);
	base_is(s, "upstream", "cross", "d1", how);
}

static void of_two_merge_bases_beside_that_line_the_smallest_id_is_taken(void **state)
{
	struct scratch *s = *state;
	criss_cross(s);
	/* main's own line leaves both out: its tip merges the old main as second parent. */
	scratch_run(s,
		    "cd upstream; git checkout -q -b line main~4; git merge -q --no-ff -m l1 main;"
		    "git branch -f main line; git checkout -q cross; git branch -D line -q");
	struct bg_base base =
		base_is(s, "upstream", "cross",
			scratch_run(s, "cd upstream; git log -1 --format=%s $(git merge-base --all "
				       "main cross | sort | head -1)"),
			bg_arena_format(&s->arena, "%s, of 2 the one with the smallest id",
					base_how(s, "cross and main", "main")));
	assert_string_equal(
		base.revision.commit,
		scratch_run(s, "git -C upstream merge-base --all main cross | sort | head -1"));
}

/* Clocks of machines differ: order comes from ancestry alone. */
static void dates_that_are_out_of_order_change_nothing(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git init -q -b main odd; cd odd; d() { GIT_AUTHOR_DATE=\"$2\" "
		       "GIT_COMMITTER_DATE=\"$2\" git commit -q --allow-empty -m $1; };"
		       "d a '2040-01-01T00:00:00 +1400'; d b '1971-01-01T00:00:00 -1200';"
		       "git checkout -q -b side; d c '2038-01-19T03:14:08 +0000';"
		       "d d '1980-01-01T00:00:00 +0000'; git checkout -q main;"
		       "d e '1975-01-01T00:00:00 +0530'; git checkout -q side");
	setenv("TZ", "Pacific/Kiritimati", 1);
	base_is(s, "odd", "HEAD", "b", NULL);
	base_is(s, "odd", "main", "b", "first parent of main");
	unsetenv("TZ");
}

static void histories_without_anything_in_common_are_no_comparison(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	expect_text(s, base_try(s, &base, "upstream", "other", true), BG_E_UNJUDGED,
		    "other and main have no history in common: name the commit to compare with by "
		    "--base");
}

static void a_first_commit_has_no_base(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	expect_text(s, base_try(s, &base, "upstream", "main~3", true), BG_E_UNJUDGED,
		    "main~3 is the first commit: nothing to compare with; --aa compares it with "
		    "itself");
}

static void a_lost_parent_in_a_full_clone_is_damage(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	scratch_run(s, "cd upstream; c=$(git rev-parse HEAD~1);"
		       "rm -f .git/objects/$(echo $c | cut -c1-2)/$(echo $c | cut -c3-)");
	expect_part(s, base_try(s, &base, "upstream", "HEAD", true), BG_E_SYSTEM, "git fsck");
}

static void ids_of_any_length_will_do(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "git init -q -b main --object-format=sha256 wide; cd wide;"
		       "git commit -q --allow-empty -m m1; git checkout -q -b side;"
		       "git commit -q --allow-empty -m s1; git commit -q --allow-empty -m s2;"
		       "git checkout -q main; git commit -q --allow-empty -m m2");
	struct bg_base base = base_is(s, "wide", "side", "m1", NULL);
	assert_int_equal(strlen(base.revision.commit), 64);
	base_is(s, "wide", "main", "m1", "first parent of main");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(on_the_default_branch_it_is_the_parent),
		TEST(on_another_branch_it_is_where_that_left_the_default_branch),
		TEST(with_nothing_new_it_is_the_parent),
		TEST(the_remote_says_which_branch_is_the_default),
		TEST(a_remote_of_another_name_is_as_good),
		TEST(without_a_remote_the_own_default_branch_counts),
		TEST(a_merge_on_the_default_branch_has_its_first_parent),
		TEST(an_octopus_has_its_first_parent_too),
		TEST(of_two_merge_bases_the_one_on_the_branch_s_own_line_is_taken),
		TEST(of_two_merge_bases_beside_that_line_the_smallest_id_is_taken),
		TEST(dates_that_are_out_of_order_change_nothing),
		TEST(histories_without_anything_in_common_are_no_comparison),
		TEST(a_first_commit_has_no_base),
		TEST(a_lost_parent_in_a_full_clone_is_damage),
		TEST(ids_of_any_length_will_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
