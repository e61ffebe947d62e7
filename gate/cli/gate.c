#include "gate/cli/command.h"
#include "gate/cli/gate_work.h"

static enum bg_status run(int *ret, const void *options, struct bg_arena *arena,
			  struct bg_error *err)
{
	(void)err;
	*ret = bg_gate_work(options, BG_COMPARISON_ARMS, arena);
	return BG_OK;
}

const struct bg_subcommand bg_subcommand_gate = {
	.name = "gate",
	.summary = "Judges a commit against its parent by measuring both",
	.table = &bg_gate_table,
	.options_size = sizeof(struct bg_gate_options),
	.run = run,
};
