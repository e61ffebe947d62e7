#include "baselines/run_folder.h"

#include "gate/core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PLACE_COUNT 4
#define LOCK_NAME "lock"
#define PREFIX_IN_CACHE "run-"
#define PREFIX_IN_TMP "batchgate-trees-"
/* Kept free in the lock file, so that git can still say that the disk is full. */
#define LOG_RESERVE 16384
/* A sweeper may take a new folder for a dead one before its lock is held; then another is made. */
#define MAKE_ATTEMPTS 100

struct place {
	const char *folder; /* NULL: not to be had */
	const char *prefix; /* of its runs' names */
	bool ours;	    /* made where it is missing */
};

static const char *absolute_variable(const char *name)
{
	const char *value = getenv(name);
	return value && value[0] == '/' ? value : NULL;
}

static void list_places(struct place places[PLACE_COUNT], struct bg_arena *arena)
{
	const char *cache = absolute_variable("XDG_CACHE_HOME"), *home = absolute_variable("HOME");
	places[0] = (struct place){ NULL, PREFIX_IN_CACHE, true };
	places[1] = (struct place){ NULL, PREFIX_IN_CACHE, true };
	places[2] = (struct place){ absolute_variable("TMPDIR"), PREFIX_IN_TMP, false };
	places[3] = (struct place){ "/tmp", PREFIX_IN_TMP, false };
	if (cache)
		places[0].folder = bg_arena_format(arena, "%s/batchgate/trees", cache);
	if (home)
		places[1].folder = bg_arena_format(arena, "%s/.cache/batchgate/trees", home);
}

static bool lies_in(const char *path, const char *folder)
{
	size_t size = strlen(folder);
	return strncmp(path, folder, size) == 0 &&
	       (path[size] == '/' || path[size] == '\0' || (size > 0 && folder[size - 1] == '/'));
}

/*
 * Opens and locks a run's lock file; -1 where another holds it. A descriptor counts only while the
 * path still leads to it: a sweeper may have unlinked the file between our open and our flock, and
 * whoever holds the file that the path leads to is the only one that unlinks it.
 */
static int take_lock(int folder)
{
	struct stat held, named;
	int fd = openat(folder, LOCK_NAME,
			O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &held) == 0 && S_ISREG(held.st_mode) &&
	    fstatat(folder, LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    held.st_ino == named.st_ino && held.st_dev == named.st_dev)
		return fd;
	int reason = errno;
	close(fd);
	errno = reason;
	return -1;
}

static int take_lock_in(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (folder < 0)
		return -1;
	int fd = take_lock(folder);
	int reason = errno;
	close(folder);
	errno = reason;
	return fd;
}

static const char *make_locked(struct bg_run_folder *ret, const char *folder, const char *prefix,
			       struct bg_arena *arena)
{
	for (int i = 0; i < MAKE_ATTEMPTS; i++) {
		char *path = bg_arena_format(arena, "%s/%sXXXXXX", folder, prefix);
		if (!mkdtemp(path))
			return strerror(errno);
		errno = 0;
		int fd = take_lock_in(path);
		if (fd >= 0) {
			(void)fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, LOG_RESERVE);
			*ret = (struct bg_run_folder){ path, path + strlen(path) - BG_RUN_TAG_SIZE,
						       fd };
			return NULL;
		}
		bool swept = errno == 0 || errno == ENOENT || errno == EWOULDBLOCK;
		const char *reason = strerror(errno);
		if (!swept) {
			(void)unlink(bg_arena_format(arena, "%s/" LOCK_NAME, path));
			(void)rmdir(path);
			return reason;
		}
	}
	return "another command removes new folders";
}

/* Why the place cannot serve; NULL where the run's folder was made there. */
static const char *try_place(struct bg_run_folder *ret, const struct place *place,
			     const char *outside, struct bg_arena *arena)
{
	struct bg_error err = BG_ERROR_INIT;
	struct statvfs info;
	char *folder;
	if (lies_in(place->folder, outside))
		return "lies in the repository";
	if (place->ours && bg_dir_make(place->folder, &err) != BG_OK)
		return bg_arena_text(arena, err.text);
	if (bg_path_absolute(&folder, place->folder, arena, &err) != BG_OK)
		return bg_arena_text(arena, err.text);
	if (lies_in(folder, outside))
		return "lies in the repository";
	if (statvfs(folder, &info) == 0 && (info.f_flag & ST_NOEXEC) != 0)
		return "mounted noexec";
	return make_locked(ret, folder, place->prefix, arena);
}

