#include "baselines/carry.h"

#include "baselines/beneath.h"
#include "baselines/copy.h"
#include "gate/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum bg_status fail_walk(const struct bg_beneath *at, enum bg_beneath_end end,
				const char *arm, const char *path, struct bg_error *err)
{
	int reason = errno;
	if (end == BG_BENEATH_MISSING)
		return bg_fail(err, BG_E_INPUT, "%s has no %s", arm, path);
	if (end == BG_BENEATH_BLOCKED)
		return bg_fail(err, BG_E_INPUT, "%s: %s is no folder in %s", path, at->name, arm);
	return bg_fail(err, BG_E_SYSTEM, "%s in %s: %s", path, arm, strerror(reason));
}

static enum bg_status remove_at(const struct bg_beneath *at, struct bg_error *err)
{
	/* By way of the descriptor: the path to it was walked without following links. */
	char path[64 + NAME_MAX];
	snprintf(path, sizeof path, "/proc/self/fd/%d/%s", at->folder_fd, at->name);
	return bg_tree_remove(path, err);
}

enum bg_status bg_carry(const char *base, const char *head, const char *path, struct bg_error *err)
{
	BG_AUTO(bg_beneath_close) struct bg_beneath from = { .folder_fd = -1 };
	BG_AUTO(bg_beneath_close) struct bg_beneath to = { .folder_fd = -1 };
	struct stat info;
	enum bg_beneath_end end = bg_beneath_open(&from, head, path, BG_BENEATH_LOOK);
	if (end != BG_BENEATH_REACHED)
		return fail_walk(&from, end, "head", path, err);
	if (fstatat(from.folder_fd, from.name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return bg_fail(err, BG_E_INPUT, "head has no %s", path);
	end = bg_beneath_open(&to, base, path, BG_BENEATH_FORCE);
	if (end != BG_BENEATH_REACHED)
		return fail_walk(&to, end, "base", path, err);
	if (remove_at(&to, err) != BG_OK)
		return bg_within(err, "%s in base", path);
	struct bg_copy copy = { .size_left = BG_CARRY_SIZE_MAX,
				.count_left = BG_CARRY_COUNT_MAX,
				.passed_over = ".git" };
	if (bg_copy_entry(&copy, from.folder_fd, to.folder_fd, from.name, err) != BG_OK)
		return bg_within(err, "%s", path);
	return BG_OK;
}

/* root/path without what a path may have too much: slashes at its end or doubled, "./". */
static bool join(char target[PATH_MAX], const char *root, const char *path)
{
	int size = snprintf(target, PATH_MAX, "%s", root);
	while (*path) {
		size_t part = strcspn(path, "/");
		bool counts = part > 0 && !(part == 1 && path[0] == '.');
		if (counts && (size_t)size + part + 2 > PATH_MAX)
			return false;
		if (counts)
			size += snprintf(target + size, PATH_MAX - (size_t)size, "/%.*s", (int)part,
					 path);
		path += part + (path[part] == '/');
	}
	return true;
}

enum bg_status bg_link_in(const struct bg_link_place *place, const char *root, const char *path,
			  struct bg_error *err)
{
	BG_AUTO(bg_beneath_close) struct bg_beneath at = { .folder_fd = -1 };
	char target[PATH_MAX];
	struct stat info;
	if (strlen(root) >= PATH_MAX || !join(target, root, path))
		return bg_fail(err, BG_E_INPUT, "%.200s: path too long", path);
	if (stat(target, &info) != 0)
		return bg_fail(err, BG_E_INPUT, "%s: not in your work tree %s: %s", path, root,
			       strerror(errno));
	enum bg_beneath_end end = bg_beneath_open(&at, place->tree, path, BG_BENEATH_MAKE);
	if (end != BG_BENEATH_REACHED)
		return fail_walk(&at, end, place->arm, path, err);
	if (symlinkat(target, at.folder_fd, at.name) == 0)
		return BG_OK;
	if (errno == EEXIST)
		return bg_fail(err, BG_E_INPUT,
			       "%s is tracked in %s; link is for ignored paths, carry for tracked "
			       "ones",
			       path, place->arm);
	return bg_fail(err, BG_E_SYSTEM, "%s in %s: %s", path, place->arm, strerror(errno));
}
