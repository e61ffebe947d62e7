/* How many cores a program uses: one step of each arm with all that there are, looked at. */
#include "gate/core/clock.h"
#include "sweeps/launch.h"

#include <math.h>

#define SAMPLE_NS (2 * BG_NS_PER_MS)
/* Long enough for some fifty looks. */
#define STEP_AIM_S .1
#define INNER_MAX 1e9
#define PREPARE_LIMIT_S 120.

static double timeout_of(const struct bg_session *session, const struct bg_case_run *run)
{
	double timeout_s = run->of->entry->timeout_s;
	return timeout_s > 0 ? timeout_s : session->options.timeout_s;
}

/* A step on its own, whole; *cores is raised to the most it used at once. */
static enum bg_status watch_step(struct bg_session *session, const struct bg_case_run *run,
				 size_t which, double call_s, unsigned *cores, struct bg_error *err)
{
	struct bg_link *link = &session->arm[which].link;
	double inner = call_s > 0 ? ceil(STEP_AIM_S / call_s) : 1;
	struct bg_request step = { .op = BG_OP_STEP,
				   .steps = 1,
				   .inner = (uint64_t)fmin(inner, INNER_MAX) };
	struct bg_tree_usage before, after;
	struct bg_side side = { .tree = &link->tree, .done_fd = link->from_fd };
	struct bg_turn_rule rule = { .limit_ns = (uint64_t)(timeout_of(session, run) * 1e9),
				     .sample_ns = SAMPLE_NS };
	size_t at = 0;
	bg_tree_usage(&before, &link->tree);
	enum bg_status status = bg_link_send(link, &step, err);
	if (status != BG_OK)
		return status;
	enum bg_turn_end end = bg_turns_run(&side, 1, 0, &rule, &at);
	if (end == BG_TURN_INTERRUPTED)
		return bg_fail(err, BG_E_INTERRUPTED, "interrupted");
	if (end != BG_TURN_DONE)
		return bg_fail(err, BG_E_INPUT, "%s did not reply in time", link->name);
	struct bg_reply reply;
	status = bg_link_receive(link, BG_OP_STEP, timeout_of(session, run), &reply, session->arena,
				 err);
	bg_tree_usage(&after, &link->tree);
	unsigned used = bg_side_cores(&side, 1e-9 * (double)(after.cpu_ns - before.cpu_ns));
	if (status == BG_OK && used > *cores)
		*cores = used;
	return status;
}

/* What fails here is left to the launch, which meets it again and settles the case. */
static enum bg_status probe(struct bg_session *session, struct bg_case_run *run, unsigned *cores,
			    struct bg_error *err)
{
	struct bg_arm_outcome outcome[2] = { { BG_ARM_OK, NULL }, { BG_ARM_OK, NULL } };
	enum bg_status status = bg_workers_open(session, run, outcome, err);
	for (size_t which = bg_first_arm(run); which < 2 && status == BG_OK; which++) {
		struct bg_reply reply;
		if (outcome[which].state == BG_ARM_OK)
			status = bg_arm_prepare(session, run, which, &reply, &outcome[which], err);
		if (status != BG_OK || outcome[which].state != BG_ARM_OK)
			continue;
		status = watch_step(session, run, which, reply.call_s, cores, err);
		if (status == BG_OK || status == BG_E_INTERRUPTED)
			continue;
		outcome[which].state = BG_ARM_FAILED;
		bg_error_clear(err);
		status = BG_OK;
	}
	if (status != BG_OK || outcome[0].state != BG_ARM_OK || outcome[1].state != BG_ARM_OK)
		bg_workers_close(session);
	return status;
}

enum bg_status bg_step_probe(struct bg_session *session, size_t group, struct bg_error *err)
{
	for (size_t i = 0; i < session->run_count; i++) {
		struct bg_case_run *run = &session->runs[i];
		unsigned cores = 1;
		if (run->of->worker_group != group || !run->find_cores || !run->open)
			continue;
		enum bg_status status = probe(session, run, &cores, err);
		if (status != BG_OK)
			return status;
		run->find_cores = false;
		if (cores > 1)
			bg_case_place(session, run, bg_topology_most(&session->topology),
				      "used more than one core at once");
		else
			bg_case_place(session, run, 1, "never used more than one core at once");
	}
	return BG_OK;
}
