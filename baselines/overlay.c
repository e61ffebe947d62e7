#include "baselines/overlay.h"

#include "baselines/copy.h"
#include "gate/core/descriptor.h"
#include "gate/core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
#define DEPTH_MAX 128

struct pair {
	int from, to;
	unsigned depth;
};

static void entries_drop(DIR **entries)
{
	if (*entries)
		closedir(*entries);
}

static bool is_folder(int folder, const char *name)
{
	struct stat info;
	return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

static bool exists(int folder, const char *name)
{
	struct stat info;
	return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

static DIR *open_entries(int folder)
{
	int listed = openat(folder, ".", FOLDER_FLAGS);
	DIR *entries = listed >= 0 ? fdopendir(listed) : NULL;
	if (!entries)
		bg_descriptor_drop(&listed);
	return entries;
}

static bool is_passed_over(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0;
}

static enum bg_status remove_in(int folder, const char *name, struct bg_error *err)
{
	char path[64 + NAME_MAX];
	snprintf(path, sizeof path, "/proc/self/fd/%d/%s", folder, name);
	return bg_tree_remove(path, err);
}

/* What only `to` has, or has as another kind. */
static enum bg_status remove_extra(const struct pair *pair, struct bg_error *err)
{
	BG_AUTO(entries_drop) DIR *entries = open_entries(pair->to);
	if (!entries)
		return bg_fail(err, BG_E_SYSTEM, "cannot list: %s", strerror(errno));
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
		const char *name = entry->d_name;
		bool stays = is_passed_over(name) ||
			     (is_folder(pair->from, name) && is_folder(pair->to, name));
		if (!stays && remove_in(pair->to, name, err) != BG_OK)
			return err->status;
	}
	return BG_OK;
}

static enum bg_status overlay(const struct pair *pair, struct bg_error *err);

static enum bg_status overlay_entry(const struct pair *pair, const char *name, struct bg_error *err)
{
	struct bg_copy copy = { .size_left = UINT64_MAX,
				.count_left = UINT64_MAX,
				.keep_times = true };
	if (!exists(pair->to, name))
		return bg_copy_entry(&copy, pair->from, pair->to, name, err);
	BG_AUTO(bg_descriptor_drop) int from = openat(pair->from, name, FOLDER_FLAGS);
	BG_AUTO(bg_descriptor_drop) int to = openat(pair->to, name, FOLDER_FLAGS);
	if (from < 0 || to < 0 || pair->depth >= DEPTH_MAX)
		return bg_fail(err, BG_E_SYSTEM, "%s: %s", name,
			       from < 0 || to < 0 ? strerror(errno) : "too many folders deep");
	struct pair below = { from, to, pair->depth + 1 };
	return overlay(&below, err) == BG_OK ? BG_OK : bg_within(err, "%s", name);
}

static enum bg_status copy_all(const struct pair *pair, struct bg_error *err)
{
	BG_AUTO(entries_drop) DIR *entries = open_entries(pair->from);
	if (!entries)
		return bg_fail(err, BG_E_SYSTEM, "cannot list: %s", strerror(errno));
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
		if (!is_passed_over(entry->d_name) &&
		    overlay_entry(pair, entry->d_name, err) != BG_OK)
			return err->status;
	return BG_OK;
}

static enum bg_status overlay(const struct pair *pair, struct bg_error *err)
{
	struct stat info;
	/* A folder that cannot be written to could not be changed either. */
	if (fstat(pair->from, &info) != 0 || fchmod(pair->to, 0700) != 0)
		return bg_fail(err, BG_E_SYSTEM, "%s", strerror(errno));
	if (remove_extra(pair, err) != BG_OK || copy_all(pair, err) != BG_OK)
		return err->status;
	struct timespec times[2] = { info.st_mtim, info.st_mtim };
	if (fchmod(pair->to, info.st_mode & 0777) != 0 || futimens(pair->to, times) != 0)
		return bg_fail(err, BG_E_SYSTEM, "%s", strerror(errno));
	return BG_OK;
}

enum bg_status bg_overlay(const char *from, const char *to, struct bg_error *err)
{
	BG_AUTO(bg_descriptor_drop) int source = open(from, FOLDER_FLAGS);
	BG_AUTO(bg_descriptor_drop) int target = open(to, FOLDER_FLAGS);
	if (source < 0 || target < 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: %s", source < 0 ? from : to, strerror(errno));
	struct pair pair = { source, target, 0 };
	return overlay(&pair, err) == BG_OK ? BG_OK : bg_within(err, "%s", to);
}
