#ifndef BG_SWEEPS_ENVIRONMENT_H
#define BG_SWEEPS_ENVIRONMENT_H
#include "gate/core/arena.h"

/*
 * The environment of the suite's commands, the same for both arms: ours, without tokens, keys and
 * secrets (*_TOKEN, *_KEY, *_SECRET, SSH_AUTH_SOCK, ...), without git's own variables and without
 * PWD, which would differ between the arms. Sorted, NULL-terminated, owned by the arena.
 */
const char *const *bg_environment_clean(const char *const *environment, struct bg_arena *arena);
#endif
