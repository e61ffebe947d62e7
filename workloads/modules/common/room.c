#include "workloads/modules/common/room.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

size_t bg_room_multiply(size_t a, size_t b)
{
	return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

size_t bg_room_add(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* Bytes; SIZE_MAX where unknown. */
static size_t available_memory(void)
{
	static const char key[] = "MemAvailable:";
	size_t found = SIZE_MAX;
	char line[256];
	FILE *file = fopen("/proc/meminfo", "re");
	if (!file)
		return found;
	while (found == SIZE_MAX && fgets(line, sizeof line, file)) {
		if (strncmp(line, key, sizeof key - 1) != 0)
			continue;
		const char *digit = line + sizeof key - 1;
		size_t kib = 0;
		for (digit += strspn(digit, " "); *digit >= '0' && *digit <= '9'; digit++)
			kib = bg_room_add(bg_room_multiply(kib, 10), (size_t)(*digit - '0'));
		found = bg_room_multiply(kib, 1024);
	}
	fclose(file);
	return found;
}

static enum bg_answer refuse(double needed, size_t available, struct bg_why *why)
{
	char has[64] = "";
	if (available != SIZE_MAX)
		snprintf(has, sizeof has, "; %.1f GiB are free", (double)available / 0x1p30);
	snprintf(why->text, sizeof why->text, "the operands need %.1f GiB%s", needed / 0x1p30, has);
	return BG_ANSWER_OUT_OF_MEMORY;
}

enum bg_answer bg_room_memory(size_t size, double needed, struct bg_why *why)
{
	size_t available = available_memory();
	return size == SIZE_MAX || size > available ? refuse(needed, available, why) : BG_ANSWER_OK;
}

enum bg_answer bg_room_refuse(double needed, struct bg_why *why)
{
	return refuse(needed, available_memory(), why);
}

enum bg_answer bg_room_cores(int threads, struct bg_why *why)
{
	cpu_set_t cpus;
	/* Fails past 1024 CPUs; the library's own limit remains then. */
	if (sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) >= threads)
		return BG_ANSWER_OK;
	snprintf(why->text, sizeof why->text, "%d threads, but the process may use %d %s", threads,
		 CPU_COUNT(&cpus), CPU_COUNT(&cpus) == 1 ? "core" : "cores");
	return BG_ANSWER_UNSUPPORTED;
}
