#include "baselines/ci.h"

#include "gate/core/file.h"
#include "gate/wire/json.h"

#include <stdlib.h>
#include <string.h>

/* A variable that is not set and one that is empty mean the same to both systems. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

static bool is(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static bool starts(const char *text, const char *start)
{
	return text && strncmp(text, start, strlen(start)) == 0;
}

/* Both systems write zeros where there is no commit. Returns id, or NULL where it is none. */
static const char *usable(const char *id)
{
	size_t size = id ? strspn(id, "0123456789abcdef") : 0;
	bool whole = id && id[size] == '\0' && (size == 40 || size == 64);
	return whole && strspn(id, "0") < size ? id : NULL;
}

static void document_drop(struct bg_json_document *document)
{
	if (document->root)
		bg_json_release(document);
}

/* What is used of GitHub's event; NULL and false where it does not tell. */
struct event {
	const char *pull_head;	    /* pull_request.head.sha */
	const char *group_base;	    /* merge_group.base_sha */
	const char *before;	    /* of a push */
	const char *default_branch; /* repository.default_branch */
	bool is_ancestor;	    /* the push only added commits */
};

static const char *text_at(const struct bg_json *object, const char *key, struct bg_arena *arena)
{
	return bg_arena_text(arena, bg_json_text(bg_json_get(object, key)));
}

static void fill_event(struct event *event, const struct bg_json *root, struct bg_arena *arena)
{
	const struct bg_json *pull = bg_json_get(root, "pull_request");
	const struct bg_json *forced = bg_json_get(root, "forced");
	*event = (struct event){
		.pull_head = usable(text_at(bg_json_get(pull, "head"), "sha", arena)),
		.group_base = usable(text_at(bg_json_get(root, "merge_group"), "base_sha", arena)),
		/* A forced push took that commit out of the branch's history. */
		.before =
			bg_json_bool(forced, false) ? NULL : usable(text_at(root, "before", arena)),
		.default_branch = text_at(bg_json_get(root, "repository"), "default_branch", arena),
		.is_ancestor = !bg_json_bool(forced, true),
	};
}

static void read_event(struct event *event, const char **remark, struct bg_arena *arena)
{
	const char *path = variable("GITHUB_EVENT_PATH");
	struct bg_error err = BG_ERROR_INIT;
	BG_AUTO(document_drop) struct bg_json_document document = { NULL };
	char *text;
	size_t size;
	*event = (struct event){ .is_ancestor = false };
	if (!path)
		return;
	if (bg_file_read(&text, &size, path, BG_CI_EVENT_SIZE_MAX, arena, &err) == BG_OK &&
	    bg_json_read(&document, text, size, path, &err) == BG_OK)
		fill_event(event, document.root, arena);
	else
		*remark = bg_arena_format(
			arena, "GITHUB_EVENT_PATH: %s; the base was chosen without it", err.text);
}

/*
 * A pull request. The event's base.sha is the target as it was when the request was opened, and
 * says nothing about the merge that is tested: it is not even read.
 */
static void judge_pull(struct bg_ci *ret, const struct event *event, const struct bg_revision *head)
{
	bool tests_merge = is(variable("GITHUB_EVENT_NAME"), "pull_request") &&
			   starts(variable("GITHUB_REF"), "refs/pull/");
	bool is_sha = tests_merge && is(variable("GITHUB_SHA"), head->commit);
	if (head->parent_count == 2 && (is_sha || is(head->parents[1], event->pull_head)))
		ret->rule = BG_CI_MERGE_PARENT;
	else if (is_sha || is(head->commit, event->pull_head))
		ret->rule = BG_CI_MERGE_BASE;
	ret->merge_is = "the merge commit that GitHub made for the pull request";
	ret->branch = variable("GITHUB_BASE_REF");
}

static void judge_group(struct bg_ci *ret, const struct event *event)
{
	ret->rule = event->group_base ? BG_CI_COMMIT : BG_CI_MERGE_PARENT;
	ret->id = event->group_base;
	ret->ancestor = true;
	ret->id_is = "the base that GitHub names for the merge group";
	ret->merge_is = "the commit that GitHub made for the merge group";
}

