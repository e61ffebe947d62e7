#ifndef BG_SWEEPS_MATCH_H
#define BG_SWEEPS_MATCH_H
/*
 * Which case of base's suite each case of head's is: the one of the same name, else of a name it
 * had before (`aliases:` of head's suite). Definitions play no part: both arms run head's.
 */
#include "sweeps/case.h"

struct bg_match {
	const struct bg_case *head;
	const struct bg_case *base; /* NULL: only head has it */
	const char *old_name;	    /* one alias back; NULL where aliases: has none */
	/* Whose workload's margins are in force: base's, where only the workload is there another
	 * case of it; head's, where base has no such workload. The suite's own are base's. */
	const struct bg_case *policy;
};

struct bg_matches {
	size_t count; /* as many as head's cases, in their order */
	struct bg_match *of;
	bool *base_taken; /* by place in base's list: some case of head is it */
};

/*
 * suite  head's, which has the aliases
 * base   NULL where base has no suite
 * ret    owned by the arena, points into both lists
 * cost   O(cases) expected
 */
void bg_matches_make(struct bg_matches *ret, const struct bg_case_list *head,
		     const struct bg_case_list *base, const struct bg_suite *suite,
		     struct bg_arena *arena);

/*
 * What to write under aliases: so that a case of base which nothing matches would be compared:
 * "tokenizer-fast: tokenizer"; NULL where head has no new case of the same definition.
 */
struct bg_rename_hints {
	struct bg_name_map map; /* new cases of head by hash, with their places among the matches */
	const struct bg_matches *matches;
};
void bg_rename_hints_make(struct bg_rename_hints *ret, const struct bg_matches *matches,
			  struct bg_arena *arena);
const char *bg_rename_hint(const struct bg_rename_hints *hints, const struct bg_case *base,
			   struct bg_arena *arena);
#endif
