#include "tests/unit/base_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, base_make, scratch_remove)

#define MERGE_HOW "first parent of the merge commit that GitHub made for the pull request"

/* upstream's refs/pull/7/merge: side merged into main, as GitHub does it. Returns its id. */
static const char *pull_merge(struct scratch *s)
{
	scratch_run(
		s, "cd upstream; git checkout -q --detach main; git merge -q -m 'Merge s2 into m4' "
		   "side; git update-ref refs/pull/7/merge HEAD;"
		   "git update-ref refs/pull/7/head side; git checkout -q main");
	return base_id(s, "refs/pull/7/merge");
}

/* As actions/checkout with full history does it: detached, all branches as remote ones. */
static void check_out(struct scratch *s, const char *commit)
{
	scratch_run(s,
		    bg_arena_format(&s->arena,
				    "rm -rf work; git init -q -b main work; cd work;"
				    "git remote add origin file://$PWD/../upstream;"
				    "git fetch -q origin '+refs/heads/*:refs/remotes/origin/*' %s;"
				    "git checkout -q --detach %s",
				    commit, commit));
}

static const char *pull_event(struct scratch *s)
{
	/* base.sha is what the target was when the request was opened: believing it is a fault. */
	return bg_arena_format(
		&s->arena,
		"{\"action\":\"synchronize\",\"pull_request\":{\"head\":{\"sha\":\"%s\"},"
		"\"base\":{\"ref\":\"main\",\"sha\":\"%s\"}},"
		"\"repository\":{\"default_branch\":\"main\"}}",
		base_id(s, "side"), base_id(s, "main~3"));
}

static void a_pull_request_s_merge_is_judged_against_its_first_parent(void **state)
{
	struct scratch *s = *state;
	const char *merge = pull_merge(s);
	check_out(s, merge);
	base_github(s, "pull_request", "refs/pull/7/merge", merge, pull_event(s));
	setenv("GITHUB_BASE_REF", "main", 1);
	base_is(s, "work", "HEAD", "m4", MERGE_HOW);
	/* main moved on since: nobody else's change is this request's. */
	scratch_run(s, "cd upstream; git commit -q --allow-empty -m m5;"
		       "git -C ../work fetch -q origin '+refs/heads/*:refs/remotes/origin/*'");
	base_is(s, "work", "HEAD", "m4", MERGE_HOW);
	/* GITHUB_SHA is of another attempt, but the event names the merge's second parent. */
	setenv("GITHUB_SHA", base_id(s, "main"), 1);
	base_is(s, "work", "HEAD", "m4", MERGE_HOW);
}

static void a_fork_s_pull_request_is_one_like_any_other(void **state)
{
	struct scratch *s = *state;
	scratch_run(s,
		    "git clone -q upstream fork; cd fork; git checkout -q -b patch origin/main~1;"
		    "git commit -q --allow-empty -m f1; git -C ../upstream fetch -q ../fork patch;"
		    "cd ../upstream; git checkout -q --detach main; git merge -q -m merge "
		    "FETCH_HEAD; git update-ref refs/pull/8/merge HEAD; git checkout -q main");
	const char *merge = base_id(s, "refs/pull/8/merge"),
		   *head = base_id(s, "refs/pull/8/merge^2");
	check_out(s, merge);
	base_github(
		s, "pull_request", "refs/pull/8/merge", merge,
		bg_arena_format(&s->arena, "{\"pull_request\":{\"head\":{\"sha\":\"%s\"}}}", head));
	setenv("GITHUB_BASE_REF", "main", 1);
	base_is(s, "work", "HEAD", "m4", MERGE_HOW);
	check_out(s, head);
	base_is(s, "work", "HEAD", "m3", base_how(s, "HEAD and origin/main", "main"));
}

