#ifndef BG_WORKLOADS_PIN_H
#define BG_WORKLOADS_PIN_H
#include "gate/wire/message.h"

/*
 * Binds every thread of this process, those of loaded libraries too, to the request's CPUs.
 * *cpus  the set really in force, ascending; owned by the arena
 */
BG_MUST_CHECK enum bg_status bg_pin_process(size_t *count, const unsigned **cpus,
					    const struct bg_request *request,
					    struct bg_arena *arena, struct bg_error *err);
#endif
