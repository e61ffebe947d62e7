#ifndef BG_CORE_FILE_H
#define BG_CORE_FILE_H
/* Whole files and folders on disk. Errors carry the path and the system's reason. */
#include "gate/core/arena.h"

#include <stdbool.h>

/*
 * Reads a whole regular file of at most size_max bytes; *ret gets a NUL after the last byte.
 * returns BG_E_INPUT where it is larger, not a regular file, absent or unreadable.
 */
BG_MUST_CHECK enum bg_status bg_file_read(char **ret, size_t *ret_size, const char *path,
					  size_t size_max, struct bg_arena *arena,
					  struct bg_error *err);

/*
 * Replaces path by size bytes: temporary file in the same folder, fsync, rename, fsync of the
 * folder. On failure the old file is untouched and no temporary is left. BG_E_SYSTEM.
 */
BG_MUST_CHECK enum bg_status bg_file_replace(const char *path, const void *bytes, size_t size,
					     struct bg_error *err);

/* Makes a folder and its parents (mode 0777 less umask); one that exists is fine. BG_E_SYSTEM. */
BG_MUST_CHECK enum bg_status bg_dir_make(const char *path, struct bg_error *err);

/* Removes a file or a whole tree; never follows a link; absent is fine. BG_E_SYSTEM. */
BG_MUST_CHECK enum bg_status bg_tree_remove(const char *path, struct bg_error *err);

/* The path's absolute form with links resolved; BG_E_SYSTEM where it does not exist. */
BG_MUST_CHECK enum bg_status bg_path_absolute(char **ret, const char *path, struct bg_arena *arena,
					      struct bg_error *err);
#endif
