#include "gate/cli/command.h"
#include "gate/cli/gate_work.h"

static enum bg_status run(int *ret, const void *options, struct bg_arena *arena,
			  struct bg_error *err)
{
	(void)err;
	*ret = bg_gate_work(options, BG_COMPARISON_NOTHING, arena);
	return BG_OK;
}

const struct bg_subcommand bg_subcommand_run = {
	.name = "run",
	.summary = "Measures one commit and compares nothing",
	.details = "Leaves result.json, which record keeps as a baseline.\n",
	.table = &bg_run_table,
	.options_size = sizeof(struct bg_gate_options),
	.run = run,
};
