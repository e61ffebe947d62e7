#include "baselines/spool.h"

#include "gate/core/descriptor.h"
#include "gate/core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".json"
#define NAME_SIZE (BG_RECORD_RUN_SIZE - 1 + sizeof SUFFIX - 1)
#define TEMPORARY_AGE_S 3600

static void entries_drop(DIR **entries)
{
	if (*entries)
		closedir(*entries);
}

enum bg_status bg_run_id_make(char run[BG_RECORD_RUN_SIZE], struct bg_error *err)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[(BG_RECORD_RUN_SIZE - 1) / 2];
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return bg_fail(err, BG_E_SYSTEM, "no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof bytes; i++) {
		run[2 * i] = digits[bytes[i] >> 4];
		run[2 * i + 1] = digits[bytes[i] & 15];
	}
	run[2 * sizeof bytes] = '\0';
	return BG_OK;
}

static const char *folder_of(const char *common_dir, struct bg_arena *arena)
{
	return bg_arena_format(arena, "%s/batchgate/spool", common_dir);
}

/* A folder is durable once the one it stands in is on disk. */
static void sync_folder(const char *path)
{
	BG_AUTO(bg_descriptor_drop) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)fsync(fd);
}

enum bg_status bg_spool_write(const char **ret_path, const char *common_dir,
			      const struct bg_record *record, struct bg_arena *arena,
			      struct bg_error *err)
{
	const char *folder = folder_of(common_dir, arena);
	const char *path = bg_arena_format(arena, "%s/%s" SUFFIX, folder, record->run);
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, BG_SPOOL_FILE_MAX);
	bg_record_write(&out, record);
	if (out.full)
		return bg_fail(err, BG_E_SYSTEM,
			       "the record passes %zu MiB, which no git host takes: measure fewer "
			       "cases at a time",
			       BG_SPOOL_FILE_MAX >> 20);
	if (bg_dir_make(folder, err) != BG_OK)
		return bg_within(err, "the record is not kept");
	sync_folder(common_dir);
	sync_folder(bg_arena_format(arena, "%s/batchgate", common_dir));
	if (bg_file_replace(path, out.bytes, out.size, err) != BG_OK)
		return bg_within(err, "the record is not kept");
	*ret_path = path;
	return BG_OK;
}

/* "RUN.json" */
static bool is_record_name(const char *name)
{
	char run[BG_RECORD_RUN_SIZE] = "";
	if (strlen(name) != NAME_SIZE || strcmp(name + BG_RECORD_RUN_SIZE - 1, SUFFIX) != 0)
		return false;
	memcpy(run, name, sizeof run - 1);
	return bg_record_run_is_valid(run);
}

static enum bg_status refuse_mixed(const struct bg_record *lines, size_t count, const char *path,
				   struct bg_error *err)
{
	const struct bg_record *first = &lines[0];
	const char *name = strrchr(path, '/') + 1;
	if (strncmp(name, first->run, strlen(first->run)) != 0)
		return bg_fail(err, BG_E_INPUT, "%s: holds run %s", path, first->run);
	if (count != first->parts)
		return bg_fail(err, BG_E_INPUT, "%s: holds %zu of %u lines", path, count,
			       first->parts);
	for (size_t i = 0; i < count; i++)
		if (lines[i].part != i + 1 || lines[i].parts != count ||
		    strcmp(lines[i].run, first->run) != 0 ||
		    strcmp(lines[i].commit, first->commit) != 0 ||
		    strcmp(lines[i].runner_class, first->runner_class) != 0)
			return bg_fail(err, BG_E_INPUT, "%s: line %zu is not of the same record",
				       path, i + 1);
	return BG_OK;
}

static enum bg_status parse_entry(struct bg_spool_entry *entry, struct bg_arena *arena,
				  struct bg_error *err)
{
	struct bg_record *lines = NULL;
	size_t count = 0, capacity = 0;
	for (const char *line = entry->text, *all = line + entry->size; line < all;) {
		const char *end = memchr(line, '\n', (size_t)(all - line));
		if (!end)
			return bg_fail(err, BG_E_INPUT, "%s: is cut short", entry->path);
		lines = bg_arena_grow(arena, lines, count, &capacity, sizeof *lines);
		const char *what = bg_arena_format(arena, "%s:%zu", entry->path, count + 1);
		if (bg_record_parse(&lines[count], line, (size_t)(end - line), what, arena, err) !=
		    BG_OK)
			return err->status;
		count++;
		line = end + 1;
	}
	if (count == 0)
		return bg_fail(err, BG_E_INPUT, "%s: is empty", entry->path);
	if (refuse_mixed(lines, count, entry->path, err) != BG_OK)
		return err->status;
	bg_record_join(&entry->record, lines, count, arena);
	return BG_OK;
}

