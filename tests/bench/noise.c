/*
 * A/A noise of this machine with the product's own engine: both arms run the same thing, for a
 * fixed number of launches, and the spread over launches is printed, one JSON object a case.
 *
 *     noise LAUNCHES SUITE WORKER [ARG...]
 */
#include "gate/core/file.h"
#include "gate/core/interrupt.h"
#include "sweeps/launch.h"
#include "sweeps/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

struct bench {
	struct bg_arena arena;
	struct bg_session session;
	struct bg_result result;
	struct bg_suite suite;
	struct bg_catalogue catalogue;
	struct bg_case_list cases;
};

static void die_on(enum bg_status status, const struct bg_error *err)
{
	if (status == BG_OK)
		return;
	fprintf(stderr, "noise: %s\n", err->text);
	exit(4);
}

static void set_arms(struct bench *bench, const char *const *worker)
{
	static const char *const names[2] = { "base", "head" };
	extern char **environ;
	for (size_t i = 0; i < 2; i++)
		bench->session.arm[i] = (struct bg_arm){
			.place = { .name = names[i], .envp = (const char *const *)environ },
			.worker = worker,
			.worker_name = names[i],
			.log_fd = STDERR_FILENO,
		};
}

static void ask_catalogue(struct bench *bench, const char *const *worker, struct bg_error *err)
{
	struct bg_link link;
	struct bg_link_start start = { .name = "worker",
				       .argv = worker,
				       .log_fd = STDERR_FILENO,
				       .timeout_s = 60,
				       .forest = &bench->session.forest };
	die_on(bg_link_open(&link, &start, &bench->arena, err), err);
	struct bg_request list = { .op = BG_OP_LIST };
	struct bg_reply reply;
	die_on(bg_link_call(&link, &list, 60, &reply, &bench->arena, err), err);
	bg_link_close(&link);
	bench->catalogue = (struct bg_catalogue){ .workload_count = reply.workload_count,
						  .missing_count = reply.missing_count,
						  .workloads = reply.workloads,
						  .missing = reply.missing };
}

static void plan(struct bench *bench, const char *suite_path, const char *const *worker)
{
	struct bg_error err = BG_ERROR_INIT;
	struct bg_session_options options = {
		.seed = 1, .budget_s = 1e9, .timeout_s = 60, .launches_max = 24
	};
	bg_session_init(&bench->session, &options, &bench->result, &bench->arena);
	ask_catalogue(bench, worker, &err);
	die_on(bg_suite_read(&bench->suite, suite_path, suite_path, &bench->arena, &err), &err);
	const struct bg_filter all = { 0 };
	die_on(bg_cases_expand(&bench->cases, &bench->suite, &bench->catalogue, &all, &bench->arena,
			       &err),
	       &err);
	set_arms(bench, worker);
	bg_plan_make(&bench->session, &(struct bg_plan_input){ .base_suite = &bench->suite,
							       .head_suite = &bench->suite,
							       .base = &bench->cases,
							       .head = &bench->cases,
							       .filter = &all });
	bg_session_place(&bench->session);
}

static double sd_of(const double *values, size_t count)
{
	double mean = 0, sum = 0;
	for (size_t i = 0; i < count; i++)
		mean += values[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (double)(count - 1));
}

static void print_case(struct bench *bench, const struct bg_case_run *run, double seconds)
{
	const struct bg_series *time = bg_series_find(run->result, BG_METRIC_TIME);
	size_t count = time->judge_count;
	double *ratio = bg_arena_array(&bench->arena, count + 1, sizeof *ratio);
	double *level = bg_arena_array(&bench->arena, count + 1, sizeof *level);
	double mean = 0;
	unsigned voided = 0, beyond = 0;
	for (size_t i = 0; i < count; i++) {
		ratio[i] = time->judge[i].x;
		level[i] = log(time->judge[i].base);
		mean += ratio[i] / (double)count;
		beyond += fabs(ratio[i]) > log(1.05);
	}
	for (size_t i = 0; i < run->result->pairs_count; i++)
		voided += run->result->pairs[i].voided;
	printf("{\"case\": \"%s\", \"launches\": %zu, \"pairs\": %u, \"voided\": %u, "
	       "\"beyond_5\": %u, \"step_s\": %.6g, \"mean\": %.6f, \"sd_ratio\": %.6f, "
	       "\"sd_level\": %.6f, "
	       "\"pair_sd\": %.6f, \"turns\": \"%s\", \"turns_why\": \"%s\", \"cpus\": \"%s\", "
	       "\"seconds\": %.1f}\n",
	       run->result->name, count, run->pairs, voided, beyond, run->step_s, mean,
	       count > 1 ? sd_of(ratio, count) : NAN, count > 1 ? sd_of(level, count) : NAN,
	       sqrt(run->pair_variance), run->result->turns,
	       run->result->turns_why ? run->result->turns_why : "", run->result->cpus, seconds);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "noise LAUNCHES SUITE WORKER [ARG...]\n");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bg_interrupt_install();
	struct bench *bench = calloc(1, sizeof *bench);
	if (!bench)
		return 4;
	plan(bench, argv[2], (const char *const *)(argv + 3));
	long launches = strtol(argv[1], NULL, 10);
	for (size_t i = 0; i < bench->session.run_count; i++) {
		struct bg_case_run *run = &bench->session.runs[i];
		double start_s = bg_session_elapsed_s(&bench->session);
		for (long l = 0; l < launches; l++) {
			struct bg_error err = BG_ERROR_INIT;
			die_on(bg_session_launch(&bench->session, run, BG_PHASE_JUDGE, &err), &err);
			bg_workers_close(&bench->session);
			bench->session.launch_number++;
			if (run->result->state == BG_CASE_MEASURED)
				continue;
			fprintf(stderr, "noise: %s: %s\n", run->result->name, run->result->reason);
			return 1;
		}
		print_case(bench, run, bg_session_elapsed_s(&bench->session) - start_s);
	}
	for (size_t i = 0; i < bench->result.condition_count; i++)
		fprintf(stderr, "noise: %s\n", bench->result.conditions[i]);
	bg_arena_release(&bench->arena);
	free(bench);
	return 0;
}
