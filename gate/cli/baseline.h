#ifndef BG_CLI_BASELINE_H
#define BG_CLI_BASELINE_H
/* What the actions of the baseline command share. */
#include "baselines/remote.h"
#include "baselines/store.h"
#include "gate/cli/command.h"

struct bg_baseline {
	const struct bg_repository *repository;
	const struct bg_remote *remote; /* NULL: none is configured, which list and show bear */
	const char *runner_class;	/* NULL: every class */
	const char *rev;		/* of show; NULL: HEAD */
	struct bg_arena *arena;
	struct bg_error *err;
	int code; /* of what was printed already */
};

enum bg_status bg_baseline_list(struct bg_baseline *baseline);
enum bg_status bg_baseline_show(struct bg_baseline *baseline);
#endif
