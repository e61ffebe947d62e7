#include "baselines/built_cache.h"

#include "baselines/built_in.h"
#include "baselines/built_shelf.h"
#include "baselines/copy.h"
#include "baselines/listing.h"
#include "baselines/overlay.h"
#include "gate/core/descriptor.h"
#include "gate/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COUNT_MAX UINT64_C(200000)
#define LOG_SIZE_MAX ((size_t)64 << 20)
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

static const char *absolute_variable(const char *name)
{
	const char *value = getenv(name);
	return value && value[0] == '/' ? value : NULL;
}

/* Others must not be able to write what base is made of. */
static bool is_private(const char *folder)
{
	struct stat info;
	return lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
	       (info.st_mode & 022) == 0;
}

enum bg_status bg_built_open(struct bg_built_cache *ret, const char key[BG_SHA256_TEXT_SIZE],
			     struct bg_arena *arena, struct bg_error *err)
{
	const char *cache = absolute_variable("XDG_CACHE_HOME"), *home = absolute_variable("HOME");
	if (!cache && !home)
		return bg_fail(err, BG_E_SYSTEM, "neither XDG_CACHE_HOME nor HOME names a folder");
	const char *parent = cache ? bg_arena_format(arena, "%s/batchgate", cache)
				   : bg_arena_format(arena, "%s/.cache/batchgate", home);
	const char *folder = bg_arena_format(arena, "%s/built", parent);
	if (bg_dir_make(parent, err) != BG_OK)
		return err->status;
	if ((mkdir(folder, 0700) != 0 && errno != EEXIST) || !is_private(folder))
		return bg_fail(err, BG_E_SYSTEM, "%s: not a folder that only you can write to",
			       folder);
	int fd = open(bg_arena_format(arena, "%s/" BG_SHELF_LOCK, folder),
		      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || flock(fd, LOCK_SH) != 0) {
		int reason = errno;
		bg_descriptor_drop(&fd);
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot lock: %s", folder, strerror(reason));
	}
	*ret = (struct bg_built_cache){ .folder = folder, .lock_fd = fd };
	memcpy(ret->key, key, sizeof ret->key);
	return BG_OK;
}

static const char *part_of(const struct bg_built_cache *cache, const char *part,
			   struct bg_arena *arena)
{
	return bg_arena_format(arena, "%s/%s/%s", cache->folder, cache->key, part);
}

static enum bg_status list_tree(struct bg_buffer *out, const char *tree, struct bg_error *err)
{
	struct bg_listing listing = { .contents = true,
				      .times = true,
				      .count_left = COUNT_MAX,
				      .size_left = BG_BUILT_ENTRY_MAX };
	return bg_listing_add(out, &listing, tree, err);
}

/* True where the entry's files are those that its listing names. */
static bool is_whole(const struct bg_built_cache *cache, struct bg_arena *arena)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer now;
	struct bg_error ignored = BG_ERROR_INIT;
	char *kept;
	size_t size;
	bg_buffer_init(&now, BG_LISTING_SIZE_MAX);
	return bg_file_read(&kept, &size, part_of(cache, BG_SHELF_LISTING, arena),
			    BG_LISTING_SIZE_MAX, arena, &ignored) == BG_OK &&
	       list_tree(&now, part_of(cache, BG_SHELF_TREE, arena), &ignored) == BG_OK &&
	       now.size == size && (size == 0 || memcmp(now.bytes, kept, size) == 0);
}

static void copy_log(const struct bg_built_cache *cache, int log_fd, struct bg_arena *arena)
{
	struct bg_error ignored = BG_ERROR_INIT;
	char *log;
	size_t size;
	if (bg_file_read(&log, &size, part_of(cache, BG_SHELF_LOG, arena), LOG_SIZE_MAX, arena,
			 &ignored) == BG_OK &&
	    write(log_fd, log, size) < 0)
		return; /* a log that cannot be written must not fail a build */
}

