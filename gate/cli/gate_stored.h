#ifndef BG_CLI_GATE_STORED_H
#define BG_CLI_GATE_STORED_H
/* gate --stored: head's session against sessions recorded for the base commit. */
#include "gate/cli/gate_session.h"

/*
 * Fetches the records of this runner class, unless --no-fetch, and looks for those of the base
 * commit: gate->stored. That there are none, or that the remote cannot be reached, is told in
 * remarks and in the cells, not an error.
 * returns  BG_E_USAGE (--remote), BG_E_UNJUDGED (a record that counts cannot be read), BG_E_SYSTEM,
 *          BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_gate_find_stored(struct bg_gate *gate, struct bg_error *err);

/* Puts them beside what was measured. */
void bg_gate_hold_to_stored(struct bg_gate_session *gate_session);
#endif
