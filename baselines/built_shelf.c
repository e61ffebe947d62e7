#include "baselines/built_shelf.h"

#include "baselines/built_cache.h"
#include "baselines/listing.h"
#include "gate/core/file.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct kept {
	const char *key;
	struct timespec used; /* last */
	time_t built;
	uint64_t size;
};

struct shelf {
	const char *folder;
	size_t count, capacity;
	struct kept *kept;
	struct bg_arena *arena;
};

static void entries_drop(DIR **entries)
{
	if (*entries)
		closedir(*entries);
}

static bool is_key(const char *name)
{
	return strlen(name) == BG_SHA256_TEXT_SIZE - 1 &&
	       strspn(name, "0123456789abcdef") == BG_SHA256_TEXT_SIZE - 1;
}

void bg_shelf_drop(const char *folder, const char *key, struct bg_arena *arena)
{
	struct bg_error ignored = BG_ERROR_INIT;
	char *away = bg_arena_format(arena, "%s/" BG_SHELF_DRAFT "XXXXXX", folder);
	/* Half removed it must not be found under its name. */
	if (!mkdtemp(away))
		return;
	(void)!rename(bg_arena_format(arena, "%s/%s", folder, key),
		      bg_arena_format(arena, "%s/%s", away, key));
	(void)!bg_tree_remove(away, &ignored);
}

static uint64_t size_of(const char *entry)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer text;
	struct bg_error ignored = BG_ERROR_INIT;
	struct bg_listing listing = { .count_left = UINT64_MAX, .size_left = UINT64_MAX };
	bg_buffer_init(&text, BG_LISTING_SIZE_MAX);
	bool listed = bg_listing_add(&text, &listing, entry, &ignored) == BG_OK;
	return listed ? UINT64_MAX - listing.size_left : UINT64_MAX;
}

static void add_kept(struct shelf *shelf, const char *key)
{
	const char *entry = bg_arena_format(shelf->arena, "%s/%s", shelf->folder, key);
	struct stat of_entry, of_listing;
	if (lstat(entry, &of_entry) != 0)
		return;
	bool built = lstat(bg_arena_format(shelf->arena, "%s/" BG_SHELF_LISTING, entry),
			   &of_listing) == 0;
	shelf->kept = bg_arena_grow(shelf->arena, shelf->kept, shelf->count, &shelf->capacity,
				    sizeof *shelf->kept);
	shelf->kept[shelf->count++] =
		(struct kept){ bg_arena_text(shelf->arena, key), of_entry.st_mtim,
			       built ? of_listing.st_mtime : 0, size_of(entry) };
}

static void read_shelf(struct shelf *shelf)
{
	BG_AUTO(entries_drop) DIR *entries = opendir(shelf->folder);
	for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
		struct bg_error ignored = BG_ERROR_INIT;
		if (is_key(entry->d_name))
			add_kept(shelf, entry->d_name);
		else if (strncmp(entry->d_name, BG_SHELF_DRAFT, strlen(BG_SHELF_DRAFT)) == 0)
			(void)!bg_tree_remove(bg_arena_format(shelf->arena, "%s/%s", shelf->folder,
							      entry->d_name),
					      &ignored);
	}
}

/* The last used first; of the same moment in the order of their keys. */
static int compare_used(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;
	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? 1 : -1;
	return strcmp(x->key, y->key);
}

void bg_shelf_tidy(const char *folder, struct bg_arena *arena)
{
	struct shelf shelf = { .folder = folder, .arena = arena };
	uint64_t size = 0;
	size_t count = 0;
	read_shelf(&shelf);
	if (shelf.count == 0)
		return;
	qsort(shelf.kept, shelf.count, sizeof *shelf.kept, compare_used);
	for (size_t i = 0; i < shelf.count; i++) {
		const struct kept *kept = &shelf.kept[i];
		bool fits = count < BG_BUILT_COUNT_MAX && kept->size <= BG_BUILT_SIZE_MAX - size;
		if (fits && time(NULL) - kept->built <= BG_BUILT_AGE_MAX_S) {
			size += kept->size;
			count++;
		} else {
			bg_shelf_drop(folder, kept->key, arena);
		}
	}
}
