#ifndef BG_CLI_GATE_OFFERS_H
#define BG_CLI_GATE_OFFERS_H
#include "gate/cli/gate_arms.h"

/*
 * Asks the programs and plugins of head's suite what they offer, each once: head's, and base's
 * where head's does not work. Nothing is started in a dry run. A worker that fails is told in its
 * offer.
 * returns BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_gate_offers(struct bg_gate *gate, struct bg_catalogue *catalogue,
					    struct bg_error *err);
#endif
