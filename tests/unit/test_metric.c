#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/verdict/report.h"

#include <string.h>

static void every_metric_is_found_by_its_own_name_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < BG_METRIC_COUNT; i++) {
		const struct bg_metric_info *info = bg_metric_info((enum bg_metric)i);
		assert_non_null(info->name);
		assert_int_equal(bg_metric_find(info->name), i);
	}
	assert_int_equal(bg_metric_find("time.p50"), BG_METRIC_COUNT);
	assert_int_equal(bg_metric_find(""), BG_METRIC_COUNT);
	assert_int_equal(bg_metric_find("tim"), BG_METRIC_COUNT);
}

static void only_discrete_metrics_have_a_quantum(void **state)
{
	(void)state;
	for (size_t i = 0; i < BG_METRIC_COUNT; i++) {
		const struct bg_metric_info *info = bg_metric_info((enum bg_metric)i);
		assert_true(info->discrete == (info->quantum > 0));
		assert_true(info->discrete == (strcmp(info->unit, "bytes") == 0));
		assert_true(info->margin > 0 && info->margin < 1 && info->floor >= 0);
	}
}

struct row {
	const char *name, *unit;
	double margin, floor;
	bool judged, advisory;
};

/* The table of the design, section 2. */
static const struct row table[] = {
	{ "time", "s", 0.02, 1e-6, true, false },
	{ "time.mean", "s", 0.05, 1e-6, true, true },
	{ "latency.p50", "s", 0.03, 1e-6, false, false },
	{ "latency.p90", "s", 0.05, 1e-6, false, false },
	{ "latency.p99", "s", 0.15, 1e-6, false, false },
	{ "memory.host_peak", "bytes", 0.01, 1048576, true, false },
	{ "memory.device_peak", "bytes", 0.01, 1048576, true, false },
	{ "energy.per_item", "J", 0.03, 0, false, false },
	{ "power.mean", "W", 0.03, 0, false, false },
	{ "setup", "s", 0.10, 1e-3, false, false },
	{ "start", "s", 0.10, 1e-3, false, false },
	{ "io.read", "bytes", 0.01, 65536, false, false },
	{ "io.write", "bytes", 0.01, 65536, false, false },
};

static void margins_floors_and_defaults_are_those_documented(void **state)
{
	(void)state;
	assert_int_equal(sizeof table / sizeof *table, BG_METRIC_COUNT);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct bg_metric_info *info = bg_metric_info(bg_metric_find(table[i].name));
		assert_string_equal(info->unit, table[i].unit);
		assert_true(info->margin == table[i].margin);
		assert_true(info->floor == table[i].floor);
		assert_true(info->judged == table[i].judged);
		assert_true(info->advisory == table[i].advisory);
	}
}

static void every_verdict_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < BG_VERDICT_COUNT; i++) {
		assert_non_null(bg_verdict_name((enum bg_verdict)i));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(bg_verdict_name((enum bg_verdict)i),
						bg_verdict_name((enum bg_verdict)j));
	}
	assert_string_equal(bg_verdict_name(BG_UNCHANGED_BY_IDENTITY), "UNCHANGED_BY_IDENTITY");
	assert_string_equal(bg_verdict_name(BG_MISSING), "MISSING");
}

static void a_series_is_found_by_its_metric(void **state)
{
	(void)state;
	struct bg_series series[2] = { { .metric = BG_METRIC_TIME },
				       { .metric = BG_METRIC_HOST_PEAK } };
	struct bg_case_result one = { .series_count = 2, .series = series };
	assert_ptr_equal(bg_series_find(&one, BG_METRIC_HOST_PEAK), &series[1]);
	assert_ptr_equal(bg_series_find(&one, BG_METRIC_TIME), &series[0]);
	assert_null(bg_series_find(&one, BG_METRIC_SETUP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_metric_is_found_by_its_own_name_only),
		cmocka_unit_test(only_discrete_metrics_have_a_quantum),
		cmocka_unit_test(margins_floors_and_defaults_are_those_documented),
		cmocka_unit_test(every_verdict_has_a_name_of_its_own),
		cmocka_unit_test(a_series_is_found_by_its_metric),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
