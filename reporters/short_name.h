#ifndef BG_REPORTERS_SHORT_NAME_H
#define BG_REPORTERS_SHORT_NAME_H
/*
 * Case names without what all cases of their workload share: a sweep over batch and m says
 * "gemm: m=64,batch=8" for "gemm/engine=openblas,m=64,n=512,batch=8", and once what "gemm:" is.
 */
#include "gate/core/arena.h"
#include "gate/core/buffer.h"
#include "gate/verdict/report.h"

#define BG_SHORT_WORKLOADS_MAX 64 /* names of any further workload stay whole */

struct bg_short_workload {
	const char *name; /* the first case's; its workload is the part before '/' */
	size_t name_size; /* of that part, '/' included */
	size_t case_count;
	size_t common_count;
	const char **common; /* "n=512", in the first case's order */
	bool used;	     /* a name was shortened */
};

struct bg_short_names {
	size_t count;
	struct bg_short_workload workloads[BG_SHORT_WORKLOADS_MAX];
};

/* cells: count of them, those of one case side by side. cost: O(count x name length) */
void bg_short_names_init(struct bg_short_names *ret, const struct bg_cell *const *cells,
			 size_t count, struct bg_arena *arena);
/* Appends the short name, not yet visible text; the whole one where nothing is shared. */
void bg_short_names_add(struct bg_buffer *out, struct bg_short_names *names, const char *name);
/* One line a workload whose names were shortened: "gemm: is gemm/engine=openblas,n=512"
 */
void bg_short_names_explain(struct bg_buffer *out, const struct bg_short_names *names,
			    size_t width);
#endif
