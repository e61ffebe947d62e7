#ifndef BG_TESTS_RECORD_RESULT_H
#define BG_TESTS_RECORD_RESULT_H
/* A small result that can be recorded. */
#include "gate/wire/record.h"

#include <math.h>

#define RECORD_COMMIT "0123456789abcdef0123456789abcdef01234567"
#define RECORD_TREE "89abcdef0123456789abcdef0123456789abcdef"
#define RECORD_PARENT "fedcba9876543210fedcba9876543210fedcba98"
#define RECORD_RUN "00112233445566778899aabbccddeeff"
#define RECORD_CLASS "c1-x86_64"

/* cases of one series (time) each, of launches launches; names are case/0, case/1, ... */
static inline struct bg_result record_result(size_t cases, size_t launches, struct bg_arena *arena)
{
	static struct bg_axis_text machine[] = { { "cpu.model", "Some CPU @ 2.0 GHz" },
						 { "cpu.cores", "2" } };
	struct bg_result result = {
		.suite = "smoke",
		.program = "batchgate 0.1.0",
		.head = { .commit = RECORD_COMMIT,
			  .tree = RECORD_TREE,
			  .parent = RECORD_PARENT,
			  .branch = "main" },
		.started_utc = "2026-12-01T03:48:21",
		.runner_class = RECORD_CLASS,
		.fingerprint_count = 2,
		.fingerprint = machine,
		.case_count = cases,
	};
	result.cases = bg_arena_array(arena, cases, sizeof *result.cases);
	for (size_t i = 0; i < cases; i++) {
		struct bg_case_result *of = &result.cases[i];
		of->name = bg_arena_format(arena, "case/%zu", i);
		of->hash = "0011223344556677";
		of->state = BG_CASE_MEASURED;
		of->series_count = 1;
		of->series = bg_arena_alloc(arena, sizeof *of->series);
		of->series->metric = BG_METRIC_TIME;
		of->series->judge_count = launches;
		of->series->judge = bg_arena_array(arena, launches, sizeof(struct bg_datum));
		for (size_t k = 0; k < launches; k++)
			of->series->judge[k].head = exp((double)(i % 100) + .001 * (double)k);
	}
	return result;
}
#endif
