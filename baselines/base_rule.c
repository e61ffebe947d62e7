#include "baselines/base_rule.h"

#include "baselines/merge_base.h"
#include "baselines/ci.h"
#include "baselines/deepen.h"
#include "baselines/git_answer.h"

#include <string.h>

struct finding {
	const struct bg_repository *repository;
	const struct bg_revision *head;
	struct bg_ci ci;
	struct bg_deepen deepen;
	struct bg_revision base; /* filled by the rule that holds */
	struct bg_arena *arena;
	struct bg_error *err;
};

/* A branch to find the merge base with. */
struct target {
	const char *id;
	const char *label; /* "origin/main" */
};

static enum bg_status take(struct finding *f, const char *id, const char *how)
{
	enum bg_status status = bg_revision_find(&f->base, f->repository, id, f->arena, f->err);
	if (status != BG_OK)
		return bg_within(f->err, "base");
	f->base.how = how;
	return BG_OK;
}

/* `what` cannot be told from the part of the history that is here. */
static enum bg_status fail_cut(const struct finding *f, const char *what)
{
	const char *tried = "";
	if (!f->deepen.allowed)
		tried = ", and --no-fetch forbids to fetch it";
	else if (!f->deepen.remote)
		tried = ", which has no remote to fetch it from";
	else if (f->deepen.fault)
		tried = bg_arena_format(f->arena, " (%s)", f->deepen.fault);
	else if (f->deepen.commits)
		tried = bg_arena_format(f->arena, ", even deepened by %u commits",
					f->deepen.commits);
	return bg_fail(f->err, BG_E_UNJUDGED, "%s is not in this shallow clone%s: %s", what, tried,
		       bg_ci_full_clone(f->ci.system));
}

/* Gets the commit into a shallow clone, by itself or by deepening. */
static enum bg_status bring(bool *here, struct finding *f, const char *id)
{
	const char *const tips[] = { f->head->commit, NULL };
	bool more = true;
	enum bg_status status = bg_deepen_commit(here, &f->deepen, id, f->arena, f->err);
	while (status == BG_OK && !*here && more) {
		status = bg_deepen_more(&more, &f->deepen, tips, f->arena, f->err);
		if (status == BG_OK)
			status = bg_revision_is_here(here, f->repository, id, f->err);
	}
	return status;
}

static enum bg_status take_parent(struct finding *f, const char *how)
{
	const struct bg_revision *head = f->head;
	bool here;
	if (!head->parent)
		return bg_fail(f->err, BG_E_UNJUDGED,
			       "%s is the first commit: nothing to compare with; "
			       "--aa compares it with itself",
			       head->how);
	enum bg_status status = bring(&here, f, head->parent);
	if (status != BG_OK)
		return status;
	if (here)
		return take(f, head->parent, how);
	if (f->repository->shallow)
		return fail_cut(f, bg_arena_format(f->arena, "the %s, %.12s,", how, head->parent));
	return bg_fail(f->err, BG_E_SYSTEM, "%s: the %s, %.12s, is missing; git fsck tells more",
		       f->repository->root, how, head->parent);
}

static enum bg_status take_plain_parent(struct finding *f)
{
	return take_parent(f, bg_arena_format(f->arena, "first parent of %s%s",
					      f->head->parent_count > 1 ? "merge " : "",
					      f->head->how));
}

static enum bg_status take_merge_base(struct finding *f, const struct target *target)
{
	const char *const tips[] = { f->head->commit, target->id, NULL };
	struct bg_merge_base found = { .known = false };
	bool more = true;
	enum bg_status status = BG_OK;
	while (status == BG_OK && !found.known && more) {
		status = bg_merge_base_find(&found, f->repository, f->head->commit, target->id,
					    f->arena, f->err);
		if (status == BG_OK && !found.known)
			status = bg_deepen_more(&more, &f->deepen, tips, f->arena, f->err);
	}
	if (status != BG_OK)
		return status;
	const char *how = bg_arena_format(f->arena, "merge base of %s and %s (%.12s)", f->head->how,
					  target->label, target->id);
	if (!found.known)
		return fail_cut(f, bg_arena_format(f->arena, "the %s", how));
	if (found.count == 0)
		return bg_fail(f->err, BG_E_UNJUDGED,
			       "%s and %s have no history in common: name the commit to compare "
			       "with by --base",
			       f->head->how, target->label);
	if (strcmp(found.commit, f->head->commit) == 0)
		return take_plain_parent(f);
	if (found.count > 1)
		how = bg_arena_format(f->arena, "%s, of %zu the one %s", how, found.count,
				      found.on_target ? "on that branch's own line"
						      : "with the smallest id");
	return take(f, found.commit, how);
}

