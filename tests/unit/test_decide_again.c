#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/verdict/decide.h"
#include "gate/wire/result_file.h"
#include "reporters/reporter.h"
#include "tests/bench/synthetic_result.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* All three reports of a result, one after the other. */
static char *reports_of(const struct bg_result *result, bool strict, struct bg_arena *arena)
{
	struct bg_report report;
	bg_decide(&report, result, strict, arena);
	struct bg_report_view view = { .report = &report, .exit_code = report.exit_code };
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, (size_t)1 << 28);
	struct bg_error err = BG_ERROR_INIT;
	for (size_t i = 0; i < bg_reporter_count; i++)
		assert_int_equal(bg_reporters[i]->write(&out, &view, &err), BG_OK);
	return bg_arena_bytes(arena, out.bytes, out.size);
}

static void again_from_the_file_gives_the_same_bytes(const struct bg_result *result,
						     struct bg_arena *arena)
{
	char path[64];
	struct bg_result read;
	struct bg_error err = BG_ERROR_INIT;
	snprintf(path, sizeof path, "/tmp/batchgate-test-again-%d.json", (int)getpid());
	assert_int_equal(bg_result_write(result, path, &err), BG_OK);
	assert_int_equal(bg_result_read(&read, path, arena, &err), BG_OK);
	unlink(path);
	for (int strict = 0; strict < 2; strict++)
		assert_string_equal(reports_of(result, strict, arena),
				    reports_of(&read, strict, arena));
}

static void measured_cells_are_decided_again_byte_for_byte(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
		struct synthetic plan = { .case_count = 30,
					  .launches = (unsigned)(5 * seed),
					  .pairs = 3,
					  .seed = seed,
					  .sd = .004 * (double)seed,
					  .slower_share = .2,
					  .slowdown = .05 };
		struct bg_result result;
		synthetic_result(&result, &plan, &arena);
		again_from_the_file_gives_the_same_bytes(&result, &arena);
	}
}

static void every_state_and_odd_datum_is_decided_again_byte_for_byte(void **state)
{
	(void)state;
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct synthetic plan = {
		.case_count = BG_CASE_UNMEASURED + 4, .launches = 10, .seed = 1, .sd = .006
	};
	struct bg_result result;
	synthetic_result(&result, &plan, &arena);
	for (size_t i = 0; i <= BG_CASE_UNMEASURED; i++) {
		result.cases[i].state = (enum bg_case_state)i;
		result.cases[i].series_count = i == BG_CASE_MEASURED;
	}
	struct bg_case_result *odd = &result.cases[BG_CASE_UNMEASURED + 1];
	odd[0].series->judge[3] = (struct bg_datum){ (double)INFINITY, 0, .1 };
	odd[1].series->judge[0].x = (double)NAN;
	odd[2].series->metric = BG_METRIC_HOST_PEAK;
	for (size_t i = 0; i < 10; i++)
		odd[2].series->judge[i] = (struct bg_datum){ (double)NAN, 0, i < 5 ? 0 : 9e6 };
	again_from_the_file_gives_the_same_bytes(&result, &arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measured_cells_are_decided_again_byte_for_byte),
		cmocka_unit_test(every_state_and_odd_datum_is_decided_again_byte_for_byte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
