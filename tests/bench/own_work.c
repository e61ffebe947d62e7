/*
 * The gate's own work, for the project's own gate (batchgate.yml): one execution is one step.
 *
 *     own_work decide CELLS     decides, 24 launches a cell
 *     own_work suite WORKLOADS  reads a suite file and expands it, 10 cases a workload
 *     own_work junit CELLS      decides and writes a JUnit document
 *
 * Prints one line that depends on the work's result, so that none of it can be left out.
 */
#include "gate/core/buffer.h"
#include "gate/core/text.h"
#include "gate/verdict/decide.h"
#include "reporters/reporter.h"
#include "sweeps/case.h"
#include "tests/bench/synthetic_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 24

static struct bg_report *decide(size_t cells, struct bg_arena *arena)
{
	struct bg_result *result = bg_arena_alloc(arena, sizeof *result);
	struct bg_report *report = bg_arena_alloc(arena, sizeof *report);
	struct synthetic plan = { .case_count = cells,
				  .launches = LAUNCHES,
				  .seed = 1,
				  .sd = .006,
				  .slower_share = .01,
				  .slowdown = .05 };
	synthetic_result(result, &plan, arena);
	bg_decide(report, result, false, arena);
	return report;
}

static int own_decide(size_t cells, struct bg_arena *arena)
{
	const struct bg_report *report = decide(cells, arena);
	printf("%zu cells, %zu worse\n", report->cell_count, report->count[BG_REGRESSED]);
	return 0;
}

static int own_junit(size_t cells, struct bg_arena *arena)
{
	struct bg_report_view view = { .report = decide(cells, arena) };
	struct bg_error err = BG_ERROR_INIT;
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, (size_t)1 << 30);
	if (bg_reporter_find("junit")->write(&out, &view, &err) != BG_OK) {
		fprintf(stderr, "own_work: %s\n", err.text);
		return 1;
	}
	printf("%zu bytes, %016llx\n", out.size,
	       (unsigned long long)bg_hash(BG_HASH_INIT, out.bytes, out.size));
	return 0;
}

static int own_suite(size_t workloads, struct bg_arena *arena)
{
	struct bg_suite suite;
	struct bg_case_list cases;
	struct bg_error err = BG_ERROR_INIT;
	BG_AUTO(bg_buffer_release) struct bg_buffer text;
	bg_buffer_init(&text, BG_SUITE_SIZE_MAX);
	bg_buffer_text(&text, "suite: large\nworkloads:\n");
	for (size_t i = 0; i < workloads; i++)
		bg_buffer_format(&text,
				 "  - use: exec\n    name: work%zu\n    run: ./work --batch "
				 "{batch}\n    batch: 1..512 x2\n",
				 i);
	const struct bg_catalogue catalogue = { 0 };
	const struct bg_filter filter = { 0 };
	if (bg_suite_parse(&suite, text.bytes, text.size, "large.yml", arena, &err) != BG_OK ||
	    bg_cases_expand(&cases, &suite, &catalogue, &filter, arena, &err) != BG_OK) {
		fprintf(stderr, "own_work: %s\n", err.text);
		return 1;
	}
	printf("%zu cases, last %s\n", cases.count, cases.cases[cases.count - 1].name);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t count;
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	if (argc == 3 && bg_text_to_u64(&count, argv[2], 1, BG_CASES_MAX)) {
		if (strcmp(argv[1], "decide") == 0)
			return own_decide((size_t)count, &arena);
		if (strcmp(argv[1], "suite") == 0)
			return own_suite((size_t)count, &arena);
		if (strcmp(argv[1], "junit") == 0)
			return own_junit((size_t)count, &arena);
	}
	fprintf(stderr, "own_work decide|suite|junit COUNT\n");
	return 2;
}
