#ifndef BG_CORE_PROCFS_H
#define BG_CORE_PROCFS_H
/*
 * Small readings of /proc about one process. A process that has gone gives nothing, never a fault:
 * it may end between any two calls.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Children of all threads of pid, at most max; returns how many were stored. Cost: 10 us + 4 us a
 * thread. */
size_t bg_procfs_children(pid_t pid, pid_t *children, size_t max);
/* Thread ids of pid, at most max. */
size_t bg_procfs_tasks(pid_t pid, pid_t *tasks, size_t max);
/* State letter of one thread ('R', 'S', 'T', 'Z', ...), 0 where it has gone. */
char bg_procfs_state(pid_t pid, pid_t task);
/* How many threads of pid run or wait for a core. */
unsigned bg_procfs_running(pid_t pid);
/* Nanoseconds a thread waited for a core while runnable (schedstat); false where unknown. */
bool bg_procfs_wait_ns(uint64_t *ret, pid_t pid, pid_t task);
/* Nanoseconds of CPU time of all threads of pid so far; false where it has gone. Cost: 1 us. */
bool bg_procfs_cpu_ns(uint64_t *ret, pid_t pid);
#endif
