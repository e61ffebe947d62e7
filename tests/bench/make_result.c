/*
 * Writes a result of many cells, drawn from a seed: make_result PATH CASES LAUNCHES PAIRS [SEED].
 * The gate's own benchmark and `make bench` decide and report from it.
 */
#include "gate/core/text.h"
#include "gate/wire/result_file.h"
#include "tests/bench/synthetic_result.h"

#include <stdio.h>

static bool read_count(uint64_t *ret, const char *text, uint64_t min, uint64_t max)
{
	if (bg_text_to_u64(ret, text, min, max))
		return true;
	fprintf(stderr, "make_result: %s is not an integer of %llu to %llu\n", text,
		(unsigned long long)min, (unsigned long long)max);
	return false;
}

int main(int argc, char **argv)
{
	uint64_t cases, launches, pairs, seed = 1;
	if (argc < 5 || argc > 6) {
		fprintf(stderr, "usage: make_result PATH CASES LAUNCHES PAIRS [SEED]\n");
		return 2;
	}
	if (!read_count(&cases, argv[2], 1, BG_CASES_MAX) ||
	    !read_count(&launches, argv[3], 1, BG_LAUNCHES_MAX) ||
	    !read_count(&pairs, argv[4], 0, BG_PAIRS_MAX) ||
	    (argc == 6 && !read_count(&seed, argv[5], 0, UINT64_MAX)))
		return 2;
	struct synthetic plan = { .case_count = cases,
				  .launches = (unsigned)launches,
				  .pairs = (unsigned)pairs,
				  .seed = seed,
				  .sd = .006,
				  .slower_share = .01,
				  .slowdown = .05 };
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct bg_result result;
	synthetic_result(&result, &plan, &arena);
	struct bg_error err = BG_ERROR_INIT;
	if (bg_result_write(&result, argv[1], &err) == BG_OK)
		return 0;
	fprintf(stderr, "make_result: %s\n", err.text);
	return 4;
}
