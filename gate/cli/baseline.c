#include "gate/cli/baseline.h"

#include "baselines/push.h"
#include "gate/core/interrupt.h"
#include "gate/core/text.h"

#include <stdio.h>
#include <string.h>

struct options {
	struct bg_texts words;
	const char *remote, *runner_class;
};

#define AT(kind, field) .offset = BG_TARGET_##kind(struct options, field)

static const struct bg_option option_list[] = {
	{ "remote", BG_OPTION_TEXT, AT(TEXT, remote), .value = "NAME",
	  .help = "the remote that holds the records; without it, the current branch's, else "
		  "origin, else the only one" },
	{ "class", BG_OPTION_TEXT, AT(TEXT, runner_class), .value = "CLASS",
	  .help = "only this class of machines; without it, every class" },
};

static const struct bg_option_table table = {
	.count = sizeof option_list / sizeof *option_list,
	.options = option_list,
	.operands = "list|show [REV]|push|fetch",
	.operand_min = 1,
	.operand_max = 2,
	.operand_offset = BG_TARGET_TEXTS(struct options, words),
};

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* One class of the spool. A failure is told here, so that other classes get their turn. */
static void push_class(struct bg_baseline *baseline, const char *runner_class,
		       const struct bg_spool *spool)
{
	const struct bg_spool_entry **entries =
		bg_arena_array(baseline->arena, spool->count, sizeof *entries);
	struct bg_push push = { .repository = baseline->repository,
				.remote = baseline->remote,
				.runner_class = runner_class,
				.entries = entries };
	struct bg_error fault = BG_ERROR_INIT;
	struct bg_pushed pushed;
	for (size_t i = 0; i < spool->count; i++)
		if (strcmp(spool->entries[i].record.runner_class, runner_class) == 0)
			entries[push.count++] = &spool->entries[i];
	if (bg_push_run(&pushed, &push, baseline->arena, &fault) != BG_OK) {
		baseline->code = bg_exit_worse(baseline->code, bg_exit_of(&fault));
		fprintf(stderr,
			"batchgate: %s; %zu record%s of class %s stay%s in %s/batchgate/spool: "
			"push again, or keep that folder\n",
			fault.text, push.count, plural(push.count), runner_class,
			push.count == 1 ? "s" : "", baseline->repository->common_dir);
		return;
	}
	printf("published %zu record%s of class %s to '%s'%s\n", push.count, plural(push.count),
	       runner_class, baseline->remote->name,
	       pushed.tries == 0 ? ", which had them already" : "");
	if (pushed.large)
		fprintf(stderr,
			"batchgate: the note of %.12s (%s) has more than %zu MiB: every reader "
			"takes longer\n",
			pushed.large, runner_class, BG_NOTE_SIZE_WARN >> 20);
}

static void tell_bad_files(struct bg_baseline *baseline, const struct bg_spool *spool)
{
	if (spool->bad_count == 0)
		return;
	fprintf(stderr,
		"batchgate: %zu file%s in the spool cannot be read and %s published: %s; mend or "
		"remove %s\n",
		spool->bad_count, plural(spool->bad_count),
		spool->bad_count == 1 ? "is not" : "are not", spool->bad,
		spool->bad_count == 1 ? "it" : "them");
	baseline->code = bg_exit_worse(baseline->code, BG_EXIT_ENVIRONMENT);
}

static enum bg_status push_all(struct bg_baseline *baseline)
{
	struct bg_spool spool;
	const char *last = NULL;
	const char **classes;
	size_t count, pushed = 0;
	bg_spool_sweep(baseline->repository->common_dir, baseline->arena);
	if (bg_spool_read(&spool, baseline->repository->common_dir, baseline->arena,
			  baseline->err) != BG_OK ||
	    bg_store_classes(&classes, &count, baseline->repository, NULL, baseline->arena,
			     baseline->err) != BG_OK)
		return baseline->err->status;
	tell_bad_files(baseline, &spool);
	for (size_t i = 0; i < count && !bg_interrupt_pending(); i++) {
		bool wanted =
			!baseline->runner_class || strcmp(classes[i], baseline->runner_class) == 0;
		bool waits = false;
		for (size_t k = 0; wanted && !waits && k < spool.count; k++)
			waits = strcmp(spool.entries[k].record.runner_class, classes[i]) == 0;
		if (waits)
			push_class(baseline, classes[i], &spool);
		pushed += waits;
		last = classes[i];
	}
	if (pushed == 0)
		printf("nothing waits to be published%s%s\n",
		       last && baseline->runner_class ? " of class " : "",
		       last && baseline->runner_class ? baseline->runner_class : "");
	return BG_OK;
}

static enum bg_status push(struct bg_baseline *baseline)
{
	struct bg_store_lock lock;
	if (bg_store_lock(&lock, baseline->repository, baseline->arena, baseline->err) != BG_OK)
		return baseline->err->status;
	enum bg_status status = push_all(baseline);
	bg_store_unlock(&lock);
	return status;
}

