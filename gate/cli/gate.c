#include "gate/cli/command.h"
#include "gate/cli/gate_work.h"

static enum bg_status run(int *ret, const void *options, struct bg_arena *arena,
			  struct bg_error *err)
{
	const struct bg_gate_options *gate = options;
	if (gate->remote && !gate->stored)
		return bg_fail(err, BG_E_USAGE, "--remote: says whose records --stored reads");
	if (gate->stored && (gate->aa || gate->base_worker))
		return bg_fail(err, BG_E_USAGE, "--stored runs no base arm: leave out --%s",
			       gate->aa ? "aa" : "base-worker");
	*ret = bg_gate_work(options, gate->stored ? BG_COMPARISON_STORED : BG_COMPARISON_ARMS,
			    arena);
	return BG_OK;
}

const struct bg_subcommand bg_subcommand_gate = {
	.name = "gate",
	.summary = "Judges a commit against its parent by measuring both",
	.table = &bg_gate_table,
	.options_size = sizeof(struct bg_gate_options),
	.run = run,
};
