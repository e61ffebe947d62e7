#ifndef BG_BASELINES_RUN_FOLDER_H
#define BG_BASELINES_RUN_FOLDER_H
/*
 * A folder of one run with an unpredictable name, mode 0700, and a lock file in it that is held by
 * flock as long as the run, or a program that writes to the lock file, lives.
 * In $XDG_CACHE_HOME/batchgate/trees, else ~/.cache/batchgate/trees, else $TMPDIR, else /tmp: the
 * first that is absolute, outside the repository, writable, lets programs run, and has locks.
 */
#include "gate/core/arena.h"

#include <stdbool.h>

#define BG_RUN_TAG_SIZE 6

struct bg_run_folder {
	const char *path; /* absolute, links resolved */
	const char *tag;  /* BG_RUN_TAG_SIZE letters and digits, the end of path */
	int lock_fd;	  /* open for reading and appending */
};

/*
 * outside  absolute path of a folder that it must not lie in
 * returns  BG_E_SYSTEM where no place serves, with the last one's reason
 */
BG_MUST_CHECK enum bg_status bg_run_folder_make(struct bg_run_folder *ret, const char *outside,
						struct bg_arena *arena, struct bg_error *err);

/* True where the last part of path is a name that bg_run_folder_make gives, with this tag. */
bool bg_run_folder_owns(const char *path, const char *tag);

/*
 * Removes the folder with all that is in it, the lock last, and closes lock_fd. What cannot be
 * removed is left to later sweeps. BG_E_SYSTEM.
 */
BG_MUST_CHECK enum bg_status bg_run_folder_remove(const char *path, int lock_fd,
						  struct bg_error *err);

/*
 * Calls bury for the folder of each dead run, locked so that nobody else has it; bury must remove
 * it or close lock_fd.
 */
void bg_run_folders_sweep(void (*bury)(const struct bg_run_folder *dead, void *context),
			  void *context, struct bg_arena *arena);
#endif
