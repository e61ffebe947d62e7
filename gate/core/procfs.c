#include "gate/core/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Reads a small file whole into text, NUL-terminated; returns its size, 0 on any failure. */
static size_t read_small(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size_t used = 0;
	while (used < size - 1) {
		ssize_t got = read(fd, text + used, size - 1 - used);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	close(fd);
	text[used] = '\0';
	return used;
}

/* The decimal number at *text, which moves past it and the spaces behind; false where there is
 * none. */
static bool next_number(uint64_t *ret, const char **text)
{
	const char *c = *text;
	if (*c < '0' || *c > '9')
		return false;
	uint64_t value = 0;
	while (*c >= '0' && *c <= '9')
		value = value * 10 + (uint64_t)(*c++ - '0');
	while (*c == ' ' || *c == '\n')
		c++;
	*text = c;
	*ret = value;
	return true;
}

size_t bg_procfs_tasks(pid_t pid, pid_t *tasks, size_t max)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return 0;
	size_t count = 0;
	for (struct dirent *entry = readdir(dir); entry && count < max; entry = readdir(dir)) {
		const char *name = entry->d_name;
		uint64_t id;
		if (next_number(&id, &name) && *name == '\0')
			tasks[count++] = (pid_t)id;
	}
	closedir(dir);
	return count;
}

#define TASKS_MAX 1024

size_t bg_procfs_children(pid_t pid, pid_t *children, size_t max)
{
	pid_t tasks[TASKS_MAX];
	size_t task_count = bg_procfs_tasks(pid, tasks, TASKS_MAX), count = 0;
	for (size_t i = 0; i < task_count; i++) {
		char path[80], text[16384];
		snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)tasks[i]);
		if (read_small(path, text, sizeof text) == 0)
			continue;
		const char *rest = text;
		uint64_t id;
		while (count < max && next_number(&id, &rest))
			children[count++] = (pid_t)id;
	}
	return count;
}

char bg_procfs_state(pid_t pid, pid_t task)
{
	char path[80], text[512];
	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)task);
	if (read_small(path, text, sizeof text) == 0)
		return 0;
	/* The command's name may hold spaces and brackets: the state follows the last ')'. */
	const char *name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

bool bg_procfs_wait_ns(uint64_t *ret, pid_t pid, pid_t task)
{
	char path[80], text[128];
	snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)task);
	if (read_small(path, text, sizeof text) == 0)
		return false;
	const char *rest = text;
	uint64_t run_ns;
	return next_number(&run_ns, &rest) && next_number(ret, &rest);
}

bool bg_procfs_cpu_ns(uint64_t *ret, pid_t pid)
{
	clockid_t clock;
	struct timespec used;
	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return false;
	*ret = (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec;
	return true;
}

unsigned bg_procfs_running(pid_t pid)
{
	pid_t tasks[TASKS_MAX];
	size_t count = bg_procfs_tasks(pid, tasks, TASKS_MAX);
	unsigned running = 0;
	for (size_t i = 0; i < count; i++)
		running += bg_procfs_state(pid, tasks[i]) == 'R';
	return running;
}
