#include "gate/cli/gate_work.h"

#include "gate/cli/command.h"
#include "gate/cli/gate_offers.h"
#include "gate/cli/gate_result.h"
#include "gate/cli/gate_session.h"
#include "gate/cli/gate_stored.h"
#include "gate/cli/output.h"
#include "gate/core/guard.h"
#include "gate/core/interrupt.h"
#include "gate/wire/result_file.h"
#include "reporters/visible.h"

#include <stdio.h>

struct work {
	const struct bg_gate_options *options;
	enum bg_comparison comparison;
	struct bg_arena *arena;
	bool concluded; /* the reports were written, or tried */
};

static void print_plan(const struct bg_gate_session *gs)
{
	const struct bg_result *result = &gs->result;
	if (result->base.commit)
		printf("base %.12s  %s\n", result->base.commit, result->base.how);
	printf("head %.12s  %s\n%zu cases, %zu to measure:\n", result->head.commit,
	       result->head.how, result->case_count, gs->session.run_count);
	size_t run = 0; /* they stand in the order of their cases */
	for (size_t i = 0; i < result->case_count; i++) {
		const struct bg_case_result *of = &result->cases[i];
		const char *unchecked = NULL;
		if (run < gs->session.run_count && gs->session.runs[run].place == i)
			unchecked = gs->session.runs[run++].of->unchecked;
		const char *remark = of->reason ? of->reason : unchecked;
		printf("  %s%s%s\n", of->name, remark ? "  -- " : "", remark ? remark : "");
	}
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	for (size_t i = 0; i < result->policy_change_count; i++) {
		bg_buffer_clear(&line);
		bg_visible_add(&line, result->policy_changes[i], BG_VISIBLE_LINE);
		printf("policy  %s\n", line.bytes);
	}
}

/* Saves, decides and reports; *exit_code is the cells' own. */
static enum bg_status conclude(struct work *work, struct bg_gate_session *gs, int *exit_code,
			       struct bg_error *err)
{
	struct bg_report report;
	char *path = bg_arena_format(work->arena, "%s/result.json", work->options->out);
	bg_decide(&report, &gs->result, work->options->strict, work->arena);
	*exit_code = report.exit_code;
	work->concluded = true;
	struct bg_output output = { .report = &report,
				    .reports = &work->options->reports,
				    .out = work->options->out,
				    .color = work->options->color,
				    .dialect = work->options->dialect };
	if (gs->result.ending == BG_END_INTERRUPTED) {
		output.fault = gs->result.ending_why;
		output.exit_code = BG_EXIT_SIGNAL + bg_interrupt_pending();
	}
	/* A result that cannot be saved does not keep the verdict from being told. */
	struct bg_error second = BG_ERROR_INIT;
	enum bg_status saved = bg_result_write(&gs->result, path, err);
	enum bg_status told = bg_output_write(&output, work->arena, &second);
	if (saved != BG_OK && told != BG_OK)
		bg_complain(&second);
	if (saved == BG_OK && told != BG_OK)
		*err = second;
	return saved != BG_OK ? saved : told;
}

/* A run that broke off before it could judge still leaves its files, with the reason in them. */
static void conclude_fault(struct work *work, struct bg_gate *gate, int exit_code,
			   const char *fault)
{
	struct bg_result result;
	struct bg_report report;
	bg_gate_result_start(&result, gate);
	bg_decide(&report, &result, work->options->strict, work->arena);
	struct bg_output output = { .report = &report,
				    .reports = &work->options->reports,
				    .out = work->options->out,
				    .color = work->options->color,
				    .dialect = work->options->dialect,
				    .exit_code = exit_code,
				    .fault = fault,
				    .files_only = true };
	char *path = bg_arena_format(work->arena, "%s/result.json", work->options->out);
	struct bg_error ignored = BG_ERROR_INIT;
	/* The fault itself was told; that it cannot be written either adds nothing. */
	if (bg_result_write(&result, path, &ignored) != BG_OK ||
	    bg_output_write(&output, work->arena, &ignored) != BG_OK)
		bg_error_clear(&ignored);
}

static enum bg_status gate_run(struct work *work, struct bg_gate *gate, int *exit_code,
			       struct bg_error *err)
{
	struct bg_catalogue catalogue;
	struct bg_gate_session *gs = bg_arena_alloc(work->arena, sizeof *gs);
	enum bg_status status = bg_output_check(&work->options->reports, err);
	if (status == BG_OK)
		status = bg_gate_open(gate, err);
	if (status == BG_OK)
		status = bg_gate_checkout(gate, err);
	if (status == BG_OK)
		status = bg_gate_furnish(gate, err);
	if (status == BG_OK && gate->comparison == BG_COMPARISON_STORED)
		status = bg_gate_find_stored(gate, err);
	if (status == BG_OK && !work->options->dry_run)
		status = bg_gate_build(gate, err);
	if (status == BG_OK)
		status = bg_gate_workers(gate, &catalogue, err);
	if (status == BG_OK)
		status = bg_gate_offers(gate, &catalogue, err);
	if (status == BG_OK)
		status = bg_gate_plan(gs, gate, &catalogue, err);
	if (status != BG_OK)
		return status;
	if (work->options->dry_run) {
		print_plan(gs);
		return BG_OK;
	}
	status = bg_gate_measure(gs, err);
	bg_progress_end(gate->progress);
	if (status == BG_OK && gate->comparison == BG_COMPARISON_STORED)
		bg_gate_hold_to_stored(gs);
	return status == BG_OK ? conclude(work, gs, exit_code, err) : status;
}

/* Runs in the child of the guardian: its value is the command's exit code. */
static int work_under_guard(void *context)
{
	struct work *work = context;
	struct bg_progress_line progress;
	struct bg_error err = BG_ERROR_INIT;
	bg_interrupt_install();
	bg_progress_init(&progress, work->options->quiet);
	struct bg_gate gate = { .options = work->options,
				.comparison = work->comparison,
				.arena = work->arena,
				.progress = &progress,
				.log_fd = { -1, -1 } };
	int exit_code = BG_EXIT_PASS;
	enum bg_status status = gate_run(work, &gate, &exit_code, &err);
	bg_progress_end(&progress);
	if (status != BG_OK) {
		bg_complain(&err);
		bool judged = exit_code != BG_EXIT_PASS || work->concluded;
		exit_code = bg_exit_worse(exit_code, bg_exit_of(&err));
		if (!judged && gate.out_ready)
			conclude_fault(work, &gate, exit_code, err.text);
	}
	if (bg_interrupt_pending())
		exit_code = BG_EXIT_SIGNAL + bg_interrupt_pending();
	bg_gate_close(&gate);
	bg_guard_kill_tree();
	return bg_stdout_close(exit_code);
}

int bg_gate_work(const struct bg_gate_options *options, enum bg_comparison comparison,
		 struct bg_arena *arena)
{
	struct work work = { .options = options, .comparison = comparison, .arena = arena };
	return bg_guard_run(work_under_guard, &work);
}
