#ifndef BG_MODULES_ROOM_H
#define BG_MODULES_ROOM_H
/* What a case needs of the machine: memory and cores. */
#include "workloads/workload.h"

/* The product or sum; SIZE_MAX, which no allocation can have, where it is larger. */
size_t bg_room_multiply(size_t a, size_t b);
size_t bg_room_add(size_t a, size_t b);

/*
 * OUT_OF_MEMORY with the reason where size bytes are SIZE_MAX or exceed /proc/meminfo's
 * MemAvailable: an allocation might succeed all the same, and the touching be killed.
 * needed  bytes to name in the reason, past SIZE_MAX too
 */
enum bg_answer bg_room_memory(size_t size, double needed, struct bg_why *why);

/* Fills the reason; for an allocation that failed all the same. */
enum bg_answer bg_room_refuse(double needed, struct bg_why *why);

/* UNSUPPORTED with the reason where the process may use fewer cores than threads. */
enum bg_answer bg_room_cores(int threads, struct bg_why *why);
#endif
