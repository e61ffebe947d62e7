#include "baselines/machine.h"

#include "baselines/cpuinfo.h"
#include "gate/core/quota.h"
#include "gate/core/text.h"
#include "gate/core/topology.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define GOVERNORS_MAX 4

static const char unknown[] = "unknown";

/* Firmware, kernels and records may hold any bytes; whatever is no plain text becomes '?'. */
static const char *plain(const char *text, struct bg_arena *arena)
{
	char copy[BG_MACHINE_TEXT_MAX + 1];
	size_t used = 0, left = strlen(text);
	while (left > 0) {
		size_t size = bg_text_utf8_length(text, left);
		unsigned char first = (unsigned char)*text;
		if (used + (size ? size : 1) > BG_MACHINE_TEXT_MAX)
			break;
		bool control = first < 0x20 || first == 0x7f || (size == 2 && first == 0xc2);
		if (size == 0 || control)
			copy[used++] = '?';
		else
			memcpy(copy + used, text, size);
		used += size == 0 || control ? 0 : size;
		text += size ? size : 1;
		left -= size ? size : 1;
	}
	return used ? bg_arena_bytes(arena, copy, used) : unknown;
}

/* First line of a file below root; false where there is none or it is empty. */
static bool read_line(char text[BG_MACHINE_TEXT_MAX * 8], const char *root, const char *file)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", root, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, text, BG_MACHINE_TEXT_MAX * 8 - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	size_t size = strcspn(text, "\n");
	while (size > 0 && text[size - 1] == ' ')
		size--;
	text[size] = '\0';
	return size > 0;
}

static const char *line_of(const char *root, const char *file, struct bg_arena *arena)
{
	char text[BG_MACHINE_TEXT_MAX * 8];
	return read_line(text, root, file) ? plain(text, arena) : unknown;
}

/* "6.1.0-18-amd64" -> "6.1" */
static const char *major_minor(const char *version, struct bg_arena *arena)
{
	size_t major = strspn(version, "0123456789");
	size_t minor = version[major] == '.' ? strspn(version + major + 1, "0123456789") : 0;
	return major && minor ? bg_arena_bytes(arena, version, major + 1 + minor) : unknown;
}

/* The word in brackets: "always [madvise] never". */
static const char *chosen_word(const char *line, struct bg_arena *arena)
{
	const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
	return close ? bg_arena_bytes(arena, open + 1, (size_t)(close - open - 1)) : line;
}

static const char *memory_class(const char *root, struct bg_arena *arena)
{
	char text[BG_MACHINE_TEXT_MAX * 8];
	uint64_t kib;
	/* "MemTotal:       24684084 kB" is the file's first line. */
	if (!read_line(text, root, "proc/meminfo") || strncmp(text, "MemTotal:", 9) != 0)
		return unknown;
	char *number = text + 9 + strspn(text + 9, " ");
	number[strspn(number, "0123456789")] = '\0';
	if (!bg_text_to_u64(&kib, number, 4, UINT64_C(1) << 50))
		return unknown;
	uint64_t step = 1; /* a quarter of the power of two below */
	while (step * 8 <= kib)
		step *= 2;
	uint64_t rounded = (kib + step - 1) / step * step;
	/* From 4 GiB on a step is whole GiB. */
	return rounded >= 4 << 20 ? bg_arena_format(arena, "%" PRIu64 " GiB", rounded >> 20)
				  : bg_arena_format(arena, "%" PRIu64 " MiB", rounded >> 10);
}

static const char *quota_text(const char *root, struct bg_arena *arena)
{
	struct bg_quota quota;
	char text[BG_FIXED_SIZE];
	bg_quota_read(&quota, root);
	return isfinite(quota.cores) ? bg_arena_text(arena, bg_text_fixed(text, quota.cores, 2))
				     : "none";
}

/* Intel's driver has a switch of its own, the other way round. */
static const char *boost_text(const char *root)
{
	char text[BG_MACHINE_TEXT_MAX * 8];
	if (read_line(text, root, "sys/devices/system/cpu/intel_pstate/no_turbo"))
		return strcmp(text, "0") == 0 ? "on" : "off";
	if (read_line(text, root, "sys/devices/system/cpu/cpufreq/boost"))
		return strcmp(text, "0") == 0 ? "off" : "on";
	return unknown;
}

/* The governors of the allowed CPUs in alphabetical order, joined by " + ". */
static const char *governor_text(const char *root, const cpu_set_t *allowed, struct bg_arena *arena)
{
	const char *met[GOVERNORS_MAX];
	size_t count = 0;
	for (unsigned cpu = 0; cpu < BG_TOPOLOGY_MAX && count < GOVERNORS_MAX; cpu++) {
		char path[128];
		if (!CPU_ISSET(cpu, allowed))
			continue;
		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
			 cpu);
		const char *one = line_of(root, path, arena);
		size_t at = 0;
		while (at < count && strcmp(met[at], one) < 0)
			at++;
		if (one == unknown || (at < count && strcmp(met[at], one) == 0))
			continue;
		for (size_t i = count++; i > at; i--)
			met[i] = met[i - 1];
		met[at] = one;
	}
	const char *text = count ? met[0] : "none";
	for (size_t i = 1; i < count; i++)
		text = bg_arena_format(arena, "%s + %s", text, met[i]);
	return plain(text, arena);
}

