#ifndef BG_BASELINES_SWAP_H
#define BG_BASELINES_SWAP_H
/*
 * What a confirmation changes about where the arms lie: their paths are exchanged and executables
 * get new inodes, so that an effect of place does not repeat (design: section 1, Cores).
 */
#include "baselines/worktree.h"

/*
 * Exchanges the two trees' paths: afterwards trees->base holds head's files and the other way
 * round; once more brings them back. Not done (*remark says why, BG_OK, *swapped false) where a
 * file or a link in a tree names that tree: a program with such a path built in (rpath, virtual
 * environment) would run the other arm's code.
 *
 * cost     reads both trees once, at most 2 GiB each; where there is more, nothing is exchanged
 * returns  BG_E_SYSTEM
 */
BG_MUST_CHECK enum bg_status bg_worktrees_swap(const struct bg_worktrees *trees, bool *swapped,
					       const char **remark, struct bg_arena *arena,
					       struct bg_error *err);

/*
 * Gives a regular file below folder a new inode with the same bytes, mode and times. Anything else
 * is left alone, and so is a program with rights of its own (setuid, capabilities), one that cannot
 * be copied, and one that a link leads to: it may be the user's.
 */
void bg_file_renew(const char *folder, const char *path);
#endif