static void a_pull_request_s_own_head_is_judged_from_where_it_left_the_target(void **state)
{
	struct scratch *s = *state;
	const char *merge = pull_merge(s);
	scratch_run(s, "git -C upstream branch release side~1");
	check_out(s, base_id(s, "side"));
	base_github(s, "pull_request", "refs/pull/7/merge", merge, pull_event(s));
	setenv("GITHUB_BASE_REF", "main", 1);
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	/* The target is the request's, not the default branch. */
	setenv("GITHUB_BASE_REF", "release", 1);
	base_is(s, "work", "HEAD", "s1", base_how(s, "HEAD and origin/release", "release"));
}

/* GITHUB_SHA is the target's tip there, which may be a merge itself. */
static void a_pull_request_target_s_sha_is_not_taken_for_its_merge(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "cd upstream; git merge -q -m 'an old merge' side~1");
	const char *tip = base_id(s, "main");
	check_out(s, tip);
	base_github(s, "pull_request_target", "refs/heads/main", tip, pull_event(s));
	setenv("GITHUB_BASE_REF", "main", 1);
	base_is(s, "work", "HEAD", "m4", "first parent of merge HEAD");
	check_out(s, base_id(s, "side"));
	base_is(s, "work", "HEAD", "s1", base_how(s, "HEAD and origin/main", "main"));
}

static void a_merge_group_is_judged_against_the_base_it_names(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "cd upstream; git checkout -q -b queue main; git merge -q -m q1 side;"
		       "git commit -q --allow-empty -m q2");
	const char *head = base_id(s, "queue");
	check_out(s, head);
	base_github(s, "merge_group", "refs/heads/gh-readonly-queue/main/pr-7", head,
		    bg_arena_format(&s->arena,
				    "{\"merge_group\":{\"head_sha\":\"%s\",\"base_sha\":\"%s\"}}",
				    head, base_id(s, "main")));
	base_is(s, "work", "HEAD", "m4", "the base that GitHub names for the merge group");
	base_github(s, "merge_group", "refs/heads/gh-readonly-queue/main/pr-7", head, "{}");
	base_is(s, "work", "HEAD", "q1",
		"first parent of the commit that GitHub made for the merge group");
}

static const char *push_event(struct scratch *s, const char *before, const char *forced)
{
	return bg_arena_format(
		&s->arena, "{\"before\":\"%s\"%s%s,\"repository\":{\"default_branch\":\"main\"}}",
		before, *forced ? ",\"forced\":" : "", forced);
}

static void a_push_to_the_default_branch_is_judged_whole(void **state)
{
	struct scratch *s = *state;
	const char *tip = base_id(s, "main"),
		   *how = "the commit before this push, as GitHub names it";
	check_out(s, tip);
	base_github(s, "push", "refs/heads/main", tip,
		    push_event(s, base_id(s, "main~2"), "false"));
	base_is(s, "work", "HEAD", "m2", how);
	base_github(s, "push", "refs/heads/main", tip, push_event(s, base_id(s, "main~2"), ""));
	base_is(s, "work", "HEAD", "m2", how);
	/* No commit before, one that was rewritten, said or not, and one that nobody has. */
	static const char *const plain = "first parent of HEAD";
	base_github(s, "push", "refs/heads/main", tip, push_event(s, ZEROS, "false"));
	base_is(s, "work", "HEAD", "m3", plain);
	base_github(s, "push", "refs/heads/main", tip, push_event(s, base_id(s, "side"), "true"));
	base_is(s, "work", "HEAD", "m3", plain);
	base_github(s, "push", "refs/heads/main", tip, push_event(s, base_id(s, "side"), ""));
	base_is(s, "work", "HEAD", "m3", plain);
	base_github(s, "push", "refs/heads/main", tip,
		    push_event(s, "1234567890123456789012345678901234567890", "false"));
	base_is(s, "work", "HEAD", "m3", plain);
	base_github(s, "push", "refs/heads/main", tip, push_event(s, tip, "false"));
	base_is(s, "work", "HEAD", "m3", plain);
}

