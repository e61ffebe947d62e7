#include "gate/verdict/metric.h"

#include <assert.h>
#include <string.h>

#define US 1e-6
#define MS 1e-3
#define KIB 1024.0
#define MIB (1024.0 * 1024.0)

/* Linux counts resident memory and file I/O in pages; the CUDA driver hands out 2 MiB at a time. */
#define PAGE 4096.0
#define DEVICE_PAGE (2 * MIB)

static const struct bg_metric_info metrics[BG_METRIC_COUNT] = {
	[BG_METRIC_TIME] = { .name = "time",
			     .unit = "s",
			     .margin = 0.02,
			     .floor = 1 * US,
			     .judged = true },
	[BG_METRIC_TIME_MEAN] = { .name = "time.mean",
				  .unit = "s",
				  .margin = 0.05,
				  .floor = 1 * US,
				  .judged = true,
				  .advisory = true },
	[BG_METRIC_LATENCY_P50] = { .name = "latency.p50",
				    .unit = "s",
				    .margin = 0.03,
				    .floor = 1 * US },
	[BG_METRIC_LATENCY_P90] = { .name = "latency.p90",
				    .unit = "s",
				    .margin = 0.05,
				    .floor = 1 * US },
	[BG_METRIC_LATENCY_P99] = { .name = "latency.p99",
				    .unit = "s",
				    .margin = 0.15,
				    .floor = 1 * US },
	[BG_METRIC_HOST_PEAK] = { .name = "memory.host_peak",
				  .unit = "bytes",
				  .margin = 0.01,
				  .floor = 1 * MIB,
				  .judged = true,
				  .discrete = true,
				  .quantum = PAGE },
	[BG_METRIC_DEVICE_PEAK] = { .name = "memory.device_peak",
				    .unit = "bytes",
				    .margin = 0.01,
				    .floor = 1 * MIB,
				    .judged = true,
				    .discrete = true,
				    .quantum = DEVICE_PAGE },
	[BG_METRIC_ENERGY_PER_ITEM] = { .name = "energy.per_item", .unit = "J", .margin = 0.03 },
	[BG_METRIC_POWER_MEAN] = { .name = "power.mean", .unit = "W", .margin = 0.03 },
	[BG_METRIC_SETUP] = { .name = "setup", .unit = "s", .margin = 0.10, .floor = 1 * MS },
	[BG_METRIC_START] = { .name = "start", .unit = "s", .margin = 0.10, .floor = 1 * MS },
	[BG_METRIC_IO_READ] = { .name = "io.read",
				.unit = "bytes",
				.margin = 0.01,
				.floor = 64 * KIB,
				.discrete = true,
				.quantum = PAGE },
	[BG_METRIC_IO_WRITE] = { .name = "io.write",
				 .unit = "bytes",
				 .margin = 0.01,
				 .floor = 64 * KIB,
				 .discrete = true,
				 .quantum = PAGE },
};

const struct bg_metric_info *bg_metric_info(enum bg_metric metric)
{
	assert((size_t)metric < BG_METRIC_COUNT);
	return &metrics[metric];
}

enum bg_metric bg_metric_find(const char *name)
{
	size_t i = 0;
	while (i < BG_METRIC_COUNT && strcmp(metrics[i].name, name) != 0)
		i++;
	return (enum bg_metric)i;
}
