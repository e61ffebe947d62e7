/* Which records serve as a baseline. */
#include "baselines/store.h"

#include "baselines/ancestry.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEN "git fetch --deepen=50 (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0)"

struct search {
	const struct bg_store *store;
	const struct bg_store_query *query;
	struct bg_store_found found;
	size_t capacity;
	struct bg_arena *arena;
	struct bg_error *err;
};

static void add_record(struct search *search, const struct bg_record *record)
{
	struct bg_store_found *found = &search->found;
	found->records = bg_arena_grow(search->arena, found->records, found->count,
				       &search->capacity, sizeof *found->records);
	found->records[found->count++] = *record;
}

static bool serves(const struct search *search, const struct bg_record *record)
{
	return !record->dirty && strcmp(record->suite, search->query->suite) == 0;
}

/* The sessions of a commit, where all of what it has can be read. */
static enum bg_status read_whole(struct search *search, struct bg_store_sessions *ret,
				 const char *commit)
{
	if (bg_store_read(ret, search->store, commit, search->arena, search->err) != BG_OK)
		return search->err->status;
	if (ret->faults.bad == 0)
		return BG_OK;
	return bg_fail(search->err, BG_E_UNJUDGED,
		       "the baseline's note has %zu record%s that cannot be read, so what it says "
		       "is not known: %s; take the line out of refs/notes/batchgate/v1/%s with git "
		       "notes, and push that",
		       ret->faults.bad, ret->faults.bad == 1 ? "" : "s", ret->faults.first,
		       search->store->runner_class);
}

static enum bg_status find_of_commit(struct search *search, const char *commit)
{
	struct bg_store_sessions sessions;
	if (read_whole(search, &sessions, commit) != BG_OK)
		return search->err->status;
	for (size_t i = 0; i < sessions.count; i++)
		if (serves(search, &sessions.records[i]))
			add_record(search, &sessions.records[i]);
	if (search->found.count > 0)
		search->found.commit = commit;
	return BG_OK;
}

static bool holds(const struct bg_note_text *text, const char *wanted)
{
	return memmem(text->bytes, text->size, wanted, strlen(wanted)) != NULL;
}

/*
 * Whether a commit's records may be of the tree: by the commit itself where it is here, else by a
 * look at the text, which costs far less than to read the records.
 */
static enum bg_status may_have_tree(struct search *search, bool *ret, const char *commit)
{
	struct bg_arena arena = BG_ARENA_INIT;
	const char *tree = search->query->tree;
	const char *wanted = bg_arena_format(&arena, "\"tree\":\"%s\"", tree);
	const char *known = bg_commit_tree(search->store->repository, commit, &arena);
	const struct bg_notes_entry *entries;
	size_t count = bg_notes_find(&entries, &search->store->notes, commit);
	const struct bg_spool *spool = &search->store->spool;
	enum bg_status status = BG_OK;
	bool may = known && strcmp(known, tree) == 0;
	for (size_t i = 0; !known && !may && status == BG_OK && i < count; i++) {
		struct bg_note_text text;
		status = bg_notes_text(&text, search->store->repository, &entries[i], &arena,
				       search->err);
		may = status == BG_OK && holds(&text, wanted);
	}
	for (size_t i = 0; !known && !may && i < spool->count; i++)
		may = strcmp(spool->entries[i].record.commit, commit) == 0 &&
		      strcmp(spool->entries[i].record.tree, tree) == 0;
	bg_arena_release(&arena);
	*ret = may;
	return status;
}

static int by_run(const void *a, const void *b)
{
	const struct bg_record *x = a, *y = b;
	return strcmp(x->run, y->run);
}

/* Sessions of the same tree are of the same code, whatever their commits are called. */
static enum bg_status find_by_tree(struct search *search, size_t *ret_commits)
{
	const struct bg_store *store = search->store;
	for (size_t i = 0; i < store->commit_count; i++) {
		const char *commit = store->commits[i];
		struct bg_store_sessions sessions;
		bool may = false;
		if (may_have_tree(search, &may, commit) != BG_OK)
			return search->err->status;
		if (!may)
			continue;
		if (read_whole(search, &sessions, commit) != BG_OK)
			return search->err->status;
		size_t before = search->found.count;
		for (size_t k = 0; k < sessions.count; k++)
			if (serves(search, &sessions.records[k]) &&
			    strcmp(sessions.records[k].tree, search->query->tree) == 0)
				add_record(search, &sessions.records[k]);
		if (search->found.count == before)
			continue;
		if (!search->found.commit)
			search->found.commit = commit;
		(*ret_commits)++;
	}
	if (search->found.count > 0)
		qsort(search->found.records, search->found.count, sizeof *search->found.records,
		      by_run);
	return BG_OK;
}

