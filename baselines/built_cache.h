#ifndef BG_BASELINES_BUILT_CACHE_H
#define BG_BASELINES_BUILT_CACHE_H
/*
 * Built base arms, kept from run to run under $XDG_CACHE_HOME/batchgate/built, else
 * ~/.cache/batchgate/built: a folder for each build, named by its key (built_key.h), with the whole
 * tree, its listing and the build's log. Private to the user, bounded, the least recently used go
 * first. An entry comes into being whole, by rename, and is checked file by file before it is used.
 */
#include "gate/core/arena.h"
#include "gate/core/sha256.h"

#include <stdbool.h>

#define BG_BUILT_COUNT_MAX 8
#define BG_BUILT_SIZE_MAX (UINT64_C(4) << 30) /* bytes of all entries together */
#define BG_BUILT_ENTRY_MAX (UINT64_C(2) << 30)
#define BG_BUILT_AGE_MAX_S (7L * 24 * 60 * 60) /* what a build downloads is not in its key */

struct bg_built_cache {
	const char *folder; /* absolute; NULL: closed */
	int lock_fd;	    /* shared while something is taken or kept */
	char key[BG_SHA256_TEXT_SIZE];
};

/* Opens the cache, made where it is missing. BG_E_SYSTEM: no place for it, or not private. */
BG_MUST_CHECK enum bg_status bg_built_open(struct bg_built_cache *ret,
					   const char key[BG_SHA256_TEXT_SIZE],
					   struct bg_arena *arena, struct bg_error *err);

enum bg_built_taken {
	BG_BUILT_ABSENT,
	BG_BUILT_DAMAGED, /* there was one, which was dropped: as good as absent */
	BG_BUILT_TAKEN,
};

/*
 * Makes tree what the kept build left, times included, and writes that build's log to log_fd. The
 * tree's own .git stays.
 * returns  BG_E_SYSTEM where copying failed half-way: the tree is then neither
 */
BG_MUST_CHECK enum bg_status bg_built_take(enum bg_built_taken *ret,
					   const struct bg_built_cache *cache, const char *tree,
					   int log_fd, struct bg_arena *arena,
					   struct bg_error *err);

/*
 * Keeps a built tree and its log.
 * *why_not  one line where it was not kept: its path is built in, it is too large, no space;
 *           NULL where it is kept
 */
void bg_built_keep(const struct bg_built_cache *cache, const char *tree, const char *log,
		   const char **why_not, struct bg_arena *arena);

/* Drops what is over the bounds, unless another command is using the cache. */
void bg_built_close(struct bg_built_cache *cache);
#endif
