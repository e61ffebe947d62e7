#include "gate/verdict/report.h"

#include <assert.h>

static const char *const names[BG_VERDICT_COUNT] = {
	[BG_NOT_WORSE] = "NOT_WORSE",
	[BG_IMPROVED] = "IMPROVED",
	[BG_UNCHANGED_BY_IDENTITY] = "UNCHANGED_BY_IDENTITY",
	[BG_NEW] = "NEW",
	[BG_REMOVED] = "REMOVED",
	[BG_SKIPPED] = "SKIPPED",
	[BG_INCONCLUSIVE] = "INCONCLUSIVE",
	[BG_UNSTABLE] = "UNSTABLE",
	[BG_MISTRUSTED] = "MISTRUSTED",
	[BG_NO_BASELINE] = "NO_BASELINE",
	[BG_BROKEN] = "BROKEN",
	[BG_REGRESSED] = "REGRESSED",
	[BG_INCORRECT] = "INCORRECT",
	[BG_FAILED] = "FAILED",
	[BG_SUSPICIOUS] = "SUSPICIOUS",
	[BG_MISSING] = "MISSING",
};

const char *bg_verdict_name(enum bg_verdict verdict)
{
	assert((size_t)verdict < BG_VERDICT_COUNT);
	return names[verdict];
}
