/* A commit of notes, built in memory: no index, no work tree, no reference is touched. */
#include "baselines/notes_tree.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

struct target {
	const char *path; /* where it will lie */
	const char *object;
	unsigned mode;
};

struct build {
	const struct bg_notes_write *write;
	size_t count, capacity;
	struct target *targets;
	size_t added; /* lines that are new */
	const char *large;
	struct bg_arena *arena;
	struct bg_error *err;
};

static void index_drop(git_index **index)
{
	git_index_free(*index);
}

static void tree_drop(git_tree **tree)
{
	git_tree_free(*tree);
}

static void commit_drop(git_commit **commit)
{
	git_commit_free(*commit);
}

static void signature_drop(git_signature **signature)
{
	git_signature_free(*signature);
}

static const char *last_text(void)
{
	const git_error *last = git_error_last();
	return last && last->message ? last->message : "no reason given";
}

static enum bg_status fail_write(struct build *build, const char *what)
{
	return bg_fail(build->err, BG_E_SYSTEM, "%s: cannot write %s: %s",
		       build->write->repository->root, what, last_text());
}

static void add_target(struct build *build, const char *path, const char *object, unsigned mode)
{
	build->targets = bg_arena_grow(build->arena, build->targets, build->count, &build->capacity,
				       sizeof *build->targets);
	build->targets[build->count++] = (struct target){ path, object, mode };
}

static const char *canonical(const char *commit, struct bg_arena *arena)
{
	return bg_arena_format(arena, "%.2s/%s", commit, commit + 2);
}

/* Reads what a commit has and joins it with the additions [first, end). */
static enum bg_status join_note(struct build *build, struct bg_buffer *out, const char *commit,
				const struct bg_note_text *more)
{
	const struct bg_notes_write *write = build->write;
	const struct bg_notes_entry *entries;
	size_t count = bg_notes_find(&entries, write->on, commit);
	struct bg_note_text *texts = bg_arena_array(build->arena, count + 1, sizeof *texts);
	for (size_t i = 0; i < count; i++)
		if (bg_notes_text(&texts[i], write->repository, &entries[i], build->arena,
				  build->err) != BG_OK)
			return build->err->status;
	texts[count] = *more;
	build->added += bg_note_text_join(out, texts, count + 1, build->arena);
	if (out->full)
		return bg_fail(build->err, BG_E_SYSTEM,
			       "the note of %.12s would pass %zu MiB, which no git host takes: "
			       "record fewer sessions of one commit",
			       commit, BG_NOTE_SIZE_MAX >> 20);
	if (out->size > BG_NOTE_SIZE_WARN)
		build->large = commit;
	return BG_OK;
}

static enum bg_status write_note(struct build *build, const char *commit,
				 const struct bg_note_text *more)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	char hex[GIT_OID_HEXSZ + 1];
	git_oid id;
	bg_buffer_init(&out, BG_NOTE_SIZE_MAX);
	if (join_note(build, &out, commit, more) != BG_OK)
		return build->err->status;
	if (git_blob_create_from_buffer(&id, build->write->repository->handle, out.bytes,
					out.size) != 0)
		return fail_write(build, "a note");
	git_oid_tostr(hex, sizeof hex, &id);
	add_target(build, canonical(commit, build->arena), bg_arena_text(build->arena, hex),
		   GIT_FILEMODE_BLOB);
	return BG_OK;
}

/* All additions to one commit as one text. */
static enum bg_status write_additions(struct build *build, size_t first, size_t end)
{
	const struct bg_notes_addition *additions = build->write->additions;
	BG_AUTO(bg_buffer_release) struct bg_buffer more;
	bg_buffer_init(&more, BG_NOTE_SIZE_MAX);
	for (size_t i = first; i < end; i++) {
		bg_buffer_add(&more, additions[i].text.bytes, additions[i].text.size);
		bg_buffer_text(&more, "\n");
	}
	if (more.full)
		return bg_fail(build->err, BG_E_SYSTEM,
			       "what waits for %.12s passes %zu MiB, which no git host takes: "
			       "record fewer sessions of one commit",
			       additions[first].commit, BG_NOTE_SIZE_MAX >> 20);
	struct bg_note_text text = { more.bytes, more.size };
	return write_note(build, additions[first].commit, &text);
}

