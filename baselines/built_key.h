#ifndef BG_BASELINES_BUILT_KEY_H
#define BG_BASELINES_BUILT_KEY_H
/*
 * The name of a build: everything it can have read, as far as we can tell. Two builds of one name
 * give trees that are as good as each other.
 */
#include "gate/core/arena.h"
#include "gate/core/sha256.h"

struct bg_built_input {
	const char *tree;	    /* as it is before the build: checked out, carried, linked */
	const char *const *command; /* words, NULL-terminated */
	const char *const *environment;
	size_t linked_count;
	const char *const *linked; /* the user's files that the tree links to, absolute */
};

/*
 * SHA-256 over the tree's files, the command, the environment (less what numbers a job or a
 * terminal), the linked files' names, sizes and times, and the machine: architecture and CPU
 * features, os-release, the packages' database, what cc says of itself, and which compilers lie in
 * PATH.
 *
 * returns  BG_E_SYSTEM where something cannot be read or is past a bound; BG_E_INTERRUPTED
 * cost     reads the tree once
 */
BG_MUST_CHECK enum bg_status bg_built_key(char ret[BG_SHA256_TEXT_SIZE],
					  const struct bg_built_input *input,
					  struct bg_arena *arena, struct bg_error *err);
#endif
