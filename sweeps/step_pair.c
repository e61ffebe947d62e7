#include "sweeps/step_pair.h"

#include "gate/core/procfs.h"

#include <unistd.h>

/* Design: section 1 (run-queue wait, idle use) and section 3 (trust). */
#define WAIT_SUBTRACTED .01
#define WAIT_VOIDS .20
#define IDLE_VOIDS .01
#define AFTER_REPLY_NS 30e3
#define TRUSTED_FROM_NS 1e6
#define DISTRUST_SHARE .25
#define DISTRUST_SHARE_REMOTE .5 /* what it waited for a core is not seen */
#define DISTRUST_STEPS_MIN 8
#define IDLE_VOIDS_MAX 3

void bg_stepper_init(struct bg_stepper *ret, struct bg_session *session, struct bg_case_run *run,
		     bool virtual_clock)
{
	*ret = (struct bg_stepper){ .session = session,
				    .run = run,
				    .virtual_clock = virtual_clock,
				    .timeout_s = run->of->entry->timeout_s };
	if (ret->timeout_s <= 0)
		ret->timeout_s = session->options.timeout_s;
	bg_buffer_init(&ret->line, BG_LINE_MAX);
	struct bg_request step = { .op = BG_OP_STEP, .steps = 1, .inner = run->inner };
	bg_request_write(&ret->line, &step);
	ret->throttled = bg_quota_throttled(&session->quota);
}

void bg_stepper_release(struct bg_stepper *stepper)
{
	bg_buffer_release(&stepper->line);
}

static void arm_failed(struct bg_stepper *stepper, struct bg_arm_outcome *outcome,
		       enum bg_arm_state state, struct bg_error *err)
{
	outcome->state = state;
	outcome->reason = bg_arena_text(stepper->session->arena, err->text);
	bg_error_clear(err);
}

static void distrust(struct bg_stepper *stepper, struct bg_arm_outcome *outcome, size_t which,
		     const char *what)
{
	outcome->state = BG_ARM_MISTRUSTED;
	outcome->reason = bg_arena_format(stepper->session->arena, "%s: %s",
					  stepper->session->arm[which].worker_name, what);
}

/* What kept this process itself from its core since the last call. */
static uint64_t own_wait_ns(struct bg_stepper *stepper)
{
	uint64_t total_ns, before_ns = stepper->parent_wait_ns;
	if (!bg_procfs_wait_ns(&total_ns, getpid(), getpid()))
		return 0;
	stepper->parent_wait_ns = total_ns;
	return total_ns - before_ns;
}

/*
 * A step cannot take longer than the parent waited. That it took less than half may be a late
 * wake-up once in a while, but not in every fourth step; time that either process spent waiting for
 * a core is nobody's lie.
 */
static void check_trust(struct bg_stepper *stepper, size_t which, double elapsed_ns,
			uint64_t wait_ns, struct bg_arm_outcome *outcome)
{
	double wall_ns = (double)stepper->session->arm[which].link.exchange_ns;
	double waited_ns = (double)(wait_ns + own_wait_ns(stepper));
	if (elapsed_ns <= 0)
		distrust(stepper, outcome, which, "reports a step that took no time");
	else if (elapsed_ns > wall_ns + 1)
		distrust(stepper, outcome, which,
			 "reports a step longer than the wait for its reply");
	stepper->steps++;
	if (elapsed_ns > TRUSTED_FROM_NS || wall_ns > 2 * TRUSTED_FROM_NS)
		stepper->distrusted += elapsed_ns < (wall_ns - waited_ns) / 2;
	double share = bg_arm_remote(stepper->session, stepper->run) ? DISTRUST_SHARE_REMOTE
								     : DISTRUST_SHARE;
	if (stepper->distrusted >= DISTRUST_STEPS_MIN &&
	    stepper->distrusted > share * stepper->steps)
		distrust(stepper, outcome, which,
			 "reports steps shorter than half of the wait for their replies");
}

static void read_usage(struct bg_stepper *stepper, size_t which, uint64_t *cpu_ns,
		       uint64_t *wait_ns)
{
	struct bg_tree_usage usage;
	bg_tree_usage(&usage, &stepper->session->arm[which].link.tree);
	*cpu_ns = usage.cpu_ns - stepper->cpu_ns[which];
	*wait_ns = usage.wait_ns - stepper->wait_ns[which];
	stepper->cpu_ns[which] = usage.cpu_ns;
	stepper->wait_ns[which] = usage.wait_ns;
}

