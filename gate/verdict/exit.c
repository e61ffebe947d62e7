#include "gate/verdict/exit.h"

enum bg_outcome bg_outcome_of(enum bg_verdict verdict, bool strict, bool doubtful)
{
	switch (verdict) {
	case BG_NOT_WORSE:
	case BG_IMPROVED:
	case BG_UNCHANGED_BY_IDENTITY:
	case BG_NEW:
	case BG_REMOVED:
		return BG_OUTCOME_PASS;
	case BG_SKIPPED:
		return BG_OUTCOME_SKIPPED;
	case BG_INCONCLUSIVE:
	case BG_UNSTABLE:
	case BG_MISTRUSTED:
		return strict || doubtful ? BG_OUTCOME_ERROR : BG_OUTCOME_SKIPPED;
	case BG_NO_BASELINE:
	case BG_BROKEN:
		return BG_OUTCOME_ERROR;
	case BG_REGRESSED:
	case BG_INCORRECT:
	case BG_FAILED:
	case BG_SUSPICIOUS:
	case BG_MISSING:
	case BG_VERDICT_COUNT:
		break;
	}
	return BG_OUTCOME_FAILURE;
}

bool bg_verdict_is_judged(enum bg_verdict verdict)
{
	return verdict != BG_INCONCLUSIVE && verdict != BG_UNSTABLE && verdict != BG_MISTRUSTED &&
	       verdict != BG_NO_BASELINE && verdict != BG_BROKEN && verdict != BG_SKIPPED;
}

void bg_report_count(struct bg_report *report)
{
	size_t with[BG_OUTCOME_FAILURE + 1] = { 0 };
	for (size_t i = 0; i < report->cell_count; i++) {
		const struct bg_cell *cell = &report->cells[i];
		report->count[cell->verdict]++;
		with[cell->outcome]++;
		*(bg_verdict_is_judged(cell->verdict) ? &report->judged : &report->not_judged) += 1;
	}
	/* A new cell passes in JUnit, but --strict wants it recorded before it is let through. */
	bool undeclared = report->strict && report->count[BG_NEW] + report->count[BG_REMOVED] > 0;
	if (with[BG_OUTCOME_FAILURE] > 0)
		report->exit_code = 1;
	else if (with[BG_OUTCOME_ERROR] > 0 || undeclared || report->judged == 0)
		report->exit_code = 3;
	static const char *const words[] = { "pass", "regression", "indeterminate",
					     "indeterminate" };
	report->verdict = words[report->exit_code];
}
