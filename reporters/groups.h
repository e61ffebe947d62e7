#ifndef BG_REPORTERS_GROUPS_H
#define BG_REPORTERS_GROUPS_H
/*
 * Cells that share verdict and reason, told once: a thousand cells that lack the same thing are
 * one entry of a report.
 */
#include "gate/core/arena.h"
#include "gate/verdict/report.h"

enum bg_group_kind {
	BG_GROUP_SKIPPED,      /* what counts as skipped */
	BG_GROUP_NOT_COMPARED, /* passed without a ratio */
	BG_GROUP_NOT_JUDGED,   /* what the first line of a report counts so, red or not */
};

struct bg_group_entry {
	const struct bg_cell *cell;
	size_t rank; /* its place among the worst */
};

struct bg_group {
	const struct bg_group_entry *entries; /* worst first; at least one */
	size_t count;
};

/*
 * The groups of a kind, that of the worst cell first; returns how many, *ret is owned by the
 * arena. cost: O(cells log cells)
 */
size_t bg_groups_gather(struct bg_group **ret, const struct bg_report *report,
			enum bg_group_kind kind, struct bg_arena *arena);
bool bg_group_has_one_metric(const struct bg_group *group);
#endif
