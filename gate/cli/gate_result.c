#include "gate/cli/gate_result.h"

#include "baselines/fingerprint.h"
#include "gate/core/clock.h"
#include "gate/core/topology.h"

#include <string.h>

static const char *fact(const struct bg_fingerprint *fingerprint, const char *name)
{
	for (size_t i = 0; i < fingerprint->count; i++)
		if (strcmp(fingerprint->entry[i].name, name) == 0)
			return fingerprint->entry[i].value;
	return "unknown";
}

/* "Intel(R) Xeon(R) ..., 2 cores allowed": for people; the fingerprint is another matter. */
static const char *describe_machine(const struct bg_fingerprint *fingerprint, const cpu_set_t *cpus,
				    struct bg_arena *arena)
{
	const char *model = fact(fingerprint, "cpu");
	struct bg_topology topology;
	bg_topology_read(&topology, "", cpus);
	size_t cores = bg_topology_cores(&topology);
	return bg_arena_format(arena, "%s%s, %zu core%s allowed",
			       strcmp(model, "unknown") == 0 ? "CPU " : "", model, cores,
			       cores == 1 ? "" : "s");
}

/* *cpus is NULL where the user named none, else set. */
static void read_fingerprint(struct bg_fingerprint *ret, cpu_set_t *set, const cpu_set_t **cpus,
			     const struct bg_gate *gate)
{
	const struct bg_cpu_list *list = &gate->options->cpus;
	CPU_ZERO(set);
	for (size_t i = 0; i < list->count; i++)
		CPU_SET(list->values[i], set);
	*cpus = list->count ? set : NULL;
	struct bg_machine_source source = { .root = "", .allowed = *cpus };
	bg_fingerprint_read(ret, &source, gate->arena);
}

const char *bg_gate_runner_class(const struct bg_gate *gate)
{
	struct bg_fingerprint fingerprint;
	cpu_set_t set;
	const cpu_set_t *cpus;
	read_fingerprint(&fingerprint, &set, &cpus, gate);
	return fingerprint.runner_class;
}

const char *bg_gate_suite_name(const struct bg_gate *gate)
{
	return gate->head_suite.name ? gate->head_suite.name : "batchgate";
}

static void add_machine(struct bg_result *result, const struct bg_gate *gate)
{
	struct bg_fingerprint fingerprint;
	cpu_set_t set;
	const cpu_set_t *cpus;
	read_fingerprint(&fingerprint, &set, &cpus, gate);
	result->runner_class = fingerprint.runner_class;
	result->fingerprint = fingerprint.entry;
	result->fingerprint_count = fingerprint.count;
	result->machine = describe_machine(&fingerprint, cpus, gate->arena);
}

static struct bg_arm_result describe_arm(const struct bg_revision *revision)
{
	return (struct bg_arm_result){ .commit = revision->commit,
				       .tree = revision->tree,
				       .parent = revision->parent,
				       .branch = revision->branch,
				       .subject = revision->subject,
				       .how = revision->how };
}

void bg_gate_result_start(struct bg_result *result, const struct bg_gate *gate)
{
	char *utc = bg_arena_alloc(gate->arena, 20);
	bg_clock_utc_text(utc, bg_clock_utc_s());
	*result = (struct bg_result){
		.suite = bg_gate_suite_name(gate),
		.suite_file = gate->suite_shown ? gate->suite_shown : "batchgate.yml",
		.program = "batchgate " BG_VERSION,
		.seed = gate->options->seed,
		.aa = gate->options->aa,
		.comparison = gate->comparison,
		.base = describe_arm(&gate->base),
		.head = describe_arm(&gate->head),
		.started_utc = utc,
		.budget_s = gate->options->budget_s,
		.command = bg_gate_command_text(gate),
	};
	result->head.dirty = gate->from_worktree && gate->dirty;
	if (gate->comparison == BG_COMPARISON_NOTHING)
		result->base = (struct bg_arm_result){ .how = "a plain run has no base" };
	add_machine(result, gate);
}

static bool is_plain(const char *word)
{
	return *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_-+=.,/:@%") == strlen(word);
}

static void add_word(struct bg_buffer *out, const char *word)
{
	if (is_plain(word)) {
		bg_buffer_format(out, " %s", word);
		return;
	}
	bg_buffer_text(out, " '");
	for (; *word; word++) {
		if (*word == '\'')
			bg_buffer_text(out, "'\\''");
		else
			bg_buffer_add(out, word, 1);
	}
	bg_buffer_text(out, "'");
}

static void add_option(struct bg_buffer *out, const char *name, const char *value)
{
	if (!value)
		return;
	bg_buffer_format(out, " --%s", name);
	add_word(out, value);
}

const char *bg_gate_command_text(const struct bg_gate *gate)
{
	const struct bg_gate_options *options = gate->options;
	struct bg_buffer out;
	bg_buffer_init(&out, 16384);
	bool plain = gate->comparison == BG_COMPARISON_NOTHING;
	bg_buffer_text(&out, plain ? "batchgate run" : "batchgate gate");
	add_option(&out, "suite", options->suite);
	if (options->stored)
		bg_buffer_text(&out, " --stored");
	add_option(&out, "remote", options->remote);
	if (options->aa)
		bg_buffer_text(&out, " --aa");
	else if (!plain)
		add_option(&out, "base", gate->base.commit ? gate->base.commit : options->base);
	add_option(&out, "head",
		   gate->head.commit && !gate->from_worktree ? gate->head.commit : options->head);
	add_option(&out, "base-worker", options->base_worker);
	add_option(&out, plain ? "worker" : "head-worker", options->head_worker);
	for (size_t i = 0; i < options->axes.count; i++)
		add_option(&out, "axis",
			   bg_arena_format(gate->arena, "%s=%s", options->axes.values[i].name,
					   options->axes.values[i].value));
	bg_buffer_format(&out, " --seed %llu", (unsigned long long)options->seed);
	const char *text = bg_arena_text(gate->arena, out.bytes);
	bg_buffer_release(&out);
	return text;
}
