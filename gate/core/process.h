#ifndef BG_CORE_PROCESS_H
#define BG_CORE_PROCESS_H
/*
 * Starting programs, without a shell. Every child dies with us (PR_SET_PDEATHSIG), is in a process
 * group of its own without leading it, has default signal handling, an empty mask and randomised
 * addresses, and inherits no descriptor but 0 - 2.
 */
#include "gate/core/buffer.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct bg_spawn {
	const char *const
		*argv; /* NULL-terminated; argv[0] with a slash is relative to dir, else PATH */
	const char *const *envp;	    /* NULL: our own environment */
	const char *dir;		    /* NULL: ours */
	int stdin_fd, stdout_fd, stderr_fd; /* -1: /dev/null */
	const cpu_set_t *cpus;		    /* NULL: ours */
	bool stopped;			    /* the program's first instruction waits for SIGCONT */
};

/*
 * Starts a program. Failure to change folder or to execute comes back here, not as exit 127.
 * returns BG_E_SYSTEM "cannot run X: No such file or directory"
 */
BG_MUST_CHECK enum bg_status bg_spawn(pid_t *ret, const struct bg_spawn *spawn,
				      struct bg_error *err);

struct bg_command {
	const char *const *argv;
	const char *const *envp;
	const char *dir;
	double timeout_s; /* 0: none */
	int log_fd;	  /* gets stdout and stderr; -1: they go to output, or nowhere */
	int error_fd;	  /* gets stderr instead; 0: it goes where stdout goes */
};

/*
 * Runs a program to its end, killing its whole session on timeout or interruption.
 * exit_status  exit code 0..255, or 128 + signal
 * output       stdout and stderr together, up to the buffer's bound; may be NULL
 * returns      BG_E_SYSTEM where it cannot start or ran past timeout_s, BG_E_INTERRUPTED
 */
BG_MUST_CHECK enum bg_status bg_command_run(int *exit_status, struct bg_buffer *output,
					    const struct bg_command *command, struct bg_error *err);
#endif
