#include "baselines/lfs.h"

#include "baselines/beneath.h"
#include "baselines/git_program.h"
#include "gate/core/descriptor.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_SIZE_MAX ((size_t)64 << 20)
/* A pointer file is at most this long (its specification, version 1). */
#define POINTER_SIZE_MAX 1024

static bool is_pointer(const char *tree, const char *path)
{
	static const char start[] = "version https://git-lfs.github.com/spec/";
	char bytes[sizeof start - 1];
	struct stat info;
	BG_AUTO(bg_beneath_close) struct bg_beneath at = { .folder_fd = -1 };
	if (bg_beneath_open(&at, tree, path, BG_BENEATH_LOOK) != BG_BENEATH_REACHED)
		return false;
	BG_AUTO(bg_descriptor_drop)
	int fd = openat(at.folder_fd, at.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
	       info.st_size < POINTER_SIZE_MAX &&
	       read(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes &&
	       memcmp(bytes, start, sizeof bytes) == 0;
}

enum bg_status bg_lfs_count_pointers(size_t *ret, const char *tree, struct bg_error *err)
{
	static const char *const args[] = { "ls-files", "-z", "--", ":(top,attr:filter=lfs)",
					    NULL };
	struct bg_git_command command = { .dir = tree, .args = args, .log_fd = -1 };
	BG_AUTO(bg_buffer_release) struct bg_buffer paths;
	int exit_status = 0;
	size_t count = 0;
	bg_buffer_init(&paths, LIST_SIZE_MAX);
	enum bg_status status = bg_git_run(&exit_status, &paths, &command, err);
	if (status != BG_OK)
		return status;
	if (exit_status != 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: git ls-files ended with exit status %d", tree,
			       exit_status);
	for (size_t at = 0; at < paths.size; at += strlen(paths.bytes + at) + 1)
		count += is_pointer(tree, paths.bytes + at);
	*ret = count;
	return BG_OK;
}