/* Time less what foreign work took of it; voids where that was too much. */
static double own_time_s(struct bg_stepper *stepper, struct bg_step_pair *pair, double time_ns,
			 uint64_t cpu_ns, uint64_t wait_ns)
{
	uint64_t foreign_ns =
		bg_foreign_wait_ns((uint64_t)time_ns, cpu_ns, wait_ns, stepper->run->cores);
	double share = (double)foreign_ns / time_ns;
	if (share > WAIT_VOIDS)
		pair->voided = "kept waiting for its core for over 20 % of the time";
	return (share > WAIT_SUBTRACTED ? time_ns - (double)foreign_ns : time_ns) * 1e-9;
}

/* An interpreter goes on for some 10 us after its reply; a thread that spins, for the whole step.
 */
static void check_idle(struct bg_step_pair *pair, uint64_t idle_cpu_ns, double other_ns)
{
	double allowed_ns = IDLE_VOIDS * other_ns;
	if (allowed_ns < AFTER_REPLY_NS)
		allowed_ns = AFTER_REPLY_NS;
	if ((double)idle_cpu_ns > allowed_ns)
		pair->voided = "the idle worker used its core";
	pair->idle_used |= (double)idle_cpu_ns > allowed_ns;
}

/* A worker that spins when idle does so in every pair: from the third in a row on it is stopped. */
static void count_idle(struct bg_case_run *run, const struct bg_step_pair *pair)
{
	if (pair->idle_used && ++run->idle_voids >= IDLE_VOIDS_MAX)
		run->freeze_idle = true;
	else if (!pair->voided)
		run->idle_voids = 0;
}

static enum bg_status whole_step(struct bg_stepper *stepper, size_t which,
				 struct bg_step_pair *pair, struct bg_arm_outcome *outcome,
				 struct bg_error *err)
{
	struct bg_arm *arm = &stepper->session->arm[which];
	uint64_t idle_cpu_ns = 0, cpu_ns = 0, wait_ns = 0;
	bool freezes = stepper->run->freeze_idle && !arm->remote;
	if (freezes)
		bg_tree_continue(&arm->link.tree);
	if (!stepper->virtual_clock && !arm->remote)
		read_usage(stepper, which, &idle_cpu_ns, &wait_ns);
	double elapsed_ns;
	enum bg_status status = bg_link_step(&arm->link, stepper->line.bytes, stepper->line.size,
					     stepper->timeout_s, &elapsed_ns, err);
	if (status == BG_E_INTERRUPTED)
		return status;
	if (status != BG_OK) {
		arm_failed(stepper, outcome, BG_ARM_FAILED, err);
		return BG_OK;
	}
	if (stepper->virtual_clock) {
		pair->time_s[which] = elapsed_ns * 1e-9;
		stepper->session->virtual_s += pair->time_s[which];
		return BG_OK;
	}
	if (!arm->remote)
		read_usage(stepper, which, &cpu_ns, &wait_ns);
	check_trust(stepper, which, elapsed_ns, wait_ns, outcome);
	if (outcome->state != BG_ARM_OK)
		return BG_OK;
	pair->time_s[which] = own_time_s(stepper, pair, elapsed_ns, cpu_ns, wait_ns);
	pair->cpu_s[which] = (double)cpu_ns * 1e-9;
	check_idle(pair, idle_cpu_ns, elapsed_ns);
	if (freezes && !bg_tree_stop(&arm->link.tree))
		pair->voided = "the idle worker could not be stopped";
	return BG_OK;
}

static enum bg_status send_sliced(struct bg_stepper *stepper, size_t which, struct bg_side *side,
				  struct bg_arm_outcome *outcome, struct bg_error *err)
{
	struct bg_link *link = &stepper->session->arm[which].link;
	uint64_t cpu_ns, wait_ns;
	bool stopped = bg_tree_stop(&link->tree);
	read_usage(stepper, which, &cpu_ns, &wait_ns);
	*side = (struct bg_side){ .tree = &link->tree,
				  .done_fd = link->from_fd,
				  .is_stopped = stopped };
	struct bg_request step = { .op = BG_OP_STEP, .steps = 1, .inner = stepper->run->inner };
	if (bg_link_send(link, &step, err) != BG_OK)
		arm_failed(stepper, outcome, BG_ARM_FAILED, err);
	else if (!stopped)
		distrust(stepper, outcome, which, "could not be stopped for its turn");
	return BG_OK;
}