static enum bg_status read_entry(struct bg_spool_entry *entry, struct bg_arena *arena,
				 struct bg_error *err)
{
	char *text;
	enum bg_status status =
		bg_file_read(&text, &entry->size, entry->path, BG_SPOOL_FILE_MAX, arena, err);
	entry->text = status == BG_OK ? text : NULL;
	return status == BG_OK ? parse_entry(entry, arena, err) : status;
}

static void add_file(struct bg_spool *spool, size_t *capacity, const char *path,
		     struct bg_arena *arena)
{
	struct bg_error fault = BG_ERROR_INIT;
	struct bg_spool_entry entry = { .path = path };
	struct stat info;
	if (read_entry(&entry, arena, &fault) == BG_OK) {
		spool->entries = bg_arena_grow(arena, spool->entries, spool->count, capacity,
					       sizeof *spool->entries);
		spool->entries[spool->count++] = entry;
	} else if (lstat(path, &info) == 0 || errno != ENOENT) {
		spool->bad_count++;
		if (!spool->bad)
			spool->bad = bg_arena_text(arena, fault.text);
	}
}

static int by_path(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

static enum bg_status list_files(const char ***ret, size_t *ret_count, const char *folder,
				 struct bg_arena *arena, struct bg_error *err)
{
	const char **paths = NULL;
	size_t count = 0, capacity = 0;
	BG_AUTO(entries_drop) DIR *entries = opendir(folder);
	if (!entries && errno != ENOENT)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot read: %s", folder, strerror(errno));
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		if (!is_record_name(entry->d_name))
			continue;
		if (count == BG_SPOOL_FILES_MAX)
			return bg_fail(err, BG_E_SYSTEM,
				       "%s: holds more than %d records: publish or remove some",
				       folder, BG_SPOOL_FILES_MAX);
		paths = bg_arena_grow(arena, paths, count, &capacity, sizeof *paths);
		paths[count++] = bg_arena_format(arena, "%s/%s", folder, entry->d_name);
	}
	if (count > 0)
		qsort(paths, count, sizeof *paths, by_path);
	*ret = paths;
	*ret_count = count;
	return BG_OK;
}

enum bg_status bg_spool_read(struct bg_spool *ret, const char *common_dir, struct bg_arena *arena,
			     struct bg_error *err)
{
	struct bg_spool spool = { 0 };
	const char **paths = NULL;
	size_t count = 0, capacity = 0;
	if (list_files(&paths, &count, folder_of(common_dir, arena), arena, err) != BG_OK)
		return err->status;
	for (size_t i = 0; i < count; i++)
		add_file(&spool, &capacity, paths[i], arena);
	*ret = spool;
	return BG_OK;
}

enum bg_status bg_spool_remove(const struct bg_spool_entry *entry, struct bg_error *err)
{
	if (unlink(entry->path) == 0 || errno == ENOENT)
		return BG_OK;
	return bg_fail(err, BG_E_SYSTEM, "%s: cannot remove: %s", entry->path, strerror(errno));
}

/* What bg_file_replace leaves when it is killed: "RUN.json.XXXXXX". */
static bool is_temporary(const char *name)
{
	char start[NAME_SIZE + 1] = "";
	if (strlen(name) != NAME_SIZE + 7 || name[NAME_SIZE] != '.')
		return false;
	memcpy(start, name, NAME_SIZE);
	return is_record_name(start);
}

void bg_spool_sweep(const char *common_dir, struct bg_arena *arena)
{
	const char *folder = folder_of(common_dir, arena);
	BG_AUTO(entries_drop) DIR *entries = opendir(folder);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		struct stat info;
		if (is_temporary(entry->d_name) &&
		    fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    info.st_mtime + TEMPORARY_AGE_S < time(NULL))
			(void)unlinkat(dirfd(entries), entry->d_name, 0);
	}
}