enum bg_status bg_built_take(enum bg_built_taken *ret, const struct bg_built_cache *cache,
			     const char *tree, int log_fd, struct bg_arena *arena,
			     struct bg_error *err)
{
	const char *entry = bg_arena_format(arena, "%s/%s", cache->folder, cache->key);
	struct stat info;
	*ret = BG_BUILT_ABSENT;
	if (lstat(entry, &info) != 0)
		return BG_OK;
	/* A listing is written once, so its time is the build's. */
	if (lstat(part_of(cache, BG_SHELF_LISTING, arena), &info) == 0 &&
	    time(NULL) - info.st_mtime > BG_BUILT_AGE_MAX_S) {
		bg_shelf_drop(cache->folder, cache->key, arena);
		return BG_OK;
	}
	if (!is_whole(cache, arena)) {
		*ret = BG_BUILT_DAMAGED;
		bg_shelf_drop(cache->folder, cache->key, arena);
		return BG_OK;
	}
	if (bg_overlay(part_of(cache, BG_SHELF_TREE, arena), tree, err) != BG_OK)
		return bg_within(err, "a kept build of base (--no-cache does without it)");
	(void)utimensat(AT_FDCWD, entry, NULL, AT_SYMLINK_NOFOLLOW);
	copy_log(cache, log_fd, arena);
	*ret = BG_BUILT_TAKEN;
	return BG_OK;
}

static const char *path_built_in(const char *tree, struct bg_arena *arena)
{
	char name[BG_BUILT_IN_NAME_SIZE];
	const char *slash = strrchr(tree, '/');
	switch (bg_built_in_find(name, tree, slash ? slash + 1 : tree, BG_BUILT_ENTRY_MAX)) {
	case BG_BUILT_IN_FOUND:
		return bg_arena_format(arena, "%s has its own path built in", name);
	case BG_BUILT_IN_UNREADABLE:
		return bg_arena_format(arena, "%s cannot be read", name[0] ? name : tree);
	case BG_BUILT_IN_TOO_LARGE:
		return "the tree is too large";
	case BG_BUILT_IN_NOT:
		break;
	}
	return NULL;
}

/* Fills a folder that is no entry yet. */
static enum bg_status fill(const char *draft, const char *tree, const char *log,
			   struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer listing;
	struct bg_copy copy = { .size_left = BG_BUILT_ENTRY_MAX,
				.count_left = COUNT_MAX,
				.keep_times = true,
				.passed_over = ".git" };
	const char *name = strrchr(tree, '/') + 1;
	const char *kept = bg_arena_format(arena, "%s/" BG_SHELF_TREE, draft);
	char *text;
	size_t size;
	BG_AUTO(bg_descriptor_drop)
	int from = open(bg_arena_bytes(arena, tree, (size_t)(name - tree)), FOLDER_FLAGS);
	BG_AUTO(bg_descriptor_drop) int to = open(draft, FOLDER_FLAGS);
	bg_buffer_init(&listing, BG_LISTING_SIZE_MAX);
	if (from < 0 || to < 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: %s", draft, strerror(errno));
	if (bg_copy_entry(&copy, from, to, name, err) != BG_OK)
		return err->status;
	if (renameat(to, name, to, BG_SHELF_TREE) != 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: %s", draft, strerror(errno));
	if (list_tree(&listing, kept, err) != BG_OK ||
	    bg_file_read(&text, &size, log, LOG_SIZE_MAX, arena, err) != BG_OK ||
	    bg_file_replace(bg_arena_format(arena, "%s/" BG_SHELF_LOG, draft), text, size, err) !=
		    BG_OK)
		return err->status;
	return bg_file_replace(bg_arena_format(arena, "%s/" BG_SHELF_LISTING, draft),
			       listing.bytes ? listing.bytes : "", listing.size, err);
}

void bg_built_keep(const struct bg_built_cache *cache, const char *tree, const char *log,
		   const char **why_not, struct bg_arena *arena)
{
	struct bg_error err = BG_ERROR_INIT, ignored = BG_ERROR_INIT;
	char *draft = bg_arena_format(arena, "%s/" BG_SHELF_DRAFT "XXXXXX", cache->folder);
	const char *entry = bg_arena_format(arena, "%s/%s", cache->folder, cache->key);
	*why_not = path_built_in(tree, arena);
	if (*why_not)
		return;
	if (!mkdtemp(draft)) {
		*why_not = bg_arena_format(arena, "%s: %s", cache->folder, strerror(errno));
		return;
	}
	if (fill(draft, tree, log, arena, &err) != BG_OK)
		*why_not = bg_arena_text(arena, err.text);
	else if (rename(draft, entry) == 0)
		return;
	/* Where another command kept the same build meanwhile, its is as good. */
	(void)!bg_tree_remove(draft, &ignored);
}

void bg_built_close(struct bg_built_cache *cache)
{
	struct bg_arena arena = BG_ARENA_INIT;
	if (!cache->folder)
		return;
	/* Alone with it, or not at all: others may be copying. */
	if (flock(cache->lock_fd, LOCK_EX | LOCK_NB) == 0)
		bg_shelf_tidy(cache->folder, &arena);
	bg_descriptor_drop(&cache->lock_fd);
	cache->folder = NULL;
	bg_arena_release(&arena);
}
