#ifndef BG_SWEEPS_TURN_H
#define BG_SWEEPS_TURN_H
/*
 * Two sides taking turns on the same cores: one runs for some milliseconds while the other's whole
 * tree is stopped, until both have finished their step (design: section 1). A side's time is the
 * sum of its own turns, on our clock.
 */
#include "gate/core/random.h"
#include "gate/core/tree.h"

#define BG_TURN_NS UINT64_C(4000000) /* default length of a turn */
#define BG_TURN_MAX_NS UINT64_C(16000000)
#define BG_TAIL_SIZE 512

/* What a program printed, in a probe: hashed, counted, its last bytes kept for a message. */
struct bg_capture {
	int fd; /* -1: none */
	uint64_t hash, size;
	char tail[BG_TAIL_SIZE];
	size_t tail_size;
};

/* Drains what is there; at end of file closes fd and sets it to -1. */
void bg_capture_read(struct bg_capture *capture);
/* The last non-empty line, control characters as '?', into text; "" where there is none. */
void bg_capture_last_line(char *text, size_t size, const struct bg_capture *capture);

struct bg_side {
	struct bg_tree *tree;
	int done_fd;	 /* readable once the step is over: a pidfd, or a worker's output */
	bool is_stopped; /* at the start: nothing of it has run yet */
	struct bg_capture *out, *err; /* NULL outside probes */
	/* results */
	bool done;
	uint64_t own_ns;  /* sum of its turns */
	uint64_t wait_ns; /* runnable but kept waiting by foreign work, see bg_foreign_wait_ns */
	uint64_t cpu_ns;  /* of the living tree at its last stop; the end is the caller's to read */
	uint64_t idle_cpu_ns; /* used while stopped, when it should have used none */
	uint64_t idle_ns;     /* how long the other ran meanwhile */
	unsigned turns;
	unsigned running_max; /* most threads running in a sample; probes only */
	/* samples taken, those with no thread running, with more than one; probes only */
	uint64_t sampled, blocked, parallel;
};

struct bg_turn_rule {
	uint64_t turn_ns;	  /* mean length; 0: the first runs to its end, then the second */
	struct bg_random *jitter; /* turns are .7 to 1.3 times the mean */
	uint64_t limit_ns;	  /* own time after which a side has run too long */
	uint64_t sample_ns; /* 0, or how often a probe looks at cores used and threads blocked */
	bool is_worker;	    /* done sides live on, idle, and must not spin */
};

enum bg_turn_end {
	BG_TURN_DONE,
	BG_TURN_TIMEOUT,     /* side[*at] ran past limit_ns */
	BG_TURN_UNSTOPPABLE, /* its tree did not come to rest */
	BG_TURN_INTERRUPTED,
};

/*
 * Runs both sides to their end, side[first] going first. count 1 runs side[0] alone.
 * *at  which side met a timeout or could not be stopped
 */
enum bg_turn_end bg_turns_run(struct bg_side *sides, size_t count, size_t first,
			      const struct bg_turn_rule *rule, size_t *at);

/*
 * What others took of a tree's time: run-queue wait is counted only as far as the cores were not
 * used by the tree itself, since a program with more threads than cores waits for its own.
 * wait_ns summed over threads; cores >= 1. returns nanoseconds of wall time
 */
uint64_t bg_foreign_wait_ns(uint64_t wall_ns, uint64_t cpu_ns, uint64_t wait_ns, unsigned cores);
/*
 * Most cores that a probed side used at once, at least 1: two samples and one in fifty must show
 * more than one, or cpu_s, the CPU time of its own_ns as a whole.
 */
unsigned bg_side_cores(const struct bg_side *side, double cpu_s);
#endif
