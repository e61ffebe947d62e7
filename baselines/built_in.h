#ifndef BG_BASELINES_BUILT_IN_H
#define BG_BASELINES_BUILT_IN_H
/*
 * Looks through a folder for files that hold a text, such as the path they were built at. Of an ELF
 * program only what is loaded counts, not what debuggers read; object files, archives of them,
 * .git and Python's __pycache__ (which names paths for tracebacks alone) are passed over.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bg_built_in {
	BG_BUILT_IN_NOT,
	BG_BUILT_IN_FOUND,
	BG_BUILT_IN_UNREADABLE, /* a file or folder cannot be read */
	BG_BUILT_IN_TOO_LARGE,	/* more than size_max bytes or 64 folders deep */
};

#define BG_BUILT_IN_NAME_SIZE 256

/*
 * needle   not empty; looked for in contents of files and targets of links
 * name     for FOUND and UNREADABLE, the file, relative to folder; a long one loses its start
 * cost     reads every file once, at most size_max bytes
 */
enum bg_built_in bg_built_in_find(char name[BG_BUILT_IN_NAME_SIZE], const char *folder,
				  const char *needle, uint64_t size_max);
#endif
