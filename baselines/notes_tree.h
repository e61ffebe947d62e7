#ifndef BG_BASELINES_NOTES_TREE_H
#define BG_BASELINES_NOTES_TREE_H
/*
 * The tree behind a notes reference, walked by ourselves: notes lie flat, under folders of two hex
 * digits of any depth, or both at once, and one commit may have several (libgit2 shows one of them,
 * git all). What is written always lies one folder deep: ab/cdef...
 */
#include "baselines/note_text.h"
#include "baselines/repository.h"

#define BG_NOTES_MAX 1000000

struct bg_notes_entry {
	const char *path;   /* in the tree */
	const char *commit; /* whose note it is, hex; NULL: something else, kept as it is */
	const char *object; /* of the blob, hex */
	unsigned mode;
};

struct bg_notes {
	const char *tip; /* commit, hex; NULL: there is no such reference, and no entry */
	size_t count;
	struct bg_notes_entry *entries; /* by commit, then path; what is no note comes first */
};

/*
 * What a reference holds. Contents of notes are not read.
 * returns BG_E_SYSTEM
 */
BG_MUST_CHECK enum bg_status bg_notes_read(struct bg_notes *ret,
					   const struct bg_repository *repository,
					   const char *reference, struct bg_arena *arena,
					   struct bg_error *err);

/* The entries of a commit: their number, the first in *ret. 0: none. */
size_t bg_notes_find(const struct bg_notes_entry **ret, const struct bg_notes *notes,
		     const char *commit);

/*
 * The contents of one note. In a partial clone git may have to fetch it.
 * returns BG_E_SYSTEM where it is not there or has more than BG_NOTE_SIZE_MAX
 */
BG_MUST_CHECK enum bg_status bg_notes_text(struct bg_note_text *ret,
					   const struct bg_repository *repository,
					   const struct bg_notes_entry *entry,
					   struct bg_arena *arena, struct bg_error *err);

/* Lines to add to a commit's note. */
struct bg_notes_addition {
	const char *commit;
	struct bg_note_text text;
};

struct bg_notes_write {
	const struct bg_repository *repository;
	const struct bg_notes *on; /* what it builds on */
	size_t count;
	const struct bg_notes_addition *additions; /* by commit; a commit may come again */
	const char *author, *email, *message;
};

/*
 * Makes a commit of the old notes and the additions, its parent being on->tip; moves no reference.
 * *ret_commit  hex; NULL where every line is there already, and nothing was made
 * *ret_large   commit of a note that passes BG_NOTE_SIZE_WARN; NULL: none
 * returns      BG_E_SYSTEM, also where a note would pass BG_NOTE_SIZE_MAX
 */
BG_MUST_CHECK enum bg_status bg_notes_write(const char **ret_commit, const char **ret_large,
					    const struct bg_notes_write *write,
					    struct bg_arena *arena, struct bg_error *err);
#endif
