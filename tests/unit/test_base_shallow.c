#include "tests/unit/base_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, base_make, scratch_remove)

/*
 * A shallow clone of one branch, as CI makes it. A server that gives tips alone: the protocol's
 * second version gives any commit whatever is set, so the first speaks.
 */
static void clone_thin(struct scratch *s, const char *branch, int depth, size_t server)
{
	scratch_run(s, bg_arena_format(
			       &s->arena,
			       "git -C upstream config uploadpack.allowAnySHA1InWant %s;"
			       "rm -rf thin; git clone -q --depth %d --branch %s --single-branch "
			       "file://$PWD/upstream thin; git -C thin config protocol.version %d",
			       server == 0 ? "true" : "false", depth, branch, server == 0 ? 2 : 0));
}

static bool is_shallow(struct scratch *s, const char *dir)
{
	return strcmp(scratch_run(s, bg_arena_format(&s->arena,
						     "git -C %s rev-parse --is-shallow-repository",
						     dir)),
		      "true") == 0;
}

static void expect_remark(const struct bg_base *base, const char *part)
{
	if (base->remark_count != 1 || !strstr(base->remarks[0], part))
		fail_msg("no remark says \"%s\"", part);
}

/* upstream with a main of `count` commits more, and side as far from it. */
static void lengthen(struct scratch *s, int main, int side)
{
	scratch_run(s, bg_arena_format(
			       &s->arena,
			       "cd upstream; n() { i=0; while [ $i -lt $1 ]; do i=$((i+1));"
			       "git commit -q --allow-empty -m $2-$i; done; };"
			       "n %d more; git checkout -q side; n %d way; git checkout -q main",
			       main, side));
}

static void a_parent_beyond_the_edge_is_fetched_by_its_id(void **state)
{
	struct scratch *s = *state;
	for (size_t server = 0; server < 2; server++) {
		clone_thin(s, "main", 1, server);
		const char *refs = scratch_run(s, "git -C thin for-each-ref");
		struct bg_base base = base_is(s, "thin", "HEAD", "m3", "first parent of HEAD");
		expect_remark(&base, server == 0 ? "git fetch added commits from origin"
						 : "git fetch deepened this shallow clone by 50");
		assert_string_equal(scratch_run(s, "git -C thin for-each-ref"), refs);
		assert_int_equal(access(scratch_path(s, "thin/.git/FETCH_HEAD"), F_OK), -1);
		/* One commit came, not the history. */
		assert_int_equal(is_shallow(s, "thin"), server == 0);
		base = base_is(s, "thin", "HEAD", "m3", "first parent of HEAD");
		assert_int_equal(base.remark_count, 0);
	}
}

static void a_clone_that_is_deep_enough_is_left_alone(void **state)
{
	struct scratch *s = *state;
	clone_thin(s, "main", 2, 0);
	const char *edge = scratch_run(s, "cat thin/.git/shallow");
	struct bg_base base = base_is(s, "thin", "HEAD", "m3", "first parent of HEAD");
	assert_int_equal(base.remark_count, 0);
	assert_string_equal(scratch_run(s, "cat thin/.git/shallow"), edge);
}

/* Whatever the depth: the merge base that the whole history has, or none. */
static void at_each_depth_the_merge_base_is_the_true_one(void **state)
{
	struct scratch *s = *state;
	lengthen(s, 3, 2);
	const char *tip = base_id(s, "side"), *how = base_how(s, "HEAD and origin/main", "main");
	for (size_t server = 0; server < 2; server++) {
		for (int depth = 1; depth <= 7; depth++) {
			clone_thin(s, "side", depth, server);
			base_no_ci();
			base_github(s, "push", "refs/heads/side", tip,
				    "{\"repository\":{\"default_branch\":\"main\"}}");
			base_is(s, "thin", "HEAD", "m2", how);
			base_no_ci();
			base_gitlab(tip);
			clone_thin(s, "side", depth, server);
			setenv("CI_COMMIT_BRANCH", "side", 1);
			base_is(s, "thin", "HEAD", "m2", how);
		}
	}
}

