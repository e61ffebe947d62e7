#ifndef BG_TESTS_BASE_SCRATCH_H
#define BG_TESTS_BASE_SCRATCH_H
/* Repositories in which a base is looked for, and the variables that CI systems set. */
#include "baselines/base_rule.h"
#include "tests/unit/repository_scratch.h"

#define ZEROS "0000000000000000000000000000000000000000"

static inline void base_no_ci(void)
{
	static const char *const names[] = { "GITHUB_ACTIONS",
					     "GITHUB_EVENT_NAME",
					     "GITHUB_EVENT_PATH",
					     "GITHUB_REF",
					     "GITHUB_SHA",
					     "GITHUB_BASE_REF",
					     "GITHUB_HEAD_REF",
					     "GITLAB_CI",
					     "CI_PIPELINE_SOURCE",
					     "CI_COMMIT_SHA",
					     "CI_COMMIT_BRANCH",
					     "CI_COMMIT_BEFORE_SHA",
					     "CI_DEFAULT_BRANCH",
					     "CI_MERGE_REQUEST_IID",
					     "CI_MERGE_REQUEST_EVENT_TYPE",
					     "CI_MERGE_REQUEST_DIFF_BASE_SHA",
					     "CI_MERGE_REQUEST_TARGET_BRANCH_SHA",
					     "CI_MERGE_REQUEST_TARGET_BRANCH_NAME" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}

/*
 * upstream: main m1..m4; side branches off at m2 with s1 s2; two, named apart, has no history in
 * common. Commits of the same second: only the order of parents tells.
 */
static inline int base_make(void **state)
{
	if (scratch_make(state) != 0)
		return -1;
	base_no_ci();
	scratch_run(*state, "git init -q -b main upstream; cd upstream;"
			    "git config uploadpack.allowAnySHA1InWant true;"
			    "c() { git commit -q --allow-empty -m $1; };"
			    "c m1; c m2; git branch side; c m3; c m4;"
			    "git checkout -q side; c s1; c s2;"
			    "git checkout -q --orphan other; c o1; c o2; git checkout -q main");
	return 0;
}

/* The commit of upstream with this subject, or any revision's id there. */
static inline const char *base_id(struct scratch *s, const char *name)
{
	return scratch_run(s, bg_arena_format(&s->arena, "git -C upstream rev-parse '%s'", name));
}

static inline const char *base_commit(struct scratch *s, const char *subject)
{
	const char *id = scratch_run(
		s,
		bg_arena_format(&s->arena,
				"git -C upstream log --all --format='%%H %%s' | sed -n 's/ %s$//p'",
				subject));
	assert_int_equal(strlen(id), 40);
	return id;
}

static inline enum bg_status base_try(struct scratch *s, struct bg_base *base, const char *dir,
				      const char *head, bool may_fetch)
{
	struct bg_repository repository = opened(s, scratch_path(s, dir));
	struct bg_revision revision = found(s, &repository, head);
	struct bg_base_ask ask = { .repository = &repository,
				   .head = &revision,
				   .may_fetch = may_fetch };
	*base = (struct bg_base){ .revision = { .commit = "untouched" } };
	enum bg_status status = bg_base_find(base, &ask, &s->arena, &s->err);
	if (status != BG_OK)
		assert_string_equal(base->revision.commit, "untouched");
	return status;
}

/* The base of head in the clone `dir` is upstream's commit of that subject, by that rule. */
static inline struct bg_base base_is(struct scratch *s, const char *dir, const char *head,
				     const char *subject, const char *how)
{
	struct bg_base base;
	if (base_try(s, &base, dir, head, true) != BG_OK)
		fail_msg("%s", s->err.text);
	assert_string_equal(base.revision.subject, subject);
	if (how)
		assert_string_equal(base.revision.how, how);
	return base;
}

static inline const char *base_how(struct scratch *s, const char *format, const char *target)
{
	return bg_arena_format(&s->arena, "merge base of %s (%.12s)", format, base_id(s, target));
}

/* What actions/checkout sets for a job of this event on the commit that is checked out in dir. */
static inline void base_github(struct scratch *s, const char *event, const char *ref,
			       const char *sha, const char *json)
{
	const char *path = scratch_path(s, "event.json");
	setenv("GITHUB_ACTIONS", "true", 1);
	setenv("GITHUB_EVENT_NAME", event, 1);
	setenv("GITHUB_REF", ref, 1);
	setenv("GITHUB_SHA", sha, 1);
	setenv("GITHUB_EVENT_PATH", path, 1);
	assert_int_equal(bg_file_replace(path, json, strlen(json), &s->err), BG_OK);
}

static inline void base_gitlab(const char *sha)
{
	setenv("GITLAB_CI", "true", 1);
	setenv("CI_COMMIT_SHA", sha, 1);
	setenv("CI_DEFAULT_BRANCH", "main", 1);
}
#endif
