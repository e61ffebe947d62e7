#ifndef BG_BASELINES_GIT_ANSWER_H
#define BG_BASELINES_GIT_ANSWER_H
/* A question to the git program: what it prints, apart from what it complains. */
#include "gate/core/arena.h"

#include <stdbool.h>

#define BG_GIT_ANSWER_MAX ((size_t)16 << 20)

struct bg_git_answer {
	int exit_status;
	const char *text;   /* stdout without the last LF; never NULL; owned by the arena */
	const char *errors; /* stderr, its first 16 KiB; never NULL; owned by the arena */
};

/*
 * Asks git in dir. args as in struct bg_git_command. Whatever exit status is an answer.
 * returns BG_E_SYSTEM where git cannot be started or prints more than BG_GIT_ANSWER_MAX,
 *         BG_E_INTERRUPTED
 * cost    2 ms and what git does
 */
BG_MUST_CHECK enum bg_status bg_git_ask(struct bg_git_answer *ret, const char *dir,
					const char *const *args, struct bg_arena *arena,
					struct bg_error *err);
#endif
