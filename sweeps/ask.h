#ifndef BG_SWEEPS_ASK_H
#define BG_SWEEPS_ASK_H
/* What a worker offers: one that is started to be asked for its list, and then leaves. */
#include "sweeps/case.h"
#include "sweeps/link.h"

/*
 * Each of start, hello and list may take start->timeout_s; start->forest is not used.
 * returns BG_E_INPUT or BG_E_SYSTEM in one line that names the worker; BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_catalogue_ask(struct bg_catalogue *ret,
					      const struct bg_link_start *start,
					      struct bg_arena *arena, struct bg_error *err);
/* The same of a live worker, which stays. */
BG_MUST_CHECK enum bg_status bg_catalogue_read(struct bg_catalogue *ret, struct bg_link *link,
					       double timeout_s, struct bg_arena *arena,
					       struct bg_error *err);
#endif
