#include "baselines/swap.h"

#include "gate/core/descriptor.h"
#include "baselines/beneath.h"
#include "baselines/built_in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCAN_MAX ((uint64_t)2 << 30)

/* The last part of a tree's path is its own (worktree.h), and also found in relative paths. */
static const char *why_not(const char *tree, struct bg_arena *arena)
{
	char name[BG_BUILT_IN_NAME_SIZE];
	const char *slash = strrchr(tree, '/');
	switch (bg_built_in_find(name, tree, slash ? slash + 1 : tree, SCAN_MAX)) {
	case BG_BUILT_IN_FOUND:
		return bg_arena_format(arena,
				       "confirmation kept the arms' paths: %s has its own path "
				       "built in",
				       name);
	case BG_BUILT_IN_UNREADABLE:
		return bg_arena_format(arena,
				       "confirmation kept the arms' paths: %s cannot be read",
				       name[0] ? name : tree);
	case BG_BUILT_IN_TOO_LARGE:
		return "confirmation kept the arms' paths: the trees are too large to look through";
	case BG_BUILT_IN_NOT:
		break;
	}
	return NULL;
}

enum bg_status bg_worktrees_swap(const struct bg_worktrees *trees, bool *swapped,
				 const char **remark, struct bg_arena *arena, struct bg_error *err)
{
	*swapped = false;
	*remark = why_not(trees->base, arena);
	if (!*remark)
		*remark = why_not(trees->head, arena);
	if (*remark)
		return BG_OK;
	/* One exchange in the kernel: a crash leaves either order, never half of one. */
	if (renameat2(AT_FDCWD, trees->base, AT_FDCWD, trees->head, RENAME_EXCHANGE) == 0) {
		*swapped = true;
		return BG_OK;
	}
	if (errno == EINVAL || errno == ENOSYS) {
		*remark = "confirmation kept the arms' paths: the file system cannot exchange two "
			  "folders";
		return BG_OK;
	}
	return bg_fail(err, BG_E_SYSTEM, "%s: cannot exchange the work trees: %s", trees->dir,
		       strerror(errno));
}

static bool copy_bytes(int from, int to, off_t size)
{
	while (size > 0) {
		ssize_t sent = sendfile(to, from, NULL, (size_t)size);
		if (sent <= 0)
			return false;
		size -= sent;
	}
	return true;
}

/* A copy would lose the rights that a program gets from its owner or from capabilities. */
static bool has_rights(int fd, const struct stat *info)
{
	return (info->st_mode & (S_ISUID | S_ISGID)) != 0 ||
	       fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

static void renew(const char *path)
{
	char temporary[PATH_MAX];
	struct stat info;
	BG_AUTO(bg_descriptor_drop)
	int from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
	if (from < 0 || fstat(from, &info) != 0 || !S_ISREG(info.st_mode) ||
	    has_rights(from, &info) || length < 0 || (size_t)length >= sizeof temporary)
		return;
	BG_AUTO(bg_descriptor_drop) int to = mkostemp(temporary, O_CLOEXEC);
	if (to < 0)
		return;
	struct timespec times[2] = { info.st_atim, info.st_mtim };
	bool copied = copy_bytes(from, to, info.st_size) && fchmod(to, info.st_mode & 07777) == 0 &&
		      futimens(to, times) == 0;
	if (!copied || rename(temporary, path) != 0)
		unlink(temporary);
}

void bg_file_renew(const char *folder, const char *path)
{
	char direct[64 + NAME_MAX];
	BG_AUTO(bg_beneath_close) struct bg_beneath at;
	if (bg_beneath_open(&at, folder, path, BG_BENEATH_LOOK) != BG_BENEATH_REACHED)
		return;
	snprintf(direct, sizeof direct, "/proc/self/fd/%d/%s", at.folder_fd, at.name);
	renew(direct);
}
