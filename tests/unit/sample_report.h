#ifndef BG_TESTS_SAMPLE_REPORT_H
#define BG_TESTS_SAMPLE_REPORT_H
/* A report made by hand, cell by cell, for the reporters' tests: they must not depend on the rule.
 */
#include "gate/core/arena.h"
#include "gate/verdict/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sample {
	struct bg_arena arena;
	struct bg_result result;
	struct bg_report report;
	size_t capacity;
};

static inline void sample_init(struct sample *sample)
{
	*sample = (struct sample){ .arena = BG_ARENA_INIT };
	sample->result = (struct bg_result){
		.suite = "smoke",
		.suite_file = "batchgate.yml",
		.program = "batchgate 0.1.0",
		.seed = 1,
		.base = { .commit = "1111111111111111111111111111111111111111",
			  .subject = "Add the cache",
			  .how = "first parent of HEAD" },
		.head = { .commit = "2222222222222222222222222222222222222222",
			  .subject = "Rewrite the tokenizer",
			  .how = "HEAD",
			  .dirty = true },
		.started_utc = "2026-12-01T03:48:21",
		.seconds = 84.2,
		.budget_s = 300,
		.launches = 24,
		.runner_class_why = "fingerprints are not recorded yet",
		.machine = "Intel Xeon, 2 CPUs, case on CPU 1",
	};
	sample->report = (struct bg_report){
		.result = &sample->result,
		.verdict = "pass",
		.sentence = "no cell got worse",
		.error_budget = .05,
	};
}

static inline void sample_release(struct sample *sample)
{
	bg_arena_release(&sample->arena);
}

static inline enum bg_outcome sample_outcome(enum bg_verdict verdict)
{
	return verdict >= BG_REGRESSED	   ? BG_OUTCOME_FAILURE
	       : verdict >= BG_NO_BASELINE ? BG_OUTCOME_ERROR
	       : verdict >= BG_SKIPPED	   ? BG_OUTCOME_SKIPPED
					   : BG_OUTCOME_PASS;
}

/* The cell added, to be changed by the caller before sample_finish; valid until the next one. */
static inline struct bg_cell *sample_cell(struct sample *sample, const char *name,
					  enum bg_verdict verdict, double effect)
{
	struct bg_arena *arena = &sample->arena;
	struct bg_case_result *of = bg_arena_alloc(arena, sizeof *of);
	const char *slash = strchr(name, '/');
	*of = (struct bg_case_result){
		.name = bg_arena_text(arena, name),
		.workload = slash ? bg_arena_bytes(arena, name, (size_t)(slash - name))
				  : bg_arena_text(arena, name),
		.hash = "0123456789abcdef",
		.file = "batchgate.yml",
		.line = 7,
		.turns = "4 ms",
		.turn_tax = .04,
		.cpus = "1",
		.cpus_why = "the probe never used two CPUs at once",
	};
	bool measured = verdict == BG_NOT_WORSE || verdict == BG_IMPROVED ||
			verdict == BG_INCONCLUSIVE || verdict == BG_UNSTABLE ||
			verdict == BG_REGRESSED;
	sample->report.cells = bg_arena_grow(arena, sample->report.cells, sample->report.cell_count,
					     &sample->capacity, sizeof *sample->report.cells);
	struct bg_cell *cell = &sample->report.cells[sample->report.cell_count++];
	*cell = (struct bg_cell){
		.of = of,
		.metric = BG_METRIC_TIME,
		.verdict = verdict,
		.outcome = sample_outcome(verdict),
		.measured = measured,
		.effect = effect,
		.low = effect - .012,
		.high = effect + .012,
		.margin = .02,
		.floor = 1e-6,
		.mde = .011,
		.launches = 10,
		.base = .1012,
		.head = .1012 * (1 + effect),
		.items_per_s = 158,
	};
	if (measured)
		cell->sentence = bg_arena_format(arena,
						 "time %+.1f %% (%+.1f..%+.1f), limit 2 %%, "
						 "10 launches",
						 100 * effect, 100 * cell->low, 100 * cell->high);
	else
		cell->reason = "because the test says so";
	return cell;
}

static inline int sample_worse(const void *a, const void *b)
{
	const struct bg_cell *x = *(const struct bg_cell *const *)a;
	const struct bg_cell *y = *(const struct bg_cell *const *)b;
	if (x->verdict != y->verdict)
		return (int)y->verdict - (int)x->verdict;
	if (x->measured && x->effect != y->effect)
		return x->effect < y->effect ? 1 : -1;
	return (x > y) - (x < y);
}

static inline void sample_finish(struct sample *sample)
{
	struct bg_report *report = &sample->report;
	report->worst_first =
		bg_arena_array(&sample->arena, report->cell_count, sizeof *report->worst_first);
	for (size_t i = 0; i < report->cell_count; i++) {
		const struct bg_cell *cell = &report->cells[i];
		report->worst_first[i] = cell;
		report->count[cell->verdict]++;
		if (cell->verdict >= BG_SKIPPED && cell->verdict < BG_REGRESSED)
			report->not_judged++;
		else
			report->judged++;
		if (cell->outcome == BG_OUTCOME_FAILURE)
			report->exit_code = 1;
		else if (cell->outcome == BG_OUTCOME_ERROR && report->exit_code == 0)
			report->exit_code = 3;
	}
	qsort(report->worst_first, report->cell_count, sizeof *report->worst_first, sample_worse);
	if (report->exit_code == 1) {
		report->verdict = "regression";
		report->sentence = "at least one cell got worse";
	} else if (report->exit_code == 3) {
		report->verdict = "indeterminate";
		report->sentence = "not every cell could be judged";
	}
}
#endif
