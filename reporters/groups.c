#include "reporters/groups.h"

#include "gate/verdict/exit.h"

#include <stdlib.h>
#include <string.h>

static const char *reason_of(const struct bg_cell *cell)
{
	return cell->reason ? cell->reason : "";
}

static int by_reason(const void *a, const void *b)
{
	const struct bg_group_entry *x = a, *y = b;
	if (x->cell->verdict != y->cell->verdict)
		return (int)x->cell->verdict - (int)y->cell->verdict;
	int order = strcmp(reason_of(x->cell), reason_of(y->cell));
	return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Worst first again, by each group's first cell. */
static int by_rank(const void *a, const void *b)
{
	const struct bg_group *x = a, *y = b;
	return (x->entries->rank > y->entries->rank) - (x->entries->rank < y->entries->rank);
}

static bool belongs(const struct bg_cell *cell, enum bg_group_kind kind,
		    enum bg_comparison comparison)
{
	if (kind == BG_GROUP_NOT_JUDGED)
		return !bg_verdict_is_judged(cell->verdict);
	if (kind == BG_GROUP_SKIPPED)
		return cell->outcome == BG_OUTCOME_SKIPPED;
	/* A plain run's levels stand in their own table. */
	return cell->outcome == BG_OUTCOME_PASS && !cell->measured &&
	       !(cell->alone > 0 && comparison == BG_COMPARISON_NOTHING);
}

size_t bg_groups_gather(struct bg_group **ret, const struct bg_report *report,
			enum bg_group_kind kind, struct bg_arena *arena)
{
	struct bg_group_entry *entries = bg_arena_array(arena, report->cell_count, sizeof *entries);
	struct bg_group *groups = bg_arena_array(arena, report->cell_count, sizeof *groups);
	size_t count = 0, group_count = 0;
	for (size_t i = 0; i < report->cell_count; i++)
		if (belongs(report->worst_first[i], kind, report->result->comparison))
			entries[count++] = (struct bg_group_entry){ report->worst_first[i], i };
	qsort(entries, count, sizeof *entries, by_reason);
	for (size_t i = 0; i < count; i++) {
		const struct bg_cell *cell = entries[i].cell,
				     *first = group_count > 0
						      ? groups[group_count - 1].entries->cell
						      : NULL;
		if (!first || first->verdict != cell->verdict ||
		    strcmp(reason_of(first), reason_of(cell)) != 0)
			groups[group_count++] = (struct bg_group){ &entries[i], 0 };
		groups[group_count - 1].count++;
	}
	qsort(groups, group_count, sizeof *groups, by_rank);
	*ret = groups;
	return group_count;
}

bool bg_group_has_one_metric(const struct bg_group *group)
{
	for (size_t i = 1; i < group->count; i++)
		if (group->entries[i].cell->metric != group->entries[0].cell->metric)
			return false;
	return true;
}
