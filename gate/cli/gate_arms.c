#include "gate/cli/gate_arms.h"

#include "gate/core/file.h"
#include "gate/core/process.h"
#include "sweeps/command.h"
#include "sweeps/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SUITE "batchgate.yml"
#define BUILD_LIMIT_S 3600.
#define LIST_LIMIT_S 60.

static const char *const arm_name[2] = { "base", "head" };

/* What a run leaves; files of an earlier one would look like this one's. */
static const char *const out_files[] = { "report.json",	   "report.junit.xml", "result.json",
					 "build-base.log", "build-head.log",   "worker-base.log",
					 "worker-head.log" };

static enum bg_status open_log(int *ret, const struct bg_gate *gate, const char *kind, size_t arm,
			       struct bg_error *err)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof path, "%s/%s-%s.log", gate->options->out, kind,
			      arm_name[arm]);
	if (length < 0 || (size_t)length >= sizeof path)
		return bg_fail(err, BG_E_SYSTEM, "--out: path too long");
	*ret = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (*ret < 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot write: %s", path, strerror(errno));
	return BG_OK;
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
	if (strcmp(gate->options->base, "auto") == 0)
		return bg_revision_auto_base(&gate->base, &gate->repository, &gate->head,
					     gate->arena, err);
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
	if (strcmp(gate->options->head, "worktree") == 0)
		return bg_fail(err, BG_E_USAGE,
			       "--head worktree is not supported by this version: commit first");
	enum bg_status status = clear_out(gate, err);
	gate->out_ready = status == BG_OK;
	if (status == BG_OK)
		status = bg_repository_open(&gate->repository, ".", gate->arena, err);
	if (status == BG_OK) {
		bg_worktrees_sweep(&gate->repository, gate->arena);
		status = bg_revision_find(&gate->head, &gate->repository, gate->options->head,
					  gate->arena, err);
	}
	if (status == BG_OK)
		status = find_base(gate, err);
	if (status == BG_OK)
		status = bg_repository_is_dirty(&gate->dirty, &gate->repository, err);
	for (size_t i = 0; i < 2 && status == BG_OK; i++)
		status = open_log(&gate->log_fd[i], gate, "worker", i, err);
	return status;
}

/* A file that was named, or that is not committed yet, is the suite of both arms. */
static enum bg_status read_given_suite(struct bg_gate *gate, const char *path, struct bg_error *err)
{
	enum bg_status status =
		bg_suite_read(&gate->head_suite, path, gate->suite_shown, gate->arena, err);
	gate->base_suite = gate->head_suite;
	gate->have_base_suite = status == BG_OK && gate->comparison != BG_COMPARISON_NOTHING;
	return status;
}

static enum bg_status read_own_suites(struct bg_gate *gate, struct bg_error *err)
{
	char *base = bg_arena_format(gate->arena, "%s/%s", gate->trees.base, DEFAULT_SUITE);
	char *head = bg_arena_format(gate->arena, "%s/%s", gate->trees.head, DEFAULT_SUITE);
	char *mine = bg_arena_format(gate->arena, "%s/%s", gate->repository.root, DEFAULT_SUITE);
	gate->suite_shown = DEFAULT_SUITE;
	if (access(head, F_OK) != 0 && access(mine, F_OK) == 0) {
		gate->suite_remark = DEFAULT_SUITE " is not committed yet: the file in the work "
						   "tree was used for both arms";
		return read_given_suite(gate, mine, err);
	}
	if (access(head, F_OK) != 0)
		return bg_fail(err, BG_E_INPUT,
			       "%s: not found in head; write one (see docs/suite.md) or name one "
			       "with --suite",
			       DEFAULT_SUITE);
	enum bg_status status =
		bg_suite_read(&gate->head_suite, head, DEFAULT_SUITE, gate->arena, err);
	if (status != BG_OK)
		return status;
	gate->base_lacks = "base has no " DEFAULT_SUITE;
	if (gate->comparison == BG_COMPARISON_NOTHING || access(base, F_OK) != 0)
		return BG_OK;
	struct bg_error in_base = BG_ERROR_INIT;
	gate->have_base_suite = bg_suite_read(&gate->base_suite, base, DEFAULT_SUITE, gate->arena,
					      &in_base) == BG_OK;
	if (!gate->have_base_suite)
		gate->base_lacks = bg_arena_format(gate->arena, "base has no readable suite (%s)",
						   in_base.text);
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
	if (status != BG_OK)
		return status;
	extern char **environ;
	gate->environment = bg_environment_clean((const char *const *)environ, gate->arena);
	if (!gate->options->suite)
		return read_own_suites(gate, err);
	gate->suite_shown = gate->options->suite;
	return read_given_suite(gate, gate->options->suite, err);
}

static void last_line(char *text, size_t size, const struct bg_buffer *output)
{
	size_t end = output->size;
	while (end > 0 && (unsigned char)output->bytes[end - 1] <= ' ')
		end--;
	size_t start = end;
	while (start > 0 && output->bytes[start - 1] != '\n')
		start--;
	snprintf(text, size, "%.*s", (int)(end - start > 200 ? 200 : end - start),
		 output->size ? output->bytes + start : "");
}