/* Else a slow commit fails once, and passes with the next push of anything. */
static void a_push_to_another_branch_is_judged_with_all_of_the_branch(void **state)
{
	struct scratch *s = *state;
	const char *tip = base_id(s, "side");
	check_out(s, tip);
	base_github(s, "push", "refs/heads/side", tip,
		    push_event(s, base_id(s, "side~1"), "false"));
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	base_github(s, "push", "refs/tags/v1", tip, push_event(s, ZEROS, "false"));
	base_is(s, "work", "HEAD", "s1", "first parent of HEAD");
	base_github(s, "schedule", "refs/heads/main", tip,
		    "{\"repository\":{\"default_branch\":\"main\"}}");
	base_is(s, "work", "HEAD", "s1", "first parent of HEAD");
	base_github(s, "workflow_dispatch", "refs/heads/side", tip,
		    "{\"repository\":{\"default_branch\":\"main\"}}");
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
}

static void variables_about_another_commit_are_not_believed(void **state)
{
	struct scratch *s = *state;
	check_out(s, base_id(s, "side"));
	base_github(s, "push", "refs/heads/main", base_id(s, "main"),
		    push_event(s, base_id(s, "main~2"), "false"));
	scratch_run(s, "git -C work remote set-head origin main");
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	/* Another revision than the one that was checked out, likewise. */
	setenv("GITHUB_SHA", base_id(s, "side"), 1);
	base_is(s, "work", "origin/main", "m3", "first parent of origin/main");
	base_no_ci();
	base_gitlab(base_id(s, "main"));
	setenv("CI_COMMIT_BRANCH", "side", 1);
	setenv("CI_COMMIT_BEFORE_SHA", base_id(s, "side~1"), 1);
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	base_no_ci();
	setenv("GITHUB_ACTIONS", "false", 1);
	setenv("GITLAB_CI", "1", 1);
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
}

static void other_systems_have_the_local_rules(void **state)
{
	struct scratch *s = *state;
	check_out(s, base_id(s, "side"));
	scratch_run(s, "git -C work remote set-head origin main");
	static const char *const names[] = { "CI", "BUILDKITE", "CIRCLECI", "TF_BUILD",
					     "JENKINS_URL" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		setenv(names[i], "true", 1);
	setenv("GIT_PREVIOUS_COMMIT", base_id(s, "side~1"), 1);
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
	unsetenv("GIT_PREVIOUS_COMMIT");
}

static void expect_remark(const struct bg_base *base, const char *part)
{
	for (size_t i = 0; i < base->remark_count; i++)
		if (strstr(base->remarks[i], part))
			return;
	fail_msg("no remark says \"%s\"", part);
}

static void an_event_that_cannot_be_read_is_said_and_costs_no_verdict(void **state)
{
	struct scratch *s = *state;
	const char *merge = pull_merge(s), *path = scratch_path(s, "event.json");
	check_out(s, merge);
	static const char *const texts[] = { "",
					     "{",
					     "[]",
					     "7",
					     "{\"pull_request\":7}",
					     "null",
					     "{\"pull_request\":{\"head\":{\"sha\":[1]}}}",
					     "{\"a\":1,\"a\":2}",
					     "\xff\xfe{}" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		base_github(s, "pull_request", "refs/pull/7/merge", merge, texts[i]);
		setenv("GITHUB_BASE_REF", "main", 1);
		base_is(s, "work", "HEAD", "m4", MERGE_HOW);
	}
	base_github(s, "pull_request", "refs/pull/7/merge", merge, "{");
	struct bg_base base = base_is(s, "work", "HEAD", "m4", MERGE_HOW);
	expect_remark(&base, "GITHUB_EVENT_PATH: ");
	expect_remark(&base, "not valid JSON");
	scratch_run(s, "yes '[' | head -c 100000 | tr -d '\\n' >event.json");
	base = base_is(s, "work", "HEAD", "m4", MERGE_HOW);
	expect_remark(&base, "deeper than");
	scratch_run(s, "truncate -s 1T event.json");
	base = base_is(s, "work", "HEAD", "m4", MERGE_HOW);
	expect_remark(&base, "larger than the limit");
	static const char *const odd[] = { "/dev/zero", "/nowhere", "/", "fifo" };
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		scratch_run(s, bg_arena_format(&s->arena,
					       "rm -f event.json; mkfifo -m 600 fifo || true;"
					       "ln -s %s event.json",
					       odd[i]));
		base = base_is(s, "work", "HEAD", "m4", MERGE_HOW);
		expect_remark(&base, path);
	}
	unsetenv("GITHUB_EVENT_PATH");
	base = base_is(s, "work", "HEAD", "m4", MERGE_HOW);
	assert_int_equal(base.remark_count, 0);
}