/*
 * side, from m1 on, merged what grew on m3; there the clone ends, while main is there to its first
 * commit. In the part that is there m1 is the merge base, and git says so; the truth is m3.
 */
static void a_nearer_base_behind_the_edge_is_not_missed(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	scratch_run(
		s, "cd upstream; git checkout -q -b grown main~1; git commit -q --allow-empty -m x;"
		   "git checkout -q side; git reset -q --hard main~3;"
		   "git merge -q --no-ff -m took grown; git checkout -q main; cd ..;"
		   "git init -q thin; cd thin; git remote add origin file://$PWD/../upstream;"
		   "git fetch -q --depth 2 origin side; git checkout -q --detach FETCH_HEAD;"
		   "git fetch -q --depth 10 origin main:refs/remotes/origin/main");
	assert_string_equal(scratch_run(s, "git -C thin merge-base HEAD origin/main"),
			    base_id(s, "main~3"));
	expect_part(s, base_try(s, &base, "thin", "HEAD", false), BG_E_UNJUDGED,
		    "is not in this shallow clone, and --no-fetch forbids to fetch it: git fetch "
		    "--unshallow");
	base_is(s, "thin", "HEAD", "m3", base_how(s, "HEAD and origin/main", "main"));
}

static void after_four_times_fifty_commits_it_gives_up_and_says_what_to_add(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	lengthen(s, 0, 210);
	const char *tip = base_id(s, "side");
	clone_thin(s, "side", 1, 0);
	base_github(s, "push", "refs/heads/side", tip,
		    "{\"repository\":{\"default_branch\":\"main\"}}");
	expect_text(
		s, base_try(s, &base, "thin", "HEAD", true), BG_E_UNJUDGED,
		bg_arena_format(&s->arena,
				"the %s is not in this shallow clone, even deepened by 200 "
				"commits: add 'fetch-depth: 0' under 'with:' of actions/checkout",
				base_how(s, "HEAD and origin/main", "main")));
	assert_true(is_shallow(s, "thin"));
	assert_string_equal(scratch_run(s, "git -C thin rev-list --count HEAD"), "201");
	/* What was deepened stays: the next try goes on from there. */
	struct bg_base second = base_is(s, "thin", "HEAD", "m2", NULL);
	expect_remark(&second, "deepened this shallow clone by 50 commits from origin to find the "
			       "base (--no-fetch forbids it)");
}

static void each_system_is_told_its_own_line(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	clone_thin(s, "main", 1, 0);
	const char *tip = base_id(s, "main"), *parent = base_id(s, "main~1");
	expect_text(
		s, base_try(s, &base, "thin", "HEAD", false), BG_E_UNJUDGED,
		bg_arena_format(&s->arena,
				"the first parent of HEAD, %.12s, is not in this shallow clone, "
				"and --no-fetch forbids to fetch it: git fetch --unshallow",
				parent));
	base_gitlab(tip);
	setenv("CI_COMMIT_BRANCH", "main", 1);
	expect_part(s, base_try(s, &base, "thin", "HEAD", false), BG_E_UNJUDGED,
		    ": add 'GIT_DEPTH: 0' under 'variables:' of the job");
	base_no_ci();
	base_github(s, "push", "refs/heads/main", tip, "{}");
	expect_part(s, base_try(s, &base, "thin", "HEAD", false), BG_E_UNJUDGED,
		    ": add 'fetch-depth: 0' under 'with:' of actions/checkout");
}

static void forbidden_to_fetch_it_leaves_the_clone_as_it_is(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	const char *tip = base_id(s, "side");
	clone_thin(s, "side", 1, 0);
	base_github(s, "push", "refs/heads/side", tip,
		    "{\"repository\":{\"default_branch\":\"main\"}}");
	const char *before = scratch_run(s, "cd thin; find .git -type f | sort; cat .git/shallow");
	expect_text(s, base_try(s, &base, "thin", "HEAD", false), BG_E_UNJUDGED,
		    "origin/main, which GitHub names as the branch to compare with, is not in this "
		    "clone: git fetch origin main");
	assert_string_equal(scratch_run(s, "cd thin; find .git -type f | sort; cat .git/shallow"),
			    before);
}