static enum bg_status receive_sliced(struct bg_stepper *stepper, size_t which,
				     const struct bg_side *side, struct bg_step_pair *pair,
				     struct bg_arm_outcome *outcome, struct bg_error *err)
{
	struct bg_link *link = &stepper->session->arm[which].link;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_reply reply;
	uint64_t cpu_ns, wait_ns;
	enum bg_status status =
		bg_link_receive(link, BG_OP_STEP, stepper->timeout_s, &reply, &arena, err);
	if (status == BG_OK && !reply.ok)
		status = bg_fail(err, BG_E_INPUT, "%s: step failed: %s", link->name, reply.reason);
	if (status != BG_OK && status != BG_E_INTERRUPTED) {
		arm_failed(stepper, outcome, BG_ARM_FAILED, err);
		status = BG_OK;
	} else if (status == BG_OK) {
		read_usage(stepper, which, &cpu_ns, &wait_ns);
		pair->time_s[which] =
			own_time_s(stepper, pair, (double)side->own_ns, cpu_ns, wait_ns);
		pair->cpu_s[which] = (double)cpu_ns * 1e-9;
	}
	bg_arena_release(&arena);
	return status;
}

static enum bg_status sliced_pair(struct bg_stepper *stepper, size_t first,
				  struct bg_step_pair *pair, struct bg_arm_outcome outcome[2],
				  struct bg_error *err)
{
	struct bg_session *session = stepper->session;
	struct bg_side sides[2];
	for (size_t i = 0; i < 2; i++) {
		enum bg_status status = send_sliced(stepper, i, &sides[i], &outcome[i], err);
		if (status != BG_OK || outcome[i].state != BG_ARM_OK)
			return status;
	}
	struct bg_turn_rule rule = { .turn_ns = stepper->run->turn_ns,
				     .jitter = &session->jitter,
				     .limit_ns = (uint64_t)(stepper->timeout_s * 1e9),
				     .is_worker = true };
	size_t at = 0;
	enum bg_turn_end end = bg_turns_run(sides, 2, first, &rule, &at);
	if (end == BG_TURN_INTERRUPTED)
		return bg_fail(err, BG_E_INTERRUPTED, "interrupted");
	if (end != BG_TURN_DONE) {
		outcome[at].state = BG_ARM_FAILED;
		outcome[at].reason = bg_arena_format(
			session->arena, "%s: %s", session->arm[at].worker_name,
			end == BG_TURN_TIMEOUT ? "did not reply in time" : "could not be stopped");
		return BG_OK;
	}
	for (size_t i = 0; i < 2; i++) {
		enum bg_status status =
			receive_sliced(stepper, i, &sides[i], pair, &outcome[i], err);
		if (status != BG_OK || outcome[i].state != BG_ARM_OK)
			return status;
		if (sides[i].idle_ns &&
		    (double)sides[i].idle_cpu_ns > IDLE_VOIDS * (double)sides[i].idle_ns)
			pair->voided = "used its core while it was stopped";
	}
	return BG_OK;
}

enum bg_status bg_step_pair_run(struct bg_stepper *stepper, bool head_first,
				struct bg_step_pair *ret, struct bg_arm_outcome outcome[2],
				struct bg_error *err)
{
	*ret = (struct bg_step_pair){ .voided = NULL };
	enum bg_status status = BG_OK;
	if (stepper->run->turn_ns > 0) {
		status = sliced_pair(stepper, head_first, ret, outcome, err);
	} else {
		for (size_t i = 0; i < 2 && status == BG_OK; i++) {
			size_t which = (size_t)head_first ^ i;
			if (which < bg_first_arm(stepper->run))
				continue;
			/* The other arm steps even where this one failed: both may be broken. */
			status = whole_step(stepper, which, ret, &outcome[which], err);
		}
	}
	if (stepper->run->alone) {
		ret->time_s[0] = ret->time_s[1];
		ret->cpu_s[0] = ret->cpu_s[1];
	}
	count_idle(stepper->run, ret);
	uint64_t throttled = bg_quota_throttled(&stepper->session->quota);
	if (throttled != stepper->throttled)
		ret->voided = "throttled by the CPU quota";
	stepper->throttled = throttled;
	if (outcome[0].state != BG_ARM_OK || outcome[1].state != BG_ARM_OK)
		ret->voided = "an arm failed";
	return status;
}