static const char *frequency_limit(const char *root, const cpu_set_t *allowed,
				   struct bg_arena *arena)
{
	char path[128];
	unsigned cpu = 0;
	while (cpu + 1 < BG_TOPOLOGY_MAX && !CPU_ISSET(cpu, allowed))
		cpu++;
	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_max_freq", cpu);
	return line_of(root, path, arena);
}

static void read_counts(struct bg_machine *ret, const char *root, const cpu_set_t *allowed,
			struct bg_arena *arena)
{
	char text[BG_MACHINE_TEXT_MAX * 8];
	cpu_set_t online, cores;
	ret->affinity = bg_arena_format(arena, "%d", CPU_COUNT(allowed));
	ret->cores = ret->cpus = ret->smt = unknown;
	if (!read_line(text, root, "sys/devices/system/cpu/online") ||
	    !bg_cpus_parse(&online, text))
		return;
	struct bg_topology *topology = bg_arena_alloc(arena, sizeof *topology);
	bg_topology_read(topology, root, &online);
	CPU_ZERO(&cores);
	for (size_t i = 0; i < topology->count; i++)
		CPU_SET(topology->processor[i].core, &cores);
	ret->cpus = bg_arena_format(arena, "%d", CPU_COUNT(&online));
	ret->cores = bg_arena_format(arena, "%d", CPU_COUNT(&cores));
	ret->smt = CPU_COUNT(&online) > CPU_COUNT(&cores) ? "on" : "off";
}

static const char *node_count(const char *root, struct bg_arena *arena)
{
	char text[BG_MACHINE_TEXT_MAX * 8];
	cpu_set_t nodes;
	return read_line(text, root, "sys/devices/system/node/online") &&
			       bg_cpus_parse(&nodes, text)
		       ? bg_arena_format(arena, "%d", CPU_COUNT(&nodes))
		       : unknown;
}

static const char *hypervisor_text(const char *root, const struct bg_cpuinfo *cpu,
				   struct bg_arena *arena)
{
	const char *type = line_of(root, "sys/hypervisor/type", arena);
	if (type != unknown)
		return type;
	if (!cpu->tells_hypervisor)
		return unknown;
	if (!cpu->hypervisor)
		return "none";
	const char *vendor = line_of(root, "sys/class/dmi/id/sys_vendor", arena);
	return vendor == unknown ? "unnamed" : vendor;
}

static const char *product_text(const char *root, struct bg_arena *arena)
{
	const char *vendor = line_of(root, "sys/class/dmi/id/sys_vendor", arena);
	const char *product = line_of(root, "sys/class/dmi/id/product_name", arena);
	if (vendor == unknown || product == unknown)
		return vendor == unknown ? product : vendor;
	return plain(bg_arena_format(arena, "%s %s", vendor, product), arena);
}

static void read_software(struct bg_machine *ret, const struct bg_machine_source *source,
			  struct bg_arena *arena)
{
	struct utsname name;
	const char *arch = source->arch ? source->arch : uname(&name) == 0 ? name.machine : unknown;
	ret->arch = plain(arch, arena);
	ret->kernel_release = line_of(source->root, "proc/sys/kernel/osrelease", arena);
	ret->kernel = major_minor(ret->kernel_release, arena);
	ret->libc = source->libc ? plain(source->libc, arena)
				 : bg_arena_format(arena, "glibc %s", gnu_get_libc_version());
	ret->batchgate = major_minor(source->program ? source->program : BG_VERSION, arena);
}

void bg_machine_read(struct bg_machine *ret, const struct bg_machine_source *source,
		     struct bg_arena *arena)
{
	const char *root = source->root;
	struct bg_cpuinfo cpu;
	cpu_set_t allowed;
	CPU_ZERO(&allowed);
	if (source->allowed)
		allowed = *source->allowed;
	else if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
		CPU_SET(0, &allowed);
	bg_cpuinfo_read(&cpu, root, arena);
	*ret = (struct bg_machine){
		.boost = boost_text(root),
		.cpu = plain(cpu.model, arena),
		.cpu_features = plain(cpu.features, arena),
		.cpu_stepping = plain(cpu.stepping, arena),
		.frequency_limit = frequency_limit(root, &allowed, arena),
		.governor = governor_text(root, &allowed, arena),
		.hypervisor = hypervisor_text(root, &cpu, arena),
		.memory = memory_class(root, arena),
		.microcode = plain(cpu.microcode, arena),
		.numa_nodes = node_count(root, arena),
		.product = product_text(root, arena),
		.quota = quota_text(root, arena),
		.thp = chosen_word(
			line_of(root, "sys/kernel/mm/transparent_hugepage/enabled", arena), arena),
	};
	read_counts(ret, root, &allowed, arena);
	read_software(ret, source, arena);
}