static void a_remote_that_does_not_answer_is_named(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	clone_thin(s, "main", 1, 0);
	scratch_run(s, "git -C thin remote set-url origin file://$PWD/gone");
	expect_part(s, base_try(s, &base, "thin", "HEAD", true), BG_E_UNJUDGED,
		    "(git fetch: fatal: '");
	scratch_run(s, "git -C thin remote remove origin");
	expect_part(s, base_try(s, &base, "thin", "HEAD", true), BG_E_UNJUDGED,
		    "which has no remote to fetch it from: git fetch --unshallow");
}

static void what_a_system_names_is_fetched_by_its_id(void **state)
{
	struct scratch *s = *state;
	lengthen(s, 70, 0);
	const char *tip = base_id(s, "main");
	/* A push of 60 commits, a clone of one. */
	clone_thin(s, "main", 1, 0);
	base_github(s, "push", "refs/heads/main", tip,
		    bg_arena_format(&s->arena,
				    "{\"before\":\"%s\",\"forced\":false,"
				    "\"repository\":{\"default_branch\":\"main\"}}",
				    base_id(s, "main~60")));
	struct bg_base base = base_is(s, "thin", "HEAD", "more-10",
				      "the commit before this push, as GitHub names it");
	expect_remark(&base, "added commits");
	assert_string_equal(scratch_run(s, "git -C thin rev-list --count HEAD"), "1");
	base_no_ci();
	clone_thin(s, "side", 1, 0);
	base_gitlab(base_id(s, "side"));
	setenv("CI_MERGE_REQUEST_IID", "7", 1);
	setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", base_id(s, "main~72"), 1);
	base_is(s, "thin", "HEAD", "m2", "the base that GitLab names for the merge request");
	assert_string_equal(scratch_run(s, "git -C thin rev-list --count HEAD"), "1");
}

/* GitLab vouches for no ancestry: the commit may have been pushed away. */
static void whether_the_push_before_is_an_ancestor_is_seen_before_it_is_believed(void **state)
{
	struct scratch *s = *state;
	lengthen(s, 70, 0);
	const char *tip = base_id(s, "main");
	for (size_t server = 0; server < 2; server++) {
		clone_thin(s, "main", 20, server);
		base_gitlab(tip);
		setenv("CI_COMMIT_BRANCH", "main", 1);
		setenv("CI_COMMIT_BEFORE_SHA", base_id(s, "main~40"), 1);
		base_is(s, "thin", "HEAD", "more-30",
			"the commit before this push, as GitLab names it");
		clone_thin(s, "main", 20, server);
		setenv("CI_COMMIT_BEFORE_SHA", base_id(s, "side"), 1);
		base_is(s, "thin", "HEAD", "more-69", "first parent of HEAD");
		assert_false(is_shallow(s, "thin")); /* only the whole history could tell */
	}
}

static void a_pull_request_s_merge_needs_one_commit_more(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "cd upstream; git checkout -q --detach main; git merge -q -m merge side;"
		       "git update-ref refs/pull/7/merge HEAD; git checkout -q main; cd ..;"
		       "git init -q thin; cd thin; git remote add origin file://$PWD/../upstream;"
		       "git fetch -q --depth=1 origin +refs/pull/7/merge:refs/remotes/pull/7/merge;"
		       "git checkout -q --detach refs/remotes/pull/7/merge");
	base_github(s, "pull_request", "refs/pull/7/merge", base_id(s, "refs/pull/7/merge"), "{}");
	setenv("GITHUB_BASE_REF", "main", 1);
	base_is(s, "thin", "HEAD", "m4",
		"first parent of the merge commit that GitHub made for the pull request");
	assert_string_equal(scratch_run(s, "git -C thin rev-list --count HEAD"), "1");
}