/* What a fork's author may choose ends up in no refspec and no option of git. */
static void names_from_the_environment_are_only_ever_names(void **state)
{
	struct scratch *s = *state;
	struct bg_base base;
	const char *merge = pull_merge(s);
	check_out(s, base_id(s, "side"));
	base_github(s, "pull_request", "refs/pull/7/merge", merge, pull_event(s));
	const char *before = scratch_run(s, "cd work; git for-each-ref");
	static const char *const names[] = { "main:refs/heads/evil",
					     "*",
					     "--upload-pack=touch evil",
					     "../../heads/main",
					     "a b",
					     "\n",
					     "main^{/x}" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		setenv("GITHUB_BASE_REF", names[i], 1);
		expect_part(
			s, base_try(s, &base, "work", "HEAD", true), BG_E_UNJUDGED,
			"which GitHub names as the branch to compare with, is not in this clone");
	}
	assert_string_equal(scratch_run(s, "cd work; git for-each-ref"), before);
	static const char *const ids[] = { "HEAD", "--all",
					   "main", "12345",
					   ZEROS,  "7A36f0a9d6d54dc0e2a9c3b1a5d4b0c5e0a1b2c3" };
	base_no_ci();
	const char *tip = base_id(s, "side");
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		base_github(s, "push", "refs/heads/main", tip, push_event(s, ids[i], "false"));
		base_is(s, "work", "HEAD", "s1", "first parent of HEAD");
	}
}

static void merge_request(struct scratch *s, const char *type, const char *sha)
{
	base_no_ci();
	base_gitlab(sha);
	setenv("CI_PIPELINE_SOURCE", "merge_request_event", 1);
	setenv("CI_MERGE_REQUEST_IID", "7", 1);
	setenv("CI_MERGE_REQUEST_EVENT_TYPE", type, 1);
	setenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main", 1);
	setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", base_id(s, "main~2"), 1);
	setenv("CI_COMMIT_BEFORE_SHA", ZEROS, 1);
}

static void a_merge_request_is_judged_against_the_base_gitlab_names(void **state)
{
	struct scratch *s = *state;
	const char *head = base_id(s, "side");
	check_out(s, head);
	merge_request(s, "detached", head);
	base_is(s, "work", "HEAD", "m2", "the base that GitLab names for the merge request");
	/* Zeros, nothing, and a commit that is none of head's ancestors: then git finds it. */
	const char *how = base_how(s, "HEAD and origin/main", "main");
	setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", ZEROS, 1);
	base_is(s, "work", "HEAD", "m2", how);
	setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", "", 1);
	base_is(s, "work", "HEAD", "m2", how);
	setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", base_id(s, "main"), 1);
	base_is(s, "work", "HEAD", "m2", how);
}

static void a_merged_result_and_a_merge_train_have_their_first_parent(void **state)
{
	struct scratch *s = *state;
	static const char *const how =
		"first parent of the merge commit that GitLab made for the merge request";
	const char *merge = pull_merge(s);
	check_out(s, merge);
	merge_request(s, "merged_result", merge);
	setenv("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", base_id(s, "main"), 1);
	base_is(s, "work", "HEAD", "m4", how);
	merge_request(s, "merge_train", merge);
	base_is(s, "work", "HEAD", "m4", how);
	/* An older GitLab has no type, but names the target's commit for such pipelines alone. */
	setenv("CI_MERGE_REQUEST_EVENT_TYPE", "", 1);
	setenv("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", base_id(s, "main"), 1);
	base_is(s, "work", "HEAD", "m4", how);
	/* A project that rebases instead of merging. */
	scratch_run(s,
		    "cd upstream; git checkout -q -b train main; git commit -q --allow-empty -m r1;"
		    "git commit -q --allow-empty -m r2");
	check_out(s, base_id(s, "train"));
	merge_request(s, "merge_train", base_id(s, "train"));
	setenv("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", base_id(s, "main"), 1);
	base_is(s, "work", "HEAD", "m4",
		"the target branch's commit that GitLab names for the merge request");
}

