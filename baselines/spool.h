#ifndef BG_BASELINES_SPOOL_H
#define BG_BASELINES_SPOOL_H
/*
 * Records that wait to be published: $GIT_COMMON_DIR/batchgate/spool/RUN.json, a file a session,
 * its lines as they will stand in the note. Any number of processes may write and read at once;
 * other files there are left alone.
 */
#include "gate/core/arena.h"
#include "gate/wire/record.h"

#define BG_SPOOL_FILE_MAX ((size_t)50 << 20) /* bytes; a git host takes no more in one blob */
#define BG_SPOOL_FILES_MAX 100000

struct bg_spool_entry {
	const char *path;
	const char *text; /* whole file: lines of records */
	size_t size;
	struct bg_record record; /* its lines joined */
};

struct bg_spool {
	size_t count;
	struct bg_spool_entry *entries; /* by run id */
	size_t bad_count;		/* files that look like records and are none */
	const char *bad;		/* what is wrong with the first; NULL: none */
};

/* A fresh run id of 128 random bits. BG_E_SYSTEM. */
BG_MUST_CHECK enum bg_status bg_run_id_make(char run[BG_RECORD_RUN_SIZE], struct bg_error *err);

/*
 * Writes a record, durable when it returns. On failure nothing is left. record is of
 * bg_record_from_result. returns BG_E_SYSTEM, also for a record past BG_SPOOL_FILE_MAX
 */
BG_MUST_CHECK enum bg_status bg_spool_write(const char **ret_path, const char *common_dir,
					    const struct bg_record *record, struct bg_arena *arena,
					    struct bg_error *err);

/*
 * Reads every record that waits. A file that goes away meanwhile (published by another process) is
 * none. returns BG_E_SYSTEM where the folder cannot be read; that it does not exist is no fault
 */
BG_MUST_CHECK enum bg_status bg_spool_read(struct bg_spool *ret, const char *common_dir,
					   struct bg_arena *arena, struct bg_error *err);

/* Takes a record that is published out. BG_E_SYSTEM; that it has gone is no fault. */
BG_MUST_CHECK enum bg_status bg_spool_remove(const struct bg_spool_entry *entry,
					     struct bg_error *err);

/* Removes temporaries that a crash left, an hour after. */
void bg_spool_sweep(const char *common_dir, struct bg_arena *arena);
#endif