/* The commit a reference names; *ret is NULL where there is no such reference. */
static enum bg_status resolve(const char **ret, const struct finding *f, const char *ref)
{
	const char *commit = bg_arena_format(f->arena, "%s^{commit}", ref);
	const char *const args[] = { "rev-parse", "--verify", "--quiet", commit, NULL };
	struct bg_git_answer answer;
	enum bg_status status = bg_git_ask(&answer, f->repository->root, args, f->arena, f->err);
	if (status == BG_OK)
		*ret = answer.exit_status == 0 ? answer.text : NULL;
	return status;
}

/*
 * The branch that a system names. GitLab's runners keep a clone from job to job and fetch the
 * job's own branch alone, so that what is there of another one may be old.
 */
static enum bg_status take_branch_base(struct finding *f, const char *branch)
{
	const char *remote = f->deepen.remote ? f->deepen.remote : "origin";
	const char *ref = bg_arena_format(f->arena, "refs/remotes/%s/%s", remote, branch);
	struct target target = { .label = bg_arena_format(f->arena, "%s/%s", remote, branch) };
	const char *known = NULL;
	enum bg_status status = resolve(&known, f, ref);
	if (status == BG_OK && (!known || strcmp(f->ci.system, "GitLab") == 0))
		status = bg_deepen_branch(&target.id, &f->deepen, branch, f->arena, f->err);
	if (status != BG_OK)
		return status;
	if (!target.id)
		target.id = known;
	if (target.id)
		return take_merge_base(f, &target);
	return bg_fail(
		f->err, BG_E_UNJUDGED,
		"%s, which %s names as the branch to compare with, is not in this clone%s%s%s: "
		"git fetch %s %s",
		target.label, f->ci.system, f->deepen.fault ? " (" : "",
		f->deepen.fault ? f->deepen.fault : "", f->deepen.fault ? ")" : "", remote, branch);
}

/* The default branch as the clone knows it; *ret_name is the branch's name, NULL without one. */
static enum bg_status find_default(struct target *ret, const char **ret_name,
				   const struct finding *f)
{
	static const char *const names[] = { "main", "master" };
	const char *refs[5] = { NULL };
	size_t count = 0, prefix = strlen("refs/heads/");
	struct bg_git_answer answer = { .text = "" };
	*ret_name = NULL;
	if (f->deepen.remote) {
		const char *start = bg_arena_format(f->arena, "refs/remotes/%s/", f->deepen.remote);
		const char *head = bg_arena_format(f->arena, "%sHEAD", start);
		const char *const args[] = { "symbolic-ref", "--quiet", head, NULL };
		if (bg_git_ask(&answer, f->repository->root, args, f->arena, f->err) != BG_OK)
			return f->err->status;
		prefix = strlen(start);
		if (strncmp(answer.text, start, prefix) == 0)
			refs[count++] = answer.text;
		for (size_t i = 0; i < 2; i++)
			refs[count++] = bg_arena_format(f->arena, "%s%s", start, names[i]);
	}
	size_t remote_count = count;
	for (size_t i = 0; i < 2; i++)
		refs[count++] = bg_arena_format(f->arena, "refs/heads/%s", names[i]);
	for (size_t i = 0; i < count; i++) {
		const char *id = NULL;
		enum bg_status status = resolve(&id, f, refs[i]);
		if (status != BG_OK)
			return status;
		if (!id)
			continue;
		bool local = i >= remote_count;
		*ret_name = refs[i] + (local ? strlen("refs/heads/") : prefix);
		*ret = (struct target){ id, local ? *ret_name : refs[i] + strlen("refs/remotes/") };
		return BG_OK;
	}
	return BG_OK;
}

