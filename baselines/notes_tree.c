#include "baselines/notes_tree.h"

#include "baselines/git_program.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64 /* an object id of 128 digits, two a folder */

struct walk {
	const struct bg_repository *repository;
	const char *reference;
	struct bg_notes *notes;
	size_t capacity;
	struct bg_arena *arena;
	struct bg_error *err;
};

static void object_drop(git_object **object)
{
	git_object_free(*object);
}

static void reference_drop(git_reference **reference)
{
	git_reference_free(*reference);
}

static const char *last_text(void)
{
	const git_error *last = git_error_last();
	return last && last->message ? last->message : "no reason given";
}

static const char *hex_of(const git_oid *id, struct bg_arena *arena)
{
	char hex[GIT_OID_HEXSZ + 1];
	return bg_arena_text(arena, git_oid_tostr(hex, sizeof hex, id));
}

/* In a partial clone an object may be at the remote alone; git fetches it when asked for it. */
static int find_object(git_object **ret, const struct bg_repository *repository, const git_oid *id,
		       git_object_t type)
{
	int rc = git_object_lookup(ret, repository->handle, id, type);
	if (rc != GIT_ENOTFOUND)
		return rc;
	char hex[GIT_OID_HEXSZ + 1];
	const char *const args[] = { "cat-file", "-e", git_oid_tostr(hex, sizeof hex, id), NULL };
	struct bg_git_command command = { .dir = repository->root, .args = args, .log_fd = -1 };
	struct bg_error ignored = BG_ERROR_INIT;
	int exit_status = 1;
	if (bg_git_run(&exit_status, NULL, &command, &ignored) == BG_OK && exit_status == 0)
		rc = git_object_lookup(ret, repository->handle, id, type);
	return rc;
}

static void add_entry(struct walk *walk, const char *path, const git_tree_entry *from)
{
	struct bg_notes *notes = walk->notes;
	git_filemode_t mode = git_tree_entry_filemode(from);
	bool is_blob = mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
	char *commit = bg_arena_text(walk->arena, path), *to = commit;
	for (const char *c = path; *c; c++)
		if (*c != '/')
			*to++ = *c;
	*to = '\0';
	notes->entries = bg_arena_grow(walk->arena, notes->entries, notes->count, &walk->capacity,
				       sizeof *notes->entries);
	notes->entries[notes->count++] = (struct bg_notes_entry){
		.path = path,
		.commit = is_blob && bg_object_id_is_valid(commit) ? commit : NULL,
		.object = hex_of(git_tree_entry_id(from), walk->arena),
		.mode = (unsigned)mode,
	};
}

static enum bg_status walk_tree(struct walk *walk, const git_oid *id, const char *folder,
				unsigned depth)
{
	BG_AUTO(object_drop) git_object *object = NULL;
	if (depth > DEPTH_MAX)
		return bg_fail(walk->err, BG_E_SYSTEM, "%s: its tree is nested too deep",
			       walk->reference);
	if (find_object(&object, walk->repository, id, GIT_OBJECT_TREE) != 0)
		return bg_fail(walk->err, BG_E_SYSTEM, "%s: cannot read its tree: %s",
			       walk->reference, last_text());
	const git_tree *tree = (const git_tree *)object;
	size_t count = git_tree_entrycount(tree);
	for (size_t i = 0; i < count; i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
		const char *path =
			bg_arena_format(walk->arena, "%s%s", folder, git_tree_entry_name(entry));
		if (walk->notes->count == BG_NOTES_MAX)
			return bg_fail(walk->err, BG_E_SYSTEM, "%s: holds more than %d notes",
				       walk->reference, BG_NOTES_MAX);
		if (git_tree_entry_type(entry) != GIT_OBJECT_TREE)
			add_entry(walk, path, entry);
		else if (walk_tree(walk, git_tree_entry_id(entry),
				   bg_arena_format(walk->arena, "%s/", path), depth + 1) != BG_OK)
			return walk->err->status;
	}
	return BG_OK;
}

static int by_commit(const void *a, const void *b)
{
	const struct bg_notes_entry *x = a, *y = b;
	int order = strcmp(x->commit ? x->commit : "", y->commit ? y->commit : "");
	return order != 0 ? order : strcmp(x->path, y->path);
}

enum bg_status bg_notes_read(struct bg_notes *ret, const struct bg_repository *repository,
			     const char *reference, struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(reference_drop) git_reference *found = NULL;
	BG_AUTO(reference_drop) git_reference *direct = NULL;
	BG_AUTO(object_drop) git_object *commit = NULL;
	struct bg_notes notes = { 0 };
	struct walk walk = { repository, reference, &notes, 0, arena, err };
	int rc = git_reference_lookup(&found, repository->handle, reference);
	if (rc == GIT_ENOTFOUND) {
		*ret = notes;
		return BG_OK;
	}
	if (rc != 0 || git_reference_resolve(&direct, found) != 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot read: %s", reference, last_text());
	const git_oid *tip = git_reference_target(direct);
	if (find_object(&commit, repository, tip, GIT_OBJECT_COMMIT) != 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: holds no commit: %s", reference, last_text());
	notes.tip = hex_of(tip, arena);
	if (walk_tree(&walk, git_commit_tree_id((const git_commit *)commit), "", 0) != BG_OK)
		return err->status;
	if (notes.count > 0)
		qsort(notes.entries, notes.count, sizeof *notes.entries, by_commit);
	*ret = notes;
	return BG_OK;
}

size_t bg_notes_find(const struct bg_notes_entry **ret, const struct bg_notes *notes,
		     const char *commit)
{
	size_t low = 0, high = notes->count, count = 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *there = notes->entries[middle].commit;
		if (!there || strcmp(there, commit) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + count < notes->count && notes->entries[low + count].commit &&
	       strcmp(notes->entries[low + count].commit, commit) == 0)
		count++;
	*ret = count > 0 ? &notes->entries[low] : NULL;
	return count;
}

enum bg_status bg_notes_text(struct bg_note_text *ret, const struct bg_repository *repository,
			     const struct bg_notes_entry *entry, struct bg_arena *arena,
			     struct bg_error *err)
{
	BG_AUTO(object_drop) git_object *object = NULL;
	git_oid id;
	if (git_oid_fromstr(&id, entry->object) != 0 ||
	    find_object(&object, repository, &id, GIT_OBJECT_BLOB) != 0)
		return bg_fail(err, BG_E_SYSTEM, "note %s: cannot read: %s", entry->path,
			       last_text());
	const git_blob *blob = (const git_blob *)object;
	git_object_size_t size = git_blob_rawsize(blob);
	if (size > BG_NOTE_SIZE_MAX)
		return bg_fail(err, BG_E_SYSTEM, "note %s: has more than %zu MiB", entry->path,
			       BG_NOTE_SIZE_MAX >> 20);
	*ret = (struct bg_note_text){
		bg_arena_bytes(arena, git_blob_rawcontent(blob), (size_t)size), (size_t)size
	};
	return BG_OK;
}