/*
 * A branch. On the default branch the whole push is judged, not its last commit alone. On another
 * one the whole branch is: against the push before, a slow commit would fail once and pass with the
 * next push of anything.
 */
static void judge_branch(struct bg_ci *ret, const char *branch, const char *default_branch,
			 const char *before)
{
	if (branch && default_branch && strcmp(branch, default_branch) != 0) {
		ret->rule = BG_CI_MERGE_BASE;
		ret->branch = default_branch;
	} else if (branch && before) {
		ret->rule = BG_CI_BEFORE;
		ret->id = before;
	} else {
		ret->rule = BG_CI_PARENT;
	}
}

static void judge_github(struct bg_ci *ret, const struct bg_revision *head, struct bg_arena *arena)
{
	static const char heads[] = "refs/heads/";
	const char *ref = variable("GITHUB_REF");
	struct event event;
	ret->system = "GitHub";
	read_event(&event, &ret->remark, arena);
	if (variable("GITHUB_BASE_REF")) {
		judge_pull(ret, &event, head);
	} else if (!is(variable("GITHUB_SHA"), head->commit)) {
		ret->rule = BG_CI_NONE;
	} else if (is(variable("GITHUB_EVENT_NAME"), "merge_group")) {
		judge_group(ret, &event);
	} else {
		const char *branch = starts(ref, heads) ? ref + strlen(heads) : NULL;
		judge_branch(ret, branch, event.default_branch, event.before);
		ret->id_is = "the commit before this push, as GitHub names it";
		ret->ancestor = event.is_ancestor;
	}
}

static void judge_merge_request(struct bg_ci *ret, const struct bg_revision *head)
{
	const char *type = variable("CI_MERGE_REQUEST_EVENT_TYPE");
	const char *target = usable(variable("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"));
	const char *diff_base = usable(variable("CI_MERGE_REQUEST_DIFF_BASE_SHA"));
	/* The target's id is set for such pipelines only, of older versions without the type too.
	 */
	bool merged = type ? is(type, "merged_result") || is(type, "merge_train") : target != NULL;
	ret->merge_is = "the merge commit that GitLab made for the merge request";
	ret->branch = variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
	ret->ancestor = true;
	if (merged && head->parent_count >= 2) {
		ret->rule = BG_CI_MERGE_PARENT;
	} else if (merged && target) { /* rebased on the target instead of merged */
		ret->rule = BG_CI_COMMIT;
		ret->id = target;
		ret->id_is = "the target branch's commit that GitLab names for the merge request";
	} else if (diff_base) {
		ret->rule = BG_CI_COMMIT;
		ret->id = diff_base;
		ret->id_is = "the base that GitLab names for the merge request";
	} else {
		ret->rule = ret->branch ? BG_CI_MERGE_BASE : BG_CI_NONE;
	}
}

static void judge_gitlab(struct bg_ci *ret, const struct bg_revision *head)
{
	ret->system = "GitLab";
	if (!is(variable("CI_COMMIT_SHA"), head->commit))
		return;
	if (variable("CI_MERGE_REQUEST_IID") ||
	    is(variable("CI_PIPELINE_SOURCE"), "merge_request_event")) {
		judge_merge_request(ret, head);
		return;
	}
	judge_branch(ret, variable("CI_COMMIT_BRANCH"), variable("CI_DEFAULT_BRANCH"),
		     usable(variable("CI_COMMIT_BEFORE_SHA")));
	ret->id_is = "the commit before this push, as GitLab names it";
}

void bg_ci_read(struct bg_ci *ret, const struct bg_revision *head, struct bg_arena *arena)
{
	*ret = (struct bg_ci){ .rule = BG_CI_NONE };
	if (is(variable("GITHUB_ACTIONS"), "true"))
		judge_github(ret, head, arena);
	else if (is(variable("GITLAB_CI"), "true"))
		judge_gitlab(ret, head);
}

const char *bg_ci_full_clone(const char *system)
{
	if (is(system, "GitHub"))
		return "add 'fetch-depth: 0' under 'with:' of actions/checkout";
	if (is(system, "GitLab"))
		return "add 'GIT_DEPTH: 0' under 'variables:' of the job";
	return "git fetch --unshallow";
}
