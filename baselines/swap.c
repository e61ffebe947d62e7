#include "baselines/swap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCAN_MAX ((uint64_t)2 << 30)
#define SCAN_DEPTH_MAX 64

struct scan {
	const char *needle;
	uint64_t left;
	char found[256]; /* the file, relative; "" none */
	bool gave_up;
};

static void fd_drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static bool file_names(int dir, const char *name, uint64_t size, const char *needle)
{
	BG_AUTO(fd_drop) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || size == 0)
		return false;
	void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	bool found = memmem(bytes, size, needle, strlen(needle)) != NULL;
	munmap(bytes, size);
	return found;
}

static bool link_names(int dir, const char *name, const char *needle)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(dir, name, target, sizeof target - 1);
	if (length <= 0)
		return false;
	target[length] = '\0';
	return strstr(target, needle) != NULL;
}

/* Depth first; stops at the first file found. dir is taken over and closed. */
static void scan_folder(struct scan *scan, int dir, unsigned depth)
{
	DIR *entries = dir >= 0 ? fdopendir(dir) : NULL;
	if (!entries || depth > SCAN_DEPTH_MAX) {
		scan->gave_up = true;
		if (entries)
			closedir(entries);
		else if (dir >= 0)
			close(dir);
		return;
	}
	for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
		const char *name = entry->d_name;
		struct stat info;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0)
			continue;
		if (scan->found[0] || scan->gave_up ||
		    fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
			break;
		bool named = false;
		if (S_ISDIR(info.st_mode)) {
			int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
			scan_folder(scan, openat(dir, name, flags), depth + 1);
		} else if (S_ISLNK(info.st_mode)) {
			named = link_names(dir, name, scan->needle);
		} else if (S_ISREG(info.st_mode)) {
			uint64_t size = (uint64_t)info.st_size;
			scan->gave_up = size > scan->left;
			scan->left -= scan->gave_up ? 0 : size;
			named = !scan->gave_up && file_names(dir, name, size, scan->needle);
		}
		if (named)
			snprintf(scan->found, sizeof scan->found, "%s", name);
	}
	closedir(entries);
}

static const char *why_not(const char *tree, struct bg_arena *arena)
{
	struct scan scan = { .needle = tree, .left = SCAN_MAX };
	scan_folder(&scan, open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
	if (scan.found[0])
		return bg_arena_format(arena,
				       "confirmation kept the arms' paths: %s has its own path "
				       "built in",
				       scan.found);
	if (scan.gave_up)
		return "confirmation kept the arms' paths: the trees are too large to look through";
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

void bg_file_renew(const char *path)
{
	char temporary[PATH_MAX];
	struct stat info;
	BG_AUTO(fd_drop) int from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
	if (from < 0 || fstat(from, &info) != 0 || !S_ISREG(info.st_mode) || length < 0 ||
	    (size_t)length >= sizeof temporary)
		return;
	BG_AUTO(fd_drop) int to = mkostemp(temporary, O_CLOEXEC);
	if (to < 0)
		return;
	struct timespec times[2] = { info.st_atim, info.st_mtim };
	bool copied = copy_bytes(from, to, info.st_size) && fchmod(to, info.st_mode & 07777) == 0 &&
		      futimens(to, times) == 0;
	if (!copied || rename(temporary, path) != 0)
		unlink(temporary);
}