static bool has_commit(const struct bg_store *store, const char *commit)
{
	for (size_t low = 0, high = store->commit_count; low < high;) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(store->commits[middle], commit);
		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static enum bg_status find_ancestor(struct search *search, const struct bg_ancestry *ancestry)
{
	for (size_t i = 1; i < ancestry->count && search->found.count == 0; i++) {
		const char *commit = ancestry->commits[i];
		if (!has_commit(search->store, commit))
			continue;
		if (find_of_commit(search, commit) != BG_OK)
			return search->err->status;
		search->found.distance = i;
	}
	return BG_OK;
}

static void tell_way(struct search *search, enum bg_store_way way, size_t commits)
{
	struct bg_store_found *found = &search->found;
	found->way = way;
	if (way == BG_STORE_EXACT)
		found->how = bg_arena_format(search->arena, "recorded for %.12s", found->commit);
	else if (way == BG_STORE_TREE && commits > 1)
		found->how = bg_arena_format(search->arena, "same tree as %.12s and %zu more",
					     found->commit, commits - 1);
	else if (way == BG_STORE_TREE)
		found->how = bg_arena_format(search->arena, "same tree as %.12s", found->commit);
	else
		found->how = bg_arena_format(search->arena,
					     "nearest ancestor with a record, %.12s, %zu commit%s "
					     "back",
					     found->commit, found->distance,
					     found->distance == 1 ? "" : "s");
}

static void tell_none(struct search *search, const struct bg_ancestry *ancestry)
{
	size_t back = ancestry->count > 0 ? ancestry->count - 1 : 0;
	search->found.way = BG_STORE_NONE;
	search->found.distance = 0;
	search->found.cut = ancestry->cut;
	search->found.how = bg_arena_format(
		search->arena,
		"no record of suite %.80s and class %s for %.12s%s or %zu first "
		"parent%s of it%s",
		search->query->suite, search->store->runner_class, search->query->commit,
		search->query->tree ? ", its tree" : "", back, back == 1 ? "" : "s",
		ancestry->cut ? "; this clone has no more of its history: " DEEPEN
			      : "; batchgate baseline fetch brings what is published");
}

static enum bg_status run_search(struct search *search)
{
	const struct bg_store_query *query = search->query;
	size_t commits = 0;
	if (has_commit(search->store, query->commit) &&
	    find_of_commit(search, query->commit) != BG_OK)
		return search->err->status;
	if (search->found.count > 0) {
		tell_way(search, BG_STORE_EXACT, 1);
		return BG_OK;
	}
	if (query->tree && find_by_tree(search, &commits) != BG_OK)
		return search->err->status;
	if (search->found.count > 0) {
		tell_way(search, BG_STORE_TREE, commits);
		return BG_OK;
	}
	struct bg_ancestry ancestry;
	bg_ancestry_read(&ancestry, search->store->repository, query->commit,
			 BG_STORE_ANCESTORS_MAX + 1, search->arena);
	if (find_ancestor(search, &ancestry) != BG_OK)
		return search->err->status;
	if (search->found.count > 0)
		tell_way(search, BG_STORE_ANCESTOR, 1);
	else
		tell_none(search, &ancestry);
	return BG_OK;
}

enum bg_status bg_store_find(struct bg_store_found *ret, const struct bg_store *store,
			     const struct bg_store_query *query, struct bg_arena *arena,
			     struct bg_error *err)
{
	struct search search = { .store = store, .query = query, .arena = arena, .err = err };
	if (run_search(&search) != BG_OK)
		return err->status;
	*ret = search.found;
	return BG_OK;
}

static void add_faults(struct bg_note_faults *sum, const struct bg_note_faults *more)
{
	sum->bad += more->bad;
	sum->other_schema += more->other_schema;
	sum->misplaced += more->misplaced;
	sum->foreign += more->foreign;
	if (!sum->first)
		sum->first = more->first;
}

enum bg_status bg_store_history_read(struct bg_store_history *ret, const struct bg_store *store,
				     const struct bg_store_query *query, size_t commits_max,
				     struct bg_arena *arena, struct bg_error *err)
{
	struct search search = { .store = store, .query = query, .arena = arena, .err = err };
	struct bg_store_history history = { 0 };
	struct bg_ancestry ancestry;
	bg_ancestry_read(&ancestry, store->repository, query->commit, commits_max, arena);
	for (size_t i = 0; i < ancestry.count; i++) {
		struct bg_store_sessions sessions;
		if (!has_commit(store, ancestry.commits[i]))
			continue;
		if (bg_store_read(&sessions, store, ancestry.commits[i], arena, err) != BG_OK)
			return err->status;
		add_faults(&history.faults, &sessions.faults);
		for (size_t k = 0; k < sessions.count; k++)
			if (serves(&search, &sessions.records[k]))
				add_record(&search, &sessions.records[k]);
	}
	history.count = search.found.count;
	history.records = search.found.records;
	history.cut = ancestry.cut;
	*ret = history;
	return BG_OK;
}
