#include "sweeps/turn.h"

#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "gate/core/procfs.h"

#include <math.h>
#include <poll.h>
#include <string.h>

#define BUSY_MEAN 1.2 /* CPU time over wall time that one core cannot give */

uint64_t bg_foreign_wait_ns(uint64_t wall_ns, uint64_t cpu_ns, uint64_t wait_ns, unsigned cores)
{
	uint64_t capacity_ns = wall_ns * cores;
	uint64_t unused_ns = capacity_ns > cpu_ns ? capacity_ns - cpu_ns : 0;
	uint64_t foreign_ns = wait_ns < unused_ns ? wait_ns : unused_ns;
	return foreign_ns / cores;
}

unsigned bg_side_cores(const struct bg_side *side, double cpu_s)
{
	/* A shell and its child overlap for a moment, which is no use of two cores. */
	bool seen = side->parallel >= 2 && side->parallel * 50 >= side->sampled;
	double wall_s = (double)side->own_ns * 1e-9;
	double mean = wall_s > 0 ? cpu_s / wall_s : 0;
	if (!seen && mean < BUSY_MEAN)
		return 1;
	unsigned most = (unsigned)ceil(mean);
	return side->running_max > most ? side->running_max : most;
}

static bool is_done(const struct bg_side *side)
{
	struct pollfd done = { .fd = side->done_fd, .events = POLLIN };
	return poll(&done, 1, 0) > 0;
}

static void note_usage(struct bg_side *side)
{
	struct bg_tree_usage usage;
	bg_tree_usage(&usage, side->tree);
	/* Threads and processes that ended take their counts with them: keep the most seen. */
	if (usage.wait_ns > side->wait_ns)
		side->wait_ns = usage.wait_ns;
	side->cpu_ns = usage.cpu_ns;
}

/*
 * Looks at the running tree: how many of its threads run at this moment. Their CPU clocks would not
 * tell: another core's task is charged at the tick, 4 ms late.
 */
static void sample(struct bg_side *side)
{
	struct bg_tree *tree = side->tree;
	unsigned running = 0;
	bg_tree_list(tree);
	for (size_t i = 0; i < tree->count; i++)
		running += bg_procfs_running(tree->pid[i]);
	note_usage(side);
	side->sampled++;
	side->blocked += running == 0;
	side->parallel += running > 1;
	if (running > side->running_max)
		side->running_max = running;
}

static void drain(struct bg_side *side)
{
	if (side->out)
		bg_capture_read(side->out);
	if (side->err)
		bg_capture_read(side->err);
}

/* Sleeps until the side is done, the turn is over, or a probe wants to look. */
static bool wait_turn(struct bg_side *side, uint64_t end_ns, uint64_t sample_ns)
{
	for (;;) {
		uint64_t now_ns = bg_clock_ns();
		if (now_ns >= end_ns || bg_interrupt_pending())
			return is_done(side);
		uint64_t left_ns = end_ns - now_ns;
		if (sample_ns && left_ns > sample_ns)
			left_ns = sample_ns;
		struct timespec left = { (time_t)(left_ns / BG_NS_PER_S),
					 (long)(left_ns % BG_NS_PER_S) };
		struct pollfd fds[3] = {
			{ .fd = side->done_fd, .events = POLLIN },
			{ .fd = side->out ? side->out->fd : -1, .events = POLLIN },
			{ .fd = side->err ? side->err->fd : -1, .events = POLLIN },
		};
		int ready = ppoll(fds, 3, &left, bg_interrupt_mask());
		if (ready > 0 && fds[0].revents)
			return true;
		if (ready > 0)
			drain(side);
		else if (ready == 0 && sample_ns)
			sample(side);
	}
}

/* One turn of one side. */
static enum bg_turn_end take_turn(struct bg_side *side, uint64_t length_ns,
				  const struct bg_turn_rule *rule)
{
	if (side->is_stopped && side->turns > 0) {
		uint64_t before_ns = side->cpu_ns;
		note_usage(side);
		if (side->cpu_ns > before_ns)
			side->idle_cpu_ns += side->cpu_ns - before_ns;
	}
	uint64_t start_ns = bg_clock_ns();
	if (side->is_stopped)
		bg_tree_continue(side->tree);
	side->is_stopped = false;
	side->turns++;
	side->done = wait_turn(side, start_ns + length_ns, rule->sample_ns);
	if (side->done) {
		side->own_ns += bg_clock_ns() - start_ns;
		return BG_TURN_DONE;
	}
	if (bg_interrupt_pending())
		return BG_TURN_INTERRUPTED;
	if (!bg_tree_stop(side->tree))
		return BG_TURN_UNSTOPPABLE;
	side->is_stopped = true;
	side->own_ns += bg_clock_ns() - start_ns;
	side->done = is_done(side); /* it may have ended while the stop was on its way */
	if (!side->done)
		note_usage(side);
	return side->own_ns > rule->limit_ns ? BG_TURN_TIMEOUT : BG_TURN_DONE;
}

static uint64_t turn_length_ns(const struct bg_side *side, const struct bg_turn_rule *rule)
{
	uint64_t left_ns = rule->limit_ns > side->own_ns ? rule->limit_ns - side->own_ns : 0;
	if (rule->turn_ns == 0)
		return left_ns + BG_NS_PER_MS;
	double factor = .7 + .6 * bg_random_unit(rule->jitter);
	uint64_t length_ns = (uint64_t)((double)rule->turn_ns * factor);
	return length_ns < left_ns + BG_NS_PER_MS ? length_ns : left_ns + BG_NS_PER_MS;
}

enum bg_turn_end bg_turns_run(struct bg_side *sides, size_t count, size_t first,
			      const struct bg_turn_rule *rule, size_t *at)
{
	size_t who = first;
	for (;;) {
		struct bg_side *side = &sides[who], *other = count > 1 ? &sides[1 - who] : NULL;
		if (side->done && (!other || other->done))
			return BG_TURN_DONE;
		if (!side->done) {
			uint64_t own_ns = side->own_ns;
			enum bg_turn_end end = take_turn(side, turn_length_ns(side, rule), rule);
			*at = who;
			if (end != BG_TURN_DONE)
				return end;
			if (other && other->turns > 0 && !other->done)
				other->idle_ns += side->own_ns - own_ns;
		}
		if (other)
			who = 1 - who;
	}
}
