#ifndef BG_BASELINES_BUILT_SHELF_H
#define BG_BASELINES_BUILT_SHELF_H
/*
 * The folder of kept builds: what is in it, and what has to go. An entry is named by 64 hex digits;
 * drafts and what is being dropped have other names, and mean nothing once nobody is at work.
 */
#include "gate/core/arena.h"

#define BG_SHELF_LOCK "lock"
#define BG_SHELF_DRAFT "draft-"
/* In each entry. */
#define BG_SHELF_TREE "tree"
#define BG_SHELF_LISTING "listing"
#define BG_SHELF_LOG "log"

/* Takes an entry away in one step, then removes it. */
void bg_shelf_drop(const char *folder, const char *key, struct bg_arena *arena);

/*
 * Removes drafts, entries that are too old, and the least recently used beyond the bounds
 * (built_cache.h). The caller holds the lock alone.
 */
void bg_shelf_tidy(const char *folder, struct bg_arena *arena);
#endif