static enum bg_status build_arm(struct bg_gate *gate, size_t arm, const char *dir,
				struct bg_error *err)
{
	int log_fd = -1;
	enum bg_status status = open_log(&log_fd, gate, "build", arm, err);
	if (status != BG_OK)
		return status;
	const char *const *build = gate->head_suite.arms.build;
	if (!build) {
		close(log_fd);
		return BG_OK;
	}
	bg_progress_say(gate->progress, "building %s", arm_name[arm]);
	struct bg_command command = { .argv = build,
				      .envp = gate->environment,
				      .dir = dir,
				      .timeout_s = BUILD_LIMIT_S,
				      .log_fd = log_fd };
	int exit_status = 0;
	status = bg_command_run(&exit_status, NULL, &command, err);
	close(log_fd);
	if (status == BG_E_SYSTEM) {
		gate->build_fault[arm] = bg_arena_format(gate->arena, "%s: arms.build: %s",
							 arm_name[arm], err->text);
		bg_error_clear(err);
		return BG_OK;
	}
	if (status != BG_OK || exit_status == 0)
		return status;
	char *log =
		bg_arena_format(gate->arena, "%s/build-%s.log", gate->options->out, arm_name[arm]);
	char *bytes, line[256] = "";
	size_t size;
	struct bg_error ignored = BG_ERROR_INIT;
	if (bg_file_read(&bytes, &size, log, (size_t)64 << 20, gate->arena, &ignored) == BG_OK)
		last_line(line, sizeof line, &(struct bg_buffer){ .bytes = bytes, .size = size });
	gate->build_fault[arm] = bg_arena_format(gate->arena,
						 "%s: arms.build ended with exit status %d: %s "
						 "(see build-%s.log)",
						 arm_name[arm], exit_status, line, arm_name[arm]);
	return BG_OK;
}

enum bg_status bg_gate_build(struct bg_gate *gate, struct bg_error *err)
{
	enum bg_status status = BG_OK;
	if (gate->comparison == BG_COMPARISON_ARMS)
		status = build_arm(gate, 0, gate->trees.base, err);
	return status == BG_OK ? build_arm(gate, 1, gate->trees.head, err) : status;
}

static enum bg_status own_worker(const char *const **ret, struct bg_gate *gate,
				 struct bg_error *err)
{
	char *self;
	if (bg_path_absolute(&self, "/proc/self/exe", gate->arena, err) != BG_OK)
		return bg_within(err, "cannot find the running batchgate");
	const char **words = bg_arena_array(gate->arena, 3, sizeof *words);
	words[0] = self;
	words[1] = "worker";
	*ret = words;
	return BG_OK;
}

static enum bg_status choose_worker(struct bg_gate *gate, size_t arm, const char *given,
				    struct bg_error *err)
{
	if (!given)
		return own_worker(&gate->worker[arm], gate, err);
	struct bg_command_words command;
	gate->same_workers = false;
	if (bg_command_split(&command, given, gate->arena, err) != BG_OK)
		return bg_within(err, "--%s-worker", arm_name[arm]);
	const char **words = command.words;
	/* Given on the command line, so relative to where the user stands, not to the arm's tree.
	 */
	if (strchr(words[0], '/') && words[0][0] != '/') {
		char *absolute;
		if (bg_path_absolute(&absolute, words[0], gate->arena, err) != BG_OK)
			return bg_within(err, "--%s-worker", arm_name[arm]);
		words[0] = absolute;
	}
	gate->worker[arm] = words;
	return BG_OK;
}

enum bg_status bg_gate_workers(struct bg_gate *gate, struct bg_catalogue *catalogue,
			       struct bg_error *err)
{
	gate->same_workers = !gate->options->aa;
	enum bg_status status = choose_worker(gate, 0, gate->options->base_worker, err);
	if (status == BG_OK)
		status = choose_worker(gate, 1, gate->options->head_worker, err);
	if (status != BG_OK)
		return status;
	struct bg_forest forest = { .fenced_count = 0 };
	struct bg_link link;
	struct bg_link_start start = { .name = "worker of head",
				       .argv = gate->worker[1],
				       .envp = gate->environment,
				       .dir = gate->trees.head,
				       .log_fd = gate->log_fd[1],
				       .timeout_s = LIST_LIMIT_S,
				       .forest = &forest };
	status = bg_link_open(&link, &start, gate->arena, err);
	if (status != BG_OK)
		return status;
	struct bg_request request = { .op = BG_OP_LIST };
	struct bg_reply reply;
	status = bg_link_call(&link, &request, LIST_LIMIT_S, &reply, gate->arena, err);
	bg_link_close(&link);
	if (status == BG_OK && !reply.ok)
		status = bg_fail(err, BG_E_INPUT, "worker of head: list: %s", reply.reason);
	if (status == BG_OK)
		*catalogue = (struct bg_catalogue){ .workload_count = reply.workload_count,
						    .missing_count = reply.missing_count,
						    .workloads = reply.workloads,
						    .missing = reply.missing };
	return status;
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
