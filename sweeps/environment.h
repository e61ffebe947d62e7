#ifndef BG_SWEEPS_ENVIRONMENT_H
#define BG_SWEEPS_ENVIRONMENT_H
#include "gate/core/arena.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The environment of the suite's commands, the same for both arms: ours, without tokens, keys and
 * secrets (docs/suite.md, "Commands", has the list), without git's own variables and without PWD,
 * which would differ between the arms. Sorted, NULL-terminated, owned by the arena.
 */
const char *const *bg_environment_clean(const char *const *environment, struct bg_arena *arena);

/* Where variables that name one folder are to name another. */
struct bg_environment_move {
	const char *from, *to; /* absolute, no slash at the end; from is not "/" */
	/*
	 * Asked for each mention of `from` or of a path below it in the value of a variable (size
	 * bytes at variable); below: what follows `from`, without slashes in front, "" the folder.
	 */
	bool (*moves)(void *context, const char *variable, size_t size, const char *below);
	void *context;
};

/*
 * Copies an environment, every mention that `moves` agrees to changed. A mention is a word of its
 * own or one between ':', '=', quotes and such, also behind -I and -L.
 */
const char *const *bg_environment_move(const char *const *environment,
				       const struct bg_environment_move *move,
				       struct bg_arena *arena);

/* The same, with paths in front of what the variable `name` holds, ':' between. Stays sorted. */
const char *const *bg_environment_prepend(const char *const *environment, const char *name,
					  const char *paths, struct bg_arena *arena);
#endif
