#ifndef BG_MEMORY_TEAM_H
#define BG_MEMORY_TEAM_H
/*
 * Threads that share each round of work: one a core, pinned; asleep between rounds, so that the
 * other side of a comparison has the cores to itself.
 */
#include "workloads/workload.h"

struct bg_team;

/*
 * Member 0 is the calling thread, which is pinned as well until the team is freed; the others are
 * started here.
 * ret    goes to bg_team_free whatever the answer
 * count  1 or more; UNSUPPORTED where the process may use fewer cores
 */
enum bg_answer bg_team_new(struct bg_team **ret, size_t count, struct bg_why *why);

/* Every member calls part(context, its index) once; returns when all have. From member 0 only. */
void bg_team_do(struct bg_team *team, void (*part)(void *context, size_t index), void *context);

/* NULL and a half-made one are fine. */
void bg_team_free(struct bg_team *team);
#endif
