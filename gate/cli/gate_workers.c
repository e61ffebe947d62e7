#include "gate/cli/gate_arms.h"
#include "gate/core/file.h"
#include "gate/core/host.h"
#include "sweeps/ask.h"
#include "sweeps/command.h"

#include <string.h>
#include <unistd.h>

#define LIST_LIMIT_S 60.

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

/* Given on the command line, so relative to where the user stands, not to the arm's tree. */
static enum bg_status given_worker(const char *const **ret, size_t arm, const char *given,
				   struct bg_gate *gate, struct bg_error *err)
{
	struct bg_command_words command;
	if (bg_command_split(&command, given, gate->arena, err) != BG_OK)
		return bg_within(err, "--%s-worker", bg_arm_name[arm]);
	const char **words = command.words;
	if (strchr(words[0], '/') && words[0][0] != '/') {
		char *absolute;
		if (bg_path_absolute(&absolute, words[0], gate->arena, err) != BG_OK)
			return bg_within(err, "--%s-worker", bg_arm_name[arm]);
		words[0] = absolute;
	}
	*ret = words;
	return BG_OK;
}

/* The suite's own, relative to the arm's tree; whether it is there is known after the build. */
static void suite_worker(struct bg_gate *gate, size_t arm)
{
	const char *tree = arm == 0 ? gate->trees.base : gate->trees.head;
	const char **words = gate->head_suite.arms.worker;
	bool in_tree = strchr(words[0], '/') && words[0][0] != '/';
	gate->worker[arm] = (const char *const *)words;
	if (!in_tree || gate->options->dry_run || gate->build_fault[arm])
		return;
	const char *path = bg_arena_format(gate->arena, "%s/%s", tree, words[0]);
	const char *name = bg_arm_name[arm];
	if (access(path, F_OK) != 0)
		gate->no_worker[arm] =
			bg_arena_format(gate->arena, "%s has no %s (arms.worker)", name, words[0]);
	else if (access(path, X_OK) != 0)
		gate->no_worker[arm] = bg_arena_format(
			gate->arena, "%s's %s cannot be executed (arms.worker)", name, words[0]);
}

static enum bg_status choose_worker(struct bg_gate *gate, size_t arm, const char *given,
				    struct bg_error *err)
{
	if (!given && !gate->head_suite.arms.worker)
		return own_worker(&gate->worker[arm], gate, err);
	gate->same_workers = false;
	gate->chosen_worker[arm] = true;
	if (given)
		return given_worker(&gate->worker[arm], arm, given, gate, err);
	suite_worker(gate, arm);
	return BG_OK;
}

static struct bg_link_start start_of(const struct bg_gate *gate, size_t arm,
				     struct bg_forest *forest)
{
	static const char *const name[2] = { "worker of base", "worker of head" };
	return (struct bg_link_start){ .name = name[arm],
				       .argv = gate->worker[arm],
				       .envp = gate->environment[arm],
				       .dir = arm == 0 ? gate->trees.base : gate->trees.head,
				       .log_fd = gate->log_fd[arm],
				       .timeout_s = LIST_LIMIT_S,
				       .forest = forest };
}

/*
 * What head's worker offers. Where the suite's own worker is not built, the running batchgate says
 * what the suite's cases are.
 */
static enum bg_status read_catalogue(struct bg_catalogue *ret, struct bg_gate *gate,
				     struct bg_error *err)
{
	struct bg_forest forest = { .fenced_count = 0 };
	struct bg_link link;
	struct bg_link_start start = start_of(gate, 1, &forest);
	bool unbuilt = gate->options->dry_run || gate->build_fault[1] || gate->no_worker[1];
	enum bg_status status = BG_OK;
	if (unbuilt && !gate->options->head_worker)
		status = own_worker(&start.argv, gate, err);
	if (status == BG_OK)
		status = bg_link_open(&link, &start, gate->arena, err);
	if (status != BG_OK)
		return status;
	gate->remote[1] = gate->chosen_worker[1] && !bg_host_is_this(link.hello.boot_id);
	status = bg_catalogue_read(ret, &link, LIST_LIMIT_S, gate->arena, err);
	bg_link_close(&link);
	return status;
}

/* Where base's worker runs; one that cannot be started is told of by its cases. */
static enum bg_status look_at_base(struct bg_gate *gate, struct bg_error *err)
{
	struct bg_forest forest = { .fenced_count = 0 };
	struct bg_link link;
	struct bg_link_start start = start_of(gate, 0, &forest);
	if (!gate->chosen_worker[0] || gate->no_worker[0] || gate->build_fault[0] ||
	    gate->options->dry_run)
		return BG_OK;
	enum bg_status status = bg_link_open(&link, &start, gate->arena, err);
	if (status == BG_OK) {
		gate->remote[0] = !bg_host_is_this(link.hello.boot_id);
		bg_link_close(&link);
	} else if (status != BG_E_INTERRUPTED) {
		bg_error_clear(err);
		status = BG_OK;
	}
	return status;
}

static void tell_remote(struct bg_gate *gate)
{
	for (size_t arm = 0; arm < 2; arm++)
		if (gate->remote[arm])
			bg_gate_remark(gate,
				       "the worker of %s is not known to run on this host: its "
				       "cores cannot be chosen, nor its waits seen",
				       bg_arm_name[arm]);
}

enum bg_status bg_gate_workers(struct bg_gate *gate, struct bg_catalogue *catalogue,
			       struct bg_error *err)
{
	gate->same_workers = !gate->options->aa;
	enum bg_status status = BG_OK;
	if (gate->comparison == BG_COMPARISON_ARMS)
		status = choose_worker(gate, 0, gate->options->base_worker, err);
	if (status == BG_OK)
		status = choose_worker(gate, 1, gate->options->head_worker, err);
	if (status == BG_OK)
		status = read_catalogue(catalogue, gate, err);
	if (status == BG_OK)
		status = look_at_base(gate, err);
	if (status == BG_OK)
		tell_remote(gate);
	return status;
}
