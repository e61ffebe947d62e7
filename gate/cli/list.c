#include "gate/cli/command.h"
#include "gate/core/file.h"
#include "reporters/format.h"
#include "reporters/reporter.h"
#include "reporters/visible.h"
#include "sweeps/ask.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIST_LIMIT_S 60.
#define LIST_SIZE_MAX ((size_t)64 << 20)

/* Texts of modules are foreign: they must act on no terminal. */
static void add_foreign(struct bg_buffer *out, const char *text)
{
	bg_visible_add(out, text ? text : "", BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
}

/* At least one space, so that columns stay apart. */
static void add_padded(struct bg_buffer *out, const char *text, size_t width)
{
	size_t end = out->size + width;
	add_foreign(out, text);
	do
		bg_buffer_text(out, " ");
	while (out->size < end && !out->full);
}

/* "number 0..10", "f32, f64" */
static void add_range(struct bg_buffer *out, const struct bg_axis_info *axis)
{
	if (axis->kind != BG_AXIS_WORD) {
		bg_buffer_format(out, "%.15g..%.15g", axis->min, axis->max);
		return;
	}
	for (size_t i = 0; i < axis->word_count; i++) {
		bg_buffer_text(out, i > 0 ? ", " : "");
		add_foreign(out, axis->words[i]);
	}
	if (axis->word_count == 0)
		bg_buffer_text(out, "any text");
}

static void add_axis(struct bg_buffer *out, const struct bg_axis_info *axis)
{
	bg_buffer_text(out, "      ");
	add_padded(out, axis->name, 16);
	add_padded(out, axis->fallback, 10);
	add_foreign(out, axis->summary);
	bg_buffer_text(out, " (");
	add_range(out, axis);
	bg_buffer_text(out, ")\n");
}

static void add_workload(struct bg_buffer *out, const struct bg_workload_info *workload)
{
	bg_buffer_text(out, "  ");
	add_padded(out, workload->name, 20);
	add_foreign(out, workload->summary);
	bg_buffer_text(out, "; engine ");
	add_foreign(out, workload->engine);
	bg_buffer_text(out, ", module ");
	add_foreign(out, workload->module);
	bg_buffer_text(out, "\n");
	for (size_t i = 0; i < workload->axis_count; i++)
		add_axis(out, &workload->axes[i]);
}

/* The first workload with this one's name, or this one. */
static size_t first_of_name(const struct bg_catalogue *offered, size_t index)
{
	size_t first = 0;
	while (strcmp(offered->workloads[first].name, offered->workloads[index].name) != 0)
		first++;
	return first;
}

/* The engines of a workload together, which come in their modules' order. */
static void add_workloads(struct bg_buffer *out, const struct bg_catalogue *offered)
{
	bg_buffer_text(out, "workloads, with their axes and defaults:\n");
	for (size_t i = 0; i < offered->workload_count; i++)
		for (size_t j = i; first_of_name(offered, i) == i && j < offered->workload_count;
		     j++)
			if (first_of_name(offered, j) == i)
				add_workload(out, &offered->workloads[j]);
	bg_buffer_text(out,
		       "  exec                a program of yours: one execution is one step; "
		       "axes as the suite says\n"
		       "  program             a program of yours that speaks the step protocol: "
		       "axes as it says\n"
		       "  plugin              a shared library of yours: axes as its operations "
		       "say\n");
}

/* "openblas  gemm": what a module offers, on the line of its first workload. */
static void add_module(struct bg_buffer *out, const struct bg_catalogue *offered, size_t index)
{
	const char *module = offered->workloads[index].module;
	for (size_t i = 0; i < index; i++)
		if (strcmp(offered->workloads[i].module, module) == 0)
			return;
	bg_buffer_text(out, "  ");
	add_padded(out, module, 20);
	for (size_t i = index; i < offered->workload_count; i++) {
		if (strcmp(offered->workloads[i].module, module) != 0)
			continue;
		bg_buffer_text(out, i > index ? ", " : "");
		add_foreign(out, offered->workloads[i].name);
	}
	bg_buffer_text(out, "\n");
}

static void add_modules(struct bg_buffer *out, const struct bg_catalogue *offered)
{
	bg_buffer_text(out, "\nmodules, with what they offer or why they cannot be used here:\n");
	for (size_t i = 0; i < offered->workload_count; i++)
		add_module(out, offered, i);
	for (size_t i = 0; i < offered->missing_count; i++) {
		bg_buffer_text(out, "  ");
		add_padded(out, offered->missing[i].module, 20);
		bg_buffer_text(out, "cannot be used: ");
		add_foreign(out, offered->missing[i].reason);
		bg_buffer_text(out, "\n");
	}
}

static void add_metrics(struct bg_buffer *out)
{
	bg_buffer_text(out, "\nmetrics, with the change and the difference they allow:\n");
	for (int i = 0; i < BG_METRIC_COUNT; i++) {
		const struct bg_metric_info *metric = bg_metric_info((enum bg_metric)i);
		bg_buffer_format(out, "  %-20s%-8s", metric->name, metric->unit);
		bg_format_limit(out, metric->margin);
		if (metric->floor > 0) {
			bg_buffer_text(out, ", ");
			bg_format_level(out, metric->floor, metric->unit);
		}
		bg_buffer_text(out, metric->advisory ? "; judged where it is measured anyway\n"
				    : metric->judged ? "; judged\n"
						     : "; judged where the suite says so\n");
	}
}

static void add_reporters(struct bg_buffer *out)
{
	bg_buffer_text(out, "\nreports:\n");
	for (size_t i = 0; i < bg_reporter_count; i++)
		bg_buffer_format(out, "  %-20s%s\n", bg_reporters[i]->name,
				 bg_reporters[i]->summary);
}

/* Asks a worker of our own, since modules are loaded in workers only. */
static enum bg_status ask_worker(struct bg_catalogue *ret, struct bg_arena *arena,
				 struct bg_error *err)
{
	char *self;
	if (bg_path_absolute(&self, "/proc/self/exe", arena, err) != BG_OK)
		return bg_within(err, "cannot find the running batchgate");
	const char *const argv[] = { self, "worker", NULL };
	struct bg_link_start start = {
		.name = "worker", .argv = argv, .log_fd = STDERR_FILENO, .timeout_s = LIST_LIMIT_S
	};
	return bg_catalogue_ask(ret, &start, arena, err);
}

static enum bg_status run(int *ret, const void *options, struct bg_arena *arena,
			  struct bg_error *err)
{
	struct bg_catalogue offered = { .workload_count = 0 };
	(void)options;
	if (ask_worker(&offered, arena, err) != BG_OK)
		return bg_within(err, "list");
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, LIST_SIZE_MAX);
	add_workloads(&out, &offered);
	add_modules(&out, &offered);
	add_metrics(&out);
	add_reporters(&out);
	fwrite(out.bytes, 1, out.size, stdout);
	*ret = BG_EXIT_PASS;
	return BG_OK;
}

static const struct bg_option_table table = { .count = 0 };

const struct bg_subcommand bg_subcommand_list = {
	.name = "list",
	.summary = "Lists what can be measured here: workloads, axes, metrics, reports",
	.details = "Modules are looked for in the folders of BATCHGATE_MODULE_PATH, then in\n"
		   "modules/ beside the program, then in ../lib/batchgate/modules from there.\n",
	.table = &table,
	.options_size = sizeof(char),
	.run = run,
};
