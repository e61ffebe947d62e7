#ifndef BG_BASELINES_STORE_H
#define BG_BASELINES_STORE_H
/*
 * The records of one class of machines, as this clone sees them: those of the local mirror of the
 * configured remote, and those that wait in the spool. Nothing here reaches the remote. The time in
 * a record never decides anything: order is by history.
 */
#include "baselines/notes_tree.h"
#include "baselines/spool.h"

/* How far back a baseline may lie, in first parents. */
#define BG_STORE_ANCESTORS_MAX 50

struct bg_store_name {
	const char *remote;	  /* name of a configured remote; NULL: the spool alone */
	const char *runner_class; /* valid */
};

struct bg_store {
	const struct bg_repository *repository;
	const char *runner_class;
	const char *mirror; /* reference; NULL: none */
	struct bg_notes notes;
	struct bg_spool spool; /* of every class */
	size_t commit_count;
	const char **commits; /* that have a note or a waiting record, by id */
};

/*
 * Borrows repository. Notes are listed, not read: cost is that of the tree.
 * returns BG_E_SYSTEM
 */
BG_MUST_CHECK enum bg_status bg_store_open(struct bg_store *ret,
					   const struct bg_repository *repository,
					   const struct bg_store_name *name, struct bg_arena *arena,
					   struct bg_error *err);

/*
 * The classes that have records here, sorted, each once.
 * remote   NULL: of the spool alone
 */
BG_MUST_CHECK enum bg_status bg_store_classes(const char ***ret, size_t *ret_count,
					      const struct bg_repository *repository,
					      const char *remote, struct bg_arena *arena,
					      struct bg_error *err);

struct bg_store_sessions {
	size_t count;
	struct bg_record *records; /* by run id */
	bool *waiting;		   /* of each: only in the spool */
	struct bg_note_faults faults;
};

/* Every session of a commit; none is no fault. BG_E_SYSTEM. */
BG_MUST_CHECK enum bg_status bg_store_read(struct bg_store_sessions *ret,
					   const struct bg_store *store, const char *commit,
					   struct bg_arena *arena, struct bg_error *err);

/* Which sessions may serve as a baseline. */
struct bg_store_query {
	const char *commit;
	const char *tree; /* of the commit; NULL unknown */
	const char *suite;
};

enum bg_store_way {
	BG_STORE_NONE,
	BG_STORE_EXACT,	   /* recorded for the commit itself */
	BG_STORE_TREE,	   /* for commits with the same tree: squashed, rebased */
	BG_STORE_ANCESTOR, /* for the nearest first parent that has any */
};

struct bg_store_found {
	enum bg_store_way way;
	const char *commit; /* whose records they are, the first of several; NULL for NONE */
	size_t distance;    /* ANCESTOR: first parents back, 1 .. BG_STORE_ANCESTORS_MAX */
	/*
	 * "recorded for 0123456789ab", "same tree as ...", "nearest ancestor with a record,
	 * ..., 3 commits back"; for NONE why, with what to do
	 */
	const char *how;
	bool cut; /* NONE: history ends in this clone, so there may be one: unknown is not none */
	size_t count;
	struct bg_record *records; /* of the suite, none of a dirty head; by run id */
};

/*
 * Looks in that order: the commit, its tree, its first parents. That there is none is no fault.
 * returns  BG_E_UNJUDGED where a note that counts has a record that cannot be read; BG_E_SYSTEM
 * cost     with a tree, reads the notes of commits that are not in this clone
 */
BG_MUST_CHECK enum bg_status bg_store_find(struct bg_store_found *ret, const struct bg_store *store,
					   const struct bg_store_query *query,
					   struct bg_arena *arena, struct bg_error *err);

struct bg_store_history {
	size_t count;
	struct bg_record *records; /* newest commit first, a commit's own by run id */
	struct bg_note_faults faults;
	bool cut; /* as in struct bg_ancestry */
};

/*
 * All sessions of a suite on a commit and its first parents, none of a dirty head.
 * query->tree      not looked at
 * commits_max      how many commits to look at
 */
BG_MUST_CHECK enum bg_status bg_store_history_read(struct bg_store_history *ret,
						   const struct bg_store *store,
						   const struct bg_store_query *query,
						   size_t commits_max, struct bg_arena *arena,
						   struct bg_error *err);
#endif
