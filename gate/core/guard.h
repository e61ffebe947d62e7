#ifndef BG_CORE_GUARD_H
#define BG_CORE_GUARD_H
/*
 * Two processes that answer for each other, so that no program we started outlives us. The one the
 * user knows is the guardian: it starts the other, which works, waits for it, and then kills
 * whatever is left. Both are subreapers: the descendants of the one that dies come to the other.
 * The worker of the pair gets SIGTERM when its guardian dies, and ends what it started.
 */
#include "gate/core/error.h"

#include <stddef.h>

/*
 * Runs work(context) in a child and returns its value; 128 + n where it died of signal n.
 * SIGINT, SIGTERM and SIGHUP are passed on to the child; a third one of them kills it. SIGTSTP is
 * ignored: a measurement cannot be suspended. Must be called before any thread is started.
 * When it returns, no descendant of the caller is alive.
 * returns 5 (a fault of ours) with nothing run where no child can be made
 */
int bg_guard_run(int (*work)(void *context), void *context);

/*
 * Kills and reaps every descendant of the calling process, stopped, orphaned, in sessions of their
 * own or not. Takes at most 2 s. Returns how many there were.
 */
size_t bg_guard_kill_tree(void);
#endif
