#ifndef BG_CLI_GATE_ARMS_H
#define BG_CLI_GATE_ARMS_H
/*
 * What a gate compares: two commits, their work trees, suites, builds and workers.
 */
#include "baselines/stored_base.h"
#include "baselines/worktree.h"
#include "gate/cli/gate_options.h"
#include "gate/cli/progress.h"
#include "sweeps/plan.h"

#define BG_GATE_SUITE "batchgate.yml" /* in the repository's root */

extern const char *const bg_arm_name[2]; /* "base", "head" */

struct bg_gate {
	const struct bg_gate_options *options;
	enum bg_comparison comparison;
	struct bg_arena *arena;
	struct bg_progress_line *progress;
	struct bg_repository repository;
	struct bg_revision base, head;
	bool dirty;	    /* the user's work tree, or, where it is head, head itself */
	bool from_worktree; /* --head worktree */
	bool out_ready;	    /* the folder for output is there and empty of old files */
	struct bg_worktrees trees;
	const char *const *environment[2]; /* of base, of head: of equal size */
	const char *suite_path;		   /* relative to the root; NULL: a file from outside */
	struct bg_stored_base stored;	   /* --stored: what head is held to */
	const char *suite_shown;	   /* as reports name it: the same, or as given */
	struct bg_suite head_suite, base_suite;
	bool have_base_suite;
	const char *base_lacks;	 /* one line where base has no suite of its own */
	bool suite_carried;	 /* base was given head's suite file: head's cases, base's policy */
	struct bg_texts remarks; /* conditions met before there is a session */
	const char *build_fault[2]; /* base, head: one line where arms.build failed */
	const char *const *worker[2];
	const char *no_worker[2]; /* one line where the suite's own worker is not in the tree */
	bool chosen_worker[2];	  /* not the running batchgate: arms.worker, --base-worker, ... */
	bool remote[2];		  /* not known to run on this host */
	bool same_workers;
	int log_fd[2];
};

/* Repository, commits, folder for output; nothing is changed but that folder and dead work trees.
 */
BG_MUST_CHECK enum bg_status bg_gate_open(struct bg_gate *gate, struct bg_error *err);
/* Checks out both commits and reads the suites. */
BG_MUST_CHECK enum bg_status bg_gate_checkout(struct bg_gate *gate, struct bg_error *err);
/*
 * arms.link and arms.carry: what the arms' trees hold besides their commits. Base's suite has been
 * read by then, so that carrying the suite file does not change base's policy. BG_E_INPUT with the
 * place in the suite file, BG_E_SYSTEM.
 */
BG_MUST_CHECK enum bg_status bg_gate_furnish(struct bg_gate *gate, struct bg_error *err);
/*
 * What the arms' commands get: the user's environment without tokens, the same for both arms but
 * for what names the user's work tree, which names the arm's instead. Tells it in remarks.
 */
void bg_gate_environment(struct bg_gate *gate);
/* Runs arms.build in both trees; a build that fails is told in build_fault. */
BG_MUST_CHECK enum bg_status bg_gate_build(struct bg_gate *gate, struct bg_error *err);
/* Which commands start the workers, and what they offer. */
BG_MUST_CHECK enum bg_status bg_gate_workers(struct bg_gate *gate, struct bg_catalogue *catalogue,
					     struct bg_error *err);
/* A condition for the report; owned by the gate's arena. */
void bg_gate_remark(struct bg_gate *gate, const char *format, ...) BG_PRINTF(2, 3);
/* Opens OUT/KIND-ARM.log, emptied, for appending. BG_E_SYSTEM. */
BG_MUST_CHECK enum bg_status bg_gate_log(int *ret, const struct bg_gate *gate, const char *kind,
					 size_t arm, struct bg_error *err);
/* Gives everything back; work trees stay with --keep. Safe on a half-opened gate. */
void bg_gate_close(struct bg_gate *gate);
#endif
