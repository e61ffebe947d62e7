#ifndef BG_CORE_INTERRUPT_H
#define BG_CORE_INTERRUPT_H
/*
 * SIGINT, SIGTERM and SIGHUP ask us to stop; they are noted here and looked at by whoever waits.
 */
#include <signal.h>

/* Notes the three signals, ignores SIGPIPE, blocks the three except inside bg_interrupt_mask. */
void bg_interrupt_install(void);
/* The signal that asked us to stop, or 0. */
int bg_interrupt_pending(void);
/* The mask to give ppoll, so that a signal ends the wait. */
const sigset_t *bg_interrupt_mask(void);
#endif
