#ifndef BG_BASELINES_MACHINE_H
#define BG_BASELINES_MACHINE_H
/*
 * What this machine is, as /proc and /sys tell it: one short text a fact, for people and for
 * equality. Whatever cannot be read is "unknown"; nothing here fails.
 */
#include "gate/core/arena.h"

#include <sched.h>

#define BG_MACHINE_TEXT_MAX 200 /* bytes of one fact */

struct bg_machine_source {
	const char *root; /* "" the real machine, else a folder with proc/ and sys/ (tests) */
	const cpu_set_t *allowed; /* NULL: what sched_getaffinity says */
	const char *arch;	  /* NULL: what uname says */
	const char *libc;	  /* NULL: the C library's version */
	const char *program;	  /* version of batchgate; NULL: this one's */
};

/* Never NULL, valid UTF-8 without control characters, owned by the arena. */
struct bg_machine {
	const char *affinity;	     /* CPUs we may use: their count */
	const char *arch;	     /* "x86_64" */
	const char *batchgate;	     /* major.minor */
	const char *boost;	     /* "on", "off" */
	const char *cores;	     /* physical cores with a CPU online */
	const char *cpu;	     /* the model's name; arm64: "0x41/0xd0c", all there are */
	const char *cpu_features;    /* vector units, which libraries choose kernels by */
	const char *cpu_stepping;    /* vendor, family, model, stepping; arm64: variant, revision */
	const char *cpus;	     /* online: their count */
	const char *frequency_limit; /* kHz, of the first CPU we may use */
	const char *governor;	     /* of the CPUs we may use, all there are; "none" */
	const char *hypervisor;	     /* "none", or who makes it */
	const char *kernel;	     /* major.minor */
	const char *kernel_release;  /* whole */
	const char *libc;	     /* "glibc 2.36" */
	const char *memory;	     /* "24 GiB": a class, see bg_machine_read */
	const char *microcode;
	const char *numa_nodes;
	const char *product; /* what the firmware calls the machine: "Amazon EC2 m6i.large" */
	const char *quota;   /* cores, two decimals; "none" */
	const char *smt;     /* "on", "off" */
	const char *thp;     /* "madvise" */
};

/*
 * memory is rounded up to the next of 1, 1.25, 1.5 and 1.75 times a power of two: firmware and
 * kernel keep 1 to 5 % of what is installed for themselves, a little more or less at each start,
 * and the sizes that are sold are such numbers, so that a machine lies well inside its step.
 *
 * cost  about 1 ms and 20 us a CPU
 */
void bg_machine_read(struct bg_machine *ret, const struct bg_machine_source *source,
		     struct bg_arena *arena);
#endif
