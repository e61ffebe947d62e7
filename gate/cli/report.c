#include "gate/cli/command.h"
#include "gate/cli/gate_options.h"
#include "gate/cli/output.h"
#include "gate/verdict/decide.h"
#include "gate/wire/result_file.h"

#include <string.h>
#include <sys/stat.h>

struct options {
	struct bg_texts results, reports;
	const char *out;
	bool strict;
	unsigned color, dialect;
};

static const struct bg_option option_list[] = {
	BG_REPORT_OPTIONS(struct options,
			  "write report.json and report.junit.xml into this folder"),
};

static const struct bg_option_table table = {
	.count = sizeof option_list / sizeof *option_list,
	.options = option_list,
	.operands = "RESULT",
	.operand_min = 1,
	.operand_max = 1,
	.operand_offset = BG_TARGET_TEXTS(struct options, results),
};

/* A result takes minutes to make: --report must not remove it. */
static enum bg_status refuse_overwriting(const struct options *options, struct bg_error *err)
{
	struct stat input, other;
	const char *result = options->results.values[0];
	if (stat(result, &input) != 0)
		return BG_OK;
	for (size_t i = 0; i < options->reports.count; i++) {
		const char *equals = strchr(options->reports.values[i], '=');
		if (equals && stat(equals + 1, &other) == 0 && other.st_dev == input.st_dev &&
		    other.st_ino == input.st_ino)
			return bg_fail(err, BG_E_USAGE, "--report: %s is the result itself",
				       equals + 1);
	}
	return BG_OK;
}

/* Prints every report that can be; a fault is told once, and outranked by a regression. */
static int print_reports(const struct bg_output *output, struct bg_arena *arena,
			 struct bg_error *fault)
{
	struct bg_error err = BG_ERROR_INIT;
	if (bg_output_write(output, arena, &err) != BG_OK && fault->status == BG_OK)
		*fault = err;
	if (fault->status == BG_OK)
		return output->report->exit_code;
	bg_complain(fault);
	return bg_exit_worse(output->report->exit_code, bg_exit_of(fault));
}

static enum bg_status run(int *ret, const void *target, struct bg_arena *arena,
			  struct bg_error *err)
{
	const struct options *options = target;
	struct bg_result *result = bg_arena_alloc(arena, sizeof *result);
	struct bg_error fault = BG_ERROR_INIT;
	struct bg_report report;
	if (refuse_overwriting(options, err) != BG_OK ||
	    bg_result_read(result, options->results.values[0], arena, err) != BG_OK)
		return err->status;
	if (bg_output_check(&options->reports, &fault) == BG_E_USAGE) {
		*err = fault;
		return err->status;
	}
	bg_decide(&report, result, options->strict, arena);
	struct bg_output output = {
		.report = &report,
		.reports = &options->reports,
		.out = options->out,
		.color = options->color,
		.dialect = options->dialect,
	};
	*ret = print_reports(&output, arena, &fault);
	return BG_OK;
}

const struct bg_subcommand bg_subcommand_report = {
	.name = "report",
	.summary = "Decides a saved result again and reports it",
	.details = "RESULT is the result.json of a gate. Nothing is measured; the same result\n"
		   "gives the same verdicts, byte for byte.\n",
	.table = &table,
	.options_size = sizeof(struct options),
	.run = run,
};
