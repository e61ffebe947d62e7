#ifndef BG_BASELINES_STORED_BASE_H
#define BG_BASELINES_STORED_BASE_H
/*
 * Puts recorded sessions beside a result whose head ran alone, so that bg_decide can hold it to
 * them (gate/verdict/stored.h).
 */
#include "gate/wire/record.h"

struct bg_stored_base {
	size_t count; /* sessions of the base commit; 0: none */
	const struct bg_record *sessions;
	const char *none_why; /* one line where count is 0 */
	/*
	 * The name a case had before, asked again with the answer for the one before that; NULL
	 * ends it. MAY be NULL.
	 */
	const char *(*old_name)(const char *name, void *context);
	void *context;
	bool add_missing; /* cases that only the sessions have: false where a suite tells them */
	/* All sessions of the class known, in the order of history, for tau0. */
	size_t history_count;
	const struct bg_record *history;
};

/*
 * Turns every case that was measured on head alone (MEASURED, or NEW of a plain run) into one
 * compared with the base's sessions: by name or an earlier name, definition and kernel. A case that
 * no session has is NEW; one that only sessions have is MISSING, with add_missing. Sets
 * result->comparison to STORED. What the result points at is changed and grown in the arena. cost
 * O(cells x sessions x log)
 */
void bg_stored_base_attach(struct bg_result *result, const struct bg_stored_base *base,
			   struct bg_arena *arena);

/*
 * Why two machines' results are not comparable, one line; NULL where both have one runner class.
 * Owned by the arena.
 */
const char *bg_class_difference(const char *of_base, const char *of_head, struct bg_arena *arena);
#endif
