#include "gate/cli/gate_offers.h"

#include "gate/core/file.h"
#include "sweeps/ask.h"
#include "sweeps/own_worker.h"

#include <string.h>

/* An interpreter that loads a big library takes a while on a cold disk. */
#define OWN_LIMIT_S 120.

/* *fault is set where the arm's worker gives no usable list. */
static enum bg_status ask_arm(struct bg_catalogue *ret, const char **fault, struct bg_gate *gate,
			      const struct bg_workload_entry *entry, const char *const *words,
			      size_t arm, struct bg_error *err)
{
	struct bg_link_start start = { .name = bg_own_worker_name(entry, bg_arm_name[arm],
								  gate->arena),
				       .argv = words,
				       .envp = gate->environment[arm],
				       .dir = arm == 0 ? gate->trees.base : gate->trees.head,
				       .log_fd = gate->log_fd[arm],
				       .timeout_s = OWN_LIMIT_S };
	struct bg_catalogue list;
	enum bg_status status = bg_catalogue_ask(&list, &start, gate->arena, err);
	if (status == BG_E_INTERRUPTED)
		return status;
	if (status != BG_OK) {
		*fault = bg_arena_text(gate->arena, err->text);
		bg_error_clear(err);
		return BG_OK;
	}
	const char *wrong = bg_own_list_check(&list, gate->arena);
	if (wrong)
		*fault = bg_arena_format(gate->arena, "%s: list: %s", start.name, wrong);
	else
		*ret = list;
	return BG_OK;
}

static enum bg_status ask(struct bg_own_offer *offer, struct bg_gate *gate,
			  const char *const *words, struct bg_error *err)
{
	enum bg_status status = BG_OK;
	bg_progress_say(gate->progress, "asking %s what it offers", offer->entry->name);
	offer->asked = true;
	offer->fault = gate->build_fault[1];
	if (!offer->fault)
		status = ask_arm(&offer->list, &offer->fault, gate, offer->entry, words, 1, err);
	if (status != BG_OK || !offer->fault || gate->build_fault[0] ||
	    gate->comparison != BG_COMPARISON_ARMS)
		return status;
	const char *base_fault = NULL;
	status = ask_arm(&offer->list, &base_fault, gate, offer->entry, words, 0, err);
	offer->of_base = !base_fault;
	return status;
}

static bool same_words(const char *const *a, const char *const *b)
{
	size_t i = 0;
	while (a[i] && b[i] && strcmp(a[i], b[i]) == 0)
		i++;
	return !a[i] && !b[i];
}

enum bg_status bg_gate_offers(struct bg_gate *gate, struct bg_catalogue *catalogue,
			      struct bg_error *err)
{
	const struct bg_suite *suite = &gate->head_suite;
	struct bg_own_offer *offers =
		bg_arena_array(gate->arena, suite->workload_count, sizeof *offers);
	const char *const **words =
		bg_arena_array(gate->arena, suite->workload_count, sizeof *words);
	size_t count = 0;
	char *self;
	if (bg_path_absolute(&self, "/proc/self/exe", gate->arena, err) != BG_OK)
		return bg_within(err, "cannot find the running batchgate");
	for (size_t i = 0; i < suite->workload_count; i++) {
		const struct bg_workload_entry *entry = &suite->workloads[i];
		if (!bg_own_has(entry))
			continue;
		words[count] = bg_own_command(entry, self, gate->arena);
		size_t twin = 0;
		while (!same_words(words[twin], words[count]))
			twin++;
		offers[count] = offers[twin];
		offers[count].entry = entry;
		enum bg_status status = BG_OK;
		if (twin == count && !gate->options->dry_run)
			status = ask(&offers[count], gate, words[count], err);
		if (status != BG_OK)
			return status;
		count++;
	}
	catalogue->own = offers;
	catalogue->own_count = count;
	catalogue->self = self;
	return BG_OK;
}