enum bg_status bg_run_folder_make(struct bg_run_folder *ret, const char *outside,
				  struct bg_arena *arena, struct bg_error *err)
{
	struct place places[PLACE_COUNT];
	const char *why = NULL, *where = NULL;
	list_places(places, arena);
	for (size_t i = 0; i < PLACE_COUNT; i++) {
		if (!places[i].folder)
			continue;
		where = places[i].folder;
		why = try_place(ret, &places[i], outside, arena);
		if (!why)
			return BG_OK;
	}
	return bg_fail(err, BG_E_SYSTEM,
		       "no folder for the work trees (%s: %s); "
		       "set XDG_CACHE_HOME to a writable one outside the repository",
		       where, why);
}

enum bg_status bg_run_folder_remove(const char *path, int lock_fd, struct bg_error *err)
{
	enum bg_status status = BG_OK;
	char entry_path[PATH_MAX];
	DIR *entries = opendir(path);
	for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
		const char *name = entry->d_name;
		struct bg_error this_err = BG_ERROR_INIT;
		int size = snprintf(entry_path, sizeof entry_path, "%s/%s", path, name);
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    strcmp(name, LOCK_NAME) == 0 || size < 0 || (size_t)size >= sizeof entry_path)
			continue;
		if (bg_tree_remove(entry_path, &this_err) != BG_OK && status == BG_OK)
			status = bg_fail(err, this_err.status, "%s", this_err.text);
	}
	if (entries)
		closedir(entries);
	/* The lock goes last and only with all the rest: a folder without one is anybody's. */
	int size = snprintf(entry_path, sizeof entry_path, "%s/" LOCK_NAME, path);
	if (status == BG_OK && size > 0 && (size_t)size < sizeof entry_path)
		(void)unlink(entry_path);
	close(lock_fd); /* before rmdir: NFS keeps the name of an open file */
	/* Not empty: a sweeper has locked it since, and removes it. */
	if (status == BG_OK && rmdir(path) != 0 && errno != ENOENT && errno != ENOTEMPTY)
		status = bg_fail(err, BG_E_SYSTEM, "%s: cannot remove: %s", path, strerror(errno));
	return status;
}

static bool is_run_name(const char *name, const char *prefix)
{
	static const char tag_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "0123456789";
	size_t size = strlen(prefix);
	return strncmp(name, prefix, size) == 0 && strlen(name + size) == BG_RUN_TAG_SIZE &&
	       strspn(name + size, tag_letters) == BG_RUN_TAG_SIZE;
}

bool bg_run_folder_owns(const char *path, const char *tag)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t size = strlen(name);
	return (is_run_name(name, PREFIX_IN_CACHE) || is_run_name(name, PREFIX_IN_TMP)) &&
	       strcmp(name + size - BG_RUN_TAG_SIZE, tag) == 0;
}

/* In a shared /tmp others can make folders of our names: theirs are left alone. */
static bool is_ours(const char *path)
{
	struct stat info;
	return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

void bg_run_folders_sweep(void (*bury)(const struct bg_run_folder *dead, void *context),
			  void *context, struct bg_arena *arena)
{
	struct place places[PLACE_COUNT];
	list_places(places, arena);
	for (size_t i = 0; i < PLACE_COUNT; i++) {
		struct bg_error ignored = BG_ERROR_INIT;
		char *folder;
		if (!places[i].folder ||
		    bg_path_absolute(&folder, places[i].folder, arena, &ignored) != BG_OK)
			continue;
		DIR *entries = opendir(folder);
		for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
			if (!is_run_name(entry->d_name, places[i].prefix))
				continue;
			char *path = bg_arena_format(arena, "%s/%s", folder, entry->d_name);
			int fd = is_ours(path) ? take_lock_in(path) : -1;
			if (fd < 0)
				continue;
			struct bg_run_folder dead = { path, path + strlen(path) - BG_RUN_TAG_SIZE,
						      fd };
			bury(&dead, context);
		}
		if (entries)
			closedir(entries);
	}
}
