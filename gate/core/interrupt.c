#include "gate/core/interrupt.h"

#include <stddef.h>

/* Signal handlers have no other place to leave word; written by the handler and install only. */
static volatile sig_atomic_t pending;
static sigset_t waiting_mask;

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

static void note(int number)
{
	pending = number;
}

void bg_interrupt_install(void)
{
	sigset_t blocked;
	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sigaction action = { .sa_handler = note };
		sigemptyset(&action.sa_mask);
		sigaction(numbers[i], &action, NULL);
		sigaddset(&blocked, numbers[i]);
	}
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGPIPE, &ignore, NULL);
	sigprocmask(SIG_BLOCK, &blocked, &waiting_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigdelset(&waiting_mask, numbers[i]);
}

int bg_interrupt_pending(void)
{
	/* A signal that arrived while blocked is as good as noted: nobody need wait for a ppoll. */
	sigset_t arrived;
	if (!pending && sigpending(&arrived) == 0)
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
			if (sigismember(&arrived, numbers[i]) == 1)
				pending = numbers[i];
	return pending;
}

const sigset_t *bg_interrupt_mask(void)
{
	return &waiting_mask;
}
