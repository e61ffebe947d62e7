#include "baselines/beneath.h"

#include "gate/core/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

/* The next part of a path that names something, and *rest behind it; size 0 at the end. */
static const char *next_part(const char **rest, size_t *size)
{
	const char *part = *rest;
	for (;;) {
		part += strspn(part, "/");
		*size = strcspn(part, "/");
		if (*size != 1 || part[0] != '.')
			break;
		part++;
	}
	*rest = part + *size;
	return part;
}

static int open_part(int folder, const char *name, enum bg_beneath_rule rule)
{
	int fd = openat(folder, name, FOLDER_FLAGS);
	if (fd >= 0 || rule == BG_BENEATH_LOOK)
		return fd;
	/* Only what is no folder can be unlinked: nothing is lost but what stands in the way. */
	bool in_the_way = errno == ELOOP || errno == ENOTDIR;
	if (in_the_way && (rule != BG_BENEATH_FORCE || unlinkat(folder, name, 0) != 0))
		return -1;
	if (!in_the_way && errno != ENOENT)
		return -1;
	if (mkdirat(folder, name, 0777) != 0)
		return -1;
	return openat(folder, name, FOLDER_FLAGS);
}

enum bg_beneath_end bg_beneath_open(struct bg_beneath *ret, const char *folder, const char *path,
				    enum bg_beneath_rule rule)
{
	const char *rest = path;
	size_t size;
	*ret = (struct bg_beneath){ .folder_fd = open(folder, FOLDER_FLAGS) };
	if (ret->folder_fd < 0)
		return BG_BENEATH_FAULT;
	const char *part = next_part(&rest, &size);
	for (;;) {
		if (size == 0 || (size == 2 && memcmp(part, "..", 2) == 0)) {
			memcpy(ret->name, part, size);
			bg_beneath_close(ret);
			return BG_BENEATH_BLOCKED;
		}
		if (size > NAME_MAX) {
			bg_beneath_close(ret);
			errno = ENAMETOOLONG;
			return BG_BENEATH_FAULT;
		}
		memcpy(ret->name, part, size);
		ret->name[size] = '\0';
		part = next_part(&rest, &size);
		if (size == 0)
			return BG_BENEATH_REACHED;
		int fd = open_part(ret->folder_fd, ret->name, rule);
		int reason = errno;
		bg_beneath_close(ret);
		ret->folder_fd = fd;
		errno = reason;
		if (fd < 0)
			return reason == ENOENT			      ? BG_BENEATH_MISSING
			       : reason == ELOOP || reason == ENOTDIR ? BG_BENEATH_BLOCKED
								      : BG_BENEATH_FAULT;
	}
}

void bg_beneath_close(struct bg_beneath *at)
{
	bg_descriptor_drop(&at->folder_fd);
}
