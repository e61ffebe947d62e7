#ifndef BG_CLI_GATE_RESULT_H
#define BG_CLI_GATE_RESULT_H
#include "gate/cli/gate_arms.h"

/* The head of a result: which commits, how chosen, on what machine. */
void bg_gate_result_start(struct bg_result *result, const struct bg_gate *gate);
/* The class of this machine with the CPUs that may be used; NULL unknown. */
const char *bg_gate_runner_class(const struct bg_gate *gate);
/* As results and records name head's suite. */
const char *bg_gate_suite_name(const struct bg_gate *gate);
/* The command that repeats this run, for reports; words quoted for a shell where they need it. */
const char *bg_gate_command_text(const struct bg_gate *gate);
#endif
