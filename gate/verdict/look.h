#ifndef BG_VERDICT_LOOK_H
#define BG_VERDICT_LOOK_H
/*
 * The looks, replayed in order from the data. A look opens at 6, 10, 16 and 24 launches of a cell;
 * what it decides stays decided, whatever later launches bring; but a NOT_WORSE that is likely an
 * improvement may still become one.
 */
#include "gate/core/arena.h"
#include "gate/verdict/standing.h"

/*
 * One standing for each series of each measured case, in the result's order.
 * returns  how many; *ret is owned by the arena
 * cost     O(cells x looks x launches^2) with a small constant: .1 s for 10,000 cells of 24
 */
size_t bg_looks_replay(struct bg_standing **ret, const struct bg_result *result,
		       struct bg_arena *arena);

/* Launches spent on telling IMPROVED from a proved NOT_WORSE, at most: a look. */
#define BG_LOOK_IMPROVED_MAX 16

/* Launches of the first look beyond `launches`; 0 where the last was taken. */
unsigned bg_look_next(unsigned launches);
#endif