/* There git fetches what it is asked about, by itself and with all that is behind it. */
static void a_partial_clone_is_not_filled_by_the_question(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	scratch_run(s, "git -C upstream config uploadpack.allowFilter true; git clone -q --depth 1 "
		       "--filter=blob:none file://$PWD/upstream thin");
	const char *before = scratch_run(s, "find thin/.git/objects -type f | sort");
	expect_part(s, base_try(s, &base, "thin", "HEAD", false), BG_E_UNJUDGED, "--no-fetch");
	assert_string_equal(scratch_run(s, "find thin/.git/objects -type f | sort"), before);
	base = base_is(s, "thin", "HEAD", "m3", "first parent of HEAD");
	expect_remark(&base, "added commits");
	assert_string_equal(
		scratch_run(s, "git -C thin rev-list --count $(git -C upstream rev-parse main~1)"),
		"1");
}

static void a_branch_that_a_full_clone_lacks_is_fetched_and_the_clone_stays_full(void **state)
{
	struct scratch *s = *state;
	const char *tip = base_id(s, "side");
	scratch_run(s, "git clone -q --single-branch --branch side file://$PWD/upstream full");
	base_github(
		s, "pull_request", "refs/pull/7/merge", base_id(s, "main"),
		bg_arena_format(&s->arena, "{\"pull_request\":{\"head\":{\"sha\":\"%s\"}}}", tip));
	setenv("GITHUB_BASE_REF", "main", 1);
	struct bg_base base =
		base_is(s, "full", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	expect_remark(&base, "added commits from origin");
	assert_false(is_shallow(s, "full"));
	/* And for want of a commit that nobody needs it is not touched at all. */
	base_no_ci();
	scratch_run(s, "rm -rf full; git clone -q --single-branch file://$PWD/upstream full");
	base_github(s, "push", "refs/heads/main", base_id(s, "main"),
		    bg_arena_format(&s->arena, "{\"before\":\"%s\",\"forced\":false}", tip));
	base = base_is(s, "full", "HEAD", "m3", "first parent of HEAD");
	assert_int_equal(base.remark_count, 0);
	assert_false(is_shallow(s, "full"));
}

static void unrelated_histories_are_only_said_of_the_whole_history(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	clone_thin(s, "other", 1, 0);
	base_github(s, "push", "refs/heads/other", base_id(s, "other"),
		    "{\"repository\":{\"default_branch\":\"main\"}}");
	expect_part(s, base_try(s, &base, "thin", "HEAD", true), BG_E_UNJUDGED,
		    "HEAD and origin/main have no history in common");
	assert_false(is_shallow(s, "thin"));
}

static void a_first_commit_in_a_shallow_clone_is_still_the_first(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	scratch_run(s, "git -C upstream branch old main~3");
	clone_thin(s, "old", 1, 0);
	expect_part(s, base_try(s, &base, "thin", "HEAD", true), BG_E_UNJUDGED,
		    "HEAD is the first commit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_parent_beyond_the_edge_is_fetched_by_its_id),
		TEST(a_clone_that_is_deep_enough_is_left_alone),
		TEST(at_each_depth_the_merge_base_is_the_true_one),
		TEST(a_nearer_base_behind_the_edge_is_not_missed),
		TEST(after_four_times_fifty_commits_it_gives_up_and_says_what_to_add),
		TEST(each_system_is_told_its_own_line),
		TEST(forbidden_to_fetch_it_leaves_the_clone_as_it_is),
		TEST(a_remote_that_does_not_answer_is_named),
		TEST(what_a_system_names_is_fetched_by_its_id),
		TEST(whether_the_push_before_is_an_ancestor_is_seen_before_it_is_believed),
		TEST(a_pull_request_s_merge_needs_one_commit_more),
		TEST(a_partial_clone_is_not_filled_by_the_question),
		TEST(a_branch_that_a_full_clone_lacks_is_fetched_and_the_clone_stays_full),
		TEST(unrelated_histories_are_only_said_of_the_whole_history),
		TEST(a_first_commit_in_a_shallow_clone_is_still_the_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
