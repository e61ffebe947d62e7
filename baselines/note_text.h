#ifndef BG_BASELINES_NOTE_TEXT_H
#define BG_BASELINES_NOTE_TEXT_H
/* The text of a note as a set of lines: put together, and sorted out. Pure. */
#include "gate/core/buffer.h"
#include "gate/wire/record.h"

/* A git host takes no blob past 100 MiB; half of that is refused already. */
#define BG_NOTE_SIZE_MAX ((size_t)50 << 20)
/* From here on a note makes every reader slow, which is said. */
#define BG_NOTE_SIZE_WARN ((size_t)5 << 20)

struct bg_note_text {
	const char *bytes;
	size_t size;
};

/*
 * Appends every line of the texts once, in the order in which they first come, each ended by LF.
 * Blank lines and CR at an end go. Returns how many lines only the last text has.
 * cost     O(n log n) comparisons of lines
 */
size_t bg_note_text_join(struct bg_buffer *out, const struct bg_note_text *texts, size_t count,
			 struct bg_arena *arena);

/* What the lines of notes were, besides records that serve. */
struct bg_note_faults {
	size_t bad;	     /* records that cannot be read, or are cut short */
	size_t other_schema; /* of another version of batchgate */
	size_t misplaced;    /* of another commit or class than the note's */
	size_t foreign;	     /* text that is not ours */
	const char *first;   /* what is wrong with the first bad one; NULL: none */
};

/* Whose a note is: what its records must say of themselves. */
struct bg_note_owner {
	const char *commit, *runner_class;
};

/* The records of a note: one a session, by run id. */
struct bg_note_records {
	size_t count;
	struct bg_record *records;
};

/*
 * The sessions of a note; their lines may come in any order and more than once. faults is added to,
 * and nothing else tells of lines that do not serve.
 */
void bg_note_text_read(struct bg_note_records *ret, const struct bg_note_text *text,
		       const struct bg_note_owner *owner, struct bg_note_faults *faults,
		       struct bg_arena *arena);
#endif
