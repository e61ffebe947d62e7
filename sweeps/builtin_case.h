#ifndef BG_SWEEPS_BUILTIN_CASE_H
#define BG_SWEEPS_BUILTIN_CASE_H
/* An entry against what the workers offer under its word: of a built-in, or of its own worker. */
#include "sweeps/offer.h"

/* One engine of an entry: either one that can run, or the reason why its cases are skipped. */
struct bg_engine_choice {
	const char *name;
	const struct bg_workload_info *info; /* NULL: skipped */
	const char *skip;
};

struct bg_builtin {
	struct bg_offer offer;
	bool engine_in_name; /* named by the suite */
	bool splits_shape;   /* axis shape is MxNxK in place of m, n and k */
	size_t engine_count;
	struct bg_engine_choice *engines;
	size_t axis_count; /* the entry's, engine taken out, shape as m, n and k */
	struct bg_axis *axes;
};

/*
 * Checks an entry: workload, engines, axes and every value, canonical spelling included.
 * returns BG_E_INPUT with file:line:column
 */
BG_MUST_CHECK enum bg_status bg_builtin_resolve(struct bg_builtin *ret,
						const struct bg_suite *suite,
						const struct bg_workload_entry *entry,
						const struct bg_catalogue *catalogue,
						struct bg_arena *arena, struct bg_error *err);

/*
 * Why an engine cannot run a known value ("engine openblas has no dtype bf16"); NULL where it can.
 * For axes that the engine lacks as well.
 */
const char *bg_builtin_skip(const struct bg_builtin *builtin, const struct bg_engine_choice *engine,
			    const struct bg_axis_text *chosen, struct bg_arena *arena);
#endif
