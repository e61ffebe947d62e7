#include "gate/core/topology.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool read_line(char *text, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, text, size - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static bool parse_number(unsigned *ret, const char **text)
{
	unsigned value = 0;
	const char *c = *text;
	while (*c >= '0' && *c <= '9' && value < BG_TOPOLOGY_MAX)
		value = value * 10 + (unsigned)(*c++ - '0');
	if (c == *text || value >= BG_TOPOLOGY_MAX)
		return false;
	*text = c;
	*ret = value;
	return true;
}

bool bg_cpus_parse(cpu_set_t *ret, const char *text)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	for (;;) {
		unsigned first, last;
		if (!parse_number(&first, &text))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!parse_number(&last, &text) || last < first)
				return false;
		}
		for (unsigned cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, &set);
		if (*text == '\0')
			break;
		if (*text++ != ',')
			return false;
	}
	*ret = set;
	return true;
}

void bg_cpus_text(char *text, size_t size, const cpu_set_t *cpus)
{
	size_t used = 0;
	text[0] = '\0';
	for (unsigned cpu = 0; cpu < BG_TOPOLOGY_MAX && used < size; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		unsigned last = cpu;
		while (last + 1 < BG_TOPOLOGY_MAX && CPU_ISSET(last + 1, cpus))
			last++;
		const char *comma = used ? "," : "";
		int length = last == cpu ? snprintf(text + used, size - used, "%s%u", comma, cpu)
					 : snprintf(text + used, size - used, "%s%u%c%u", comma,
						    cpu, last == cpu + 1 ? ',' : '-', last);
		used += length > 0 ? (size_t)length : 0;
		cpu = last;
	}
}

/* Lowest member of the CPU list in a file of /sys, or the fallback. */
static unsigned lowest_in(const char *root, const char *file, unsigned cpu, unsigned fallback)
{
	char path[512], text[4096];
	snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/%s", root, cpu, file);
	const char *rest = text;
	unsigned lowest;
	return read_line(text, sizeof text, path) && parse_number(&lowest, &rest) ? lowest
										  : fallback;
}

/* A hybrid chip lists its small cores apart; one without the file has one type. */
static bool is_small_core(const char *root, unsigned cpu)
{
	char path[512], text[4096];
	cpu_set_t small;
	snprintf(path, sizeof path, "%s/sys/devices/cpu_atom/cpus", root);
	return read_line(text, sizeof text, path) && bg_cpus_parse(&small, text) &&
	       CPU_ISSET(cpu, &small);
}

static unsigned node_of(const char *root, unsigned cpu)
{
	for (unsigned node = 0; node < 64; node++) {
		char path[512];
		snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/node%u", root, cpu,
			 node);
		if (access(path, F_OK) == 0)
			return node;
	}
	return 0;
}

void bg_topology_read(struct bg_topology *ret, const char *root, const cpu_set_t *allowed)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	if (allowed)
		set = *allowed;
	else if (sched_getaffinity(0, sizeof set, &set) != 0)
		CPU_SET(0, &set);
	ret->count = 0;
	for (unsigned cpu = 0; cpu < BG_TOPOLOGY_MAX; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		unsigned l3 = lowest_in(root, "cache/index3/shared_cpu_list", cpu, 0);
		ret->processor[ret->count++] = (struct bg_processor){
			.cpu = cpu,
			.core = lowest_in(root, "topology/thread_siblings_list", cpu, cpu),
			.group = (node_of(root, cpu) * BG_TOPOLOGY_MAX + l3) * 2 +
				 is_small_core(root, cpu),
		};
	}
}

/* Counts the cores of a group, putting one CPU of each into set when given, last ones first. */
static size_t cores_of(const struct bg_topology *topology, unsigned group, size_t limit,
		       cpu_set_t *set)
{
	cpu_set_t cores;
	CPU_ZERO(&cores);
	size_t count = 0;
	for (size_t i = topology->count; i > 0 && count < limit; i--) {
		const struct bg_processor *processor = &topology->processor[i - 1];
		if (processor->group != group || CPU_ISSET(processor->core, &cores))
			continue;
		CPU_SET(processor->core, &cores);
		if (set)
			CPU_SET(processor->cpu, set);
		count++;
	}
	return count;
}

static size_t largest_group(const struct bg_topology *topology, unsigned *group)
{
	size_t most = 0;
	for (size_t i = 0; i < topology->count; i++) {
		size_t cores =
			cores_of(topology, topology->processor[i].group, BG_TOPOLOGY_MAX, NULL);
		/* Of equal groups the later wins, for the same reason as the later core. */
		if (cores >= most) {
			most = cores;
			*group = topology->processor[i].group;
		}
	}
	return most;
}

size_t bg_topology_cores(const struct bg_topology *topology)
{
	unsigned group = 0;
	return largest_group(topology, &group);
}

unsigned bg_topology_most(const struct bg_topology *topology)
{
	size_t cores = bg_topology_cores(topology);
	return (unsigned)(cores >= 4 ? cores - 1 : cores > 0 ? cores : 1);
}

bool bg_topology_pick(cpu_set_t *ret, const struct bg_topology *topology, size_t count)
{
	unsigned group = 0;
	size_t most = largest_group(topology, &group);
	CPU_ZERO(ret);
	cores_of(topology, group, count, ret);
	return most >= count;
}
