#ifndef BG_TESTS_DECIDE_FIXTURE_H
#define BG_TESTS_DECIDE_FIXTURE_H
/* One case with one series, and what is decided about it. */
#include "tests/unit/verdict_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

struct fixture {
	struct bg_arena arena;
	struct bg_result result;
	struct bg_report report;
};

static inline int begin(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	*state = fixture;
	return fixture ? 0 : -1;
}

static inline int end(void **state)
{
	struct fixture *fixture = *state;
	bg_arena_release(&fixture->arena);
	free(fixture);
	return 0;
}

static inline struct bg_series *one_series(struct fixture *fixture, enum bg_metric metric)
{
	data_suite(&fixture->result, 1, &fixture->arena);
	return data_series(&fixture->result.cases[0], metric, &fixture->arena);
}

static inline const struct bg_cell *decided(struct fixture *fixture)
{
	bg_decide(&fixture->report, &fixture->result, false, &fixture->arena);
	assert_int_equal(fixture->report.cell_count, 1);
	return &fixture->report.cells[0];
}

static inline void assert_verdict(const struct bg_cell *cell, enum bg_verdict verdict)
{
	if (cell->verdict != verdict)
		fail_msg("%s, wanted %s: %s", bg_verdict_name(cell->verdict),
			 bg_verdict_name(verdict), cell->sentence);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
#endif
