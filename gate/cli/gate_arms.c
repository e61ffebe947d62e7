#include "gate/cli/gate_arms.h"

#include "baselines/base_rule.h"
#include "baselines/lfs.h"
#include "baselines/snapshot.h"
#include "baselines/submodules.h"
#include "gate/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const bg_arm_name[2] = { "base", "head" };

/* What a run leaves; files of an earlier one would look like this one's. */
static const char *const out_files[] = { "report.json",	   "report.junit.xml", "result.json",
					 "build-base.log", "build-head.log",   "worker-base.log",
					 "worker-head.log" };

enum bg_status bg_gate_log(int *ret, const struct bg_gate *gate, const char *kind, size_t arm,
			   struct bg_error *err)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof path, "%s/%s-%s.log", gate->options->out, kind,
			      bg_arm_name[arm]);
	if (length < 0 || (size_t)length >= sizeof path)
		return bg_fail(err, BG_E_SYSTEM, "--out: path too long");
	*ret = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (*ret < 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot write: %s", path, strerror(errno));
	return BG_OK;
}

void bg_gate_remark(struct bg_gate *gate, const char *format, ...)
{
	char line[BG_ERROR_SIZE];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	struct bg_texts *remarks = &gate->remarks;
	remarks->values = bg_arena_grow(gate->arena, remarks->values, remarks->count,
					&remarks->capacity, sizeof *remarks->values);
	remarks->values[remarks->count++] = bg_arena_text(gate->arena, line);
}

static enum bg_status clear_out(const struct bg_gate *gate, struct bg_error *err)
{
	enum bg_status status = bg_dir_make(gate->options->out, err);
	if (status != BG_OK)
		return bg_within(err, "--out");
	for (size_t i = 0; i < sizeof out_files / sizeof *out_files; i++) {
		char path[PATH_MAX];
		int length = snprintf(path, sizeof path, "%s/%s", gate->options->out, out_files[i]);
		if (length < 0 || (size_t)length >= sizeof path)
			return bg_fail(err, BG_E_SYSTEM, "--out: path too long");
		if (unlink(path) != 0 && errno != ENOENT)
			return bg_fail(err, BG_E_SYSTEM, "%s: cannot remove the old file: %s", path,
				       strerror(errno));
	}
	return BG_OK;
}

static enum bg_status find_auto_base(struct bg_gate *gate, struct bg_error *err)
{
	struct bg_base_ask ask = { .repository = &gate->repository,
				   .head = &gate->head,
				   .may_fetch = !gate->options->no_fetch };
	struct bg_base base;
	enum bg_status status = bg_base_find(&base, &ask, gate->arena, err);
	if (status != BG_OK)
		return status;
	gate->base = base.revision;
	for (size_t i = 0; i < base.remark_count; i++)
		bg_gate_remark(gate, "%s", base.remarks[i]);
	return BG_OK;
}

static enum bg_status find_base(struct bg_gate *gate, struct bg_error *err)
{
	if (gate->comparison == BG_COMPARISON_NOTHING) {
		gate->base = gate->head;
		return BG_OK;
	}
	if (gate->options->aa) {
		gate->base = gate->head;
		gate->base.how = "the same commit as head (--aa)";
		return BG_OK;
	}
	if (gate->from_worktree && strcmp(gate->options->base, "auto") == 0) {
		gate->base = gate->head;
		gate->base.how = "the commit checked out";
		return BG_OK;
	}
	if (strcmp(gate->options->base, "auto") == 0)
		return find_auto_base(gate, err);
	enum bg_status status = bg_revision_find(&gate->base, &gate->repository,
						 gate->options->base, gate->arena, err);
	if (status != BG_OK)
		return bg_within(err, "--base");
	gate->base.how = bg_arena_format(gate->arena, "--base %s", gate->options->base);
	return BG_OK;
}

