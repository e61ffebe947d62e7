#ifndef BG_WORKLOADS_WORKER_H
#define BG_WORKLOADS_WORKER_H
/*
 * A worker: a process that prepares cases and performs steps when told to, over the step protocol
 * (workloads/PROTOCOL.md) on its standard input and output.
 */
#include "gate/core/error.h"

struct bg_worker_options {
	double inject; /* ratio: wait this much of each step's CPU time longer, 0 none */
	/* A library whose operations alone are served, relative to the current folder; NULL: all
	 * modules. One that cannot be used refuses hello. */
	const char *plugin;
};

/*
 * Serves requests until bye or end of input. The protocol moves to a duplicate of descriptor 1,
 * and 1 then points at 2, so that a library's print cannot break it.
 * returns BG_E_INPUT where the input is no protocol at all (a line without end), BG_E_SYSTEM where
 *         an output is closed
 */
BG_MUST_CHECK enum bg_status bg_worker_run(const struct bg_worker_options *options,
					   struct bg_error *err);
#endif
