#ifndef BG_SWEEPS_COMMAND_H
#define BG_SWEEPS_COMMAND_H
/*
 * Commands: a list of words, or a string split by shell quoting only ('..', "..", backslash).
 * There is no shell: what would need one is an error that names the cure.
 */
#include "gate/verdict/result.h" /* bg_axis_text */
#include "sweeps/node.h"

#define BG_COMMAND_SIZE_MAX ((size_t)64 << 10) /* bytes of all words, each with its NUL */

struct bg_command_words {
	size_t count;	    /* at least 1, the first not empty */
	const char **words; /* NULL-terminated, owned by the arena */
};

/* Reads a command; what names its key ("run", "build"). Braces are left as they are. */
BG_MUST_CHECK enum bg_status bg_command_read(struct bg_command_words *ret,
					     const struct bg_node *node, const char *what,
					     struct bg_error *err);

/* Splits one string. BG_E_INPUT without a place. */
BG_MUST_CHECK enum bg_status bg_command_split(struct bg_command_words *ret, const char *text,
					      struct bg_arena *arena, struct bg_error *err);

/* A stretch of a word: literal text, or an axis's name that stood in braces. Borrowed from it. */
struct bg_command_piece {
	bool is_axis;
	const char *text;
	size_t size;
};

/*
 * Takes the next piece of a word and moves *rest behind it; "{{" and "}}" are one brace each.
 * returns  false at the end of the word, and (with *rest not at its end) at a brace that has no
 *          meaning
 */
bool bg_command_next(struct bg_command_piece *ret, const char **rest);

/*
 * Replaces {axis} in count words by the values of axes. The words have passed bg_command_next and
 * each axis they name is there (asserted).
 * returns  BG_E_INPUT without a place where the result is over BG_COMMAND_SIZE_MAX
 */
BG_MUST_CHECK enum bg_status bg_command_fill(const char *const **ret,
					     const struct bg_command_words *command,
					     const struct bg_axis_text *axes, size_t axis_count,
					     struct bg_arena *arena, struct bg_error *err);

/*
 * The words as one line for people, quoted where a shell would need it; control characters as
 * \xNN. Owned by the arena.
 */
const char *bg_command_text(const char *const *words, size_t count, struct bg_arena *arena);
#endif