static enum bg_status tell_fetched(struct bg_baseline *baseline)
{
	const char **classes;
	size_t count, told = 0;
	if (bg_store_classes(&classes, &count, baseline->repository, baseline->remote->name,
			     baseline->arena, baseline->err) != BG_OK)
		return baseline->err->status;
	for (size_t i = 0; i < count; i++) {
		struct bg_notes notes;
		size_t commits = 0;
		const char *mirror =
			bg_remote_refs_of(baseline->remote->name, classes[i], baseline->arena)
				.mirror;
		if (baseline->runner_class && strcmp(classes[i], baseline->runner_class) != 0)
			continue;
		if (bg_notes_read(&notes, baseline->repository, mirror, baseline->arena,
				  baseline->err) != BG_OK)
			return baseline->err->status;
		for (size_t k = 0; k < notes.count; k++)
			commits +=
				notes.entries[k].commit &&
				(k == 0 || !notes.entries[k - 1].commit ||
				 strcmp(notes.entries[k].commit, notes.entries[k - 1].commit) != 0);
		if (!notes.tip)
			continue;
		printf("class %s: %zu commit%s with records at '%s'\n", classes[i], commits,
		       plural(commits), baseline->remote->name);
		told++;
	}
	if (told == 0)
		printf("'%s' has no records%s%s\n", baseline->remote->name,
		       baseline->runner_class ? " of class " : "",
		       baseline->runner_class ? baseline->runner_class : "");
	return BG_OK;
}

static enum bg_status fetch(struct bg_baseline *baseline)
{
	struct bg_fetch fetched = { baseline->repository, baseline->remote,
				    baseline->runner_class ? baseline->runner_class : "*" };
	struct bg_store_lock lock;
	bool there;
	if (bg_store_lock(&lock, baseline->repository, baseline->arena, baseline->err) != BG_OK)
		return baseline->err->status;
	enum bg_status status = bg_fetch_run(&there, &fetched, baseline->arena, baseline->err);
	bg_store_unlock(&lock);
	return status == BG_OK ? tell_fetched(baseline) : status;
}

static const struct action {
	const char *name;
	enum bg_status (*run)(struct bg_baseline *baseline);
	bool reaches_remote;
	size_t words_max;
} actions[] = {
	{ "list", bg_baseline_list, false, 1 },
	{ "show", bg_baseline_show, false, 2 },
	{ "push", push, true, 1 },
	{ "fetch", fetch, true, 1 },
};

#define ACTION_COUNT (sizeof actions / sizeof *actions)

static enum bg_status find_action(const struct action **ret, const struct options *options,
				  struct bg_error *err)
{
	const char *names[ACTION_COUNT], *word = options->words.values[0];
	*ret = NULL;
	for (size_t i = 0; i < ACTION_COUNT; i++) {
		names[i] = actions[i].name;
		if (strcmp(names[i], word) == 0)
			*ret = &actions[i];
	}
	const char *nearest = bg_text_nearest(word, names, ACTION_COUNT);
	if (!*ret)
		return bg_fail(err, BG_E_USAGE, "baseline: unknown action '%s'%s%s%s", word,
			       nearest ? ": did you mean '" : ": list, show, push or fetch",
			       nearest ? nearest : "", nearest ? "'?" : "");
	if (options->words.count > (*ret)->words_max)
		return bg_fail(err, BG_E_USAGE, "baseline %s: unexpected argument '%s'", word,
			       options->words.values[1]);
	if (options->runner_class && !bg_runner_class_is_valid(options->runner_class))
		return bg_fail(err, BG_E_USAGE, "--class: '%s' is no name of a class",
			       options->runner_class);
	return BG_OK;
}

/* Without any remote there still is the spool to look at. */
static enum bg_status find_remote(struct bg_baseline *baseline, struct bg_remote *remote,
				  const struct action *action, const char *given)
{
	if (bg_remote_find(remote, baseline->repository, given, baseline->arena, baseline->err) ==
	    BG_OK)
		baseline->remote = remote;
	else if (action->reaches_remote || given || baseline->err->status != BG_E_SYSTEM)
		return baseline->err->status;
	else
		bg_error_clear(baseline->err);
	return BG_OK;
}

static enum bg_status run(int *ret, const void *target, struct bg_arena *arena,
			  struct bg_error *err)
{
	const struct options *options = target;
	const struct action *action;
	struct bg_repository repository;
	struct bg_remote remote;
	if (find_action(&action, options, err) != BG_OK)
		return err->status;
	if (action->reaches_remote)
		bg_interrupt_install();
	if (bg_repository_open(&repository, ".", arena, err) != BG_OK)
		return err->status;
	struct bg_baseline baseline = {
		.repository = &repository,
		.runner_class = options->runner_class,
		.rev = options->words.count > 1 ? options->words.values[1] : NULL,
		.arena = arena,
		.err = err,
		.code = BG_EXIT_PASS,
	};
	enum bg_status status = find_remote(&baseline, &remote, action, options->remote);
	if (status == BG_OK)
		status = action->run(&baseline);
	bg_repository_close(&repository);
	*ret = baseline.code;
	return status;
}

const struct bg_subcommand bg_subcommand_baseline = {
	.name = "baseline",
	.summary = "Lists, shows, publishes and fetches the records of commits",
	.details =
		"list   commits with records, newest first: those fetched and those that wait\n"
		"show   the records of a commit (default: HEAD)\n"
		"push   publishes what 'batchgate record' kept; exit 4 where the remote does not\n"
		"       take it, and then nothing is lost: the next push delivers\n"
		"fetch  brings what is published\n"
		"\n"
		"Records are notes of git under refs/notes/batchgate/v1/CLASS at the remote. They\n"
		"are written as batchgate.notes.name and batchgate.notes.email of git's "
		"settings.\n",
	.table = &table,
	.options_size = sizeof(struct options),
	.run = run,
};
