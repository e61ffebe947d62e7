#ifndef BG_BASELINES_GIT_PROGRAM_H
#define BG_BASELINES_GIT_PROGRAM_H
/*
 * The git program. Without hooks, fsmonitor, maintenance, prompts and translated messages, and
 * without the variables that a hook's git sets to point at its own repository.
 */
#include "gate/core/arena.h"
#include "gate/core/buffer.h"

#include <stdbool.h>

#define BG_GIT_ARGS_MAX 16

struct bg_git_command {
	const char *dir;	 /* where it runs: names the repository */
	const char *const *args; /* NULL-terminated, without "git"; at most BG_GIT_ARGS_MAX */
	int log_fd;		 /* gets stdout and stderr; -1: they go to output */
	int error_fd;		 /* gets stderr instead; 0: it goes where stdout goes */
	double timeout_s;	 /* 0: none */
	bool no_lazy_fetch;	 /* what a partial clone lacks is not fetched by the way */
	const char *const *env;	 /* more variables, "NAME=value", NULL-terminated; NULL: none */
};

/*
 * Runs git to its end. output may be NULL.
 * returns BG_E_SYSTEM where git cannot be started or ran past timeout_s, BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_git_run(int *exit_status, struct bg_buffer *output,
					const struct bg_git_command *command, struct bg_error *err);

/*
 * The line of git's output that tells why it failed: the first that starts with "fatal: " or
 * "error: " (what follows is its consequence), else the last that is not empty, else "no reason
 * given". Owned by the arena.
 */
const char *bg_git_reason(const char *output, struct bg_arena *arena);
#endif