static void a_merge_within_a_merge_request_is_not_gitlab_s_merge(void **state)
{
	struct scratch *s = *state;
	scratch_run(s,
		    "cd upstream; git checkout -q side; git merge -q -m 'main into side' main~1");
	check_out(s, base_id(s, "side"));
	merge_request(s, "detached", base_id(s, "side"));
	setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", base_id(s, "main~1"), 1);
	base_is(s, "work", "HEAD", "m3", "the base that GitLab names for the merge request");
}

static void branch_pipelines_of_gitlab_go_like_pushes(void **state)
{
	struct scratch *s = *state;
	const char *tip = base_id(s, "main");
	check_out(s, tip);
	base_gitlab(tip);
	setenv("CI_COMMIT_BRANCH", "main", 1);
	setenv("CI_COMMIT_BEFORE_SHA", base_id(s, "main~3"), 1);
	base_is(s, "work", "HEAD", "m1", "the commit before this push, as GitLab names it");
	setenv("CI_COMMIT_BEFORE_SHA", base_id(s, "side"), 1);
	base_is(s, "work", "HEAD", "m3", "first parent of HEAD");
	setenv("CI_COMMIT_BEFORE_SHA", ZEROS, 1);
	base_is(s, "work", "HEAD", "m3", "first parent of HEAD");
	tip = base_id(s, "side");
	check_out(s, tip);
	base_gitlab(tip);
	setenv("CI_COMMIT_BRANCH", "side", 1);
	setenv("CI_COMMIT_BEFORE_SHA", base_id(s, "side~1"), 1);
	base_is(s, "work", "HEAD", "m2", base_how(s, "HEAD and origin/main", "main"));
	unsetenv("CI_COMMIT_BRANCH");
	setenv("CI_COMMIT_TAG", "v1", 1);
	base_is(s, "work", "HEAD", "s1", "first parent of HEAD");
	unsetenv("CI_COMMIT_TAG");
}

/* Runners keep clones: what is there of another branch is as old as the job that fetched it. */
static void a_runner_s_old_idea_of_the_default_branch_is_renewed(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "cd upstream; git checkout -q side; git merge -q -m 'main into side' main;"
		       "git commit -q --allow-empty -m s3");
	const char *tip = base_id(s, "side");
	check_out(s, tip);
	scratch_run(s, "git -C work update-ref refs/remotes/origin/main origin/main~2");
	base_gitlab(tip);
	setenv("CI_COMMIT_BRANCH", "side", 1);
	base_is(s, "work", "HEAD", "m4", base_how(s, "HEAD and origin/main", "main"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pull_request_s_merge_is_judged_against_its_first_parent),
		TEST(a_fork_s_pull_request_is_one_like_any_other),
		TEST(a_pull_request_s_own_head_is_judged_from_where_it_left_the_target),
		TEST(a_pull_request_target_s_sha_is_not_taken_for_its_merge),
		TEST(a_merge_group_is_judged_against_the_base_it_names),
		TEST(a_push_to_the_default_branch_is_judged_whole),
		TEST(a_push_to_another_branch_is_judged_with_all_of_the_branch),
		TEST(variables_about_another_commit_are_not_believed),
		TEST(other_systems_have_the_local_rules),
		TEST(an_event_that_cannot_be_read_is_said_and_costs_no_verdict),
		TEST(names_from_the_environment_are_only_ever_names),
		TEST(a_merge_request_is_judged_against_the_base_gitlab_names),
		TEST(a_merged_result_and_a_merge_train_have_their_first_parent),
		TEST(a_merge_within_a_merge_request_is_not_gitlab_s_merge),
		TEST(branch_pipelines_of_gitlab_go_like_pushes),
		TEST(a_runner_s_old_idea_of_the_default_branch_is_renewed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
