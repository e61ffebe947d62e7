#ifndef BG_BASELINES_FINGERPRINT_H
#define BG_BASELINES_FINGERPRINT_H
/*
 * The fingerprint of a machine, and the runner class: a hash of the part of it that decides how
 * fast a program runs and that stays as it is (design: section 5). A restart, the clock of the
 * moment, the host's name, load and batchgate's patch version change no class.
 */
#include "baselines/machine.h"
#include "gate/verdict/result.h"

/* "<arch>-<cores>c-<12 hex>", such as "x86_64-2c-0123456789ab": valid within a ref's name. */
#define BG_RUNNER_CLASS_MAX 64

struct bg_fingerprint {
	const char *runner_class;   /* never NULL */
	size_t count;		    /* of entries, sorted by name */
	struct bg_axis_text *entry; /* all of them: of the class and only recorded */
};

/* What a record says of a machine: entries as above, of this version or another one. */
struct bg_fingerprint_side {
	size_t count;
	const struct bg_axis_text *entry;
};

/* Owned by the arena. Never fails: what cannot be read is "unknown". Cost: bg_machine_read's. */
void bg_fingerprint_read(struct bg_fingerprint *ret, const struct bg_machine_source *source,
			 struct bg_arena *arena);

/* Whether an entry of this name is part of the class; false for names this version lacks. */
bool bg_fingerprint_in_class(const char *name);

/*
 * How two machines differ, a line each: "cpu: A, then B". Entries of the class come first; the
 * others end in " (recorded only)". Values are not yet made fit for a terminal.
 * returns lines, *ret_count of them (0: the same), owned by the arena
 */
const char **bg_fingerprint_explain(size_t *ret_count, const struct bg_fingerprint_side *then,
				    const struct bg_fingerprint_side *now, struct bg_arena *arena);
#endif
