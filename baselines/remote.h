#ifndef BG_BASELINES_REMOTE_H
#define BG_BASELINES_REMOTE_H
/*
 * The one remote that records are read from and published to, and what git needs to reach it
 * without asking anybody anything. Only a remote that is configured will do, never a bare URL: a
 * fork's numbers must not come in by an argument.
 */
#include "baselines/repository.h"

/* Longest that git may take for one exchange with a remote, seconds. */
#define BG_REMOTE_TIMEOUT_S 300

struct bg_remote {
	const char *name;
	const char *const *env;	    /* for bg_git_command: ssh in batch mode, the askpass program */
	const char *author, *email; /* of commits of notes: batchgate.notes.name and .email */
};

/* References of one class of machines at a remote. */
struct bg_remote_refs {
	const char *remote; /* refs/notes/batchgate/v1/CLASS, at the remote */
	const char *mirror; /* refs/batchgate/mirror/REMOTE/CLASS, here; only fetching writes it */
};

/*
 * given    the name of a remote; NULL: the current branch's, else "origin", else the only one
 * returns  BG_E_USAGE where there is no remote of that name, BG_E_SYSTEM where none is given and
 *          none can be chosen, BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_remote_find(struct bg_remote *ret,
					    const struct bg_repository *repository,
					    const char *given, struct bg_arena *arena,
					    struct bg_error *err);

/* runner_class is valid; "*" gives the patterns of all. Owned by the arena. */
struct bg_remote_refs bg_remote_refs_of(const char *remote, const char *runner_class,
					struct bg_arena *arena);
#endif
