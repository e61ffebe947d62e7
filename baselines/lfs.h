#ifndef BG_BASELINES_LFS_H
#define BG_BASELINES_LFS_H
/*
 * Git LFS: files of a checked-out tree that hold a pointer instead of their contents, because
 * git-lfs is not installed or the contents are not here.
 */
#include "gate/core/error.h"

#include <stddef.h>

/*
 * Counts pointers among the tracked files whose attribute filter is lfs.
 * returns  BG_E_SYSTEM, BG_E_INTERRUPTED
 * cost     one walk of the index by git; reads the first bytes of small files that git lists
 */
BG_MUST_CHECK enum bg_status bg_lfs_count_pointers(size_t *ret, const char *tree,
						   struct bg_error *err);
#endif
