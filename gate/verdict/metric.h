#ifndef BG_VERDICT_METRIC_H
#define BG_VERDICT_METRIC_H
/*
 * The metrics batchgate knows: direction and unit belong to the metric (design: section 2).
 * All are "lower is better".
 */
#include <stdbool.h>
#include <stddef.h>

enum bg_metric {
	BG_METRIC_TIME,
	BG_METRIC_TIME_MEAN,
	BG_METRIC_LATENCY_P50,
	BG_METRIC_LATENCY_P90,
	BG_METRIC_LATENCY_P99,
	BG_METRIC_HOST_PEAK,
	BG_METRIC_DEVICE_PEAK,
	BG_METRIC_ENERGY_PER_ITEM,
	BG_METRIC_POWER_MEAN,
	BG_METRIC_SETUP,
	BG_METRIC_START,
	BG_METRIC_IO_READ,
	BG_METRIC_IO_WRITE,
	BG_METRIC_COUNT,
};

struct bg_metric_info {
	const char *name; /* "memory.host_peak" */
	const char *unit; /* SI: "s", "bytes", "J", "W" */
	double margin;	  /* default T, a ratio: 0.02 */
	double floor;	  /* default smallest difference that counts, in the unit; 0 is none */
	bool judged;	  /* by default */
	bool discrete;	  /* values come in quanta; see quantum */
	double quantum;	  /* in the unit, 0 for continuous ones: 4096 bytes (a page) */
	bool advisory;	  /* REGRESSED only: asks for no launches, undecided is not reported */
};

/* metric: below BG_METRIC_COUNT. Never NULL; static. */
const struct bg_metric_info *bg_metric_info(enum bg_metric metric);
/* Finds by name; BG_METRIC_COUNT where there is none. */
enum bg_metric bg_metric_find(const char *name);
#endif
