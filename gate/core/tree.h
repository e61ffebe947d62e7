#ifndef BG_CORE_TREE_H
#define BG_CORE_TREE_H
/*
 * A child of ours with all its descendants, every thread of them: stopped, continued and killed as
 * one. Works on children that left their group (setsid, timeout) and on daemons, since we are their
 * subreaper: a process that appears among our own children while a tree runs is adopted by it.
 */
#include "gate/core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BG_TREE_MAX 4096 /* processes; a tree that grows past it cannot be stopped */
#define BG_ADOPTED_MAX 256

#define BG_FOREST_MAX 8
#define BG_FENCED_MAX 64

struct bg_tree;

/* The trees alive at the same time: tells whose an orphan cannot be. Zeroed to begin with. */
struct bg_forest {
	struct bg_tree *tree[BG_FOREST_MAX];
	size_t fenced_count;
	pid_t fenced[BG_FENCED_MAX]; /* children of ours that belong to nobody here */
};

/* Notes the children that live now: no tree of this forest will take them for its orphans. */
void bg_forest_fence(struct bg_forest *forest);

struct bg_tree {
	struct bg_forest *forest;
	pid_t root;	   /* our child, not yet waited for; 0 is an empty tree */
	bool root_stopped; /* by our last stop */
	size_t adopted_count;
	pid_t adopted[BG_ADOPTED_MAX]; /* orphans that came to us */
	size_t count;
	pid_t pid[BG_TREE_MAX]; /* as of the last listing; root first while it lives */
};

struct bg_tree_usage {
	uint64_t cpu_ns;  /* of living processes */
	uint64_t wait_ns; /* runnable and kept waiting, summed over threads */
	size_t task_count;
};

/*
 * root    a pid from bg_spawn
 * forest  borrowed; the tree joins it and leaves it in bg_tree_kill or bg_tree_leave
 */
void bg_tree_join(struct bg_tree *tree, pid_t root, struct bg_forest *forest);

/* Brings pid[] up to date; false past BG_TREE_MAX. */
bool bg_tree_list(struct bg_tree *tree);
/*
 * Stops every thread of every process; false where it did not come to rest within 200 ms (a fork
 * storm, or past BG_TREE_MAX). Cost: about 30 us for one process, 15 us for each further one.
 */
bool bg_tree_stop(struct bg_tree *tree);
/* Lets all of it run. */
void bg_tree_continue(struct bg_tree *tree);
/* What the living processes have used; after a stop it is at rest and therefore exact. */
void bg_tree_usage(struct bg_tree_usage *ret, const struct bg_tree *tree);
/*
 * Kills and reaps everything, the root included, and leaves the forest. Returns how many processes
 * besides the root were still alive. Takes at most 2 s. Safe on a zeroed tree. Set root to 0 first
 * where it was already waited for.
 */
size_t bg_tree_kill(struct bg_tree *tree);
#endif
