#ifndef BG_WORKLOADS_WORKER_H
#define BG_WORKLOADS_WORKER_H
/*
 * A worker: a process that prepares cases and performs steps when told to, over the step protocol
 * (workloads/PROTOCOL.md) on its standard input and output.
 */
#include "gate/core/error.h"

struct bg_worker_options {
	double inject; /* ratio: wait this much of each step's CPU time longer, 0 none */
};

/*
 * Serves requests until bye or end of input. The protocol moves to a duplicate of descriptor 1,
 * and 1 then points at 2, so that a library's print cannot break it.
 * returns 0, or 2 where the input is no protocol at all (a line without end)
 */
int bg_worker_run(const struct bg_worker_options *options);
#endif