/* Head is, or is in the history of, this clone's own branch of that name. */
static enum bg_status is_on_branch(bool *ret, const struct finding *f, const char *name)
{
	const char *id = NULL;
	enum bg_descent descent = BG_DESCENT_NO;
	*ret = f->head->branch && strcmp(f->head->branch, name) == 0;
	enum bg_status status = resolve(&id, f, bg_arena_format(f->arena, "refs/heads/%s", name));
	if (status == BG_OK && id && !*ret)
		status = bg_descent_find(&descent, f->repository, f->head->commit, id, f->err);
	if (status == BG_OK && descent == BG_DESCENT_YES)
		*ret = true;
	return status;
}

static enum bg_status take_local(struct finding *f)
{
	struct target target;
	const char *name;
	bool on_it = true;
	enum bg_status status = find_default(&target, &name, f);
	if (status == BG_OK && name)
		status = is_on_branch(&on_it, f, name);
	if (status != BG_OK)
		return status;
	return on_it ? take_plain_parent(f) : take_merge_base(f, &target);
}

/* How the id that a system names stands to head. */
static enum bg_status find_descent(enum bg_descent *ret, struct finding *f)
{
	const char *const tips[] = { f->head->commit, f->ci.id, NULL };
	bool more = true;
	enum bg_status status = BG_OK;
	*ret = BG_DESCENT_UNKNOWN;
	while (status == BG_OK && *ret == BG_DESCENT_UNKNOWN && more) {
		status = bg_descent_find(ret, f->repository, f->ci.id, f->head->commit, f->err);
		/* Where the system vouches for it, what is cut off need not be looked at. */
		if (status == BG_OK && *ret == BG_DESCENT_UNKNOWN && f->ci.ancestor)
			*ret = BG_DESCENT_YES;
		if (status == BG_OK && *ret == BG_DESCENT_UNKNOWN)
			status = bg_deepen_more(&more, &f->deepen, tips, f->arena, f->err);
	}
	return status;
}

static enum bg_status take_named(struct finding *f)
{
	const char *what = bg_arena_format(f->arena, "%s, %.12s,", f->ci.id_is, f->ci.id);
	enum bg_descent descent = BG_DESCENT_NO;
	bool here;
	if (strcmp(f->ci.id, f->head->commit) == 0)
		return take_plain_parent(f);
	enum bg_status status = bring(&here, f, f->ci.id);
	if (status == BG_OK && !here && f->repository->shallow)
		return fail_cut(f, what);
	if (status == BG_OK && here)
		status = find_descent(&descent, f);
	if (status != BG_OK)
		return status;
	if (descent == BG_DESCENT_YES)
		return take(f, f->ci.id, f->ci.id_is);
	if (descent == BG_DESCENT_UNKNOWN)
		return fail_cut(f, bg_arena_format(f->arena, "the history between %s and %s",
						   f->head->how, what));
	if (f->ci.rule == BG_CI_COMMIT && f->ci.branch)
		return take_branch_base(f, f->ci.branch);
	return take_plain_parent(f);
}

static enum bg_status take_by_rule(struct finding *f)
{
	switch (f->ci.rule) {
	case BG_CI_PARENT:
		return take_plain_parent(f);
	case BG_CI_MERGE_PARENT:
		return take_parent(f,
				   bg_arena_format(f->arena, "first parent of %s", f->ci.merge_is));
	case BG_CI_MERGE_BASE:
		return take_branch_base(f, f->ci.branch);
	case BG_CI_COMMIT:
	case BG_CI_BEFORE:
		return take_named(f);
	case BG_CI_NONE:
		break;
	}
	return take_local(f);
}

enum bg_status bg_base_find(struct bg_base *ret, const struct bg_base_ask *ask,
			    struct bg_arena *arena, struct bg_error *err)
{
	struct finding f = {
		.repository = ask->repository, .head = ask->head, .arena = arena, .err = err
	};
	bg_ci_read(&f.ci, ask->head, arena);
	enum bg_status status =
		bg_deepen_init(&f.deepen, ask->repository, ask->may_fetch, arena, err);
	if (status == BG_OK)
		status = take_by_rule(&f);
	if (status != BG_OK)
		return status;
	*ret = (struct bg_base){ .revision = f.base };
	const char *const remarks[] = { f.ci.remark, bg_deepen_remark(&f.deepen, arena) };
	for (size_t i = 0; i < BG_BASE_REMARKS_MAX; i++)
		if (remarks[i])
			ret->remarks[ret->remark_count++] = remarks[i];
	return BG_OK;
}
