#include "sweeps/identity.h"

#include "gate/core/buffer.h"
#include "gate/core/descriptor.h"
#include "gate/core/image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROC_SIZE_MAX ((size_t)4 << 20)
#define FILES_MAX 4096
#define DELETED " (deleted)"

/* Files of one process, each once, sorted. */
struct mapped {
	size_t count;
	const char **paths;
};

/* A file of /proc, whose size nobody knows before it was read; false past the bound. */
static bool read_proc(struct bg_buffer *ret, pid_t pid, const char *name)
{
	char path[64], piece[65536];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	bg_buffer_init(ret, PROC_SIZE_MAX);
	BG_AUTO(bg_descriptor_drop) int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	for (;;) {
		ssize_t size = read(fd, piece, sizeof piece);
		if (size == 0)
			return !ret->full;
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return false;
		bg_buffer_add(ret, piece, (size_t)size);
	}
}

/* The part of a path inside the tree, or NULL. */
static const char *inside(const char *path, const char *dir)
{
	size_t size = strlen(dir);
	return strncmp(path, dir, size) == 0 && path[size] == '/' ? path + size : NULL;
}

/* Equal once each side's own tree is taken for the same place. */
static bool same_path(const char *a, const char *dir_a, const char *b, const char *dir_b)
{
	const char *in_a = inside(a, dir_a), *in_b = inside(b, dir_b);
	if (in_a && in_b)
		return strcmp(in_a, in_b) == 0;
	return !in_a && !in_b && strcmp(a, b) == 0;
}

/* Texts of NUL-ended words, such as /proc/PID/cmdline; a tree's path may stand anywhere in them. */
static bool same_words(const struct bg_buffer *a, const char *dir_a, const struct bg_buffer *b,
		       const char *dir_b)
{
	size_t size_a = strlen(dir_a), size_b = strlen(dir_b), i = 0, j = 0;
	while (i < a->size && j < b->size) {
		bool at_a = a->size - i >= size_a && memcmp(a->bytes + i, dir_a, size_a) == 0;
		bool at_b = b->size - j >= size_b && memcmp(b->bytes + j, dir_b, size_b) == 0;
		if (at_a != at_b || (!at_a && a->bytes[i] != b->bytes[j]))
			return false;
		i += at_a ? size_a : 1;
		j += at_b ? size_b : 1;
	}
	return i == a->size && j == b->size;
}

static bool same_proc(const struct bg_identity_side *base, const struct bg_identity_side *head,
		      const char *name)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer a = { 0 };
	BG_AUTO(bg_buffer_release) struct bg_buffer b = { 0 };
	return read_proc(&a, base->pid, name) && read_proc(&b, head->pid, name) && a.size > 0 &&
	       same_words(&a, base->dir, &b, head->dir);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The path of a line of maps: from the first slash on; NULL for memory that is no file. */
static const char *path_of(char *line)
{
	return strchr(line, '/');
}

static bool list_mapped(struct mapped *ret, pid_t pid, struct bg_arena *arena)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer maps = { 0 };
	if (!read_proc(&maps, pid, "maps") || maps.size == 0)
		return false;
	char *rest = bg_arena_bytes(arena, maps.bytes, maps.size);
	ret->paths = bg_arena_array(arena, FILES_MAX, sizeof *ret->paths);
	for (char *line; (line = strsep(&rest, "\n"));) {
		const char *path = path_of(line);
		if (!path)
			continue;
		size_t size = strlen(path), tail = strlen(DELETED);
		/* A file that was replaced since it was mapped cannot be read again. */
		if (size > tail && strcmp(path + size - tail, DELETED) == 0)
			return false;
		if (ret->count > 0 && strcmp(ret->paths[ret->count - 1], path) == 0)
			continue;
		if (ret->count == FILES_MAX)
			return false;
		ret->paths[ret->count++] = path;
	}
	qsort(ret->paths, ret->count, sizeof *ret->paths, compare_texts);
	return ret->count > 0;
}

/* The order of paths depends on the trees' names only where one part is inside and one is not. */
static bool has_equal(const char *path, const struct bg_identity_side *side,
		      const struct mapped *others, const struct bg_identity_side *other)
{
	for (size_t i = 0; i < others->count; i++)
		if (same_path(path, side->dir, others->paths[i], other->dir))
			return !inside(path, side->dir) || bg_image_equal(path, others->paths[i]);
	return false;
}

static bool all_have(const struct mapped *files, const struct bg_identity_side *side,
		     const struct mapped *others, const struct bg_identity_side *other)
{
	for (size_t i = 0; i < files->count; i++)
		if (!has_equal(files->paths[i], side, others, other))
			return false;
	return true;
}

/* An interpreter from elsewhere would be the same in both arms, whatever it reads. */
static bool runs_own_program(const struct bg_identity_side *side)
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/%d/exe", (int)side->pid);
	ssize_t size = readlink(link, path, sizeof path - 1);
	if (size <= 0)
		return false;
	path[size] = '\0';
	return inside(path, side->dir) != NULL;
}

bool bg_identity_same(const struct bg_identity_side *base, const struct bg_identity_side *head,
		      struct bg_arena *arena)
{
	struct mapped a = { 0 }, b = { 0 };
	return runs_own_program(base) && runs_own_program(head) &&
	       same_proc(base, head, "cmdline") && same_proc(base, head, "environ") &&
	       list_mapped(&a, base->pid, arena) && list_mapped(&b, head->pid, arena) &&
	       all_have(&a, base, &b, head) && all_have(&b, head, &a, base);
}