enum bg_status bg_gate_open(struct bg_gate *gate, struct bg_error *err)
{
	gate->log_fd[0] = gate->log_fd[1] = -1;
	gate->from_worktree = strcmp(gate->options->head, "worktree") == 0;
	if (gate->from_worktree && gate->options->aa)
		return bg_fail(err, BG_E_USAGE,
			       "--aa measures a commit against itself: leave out --head worktree");
	enum bg_status status = clear_out(gate, err);
	gate->out_ready = status == BG_OK;
	if (status == BG_OK)
		status = bg_repository_open(&gate->repository, ".", gate->arena, err);
	if (status == BG_OK) {
		bg_worktrees_sweep(&gate->repository, gate->arena);
		status = bg_revision_find(&gate->head, &gate->repository,
					  gate->from_worktree ? "HEAD" : gate->options->head,
					  gate->arena, err);
	}
	if (status == BG_OK)
		status = find_base(gate, err);
	if (status == BG_OK)
		status = bg_repository_is_dirty(&gate->dirty, &gate->repository, err);
	for (size_t i = 0; i < 2 && status == BG_OK; i++)
		status = bg_gate_log(&gate->log_fd[i], gate, "worker", i, err);
	return status;
}

/* A file from outside, or one that is not committed yet, is the suite of both arms. */
static enum bg_status read_given_suite(struct bg_gate *gate, const char *path, struct bg_error *err)
{
	enum bg_status status =
		bg_suite_read(&gate->head_suite, path, gate->suite_shown, gate->arena, err);
	gate->base_suite = gate->head_suite;
	gate->have_base_suite = status == BG_OK && gate->comparison != BG_COMPARISON_NOTHING;
	return status;
}

/* Base's own version of head's suite, so that head cannot loosen what it is judged by. */
static void read_base_suite(struct bg_gate *gate, const char *path)
{
	struct bg_error err = BG_ERROR_INIT;
	gate->base_lacks = bg_arena_format(gate->arena, "base has no %s", gate->suite_shown);
	if (gate->comparison == BG_COMPARISON_NOTHING || access(path, F_OK) != 0)
		return;
	gate->have_base_suite = bg_suite_read(&gate->base_suite, path, gate->suite_shown,
					      gate->arena, &err) == BG_OK;
	if (!gate->have_base_suite)
		gate->base_lacks =
			bg_arena_format(gate->arena, "base has no readable suite (%s)", err.text);
}

static enum bg_status read_own_suites(struct bg_gate *gate, struct bg_error *err)
{
	const char *file = gate->suite_path;
	char *base = bg_arena_format(gate->arena, "%s/%s", gate->trees.base, file);
	char *head = bg_arena_format(gate->arena, "%s/%s", gate->trees.head, file);
	char *mine = bg_arena_format(gate->arena, "%s/%s", gate->repository.root, file);
	if (access(head, F_OK) != 0 && access(mine, F_OK) == 0) {
		bg_gate_remark(gate,
			       "%s is not committed yet: the file in the work tree was used for "
			       "both arms",
			       file);
		return read_given_suite(gate, mine, err);
	}
	if (access(head, F_OK) != 0)
		return bg_fail(err, BG_E_INPUT,
			       "%s: not found in head; write one (see docs/suite.md) or name one "
			       "with --suite",
			       file);
	enum bg_status status =
		bg_suite_read(&gate->head_suite, head, gate->suite_shown, gate->arena, err);
	if (status == BG_OK)
		read_base_suite(gate, base);
	return status;
}

/* Where the suite lies in the repository; one from outside has no version in either arm. */
static void find_suite(struct bg_gate *gate)
{
	const char *given = gate->options->suite, *root = gate->repository.root;
	gate->suite_path = given ? NULL : BG_GATE_SUITE;
	gate->suite_shown = given ? given : BG_GATE_SUITE;
	struct bg_error ignored = BG_ERROR_INIT;
	char *path;
	if (!given || bg_path_absolute(&path, given, gate->arena, &ignored) != BG_OK)
		return;
	size_t size = strlen(root);
	if (strncmp(path, root, size) == 0 && path[size] == '/')
		gate->suite_path = gate->suite_shown = path + size + 1;
}

