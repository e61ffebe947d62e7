#ifndef BG_SWEEPS_LINK_H
#define BG_SWEEPS_LINK_H
/*
 * The parent's end of the step protocol: one live worker, its pipes and its process tree.
 * Whatever the worker does (dies, hangs, prints garbage or a line without end), the answer is an
 * error in one line, never a hang longer than the time allowed.
 */
#include "gate/core/tree.h"
#include "gate/wire/message.h"

#include <sched.h>

struct bg_link {
	const char *name; /* "worker of head", for messages */
	pid_t pid;	  /* 0: not running */
	int to_fd, from_fd, log_fd;
	int exit_fd;	/* a pidfd of the worker */
	off_t log_from; /* where this worker's part of the log begins */
	struct bg_tree tree;
	struct bg_buffer out, in; /* one request; what was read and not yet used */
	size_t in_used;		  /* bytes of `in` that were taken */
	size_t banner_left;	  /* bytes of foreign lines still allowed before hello */
	uint64_t exchange_ns;	  /* wall time of the last call, request written to reply read */
	struct bg_reply hello;
};

struct bg_link_start {
	const char *name;
	const char *const *argv, *const *envp;
	const char *dir;
	const cpu_set_t *cpus; /* NULL: ours */
	/* The worker's stderr and foreign lines; -1: nowhere. A file that can be read as well gives
	 * its last line to the message about a worker that died. */
	int log_fd;
	double timeout_s;	  /* for each of start and hello */
	struct bg_forest *forest; /* borrowed: the trees alive at the same time */
};

/* Starts a worker and exchanges hello. On failure nothing is left running. */
BG_MUST_CHECK enum bg_status bg_link_open(struct bg_link *ret, const struct bg_link_start *start,
					  struct bg_arena *arena, struct bg_error *err);
/* One request and its reply. A reply of ok:false is returned as such, not as an error. */
BG_MUST_CHECK enum bg_status bg_link_call(struct bg_link *link, const struct bg_request *request,
					  double timeout_s, struct bg_reply *ret,
					  struct bg_arena *arena, struct bg_error *err);

/* The parts of a call, for whoever waits in another way (turns). */
BG_MUST_CHECK enum bg_status bg_link_send(struct bg_link *link, const struct bg_request *request,
					  struct bg_error *err);
BG_MUST_CHECK enum bg_status bg_link_receive(struct bg_link *link, enum bg_op op, double timeout_s,
					     struct bg_reply *ret, struct bg_arena *arena,
					     struct bg_error *err);
/*
 * The hot path: a request already formatted, the reply to one step.
 * *elapsed_ns  what the worker says; link->exchange_ns is the parent's own wall time
 */
BG_MUST_CHECK enum bg_status bg_link_step(struct bg_link *link, const char *line, size_t size,
					  double timeout_s, double *elapsed_ns,
					  struct bg_error *err);

/* bye, then whatever it takes. Safe on a zeroed or closed link. */
void bg_link_close(struct bg_link *link);
#endif
