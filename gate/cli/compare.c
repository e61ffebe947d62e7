#include "baselines/stored_base.h"
#include "gate/cli/command.h"
#include "gate/cli/gate_options.h"
#include "gate/cli/output.h"
#include "gate/verdict/decide.h"
#include "gate/wire/result_file.h"

#include <string.h>

#define RESULTS_MAX 1000

struct options {
	struct bg_texts results, reports;
	const char *out;
	bool strict;
	unsigned color, dialect;
};

static const struct bg_option option_list[] = {
	BG_REPORT_OPTIONS(struct options,
			  "write report.json, report.junit.xml and result.json into this folder"),
};

static const struct bg_option_table table = {
	.count = sizeof option_list / sizeof *option_list,
	.options = option_list,
	.operands = "BASE... HEAD",
	.operand_min = 2,
	.operand_max = RESULTS_MAX,
	.operand_offset = BG_TARGET_TEXTS(struct options, results),
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Base's margins count where base has the case: head cannot loosen its own gate. */
static void take_margins(struct bg_result *head, const struct bg_result *base)
{
	for (size_t i = 0; i < head->case_count; i++)
		for (size_t k = 0; k < base->case_count; k++) {
			/* Mostly the same cases in the same order: looked for from there on. */
			size_t at = (i + k) % base->case_count;
			if (strcmp(head->cases[i].name, base->cases[at].name) != 0)
				continue;
			memcpy(head->cases[i].margin, base->cases[at].margin,
			       sizeof head->cases[i].margin);
			memcpy(head->cases[i].floor, base->cases[at].floor,
			       sizeof head->cases[i].floor);
			break;
		}
}

static enum bg_status read_one(struct bg_result *ret, struct bg_record *record, const char *path,
			       struct bg_arena *arena, struct bg_error *err)
{
	if (bg_result_read(ret, path, arena, err) != BG_OK)
		return err->status;
	*record = (struct bg_record){ .suite = ret->suite };
	bg_record_cells(record, ret, arena);
	if (record->cell_count == 0)
		return bg_fail(err, BG_E_INPUT,
			       "%s: nothing was measured in it: there is nothing to compare", path);
	return BG_OK;
}

/* The cells of a session that cannot be held against head's do not count; the reason is kept. */
static enum bg_status check_pair(struct bg_record *base_record, const char **why,
				 const struct bg_result *base, const struct bg_result *head,
				 const char *path, struct bg_arena *arena, struct bg_error *err)
{
	if (!same_text(base->suite, head->suite))
		return bg_fail(err, BG_E_INPUT, "%s: is of suite %.100s, head's is %.100s", path,
			       base->suite, head->suite);
	if (base->virtual_clock != head->virtual_clock)
		return bg_fail(err, BG_E_INPUT,
			       "%s: one of the two was measured on a virtual clock", path);
	const char *difference = NULL;
	if (!base->virtual_clock)
		difference = bg_class_difference(base->runner_class, head->runner_class, arena);
	if (difference) {
		base_record->cell_count = 0;
		*why = difference;
	}
	return BG_OK;
}

static enum bg_status load(struct bg_result **ret, const struct bg_texts *paths,
			   struct bg_arena *arena, struct bg_error *err)
{
	size_t count = paths->count - 1;
	struct bg_result *head = bg_arena_alloc(arena, sizeof *head);
	struct bg_result *bases = bg_arena_array(arena, count, sizeof *bases);
	struct bg_record *records = bg_arena_array(arena, count + 1, sizeof *records);
	const char *why = "no session can be compared";
	size_t kept = 0;
	if (read_one(head, &records[count], paths->values[count], arena, err) != BG_OK)
		return err->status;
	for (size_t i = 0; i < count; i++) {
		const char *path = paths->values[i];
		if (read_one(&bases[i], &records[kept], path, arena, err) != BG_OK ||
		    check_pair(&records[kept], &why, &bases[i], head, path, arena, err) != BG_OK)
			return err->status;
		kept += records[kept].cell_count > 0;
	}
	take_margins(head, &bases[0]);
	struct bg_stored_base stored = { .count = kept,
					 .sessions = records,
					 .none_why = why,
					 .add_missing = true,
					 .history_count = kept,
					 .history = records };
	head->base = bases[0].head;
	head->base.how = count == 1 ? bg_arena_format(arena, "head of %s", paths->values[0])
				    : bg_arena_format(arena, "head of %s and %zu more",
						      paths->values[0], count - 1);
	head->head.how = bg_arena_format(arena, "head of %s", paths->values[count]);
	head->command = NULL;
	head->aa = false;
	bg_stored_base_attach(head, &stored, arena);
	*ret = head;
	return BG_OK;
}

static enum bg_status run(int *ret, const void *target, struct bg_arena *arena,
			  struct bg_error *err)
{
	const struct options *options = target;
	struct bg_result *result = NULL;
	struct bg_report report;
	struct bg_error fault = BG_ERROR_INIT;
	if (bg_output_check(&options->reports, err) != BG_OK ||
	    load(&result, &options->results, arena, err) != BG_OK)
		return err->status;
	bg_decide(&report, result, options->strict, arena);
	*ret = report.exit_code;
	struct bg_output output = { .report = &report,
				    .reports = &options->reports,
				    .out = options->out,
				    .color = options->color,
				    .dialect = options->dialect };
	enum bg_status status = bg_output_write(&output, arena, &fault);
	if (status == BG_OK && options->out)
		status = bg_result_write(
			result, bg_arena_format(arena, "%s/result.json", options->out), &fault);
	if (status != BG_OK) {
		bg_complain(&fault);
		*ret = bg_exit_worse(*ret, bg_exit_of(&fault));
	}
	return BG_OK;
}

const struct bg_subcommand bg_subcommand_compare = {
	.name = "compare",
	.summary = "Compares saved results: the last one with those before it",
	.details =
		"Each is the result.json of a run or a gate on the same runner class; what was\n"
		"measured of head in them is compared. How much sessions differ by themselves is\n"
		"known from five of them on; with fewer, effects are printed and nothing is\n"
		"judged (NO_BASELINE, exit 3). A gate with a base arm sees far smaller changes.\n",
	.table = &table,
	.options_size = sizeof(struct options),
	.run = run,
};