static bool gets_addition(const struct bg_notes_write *write, const char *commit)
{
	size_t low = 0, high = write->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(write->additions[middle].commit, commit) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < write->count && strcmp(write->additions[low].commit, commit) == 0;
}

/* Notes that get nothing: moved to where they belong, several of one commit joined. */
static enum bg_status keep_notes(struct build *build)
{
	static const struct bg_note_text nothing = { "", 0 };
	const struct bg_notes *on = build->write->on;
	for (size_t i = 0, count = 1; i < on->count; i += count) {
		const struct bg_notes_entry *entry = &on->entries[i];
		count = 1;
		if (!entry->commit) {
			add_target(build, entry->path, entry->object, entry->mode);
			continue;
		}
		while (i + count < on->count &&
		       strcmp(on->entries[i + count].commit, entry->commit) == 0)
			count++;
		if (gets_addition(build->write, entry->commit))
			continue;
		if (count == 1)
			add_target(build, canonical(entry->commit, build->arena), entry->object,
				   GIT_FILEMODE_BLOB);
		else if (write_note(build, entry->commit, &nothing) != BG_OK)
			return build->err->status;
	}
	return BG_OK;
}

static int by_path(const void *a, const void *b)
{
	const struct target *x = a, *y = b;
	return strcmp(x->path, y->path);
}

/* An index in memory knows how trees nest. Sorted, since it inserts into an array. */
static enum bg_status write_tree(struct build *build, git_oid *ret)
{
	BG_AUTO(index_drop) git_index *index = NULL;
	if (git_index_new(&index) != 0)
		return fail_write(build, "notes");
	if (build->count > 0)
		qsort(build->targets, build->count, sizeof *build->targets, by_path);
	for (size_t i = 0; i < build->count; i++) {
		const struct target *target = &build->targets[i];
		git_index_entry entry = { .mode = target->mode, .path = target->path };
		if (git_oid_fromstr(&entry.id, target->object) != 0 ||
		    git_index_add(index, &entry) != 0)
			return fail_write(build, target->path);
	}
	if (git_index_write_tree_to(ret, index, build->write->repository->handle) != 0)
		return fail_write(build, "notes");
	return BG_OK;
}

static enum bg_status write_commit(struct build *build, const git_oid *tree_id,
				   const char **ret_commit)
{
	const struct bg_notes_write *write = build->write;
	git_repository *handle = write->repository->handle;
	BG_AUTO(tree_drop) git_tree *tree = NULL;
	BG_AUTO(commit_drop) git_commit *parent = NULL;
	BG_AUTO(signature_drop) git_signature *who = NULL;
	char hex[GIT_OID_HEXSZ + 1];
	git_oid id, tip;
	if (git_tree_lookup(&tree, handle, tree_id) != 0 ||
	    git_signature_now(&who, write->author, write->email) != 0)
		return fail_write(build, "a commit of notes");
	if (write->on->tip && (git_oid_fromstr(&tip, write->on->tip) != 0 ||
			       git_commit_lookup(&parent, handle, &tip) != 0))
		return fail_write(build, "a commit of notes");
	const git_commit *parents[] = { parent };
	if (git_commit_create(&id, handle, NULL, who, who, NULL, write->message, tree,
			      parent ? 1 : 0, parents) != 0)
		return fail_write(build, "a commit of notes");
	*ret_commit = bg_arena_text(build->arena, git_oid_tostr(hex, sizeof hex, &id));
	return BG_OK;
}

enum bg_status bg_notes_write(const char **ret_commit, const char **ret_large,
			      const struct bg_notes_write *write, struct bg_arena *arena,
			      struct bg_error *err)
{
	struct build build = { .write = write, .arena = arena, .err = err };
	git_oid tree;
	for (size_t first = 0, end = 0; first < write->count; first = end) {
		while (end < write->count &&
		       strcmp(write->additions[end].commit, write->additions[first].commit) == 0)
			end++;
		if (write_additions(&build, first, end) != BG_OK)
			return err->status;
	}
	*ret_commit = NULL;
	*ret_large = build.large;
	if (build.added == 0)
		return BG_OK;
	if (keep_notes(&build) != BG_OK || write_tree(&build, &tree) != BG_OK ||
	    write_commit(&build, &tree, ret_commit) != BG_OK)
		return err->status;
	return BG_OK;
}
