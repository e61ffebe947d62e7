#include "baselines/store.h"

#include "baselines/remote.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES_MAX 10000

static void iterator_drop(git_reference_iterator **iterator)
{
	git_reference_iterator_free(*iterator);
}

static const char *last_text(void)
{
	const git_error *last = git_error_last();
	return last && last->message ? last->message : "no reason given";
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts and drops what is there twice; returns how many are left. */
static size_t sort_once(const char **texts, size_t count)
{
	size_t used = 0;
	if (count > 0)
		qsort(texts, count, sizeof *texts, by_text);
	for (size_t i = 0; i < count; i++)
		if (used == 0 || strcmp(texts[used - 1], texts[i]) != 0)
			texts[used++] = texts[i];
	return used;
}

static bool is_of_class(const struct bg_store *store, const struct bg_spool_entry *entry)
{
	return strcmp(entry->record.runner_class, store->runner_class) == 0;
}

static void list_commits(struct bg_store *store, struct bg_arena *arena)
{
	store->commits = bg_arena_array(arena, store->notes.count + store->spool.count,
					sizeof *store->commits);
	for (size_t i = 0; i < store->notes.count; i++)
		if (store->notes.entries[i].commit)
			store->commits[store->commit_count++] = store->notes.entries[i].commit;
	for (size_t i = 0; i < store->spool.count; i++)
		if (is_of_class(store, &store->spool.entries[i]))
			store->commits[store->commit_count++] =
				store->spool.entries[i].record.commit;
	store->commit_count = sort_once(store->commits, store->commit_count);
}

enum bg_status bg_store_open(struct bg_store *ret, const struct bg_repository *repository,
			     const struct bg_store_name *name, struct bg_arena *arena,
			     struct bg_error *err)
{
	struct bg_store store = { .repository = repository, .runner_class = name->runner_class };
	if (bg_repository_need_handle(repository, err) != BG_OK)
		return err->status;
	if (name->remote)
		store.mirror = bg_remote_refs_of(name->remote, name->runner_class, arena).mirror;
	/* The spool first: a record that is published meanwhile is then seen twice, not never. */
	if (bg_spool_read(&store.spool, repository->common_dir, arena, err) != BG_OK)
		return err->status;
	if (store.mirror &&
	    bg_notes_read(&store.notes, repository, store.mirror, arena, err) != BG_OK)
		return err->status;
	list_commits(&store, arena);
	*ret = store;
	return BG_OK;
}

/* Classes of a remote's mirror, put behind those that are there. */
static enum bg_status add_mirrors(const char **classes, size_t *count,
				  const struct bg_repository *repository, const char *remote,
				  struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(iterator_drop) git_reference_iterator *iterator = NULL;
	const char *pattern = bg_remote_refs_of(remote, "*", arena).mirror, *name;
	size_t start = strlen(pattern) - 1;
	int rc = git_reference_iterator_glob_new(&iterator, repository->handle, pattern);
	while (rc == 0 && (rc = git_reference_next_name(&name, iterator)) == 0)
		if (strlen(name) > start && bg_runner_class_is_valid(name + start) &&
		    *count < CLASSES_MAX + BG_SPOOL_FILES_MAX)
			classes[(*count)++] = bg_arena_text(arena, name + start);
	if (rc != GIT_ITEROVER)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot list references: %s", repository->root,
			       last_text());
	return BG_OK;
}

enum bg_status bg_store_classes(const char ***ret, size_t *ret_count,
				const struct bg_repository *repository, const char *remote,
				struct bg_arena *arena, struct bg_error *err)
{
	const char **classes =
		bg_arena_array(arena, CLASSES_MAX + BG_SPOOL_FILES_MAX, sizeof *classes);
	size_t count = 0;
	struct bg_spool spool;
	if (bg_repository_need_handle(repository, err) != BG_OK)
		return err->status;
	if (bg_spool_read(&spool, repository->common_dir, arena, err) != BG_OK)
		return err->status;
	for (size_t i = 0; i < spool.count; i++)
		classes[count++] = spool.entries[i].record.runner_class;
	if (remote && add_mirrors(classes, &count, repository, remote, arena, err) != BG_OK)
		return err->status;
	*ret_count = sort_once(classes, count);
	*ret = classes;
	return BG_OK;
}

static bool is_published(const struct bg_note_records *published, const char *run)
{
	for (size_t i = 0; i < published->count; i++)
		if (strcmp(published->records[i].run, run) == 0)
			return true;
	return false;
}

/* The lines of the mirror's notes of a commit, as one text. */
static enum bg_status read_notes(struct bg_buffer *out, const struct bg_store *store,
				 const char *commit, struct bg_arena *arena, struct bg_error *err)
{
	const struct bg_notes_entry *entries;
	size_t count = bg_notes_find(&entries, &store->notes, commit);
	struct bg_note_text *texts = bg_arena_array(arena, count, sizeof *texts);
	for (size_t i = 0; i < count; i++)
		if (bg_notes_text(&texts[i], store->repository, &entries[i], arena, err) != BG_OK)
			return err->status;
	(void)bg_note_text_join(out, texts, count, arena);
	if (out->full)
		return bg_fail(err, BG_E_SYSTEM, "the notes of %.12s have more than %zu MiB",
			       commit, BG_NOTE_SIZE_MAX >> 20);
	return BG_OK;
}

static int by_run(const void *a, const void *b)
{
	const struct bg_record *x = a, *y = b;
	return strcmp(x->run, y->run);
}

enum bg_status bg_store_read(struct bg_store_sessions *ret, const struct bg_store *store,
			     const char *commit, struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer text;
	struct bg_store_sessions sessions = { 0 };
	struct bg_note_records published;
	bg_buffer_init(&text, BG_NOTE_SIZE_MAX);
	if (read_notes(&text, store, commit, arena, err) != BG_OK)
		return err->status;
	/* A copy would do as well; the records copy what they keep. */
	struct bg_note_text note = { text.bytes ? text.bytes : "", text.size };
	struct bg_note_owner owner = { commit, store->runner_class };
	bg_note_text_read(&published, &note, &owner, &sessions.faults, arena);
	size_t count = published.count;
	sessions.records =
		bg_arena_array(arena, count + store->spool.count, sizeof *sessions.records);
	for (size_t i = 0; i < count; i++)
		sessions.records[i] = published.records[i];
	for (size_t i = 0; i < store->spool.count; i++) {
		const struct bg_spool_entry *entry = &store->spool.entries[i];
		if (is_of_class(store, entry) && strcmp(entry->record.commit, commit) == 0 &&
		    !is_published(&published, entry->record.run))
			sessions.records[count++] = entry->record;
	}
	if (count > 0)
		qsort(sessions.records, count, sizeof *sessions.records, by_run);
	sessions.waiting = bg_arena_array(arena, count, sizeof *sessions.waiting);
	for (size_t i = 0; i < count; i++)
		sessions.waiting[i] = !is_published(&published, sessions.records[i].run);
	sessions.count = count;
	*ret = sessions;
	return BG_OK;
}
