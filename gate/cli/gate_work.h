#ifndef BG_CLI_GATE_WORK_H
#define BG_CLI_GATE_WORK_H
/* What gate and run have in common: measure under the guardian, decide, report, clean up. */
#include "gate/cli/gate_options.h"

/* comparison: what head is compared with. returns the command's exit code; faults are told. */
int bg_gate_work(const struct bg_gate_options *options, enum bg_comparison comparison,
		 struct bg_arena *arena);
#endif
