#ifndef BG_BASELINES_BENEATH_H
#define BG_BASELINES_BENEATH_H
/*
 * Paths below a folder, walked part by part: no link on the way is followed, so that what is done
 * at their end stays in the folder. Of a path, empty parts and "." are passed over; ".." is not
 * walked.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct bg_beneath {
	int folder_fd;		 /* what holds the last part; -1 where it was not reached */
	char name[NAME_MAX + 1]; /* the last part; of a blocked path the part that blocks */
};

enum bg_beneath_rule {
	BG_BENEATH_LOOK,  /* changes nothing */
	BG_BENEATH_MAKE,  /* makes missing folders on the way, mode 0777 less umask */
	BG_BENEATH_FORCE, /* the same, and removes links and files that stand in the way */
};

enum bg_beneath_end {
	BG_BENEATH_REACHED, /* the last part itself may be missing */
	BG_BENEATH_MISSING, /* a folder on the way is not there */
	BG_BENEATH_BLOCKED, /* a part on the way is a link or a file; "..", or no part at all */
	BG_BENEATH_FAULT,   /* errno has the reason */
};

/* Opens the folder that holds the last part of path. */
enum bg_beneath_end bg_beneath_open(struct bg_beneath *ret, const char *folder, const char *path,
				    enum bg_beneath_rule rule);
/* Closes it; once more is fine. Fits BG_AUTO. */
void bg_beneath_close(struct bg_beneath *at);
#endif
