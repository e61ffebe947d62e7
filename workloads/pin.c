#include "workloads/pin.h"

#include "gate/core/procfs.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#define TASKS_MAX 1024

enum bg_status bg_pin_process(size_t *count, const unsigned **cpus,
			      const struct bg_request *request, struct bg_arena *arena,
			      struct bg_error *err)
{
	cpu_set_t set;
	pid_t tasks[TASKS_MAX];
	CPU_ZERO(&set);
	for (size_t i = 0; i < request->cpu_count; i++)
		CPU_SET(request->cpus[i], &set);
	size_t task_count = bg_procfs_tasks(getpid(), tasks, TASKS_MAX);
	for (size_t i = 0; i < task_count; i++)
		if (sched_setaffinity(tasks[i], sizeof set, &set) != 0 && errno != ESRCH)
			return bg_fail(err, BG_E_SYSTEM, "pin: %s", strerror(errno));
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return bg_fail(err, BG_E_SYSTEM, "pin: %s", strerror(errno));
	unsigned *actual = bg_arena_array(arena, BG_CPUS_MAX, sizeof *actual);
	size_t found = 0;
	for (unsigned cpu = 0; cpu < BG_CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			actual[found++] = cpu;
	*count = found;
	*cpus = actual;
	return BG_OK;
}
