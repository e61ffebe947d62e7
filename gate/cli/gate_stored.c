#include "gate/cli/gate_stored.h"

#include "baselines/fetch.h"
#include "baselines/store.h"
#include "gate/cli/gate_result.h"
#include "sweeps/alias.h"

/* How many commits back sessions tell the class's noise. */
#define HISTORY_COMMITS 200

/* Records fetched earlier still serve where the remote is out of reach. */
static enum bg_status fetch(struct bg_gate *gate, const struct bg_remote *remote,
			    const char *runner_class, struct bg_error *err)
{
	bool there;
	struct bg_error failed = BG_ERROR_INIT;
	struct bg_store_lock lock;
	struct bg_fetch ask = { &gate->repository, remote, runner_class };
	bg_progress_say(gate->progress, "fetching records of class %s from %s", runner_class,
			remote->name);
	enum bg_status status = bg_store_lock(&lock, &gate->repository, gate->arena, err);
	if (status != BG_OK)
		return status;
	status = bg_fetch_run(&there, &ask, gate->arena, &failed);
	bg_store_unlock(&lock);
	if (status == BG_E_INTERRUPTED)
		return bg_fail(err, status, "%s", failed.text);
	if (status != BG_OK)
		bg_gate_remark(gate,
			       "records of %s were not fetched, those fetched before are used: %s",
			       remote->name, failed.text);
	return BG_OK;
}

/* The remote that was named, else one that can be chosen, else none: the spool alone. */
static enum bg_status find_remote(struct bg_remote *remote, bool *has, struct bg_gate *gate,
				  struct bg_error *err)
{
	enum bg_status status =
		bg_remote_find(remote, &gate->repository, gate->options->remote, gate->arena, err);
	*has = status == BG_OK;
	if (status != BG_E_SYSTEM || gate->options->remote)
		return status;
	bg_error_clear(err);
	return BG_OK;
}

static enum bg_status look_up(struct bg_gate *gate, const struct bg_store *store,
			      struct bg_error *err)
{
	struct bg_store_query query = {
		.commit = gate->base.commit,
		.tree = gate->base.tree,
		.suite = bg_gate_suite_name(gate),
	};
	struct bg_store_found found;
	struct bg_store_history history;
	enum bg_status status = bg_store_find(&found, store, &query, gate->arena, err);
	if (status == BG_OK)
		status = bg_store_history_read(&history, store, &query, HISTORY_COMMITS,
					       gate->arena, err);
	if (status != BG_OK)
		return status;
	gate->stored.count = found.count;
	gate->stored.sessions = found.records;
	gate->stored.none_why = found.how;
	gate->stored.history_count = history.count;
	gate->stored.history = history.records;
	if (found.count > 0)
		bg_gate_remark(gate, "base: %zu stored session%s, %s", found.count,
			       found.count == 1 ? "" : "s", found.how);
	return BG_OK;
}

enum bg_status bg_gate_find_stored(struct bg_gate *gate, struct bg_error *err)
{
	struct bg_remote remote;
	struct bg_store store;
	bool has_remote;
	const char *runner_class = bg_gate_runner_class(gate);
	enum bg_status status = find_remote(&remote, &has_remote, gate, err);
	if (status == BG_OK && has_remote && !gate->options->no_fetch && !gate->options->dry_run)
		status = fetch(gate, &remote, runner_class, err);
	if (status != BG_OK)
		return status;
	struct bg_store_name name = { has_remote ? remote.name : NULL, runner_class };
	status = bg_store_open(&store, &gate->repository, &name, gate->arena, err);
	return status == BG_OK ? look_up(gate, &store, err) : status;
}

struct renaming {
	struct bg_alias_index index;
	struct bg_arena *arena;
};

static const char *old_name(const char *name, void *context)
{
	struct renaming *renaming = context;
	return bg_alias_old_name(&renaming->index, name, renaming->arena);
}

void bg_gate_hold_to_stored(struct bg_gate_session *gate_session)
{
	struct bg_gate *gate = gate_session->gate;
	struct renaming renaming = { .arena = gate->arena };
	bg_alias_index_make(&renaming.index, &gate->head_suite, gate->arena);
	gate->stored.old_name = old_name;
	gate->stored.context = &renaming;
	/* Without base's suite the sessions alone tell what is missing. */
	gate->stored.add_missing = !gate->have_base_suite;
	bg_stored_base_attach(&gate_session->result, &gate->stored, gate->arena);
}
