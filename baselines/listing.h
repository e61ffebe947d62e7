#ifndef BG_BASELINES_LISTING_H
#define BG_BASELINES_LISTING_H
/*
 * A folder's content as text: one line an entry, in an order of its own: kind, mode, size, time and
 * SHA-256 as asked for, and the path, percent-encoded. Two folders of the same content have the
 * same text. Links are named with their targets, never followed; .git is passed over.
 */
#include "gate/core/buffer.h"
#include "gate/core/error.h"

#include <stdbool.h>
#include <stdint.h>

#define BG_LISTING_DEPTH_MAX 128
#define BG_LISTING_SIZE_MAX ((size_t)256 << 20) /* of the text */

struct bg_listing {
	bool contents;		 /* SHA-256 of each file */
	bool times;		 /* when each file was changed last, in ns */
	const char *passed_over; /* a further name that is left out wherever it stands; NULL */
	uint64_t count_left;	 /* entries that may still be listed */
	uint64_t size_left;	 /* bytes that may still be read; files' sizes count even unread */
};

/*
 * Appends the folder's listing. A path that is a file is listed as its own only entry.
 * returns  BG_E_SYSTEM: unreadable, or past a bound; one line that names the entry
 * cost     reads every file once with `contents`, else only looks at each
 */
BG_MUST_CHECK enum bg_status bg_listing_add(struct bg_buffer *out, struct bg_listing *listing,
					    const char *path, struct bg_error *err);
#endif