/* What a commit names and does not hold: submodules, and contents that Git LFS keeps. */
static enum bg_status fill_tree(struct bg_gate *gate, size_t arm, struct bg_error *err)
{
	struct bg_submodules_ask ask = { .trees = &gate->trees,
					 .tree = arm == 0 ? gate->trees.base : gate->trees.head,
					 .may_fetch = !gate->options->no_fetch };
	struct bg_submodules modules;
	size_t pointers = 0;
	enum bg_status status = bg_submodules_fill(&modules, &ask, gate->arena, err);
	if (status == BG_OK)
		status = bg_lfs_count_pointers(&pointers, ask.tree, err);
	if (status != BG_OK)
		return bg_within(err, "%s", bg_arm_name[arm]);
	if (modules.absent_count > 0)
		bg_gate_remark(gate,
			       "%s: submodule %.200s%s is empty, as in your clone: git submodule "
			       "update --init --recursive",
			       bg_arm_name[arm], modules.absent,
			       modules.absent_count > 1 ? " and others" : "");
	if (pointers > 0)
		bg_gate_remark(gate,
			       "%s: %zu file%s of Git LFS hold%s a pointer, not the contents: git "
			       "lfs install, then git lfs fetch",
			       bg_arm_name[arm], pointers, pointers == 1 ? "" : "s",
			       pointers == 1 ? "s" : "");
	return BG_OK;
}

/* --head worktree: head's checkout becomes the user's files as they stand. */
static enum bg_status take_snapshot(struct bg_gate *gate, struct bg_error *err)
{
	struct bg_snapshot taken;
	char *out = NULL;
	enum bg_status status = bg_path_absolute(&out, gate->options->out, gate->arena, err);
	if (status == BG_OK)
		status = bg_snapshot_take(&taken, &gate->trees, out, gate->arena, err);
	if (status != BG_OK)
		return status;
	size_t count = taken.changed + taken.untracked + taken.deleted + taken.submodules;
	gate->dirty = count > 0;
	gate->head.how = "the work tree";
	if (count > 0) {
		gate->head.tree = NULL;
		bg_gate_remark(gate,
			       "head is the work tree: %zu files changed, %zu not tracked, %zu "
			       "deleted",
			       taken.changed, taken.untracked, taken.deleted);
	} else {
		bg_gate_remark(gate, "the work tree has no changes: head is the commit checked "
				     "out");
	}
	for (size_t i = 0; i < taken.remark_count; i++)
		bg_gate_remark(gate, "%s", taken.remarks[i]);
	return BG_OK;
}

enum bg_status bg_gate_checkout(struct bg_gate *gate, struct bg_error *err)
{
	if (gate->comparison == BG_COMPARISON_ARMS)
		bg_progress_say(gate->progress, "checking out base %.12s and head %.12s",
				gate->base.commit, gate->head.commit);
	else
		bg_progress_say(gate->progress, "checking out %.12s", gate->head.commit);
	enum bg_status status =
		bg_worktrees_make(&gate->trees, &gate->repository, gate->base.commit,
				  gate->head.commit, gate->arena, err);
	for (size_t i = gate->comparison == BG_COMPARISON_ARMS ? 0 : 1; i < 2 && status == BG_OK;
	     i++)
		status = fill_tree(gate, i, err);
	if (status == BG_OK && gate->from_worktree)
		status = take_snapshot(gate, err);
	if (status != BG_OK)
		return status;
	find_suite(gate);
	if (gate->suite_path)
		return read_own_suites(gate, err);
	return read_given_suite(gate, gate->options->suite, err);
}

void bg_gate_close(struct bg_gate *gate)
{
	for (size_t i = 0; i < 2; i++)
		if (gate->log_fd[i] >= 0)
			close(gate->log_fd[i]);
	if (gate->options->keep && gate->trees.dir) {
		fprintf(stderr, "batchgate: work trees kept in %s\n", gate->trees.dir);
	} else {
		struct bg_error ignored = BG_ERROR_INIT;
		if (bg_worktrees_remove(&gate->trees, &ignored) != BG_OK)
			fprintf(stderr, "batchgate: %s\n", ignored.text);
	}
	bg_repository_close(&gate->repository);
}
