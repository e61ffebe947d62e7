#ifndef BG_TESTS_MACHINE_FIXTURE_H
#define BG_TESTS_MACHINE_FIXTURE_H
/* A folder with the /proc and /sys of a machine: two cores of two threads each, four CPUs. */
#include "baselines/fingerprint.h"
#include "gate/core/file.h"
#include "gate/core/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct machine_fixture {
	struct bg_arena arena;
	char root[64];
	cpu_set_t allowed;
	struct bg_machine_source source;
};

static inline void fixture_put(struct machine_fixture *f, const char *path, const char *text)
{
	struct bg_error err = BG_ERROR_INIT;
	char full[512], folder[512];
	snprintf(full, sizeof full, "%s/%s", f->root, path);
	snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(full, '/') - full), full);
	assert_int_equal(bg_dir_make(folder, &err), BG_OK);
	assert_int_equal(bg_file_replace(full, text, strlen(text), &err), BG_OK);
}

static inline void fixture_remove_file(struct machine_fixture *f, const char *path)
{
	struct bg_error err = BG_ERROR_INIT;
	char full[512];
	snprintf(full, sizeof full, "%s/%s", f->root, path);
	assert_int_equal(bg_tree_remove(full, &err), BG_OK);
}

/* mhz and bogomips are the moment's; the rest is the machine's. */
#define FIXTURE_CPUINFO(name, stepping, mhz, flags)                                                \
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n"             \
	"model name\t: " name "\nstepping\t: " stepping "\nmicrocode\t: 0xd0003a5\n"               \
	"cpu MHz\t\t: " mhz "\nflags\t\t: fpu " flags "\n\n"                                       \
	"processor\t: 1\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n"             \
	"model name\t: " name "\nstepping\t: " stepping "\ncpu MHz\t\t: 1200.000\n\n"

#define FIXTURE_FLAGS "sse4_2 avx2 avx512f hypervisor"
#define FIXTURE_MODEL "Intel(R)  Xeon(R) Platinum 8370C CPU @ 2.80GHz  "

static inline void fixture_write(struct machine_fixture *f)
{
	fixture_put(f, "proc/cpuinfo",
		    FIXTURE_CPUINFO(FIXTURE_MODEL, "6", "2800.000", FIXTURE_FLAGS));
	fixture_put(f, "proc/meminfo", "MemTotal:       16393820 kB\nMemFree:  1 kB\n");
	fixture_put(f, "proc/sys/kernel/osrelease", "6.5.0-1025-azure\n");
	fixture_put(f, "proc/sys/kernel/hostname", "fv-az1\n");
	fixture_put(f, "proc/loadavg", "0.10 0.05 0.01 1/100 1\n");
	fixture_put(f, "proc/uptime", "100.00 100.00\n");
	fixture_put(f, "proc/self/cgroup", "0::/a\n");
	fixture_put(f, "sys/fs/cgroup/a/cpu.max", "max 100000\n");
	fixture_put(f, "sys/devices/system/cpu/online", "0-3\n");
	fixture_put(f, "sys/devices/system/node/online", "0\n");
	fixture_put(f, "sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
	fixture_put(f, "sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
	fixture_put(f, "sys/class/dmi/id/product_name", "Virtual Machine\n");
	fixture_put(f, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		char path[128];
		snprintf(path, sizeof path,
			 "sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
		fixture_put(f, path, cpu < 2 ? "0-1\n" : "2-3\n");
		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
			 cpu);
		fixture_put(f, path, "performance\n");
		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_max_freq",
			 cpu);
		fixture_put(f, path, "3500000\n");
		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
			 cpu);
		fixture_put(f, path, "2800000\n");
	}
}

static inline int fixture_make(void **state)
{
	struct machine_fixture *f = calloc(1, sizeof *f);
	if (!f)
		return -1;
	snprintf(f->root, sizeof f->root, "/tmp/bg-machine-XXXXXX");
	if (!mkdtemp(f->root))
		return -1;
	assert_true(bg_cpus_parse(&f->allowed, "0-3"));
	f->source = (struct bg_machine_source){ .root = f->root,
						.allowed = &f->allowed,
						.arch = "x86_64",
						.libc = "glibc 2.36",
						.program = "0.1.0" };
	fixture_write(f);
	*state = f;
	return 0;
}

static inline int fixture_remove(void **state)
{
	struct machine_fixture *f = *state;
	struct bg_error err = BG_ERROR_INIT;
	int failed = bg_tree_remove(f->root, &err) == BG_OK ? 0 : -1;
	bg_arena_release(&f->arena);
	free(f);
	return failed;
}

static inline struct bg_fingerprint fixture_read(struct machine_fixture *f)
{
	struct bg_fingerprint fingerprint;
	bg_fingerprint_read(&fingerprint, &f->source, &f->arena);
	return fingerprint;
}

static inline const char *fixture_value(struct machine_fixture *f, const char *name)
{
	struct bg_fingerprint fingerprint = fixture_read(f);
	for (size_t i = 0; i < fingerprint.count; i++)
		if (strcmp(fingerprint.entry[i].name, name) == 0)
			return fingerprint.entry[i].value;
	fail_msg("no entry %s", name);
	return NULL;
}
#endif
