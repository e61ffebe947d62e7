#include "workloads/worker.h"

#include "gate/cli/command.h"

struct options {
	const char *plugin;
	double inject;
};

static const struct bg_option option_list[] = {
	{ "plugin", BG_OPTION_TEXT, .offset = BG_TARGET_TEXT(struct options, plugin),
	  .value = "FILE", .help = "serve the operations of this shared library alone" },
	{ "inject", BG_OPTION_RATIO, .offset = BG_TARGET_DOUBLE(struct options, inject), .min = 0,
	  .max = 10, .fallback = "0",
	  .help = "wait this much of each step longer, to see what a gate can see" },
};

static const struct bg_option_table table = {
	.count = sizeof option_list / sizeof *option_list,
	.options = option_list,
};

static enum bg_status run(int *ret, const void *target, struct bg_arena *arena,
			  struct bg_error *err)
{
	const struct options *options = target;
	(void)arena;
	struct bg_worker_options worker = { .inject = options->inject, .plugin = options->plugin };
	if (bg_worker_run(&worker, err) != BG_OK)
		return bg_within(err, "worker");
	*ret = BG_EXIT_PASS;
	return BG_OK;
}

const struct bg_subcommand bg_subcommand_worker = {
	.name = "worker",
	.summary = "Serves the step protocol on standard input and output",
	.table = &table,
	.options_size = sizeof(struct options),
	.run = run,
};
