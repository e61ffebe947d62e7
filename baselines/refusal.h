#ifndef BG_BASELINES_REFUSAL_H
#define BG_BASELINES_REFUSAL_H
/*
 * What git says when a remote does not take something. Words decide only to stop early, never to go
 * on: they differ between servers and versions.
 */
#include "gate/core/arena.h"

#include <stdbool.h>

/*
 * True where git's output says that trying again is of no use: rights, hooks, hidden or protected
 * references. What stands in quotes and addresses (names somebody chose) is not looked at.
 */
bool bg_refusal_is_final(const char *output, struct bg_arena *arena);

enum bg_push_answer {
	BG_PUSH_NO_ANSWER, /* git said nothing about the reference */
	BG_PUSH_TAKEN,
	BG_PUSH_REJECTED,
};

/*
 * What `git push --porcelain` says about one reference.
 * *ret_reason  of BG_PUSH_REJECTED: "[remote rejected] (pre-receive hook declined)"
 */
enum bg_push_answer bg_push_answer_read(const char **ret_reason, const char *output,
					const char *reference, struct bg_arena *arena);
#endif
