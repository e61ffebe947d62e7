#ifndef BG_VERDICT_STORED_H
#define BG_VERDICT_STORED_H
/*
 * Head's session against sessions recorded earlier, where no base arm runs beside it (design:
 * section 4, "Against stored sessions"). Pure.
 */
#include "gate/core/arena.h"
#include "gate/verdict/standing.h"

/* Sessions of a runner class below which its noise is not known. */
#define BG_STORED_SESSIONS_MIN 5

/*
 * One standing for each series of each measured case that is no advisory metric, in the result's
 * order. With x head's level and m the mean of k base levels, all ln:
 *   tau^2 = max((4 tau0^2 + sum (level_i - m)^2) / (k + 3), variance within those sessions)
 *   SE^2  = tau^2 (1 + 1/k) + variance of head / launches
 * and Student's t with k + 3 degrees of freedom, one look: 5 % a suite for worse, 1 % a cell for
 * not worse. NO_BASELINE where there is no session to compare with, or tau0 is unknown; the effect
 * is there wherever there is a session.
 * returns  how many; *ret is owned by the arena
 */
size_t bg_stored_judge(struct bg_standing **ret, const struct bg_result *result,
		       struct bg_arena *arena);

/* One line: why the cell was not decided; NULL where it was. */
const char *bg_stored_reason(const struct bg_standing *standing, struct bg_arena *arena);
#endif
