#ifndef BG_SWEEPS_OFFER_H
#define BG_SWEEPS_OFFER_H
/* What the catalogue offers under one workload's word: an engine each, or nothing. */
#include "sweeps/case.h"

struct bg_offer {
	const char *word;
	const struct bg_catalogue *catalogue;
	size_t count;
	const struct bg_workload_info **infos; /* in the catalogue's order */
};

void bg_offer_find(struct bg_offer *ret, const char *word, const struct bg_catalogue *catalogue,
		   struct bg_arena *arena);
/* The engine's form of the workload, or NULL. */
const struct bg_workload_info *bg_offer_engine(const struct bg_offer *offer, const char *engine);
/* Why the engine's module is missing, or NULL where it is not. */
const char *bg_offer_missing(const struct bg_offer *offer, const char *engine);

/* The axis as one engine declares it, or NULL. */
const struct bg_axis_info *bg_info_axis(const struct bg_workload_info *info, const char *name);
/* The axis as the first engine that has it declares it, or NULL. */
const struct bg_axis_info *bg_offer_axis(const struct bg_offer *offer, const char *name);
/* True where the workload comes from named engines; a program's need not. */
bool bg_offer_has_engines(const struct bg_offer *offer);
/* True where `shape` can stand for m, n and k. */
bool bg_offer_has_shape(const struct bg_offer *offer);

/* Names for messages, each once: the axes of all engines; the engines; the missing modules. */
const char *const *bg_offer_axis_names(const struct bg_offer *offer, size_t *count,
				       struct bg_arena *arena);
const char *const *bg_offer_engine_names(const struct bg_offer *offer, size_t *count,
					 struct bg_arena *arena);
/* "; not available: onednn (reason)", or "". */
const char *bg_catalogue_missing_text(const struct bg_catalogue *catalogue, struct bg_arena *arena);
#endif
