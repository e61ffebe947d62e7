#include "gate/core/file.h"

#include "gate/core/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum bg_status bg_file_read(char **ret, size_t *ret_size, const char *path, size_t size_max,
			    struct bg_arena *arena, struct bg_error *err)
{
	/* O_NONBLOCK: a FIFO in place of a file must not hang the gate. */
	BG_AUTO(bg_descriptor_drop) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	if (fd < 0 || fstat(fd, &info) != 0)
		return bg_fail(err, BG_E_INPUT, "%s: cannot read: %s", path, strerror(errno));
	if (!S_ISREG(info.st_mode))
		return bg_fail(err, BG_E_INPUT, "%s: not a regular file", path);
	if ((uint64_t)info.st_size > size_max)
		return bg_fail(err, BG_E_INPUT, "%s: larger than the limit of %zu bytes", path,
			       size_max);
	size_t size = (size_t)info.st_size, used = 0;
	char *bytes = bg_arena_alloc(arena, size + 1);
	while (used < size) {
		ssize_t got = read(fd, bytes + used, size - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bg_fail(err, BG_E_INPUT, "%s: cannot read: %s", path,
				       strerror(errno));
		if (got == 0)
			break;
		used += (size_t)got;
	}
	*ret = bytes;
	*ret_size = used;
	return BG_OK;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t put = write(fd, bytes, size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		bytes += put;
		size -= (size_t)put;
	}
	return true;
}

/* A rename is durable only once the folder itself is on disk; not every file system can. */
static void sync_parent(const char *path)
{
	char copy[PATH_MAX];
	size_t length = strlen(path);
	if (length >= sizeof copy)
		return;
	memcpy(copy, path, length + 1);
	BG_AUTO(bg_descriptor_drop)
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)fsync(fd);
}

enum bg_status bg_file_replace(const char *path, const void *bytes, size_t size,
			       struct bg_error *err)
{
	char temporary[PATH_MAX];
	int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
	if (length < 0 || (size_t)length >= sizeof temporary)
		return bg_fail(err, BG_E_SYSTEM, "%.200s...: path too long", path);
	BG_AUTO(bg_descriptor_drop) int fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot write: %s", path, strerror(errno));
	mode_t mask = umask(0);
	umask(mask);
	if (fchmod(fd, 0666 & ~mask) != 0 || !write_all(fd, bytes, size) || fsync(fd) != 0 ||
	    rename(temporary, path) != 0) {
		int reason = errno;
		unlink(temporary);
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot write: %s", path, strerror(reason));
	}
	sync_parent(path);
	return BG_OK;
}

enum bg_status bg_dir_make(const char *path, struct bg_error *err)
{
	char partial[PATH_MAX];
	size_t length = strlen(path);
	if (length == 0 || length >= sizeof partial)
		return bg_fail(err, BG_E_SYSTEM, "cannot make folder '%.200s': bad path", path);
	for (size_t i = 1; i <= length; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(partial, path, i);
		partial[i] = '\0';
		struct stat info;
		if (mkdir(partial, 0777) == 0)
			continue;
		int reason = errno;
		if (stat(partial, &info) == 0 && S_ISDIR(info.st_mode))
			continue;
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot make folder: %s", partial,
			       strerror(reason));
	}
	return BG_OK;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)info;
	(void)type;
	(void)place;
	return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

/* Build trees may hold folders without write permission (Go's module cache does). */
static int open_folder(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)place;
	if (type == FTW_D && (info->st_mode & S_IRWXU) != S_IRWXU)
		(void)chmod(path, info->st_mode | S_IRWXU);
	return 0;
}

enum bg_status bg_tree_remove(const char *path, struct bg_error *err)
{
	struct stat info;
	if (lstat(path, &info) != 0 && errno == ENOENT)
		return BG_OK;
	if (nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS) == 0)
		return BG_OK;
	(void)nftw(path, open_folder, 32, FTW_PHYS);
	if (nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
		return BG_OK;
	return bg_fail(err, BG_E_SYSTEM, "%s: cannot remove: %s", path, strerror(errno));
}

enum bg_status bg_path_absolute(char **ret, const char *path, struct bg_arena *arena,
				struct bg_error *err)
{
	char *resolved = realpath(path, NULL);
	if (!resolved)
		return bg_fail(err, BG_E_SYSTEM, "%s: %s", path, strerror(errno));
	*ret = bg_arena_text(arena, resolved);
	free(resolved);
	return BG_OK;
}
