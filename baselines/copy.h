#ifndef BG_BASELINES_COPY_H
#define BG_BASELINES_COPY_H
/*
 * Copies of files, links and whole folders. No link is followed; what is none of the three is an
 * error. The file system shares the bytes where it can (reflink).
 */
#include "gate/core/error.h"

#include <stdbool.h>
#include <stdint.h>

#define BG_COPY_DEPTH_MAX 128

struct bg_copy {
	uint64_t size_left;	 /* bytes that may still be copied */
	uint64_t count_left;	 /* files, links and folders that may still be made */
	bool keep_times;	 /* modification times are the original's */
	const char *passed_over; /* a name that is left out wherever it stands; NULL: none */
};

/*
 * Copies the entry `name` of folder from to folder to, where no such name may be; modes 0777 are
 * kept. The folders' descriptors stay open. On failure what was copied so far is left.
 * returns BG_E_SYSTEM: one line that names the entry below `name`, and where a bound is passed
 */
BG_MUST_CHECK enum bg_status bg_copy_entry(struct bg_copy *copy, int from, int to, const char *name,
					   struct bg_error *err);
#endif
