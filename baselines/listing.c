#include "baselines/listing.h"

#include "gate/core/arena.h"
#include "gate/core/descriptor.h"
#include "gate/core/sha256.h"
#include "gate/core/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct walk {
	struct bg_listing *listing;
	struct bg_buffer *out;
	struct bg_arena *arena;
};

struct entry {
	int folder;
	const char *name;
	const char *path; /* below the top */
	unsigned depth;
};

static void entries_drop(DIR **entries)
{
	if (*entries)
		closedir(*entries);
}

static void arena_drop(struct bg_arena *arena)
{
	bg_arena_release(arena);
}

static enum bg_status fail(const struct entry *entry, struct bg_error *err)
{
	return bg_fail(err, BG_E_SYSTEM, "%s: cannot read: %s", entry->path, strerror(errno));
}

static enum bg_status hash_file(char text[BG_SHA256_TEXT_SIZE], const struct entry *entry,
				struct bg_error *err)
{
	char chunk[65536];
	struct bg_sha256 sha;
	bg_sha256_init(&sha);
	BG_AUTO(bg_descriptor_drop)
	int fd = openat(entry->folder, entry->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return fail(entry, err);
	for (;;) {
		ssize_t got = read(fd, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(entry, err);
		if (got == 0)
			break;
		bg_sha256_add(&sha, chunk, (size_t)got);
	}
	bg_sha256_text(text, &sha);
	return BG_OK;
}

static void put_line(struct walk *walk, const struct entry *entry, char kind, mode_t mode)
{
	bg_buffer_format(walk->out, "%c %o %s", kind, (unsigned)mode & 07777,
			 bg_text_percent_encode(walk->arena, entry->path));
}

static enum bg_status add_file(struct walk *walk, const struct entry *entry,
			       const struct stat *info, struct bg_error *err)
{
	char hash[BG_SHA256_TEXT_SIZE];
	struct bg_listing *listing = walk->listing;
	if ((uint64_t)info->st_size > listing->size_left)
		return bg_fail(err, BG_E_SYSTEM, "%s: too many bytes", entry->path);
	listing->size_left -= (uint64_t)info->st_size;
	put_line(walk, entry, 'f', info->st_mode);
	bg_buffer_format(walk->out, " %llu", (unsigned long long)info->st_size);
	if (listing->times)
		bg_buffer_format(walk->out, " %lld.%09ld", (long long)info->st_mtim.tv_sec,
				 info->st_mtim.tv_nsec);
	if (listing->contents) {
		if (hash_file(hash, entry, err) != BG_OK)
			return err->status;
		bg_buffer_format(walk->out, " %s", hash);
	}
	bg_buffer_text(walk->out, "\n");
	return BG_OK;
}

static enum bg_status add_link(struct walk *walk, const struct entry *entry, struct bg_error *err)
{
	char target[PATH_MAX];
	ssize_t size = readlinkat(entry->folder, entry->name, target, sizeof target - 1);
	if (size < 0)
		return fail(entry, err);
	target[size] = '\0';
	put_line(walk, entry, 'l', 0);
	bg_buffer_format(walk->out, " %s\n", bg_text_percent_encode(walk->arena, target));
	return BG_OK;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_passed_over(const struct bg_listing *listing, const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0 ||
	       (listing->passed_over && strcmp(name, listing->passed_over) == 0);
}

/* The names in a folder, sorted; NULL where it cannot be listed. */
static const char **sorted_names(struct walk *walk, int folder, size_t *count)
{
	int listed = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	BG_AUTO(entries_drop) DIR *entries = listed >= 0 ? fdopendir(listed) : NULL;
	const char **names = bg_arena_array(walk->arena, 1, sizeof *names);
	size_t capacity = 1;
	*count = 0;
	if (!entries) {
		bg_descriptor_drop(&listed);
		return NULL;
	}
	for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
		if (is_passed_over(walk->listing, entry->d_name))
			continue;
		names = bg_arena_grow(walk->arena, names, *count, &capacity, sizeof *names);
		names[(*count)++] = bg_arena_text(walk->arena, entry->d_name);
	}
	qsort(names, *count, sizeof *names, compare_names);
	return names;
}

static enum bg_status add_any(struct walk *walk, const struct entry *entry, struct bg_error *err);

static enum bg_status add_folder(struct walk *walk, const struct entry *entry,
				 const struct stat *info, struct bg_error *err)
{
	size_t count;
	if (entry->depth >= BG_LISTING_DEPTH_MAX)
		return bg_fail(err, BG_E_SYSTEM, "%s: more than %d folders deep", entry->path,
			       BG_LISTING_DEPTH_MAX);
	BG_AUTO(bg_descriptor_drop)
	int folder =
		openat(entry->folder, entry->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (folder < 0)
		return fail(entry, err);
	const char **names = sorted_names(walk, folder, &count);
	if (!names)
		return fail(entry, err);
	/* The top's own mode is whoever made it; a folder's time changes with what is passed over.
	 */
	if (entry->depth > 0) {
		put_line(walk, entry, 'd', info->st_mode);
		bg_buffer_text(walk->out, "\n");
	}
	for (size_t i = 0; i < count; i++) {
		struct entry below = { folder, names[i],
				       entry->depth == 0 ? names[i]
							 : bg_arena_format(walk->arena, "%s/%s",
									   entry->path, names[i]),
				       entry->depth + 1 };
		if (add_any(walk, &below, err) != BG_OK)
			return err->status;
	}
	return BG_OK;
}

static enum bg_status add_any(struct walk *walk, const struct entry *entry, struct bg_error *err)
{
	struct stat info;
	if (fstatat(entry->folder, entry->name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return fail(entry, err);
	if (walk->listing->count_left == 0 || walk->out->full)
		return bg_fail(err, BG_E_SYSTEM, "%s: too many files", entry->path);
	walk->listing->count_left--;
	if (S_ISDIR(info.st_mode))
		return add_folder(walk, entry, &info, err);
	if (S_ISLNK(info.st_mode))
		return add_link(walk, entry, err);
	if (S_ISREG(info.st_mode))
		return add_file(walk, entry, &info, err);
	return bg_fail(err, BG_E_SYSTEM, "%s: neither a file nor a folder nor a link", entry->path);
}

enum bg_status bg_listing_add(struct bg_buffer *out, struct bg_listing *listing, const char *path,
			      struct bg_error *err)
{
	BG_AUTO(arena_drop) struct bg_arena arena = BG_ARENA_INIT;
	struct walk walk = { listing, out, &arena };
	struct entry top = { AT_FDCWD, path, path, 0 };
	enum bg_status status = add_any(&walk, &top, err);
	if (status == BG_OK && out->full)
		status = bg_fail(err, BG_E_SYSTEM, "%s: too many files", path);
	return status;
}
