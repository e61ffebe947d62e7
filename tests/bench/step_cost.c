/*
 * What the step protocol costs: the round trip of an empty step, and a gemm step by a worker
 * against the same call in a plain loop of this process, both on one core, one of each in turn.
 *
 *     step_cost CPU MODULES WORKER [ARG...]
 */
#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "sweeps/link.h"
#include "workloads/modules.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define TRIPS 20000
#define PAIRS 400
#define SIZE "512"

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double quantile(double *values, size_t count, double q)
{
	qsort(values, count, sizeof *values, compare_doubles);
	return values[(size_t)(q * (double)(count - 1))];
}

static void check(enum bg_status status, const struct bg_error *err)
{
	if (status == BG_OK)
		return;
	fprintf(stderr, "step_cost: %s\n", err->text);
	exit(4);
}

static void pin(unsigned cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

struct setting {
	struct bg_arena arena;
	struct bg_forest forest;
	struct bg_link link;
	struct bg_error err;
	unsigned cpu;
};

static void call(struct setting *s, const struct bg_request *request)
{
	struct bg_reply reply;
	check(bg_link_call(&s->link, request, 60, &reply, &s->arena, &s->err), &s->err);
	bool ready =
		reply.ok && (request->op != BG_OP_PREPARE || reply.prepared == BG_PREPARED_READY);
	if (ready)
		return;
	fprintf(stderr, "step_cost: %s\n", reply.reason);
	exit(4);
}

static void open_worker(struct setting *s, const char *const *argv)
{
	struct bg_link_start start = { .name = "worker",
				       .argv = argv,
				       .log_fd = STDERR_FILENO,
				       .timeout_s = 30,
				       .forest = &s->forest };
	check(bg_link_open(&s->link, &start, &s->arena, &s->err), &s->err);
	call(s, &(struct bg_request){ .op = BG_OP_PIN, .cpus = &s->cpu, .cpu_count = 1 });
}

static void measure_trips(struct setting *s, bool same_core, double *trip_us)
{
	struct bg_buffer line;
	bg_buffer_init(&line, 1024);
	bg_request_write(&line, &(struct bg_request){ .op = BG_OP_STEP, .steps = 1, .inner = 1 });
	call(s, &(struct bg_request){ .op = BG_OP_PREPARE, .workload = "replay" });
	pin(same_core ? s->cpu : !s->cpu);
	for (size_t i = 0; i < TRIPS; i++) {
		double elapsed_ns;
		check(bg_link_step(&s->link, line.bytes, line.size, 10, &elapsed_ns, &s->err),
		      &s->err);
		trip_us[i] = (double)s->link.exchange_ns * 1e-3;
	}
	printf("{\"bench\": \"round trip\", \"cores\": \"%s\", \"median_us\": %.2f, \"p90_us\": "
	       "%.2f}\n",
	       same_core ? "same" : "two", quantile(trip_us, TRIPS, .5),
	       quantile(trip_us, TRIPS, .9));
	bg_buffer_release(&line);
}

static void *set_up_plain(const struct bg_operation *operation)
{
	struct bg_coordinate coordinates[32];
	struct bg_why why = { "" };
	void *state = NULL;
	for (size_t i = 0; i < operation->axis_count; i++) {
		const struct bg_operation_axis *axis = &operation->axes[i];
		const char *text = strlen(axis->name) == 1 ? SIZE : axis->fallback;
		coordinates[i] = (struct bg_coordinate){ axis->name, text, strtol(text, NULL, 10),
							 strtod(text, NULL) };
	}
	struct bg_point point = { operation->axis_count, coordinates, 1 };
	if ((operation->usable && operation->usable(&why) != BG_ANSWER_OK) ||
	    operation->setup(&state, &point, &why) != BG_ANSWER_OK) {
		fprintf(stderr, "step_cost: %s\n", why.text);
		exit(4);
	}
	return state;
}

static void measure_gemm(struct setting *s, const struct bg_operation *operation, double *ratios)
{
	static const struct bg_axis_text axes[] = { { "m", SIZE }, { "n", SIZE }, { "k", SIZE } };
	struct bg_buffer line;
	struct bg_why why;
	bg_buffer_init(&line, 1024);
	bg_request_write(&line, &(struct bg_request){ .op = BG_OP_STEP, .steps = 1, .inner = 1 });
	call(s, &(struct bg_request){ .op = BG_OP_PREPARE,
				      .workload = "gemm",
				      .engine = "openblas",
				      .axes = axes,
				      .axis_count = 3,
				      .seed = 1 });
	pin(s->cpu);
	void *state = set_up_plain(operation);
	for (size_t i = 0; i < 20 + PAIRS; i++) {
		double worker_ns = 0, plain_ns = 0;
		for (size_t part = 0; part < 2; part++) {
			if ((i + part) % 2 == 0) {
				check(bg_link_step(&s->link, line.bytes, line.size, 10, &worker_ns,
						   &s->err),
				      &s->err);
			} else {
				uint64_t start_ns = bg_clock_ns();
				operation->run(state, &why);
				plain_ns = (double)(bg_clock_ns() - start_ns);
			}
		}
		if (i >= 20)
			ratios[i - 20] = log(worker_ns / plain_ns);
	}
	printf("{\"bench\": \"gemm step, worker / plain loop\", \"median_ratio\": %.4f, "
	       "\"quartiles\": [%.4f, %.4f]}\n",
	       exp(quantile(ratios, PAIRS, .5)), exp(quantile(ratios, PAIRS, .25)),
	       exp(quantile(ratios, PAIRS, .75)));
	operation->teardown(state);
	bg_buffer_release(&line);
}

int main(int argc, char **argv)
{
	static double values[TRIPS];
	static struct setting setting = { .err = BG_ERROR_INIT };
	struct bg_modules modules;
	if (argc < 4) {
		fprintf(stderr, "step_cost CPU MODULES WORKER [ARG...]\n");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bg_interrupt_install();
	setting.cpu = (unsigned)strtoul(argv[1], NULL, 10);
	bg_modules_load(&modules, NULL, argv[2], &setting.arena);
	const struct bg_loaded_operation *gemm = bg_modules_find(&modules, "gemm", "openblas");
	open_worker(&setting, (const char *const *)(argv + 3));
	measure_trips(&setting, true, values);
	measure_trips(&setting, false, values);
	if (gemm)
		measure_gemm(&setting, gemm->operation, values);
	bg_link_close(&setting.link);
	bg_arena_release(&setting.arena);
	return 0;
}
