#include "baselines/copy.h"

#include "gate/core/descriptor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE_BITS 0777
#define CHUNK ((size_t)1 << 30)

static void entries_drop(DIR **entries)
{
	if (*entries)
		closedir(*entries);
}

static enum bg_status fail(struct bg_error *err, const char *name, const char *what)
{
	return bg_fail(err, BG_E_SYSTEM, "%s: %s: %s", name, what, strerror(errno));
}

static bool copy_bytes(int from, int to, uint64_t size)
{
	if (ioctl(to, FICLONE, from) == 0)
		return true;
	while (size > 0) {
		ssize_t sent = sendfile(to, from, NULL, size < CHUNK ? size : CHUNK);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent == 0)
			errno = EIO; /* it became shorter meanwhile */
		if (sent <= 0)
			return false;
		size -= (uint64_t)sent;
	}
	return true;
}

static bool keep(const struct bg_copy *copy, int fd, const struct stat *info)
{
	struct timespec times[2] = { info->st_mtim, info->st_mtim };
	return fchmod(fd, info->st_mode & MODE_BITS) == 0 &&
	       (!copy->keep_times || futimens(fd, times) == 0);
}

static enum bg_status copy_file(struct bg_copy *copy, int from, int to, const char *name,
				struct bg_error *err)
{
	struct stat info;
	BG_AUTO(bg_descriptor_drop)
	int source = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (source < 0 || fstat(source, &info) != 0)
		return fail(err, name, "cannot read");
	if ((uint64_t)info.st_size > copy->size_left)
		return bg_fail(err, BG_E_SYSTEM, "%s: too much to copy", name);
	copy->size_left -= (uint64_t)info.st_size;
	BG_AUTO(bg_descriptor_drop)
	int target = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (target < 0 || !copy_bytes(source, target, (uint64_t)info.st_size) ||
	    !keep(copy, target, &info))
		return fail(err, name, "cannot copy");
	return BG_OK;
}

static enum bg_status copy_link(const struct bg_copy *copy, const struct stat *info, int from,
				int to, const char *name, struct bg_error *err)
{
	char target[PATH_MAX];
	struct timespec times[2] = { info->st_mtim, info->st_mtim };
	ssize_t size = readlinkat(from, name, target, sizeof target - 1);
	if (size < 0)
		return fail(err, name, "cannot read");
	target[size] = '\0';
	if (symlinkat(target, to, name) != 0 ||
	    (copy->keep_times && utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) != 0))
		return fail(err, name, "cannot copy");
	return BG_OK;
}

static enum bg_status copy_any(struct bg_copy *copy, int from, int to, const char *name,
			       unsigned depth, struct bg_error *err);

static enum bg_status copy_contents(struct bg_copy *copy, int from, int to, unsigned depth,
				    struct bg_error *err)
{
	int listed = fcntl(from, F_DUPFD_CLOEXEC, 0);
	BG_AUTO(entries_drop) DIR *entries = listed >= 0 ? fdopendir(listed) : NULL;
	if (!entries) {
		bg_descriptor_drop(&listed);
		return bg_fail(err, BG_E_SYSTEM, "cannot list: %s", strerror(errno));
	}
	for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    (copy->passed_over && strcmp(name, copy->passed_over) == 0))
			continue;
		if (copy_any(copy, from, to, name, depth + 1, err) != BG_OK)
			return err->status;
	}
	return BG_OK;
}

static enum bg_status copy_folder(struct bg_copy *copy, int from, int to, const char *name,
				  unsigned depth, struct bg_error *err)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
	struct stat info;
	if (depth >= BG_COPY_DEPTH_MAX)
		return bg_fail(err, BG_E_SYSTEM, "%s: more than %d folders deep", name,
			       BG_COPY_DEPTH_MAX);
	BG_AUTO(bg_descriptor_drop) int source = openat(from, name, flags);
	if (source < 0 || fstat(source, &info) != 0)
		return fail(err, name, "cannot read");
	if (mkdirat(to, name, 0700) != 0)
		return fail(err, name, "cannot copy");
	BG_AUTO(bg_descriptor_drop) int target = openat(to, name, flags);
	if (target < 0)
		return fail(err, name, "cannot copy");
	if (copy_contents(copy, source, target, depth, err) != BG_OK)
		return bg_within(err, "%s", name);
	return keep(copy, target, &info) ? BG_OK : fail(err, name, "cannot copy");
}

static enum bg_status copy_any(struct bg_copy *copy, int from, int to, const char *name,
			       unsigned depth, struct bg_error *err)
{
	struct stat info;
	if (fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return fail(err, name, "cannot read");
	if (copy->count_left == 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: too many files to copy", name);
	copy->count_left--;
	if (S_ISDIR(info.st_mode))
		return copy_folder(copy, from, to, name, depth, err);
	if (S_ISLNK(info.st_mode))
		return copy_link(copy, &info, from, to, name, err);
	if (S_ISREG(info.st_mode))
		return copy_file(copy, from, to, name, err);
	return bg_fail(err, BG_E_SYSTEM, "%s: neither a file nor a folder nor a link", name);
}

enum bg_status bg_copy_entry(struct bg_copy *copy, int from, int to, const char *name,
			     struct bg_error *err)
{
	return copy_any(copy, from, to, name, 0, err);
}
