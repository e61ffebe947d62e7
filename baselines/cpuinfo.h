#ifndef BG_BASELINES_CPUINFO_H
#define BG_BASELINES_CPUINFO_H
/* /proc/cpuinfo, which each architecture writes in its own way. */
#include "gate/core/arena.h"

#include <stdbool.h>

/* Each is "unknown" where the file does not tell; owned by the arena. */
struct bg_cpuinfo {
	const char *model; /* x86: the name; arm64: "0x41/0xd0c", joined by " + " where several */
	const char *stepping; /* "GenuineIntel 6/207/2"; arm64: "variant 0x3 revision 1" */
	const char *features; /* vector units in a fixed order; "none" */
	const char *microcode;
	bool tells_hypervisor; /* the architecture has a flag for it */
	bool hypervisor;
};

/*
 * root: "" or a folder that holds proc/. Values are as the file has them, without runs of spaces.
 * At most the first 8 MiB are read.
 */
void bg_cpuinfo_read(struct bg_cpuinfo *ret, const char *root, struct bg_arena *arena);
#endif
