/*
 * A/A noise of exec pairs in turns: sd over launches of the log ratio, beside the sd of the absolute
 * level. bench_turns TURN_MS CPUS LAUNCHES PAIRS CMD [ARG...]; CMD is run on both arms; "--" splits
 * the arms' commands where they differ.
 */
#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "gate/core/topology.h"
#include "gate/verdict/decide.h"
#include "sweeps/launch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

extern char **environ;

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double sd(const double *v, size_t n)
{
	double mean = 0, sum = 0;
	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

int main(int argc, char **argv)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bg_interrupt_install();
	struct bg_forest forest = { { NULL } };
	struct bg_random jitter, order_random;
	bg_random_init(&jitter, 1, "jitter");
	bg_random_init(&order_random, 1, "order");
	struct bg_arm_place base = { "base", NULL, NULL }, head = { "head", NULL, NULL };
	char **second = argv + 5;
	for (int i = 5; i < argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			argv[i] = NULL;
			second = argv + i + 1;
		}
	struct bg_exec_setup setup = {
		.arm = { &base, &head },
		.command = { (const char *const *)(argv + 5), (const char *const *)second },
		.turn_ns = (uint64_t)(atof(argv[1]) * 1e6),
		.timeout_s = 60,
		.jitter = &jitter,
		.forest = &forest,
	};
	bg_cpus_parse(&setup.cpus, argv[2]);
	setup.cores = (unsigned)CPU_COUNT(&setup.cpus);
	cpu_set_t all, rest;
	sched_getaffinity(0, sizeof all, &all);
	CPU_XOR(&rest, &all, &setup.cpus);
	if (CPU_COUNT(&rest))
		sched_setaffinity(0, sizeof rest, &rest);
	int launches = atoi(argv[3]), pairs = atoi(argv[4]), voids = 0;
	double *x = calloc((size_t)launches, sizeof *x), *level = calloc((size_t)launches, sizeof *level), *xm = calloc((size_t)launches, sizeof *level);
	double *r = calloc((size_t)pairs, sizeof *r), *a = calloc((size_t)pairs, sizeof *a), *b = calloc((size_t)pairs, sizeof *a);
	double pair_sd = 0;
	uint64_t t0 = bg_clock_ns();
	for (int l = 0; l < launches; l++) {
		struct bg_pair_order order = { 0 };
		for (int i = 0; i < pairs; i++) {
			struct bg_exec_pair pair;
			struct bg_error err = BG_ERROR_INIT;
			bool first = bg_pair_order_next(&order, &order_random);
			if (bg_exec_pair_run(&pair, &setup, first, 2, &err) != BG_OK || !pair.ran[0].ok || !pair.ran[1].ok) {
				printf("%s %s %s\n", err.text, pair.ran[0].reason, pair.ran[1].reason);
				return 1;
			}
			if (pair.voided) {
				voids++;
				if (voids < 4) printf("void: %s wait %.3f %.3f idle %.4f %.4f\n", pair.voided, pair.ran[0].wait_share, pair.ran[1].wait_share, pair.ran[0].idle_share, pair.ran[1].idle_share);
				i--;
				if (voids > 100) return 1;
				continue;
			}
			r[i] = log(pair.ran[1].time_s / pair.ran[0].time_s);
			a[i] = pair.ran[0].time_s;
			b[i] = pair.ran[1].time_s;
		}
		pair_sd += sd(r, (size_t)pairs) / launches;
		struct bg_arena arena = BG_ARENA_INIT;
		xm[l] = 0;
		for (int i = 0; i < pairs; i++) xm[l] += r[i] / pairs;
		x[l] = median(r, (size_t)pairs);
		level[l] = log(median(a, (size_t)pairs));
		bg_arena_release(&arena);
	}
	double mean = 0;
	for (int l = 0; l < launches; l++)
		mean += x[l] / launches;
	double lm = 0; for (int l = 0; l < launches; l++) lm += level[l]/launches;
	printf("turns %s ms on %s: step %.1f ms, %d launches x %d pairs: mean %+.2f %% sd %.2f %% (mean-based %.2f %%), level sd %.1f %%, pair sd %.1f %%, %d voided, %.1f s\n",
	       argv[1], argv[2], 1e3 * exp(lm), launches, pairs, 100 * mean, 100 * sd(x, (size_t)launches), 100*sd(xm,(size_t)launches),
	       100 * sd(level, (size_t)launches), 100 * pair_sd, voids, 1e-9 * (double)(bg_clock_ns() - t0));
	return 0;
}
