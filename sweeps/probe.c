#include "sweeps/probe.h"

#include "sweeps/median.h"

#include <math.h>

/* Conditions of slicing, design: section 1. */
#define CPU_TIME_AGREES .25
#define BLOCKED_MAX .02
#define IDLE_MAX .01
#define TAX_MAX .10
/* Fewer than two turns in an execution: nothing to slice. */
#define TURNS_MIN 2
#define ROUNDS 3
/* An execution's CPU time may be off by a quarter for no reason: before that counts, more of them.
 */
#define ROUNDS_MAX 9
#define LONG_STEP_S 1.

struct probing {
	struct bg_probe *ret;
	const struct bg_probe_plan *plan;
	struct bg_exec_setup setup;
	struct bg_exec_pair first, whole[ROUNDS_MAX], sliced[ROUNDS_MAX];
	unsigned rounds;
	struct bg_arena *arena;
};

static enum bg_status run_pair(struct probing *p, struct bg_exec_pair *pair, uint64_t turn_ns,
			       struct bg_error *err)
{
	p->setup.turn_ns = turn_ns;
	bool alone = p->plan->alone;
	enum bg_status status = bg_exec_pair_run(pair, &p->setup, alone, alone ? 1 : 2, err);
	if (alone)
		pair->ran[0] = pair->ran[1];
	for (size_t arm = 0; arm < 2 && status == BG_OK; arm++) {
		p->ret->strays += alone && arm == 0 ? 0 : pair->ran[arm].strays;
		if (pair->ran[arm].ok || !p->ret->ok[arm])
			continue;
		/* A failure under slicing is the slicing's until a whole execution fails too. */
		if (turn_ns > 0)
			continue;
		p->ret->ok[arm] = false;
		p->ret->reason[arm] = bg_arena_text(p->arena, pair->ran[arm].reason);
	}
	return status;
}

static bool both_ok(const struct probing *p)
{
	return p->ret->ok[0] && p->ret->ok[1];
}

static void choose_cores(struct probing *p)
{
	struct bg_probe *ret = p->ret;
	unsigned busy = p->first.ran[0].busy_max > p->first.ran[1].busy_max
				? p->first.ran[0].busy_max
				: p->first.ran[1].busy_max;
	unsigned most = bg_topology_most(p->plan->topology);
	if (p->plan->threads > 0) {
		ret->cores = p->plan->threads < most ? p->plan->threads : most;
		ret->cpus_why = ret->cores == p->plan->threads
					? "threads: in the suite"
					: "threads: in the suite, cut to the cores there are";
	} else if (busy <= 1) {
		ret->cores = 1;
		ret->cpus_why = "never used more than one core at once";
	} else {
		ret->cores = most;
		ret->cpus_why = "used more than one core at once";
	}
	(void)bg_topology_pick(&ret->cpus, p->plan->topology, ret->cores);
	p->setup.cpus = ret->cpus;
	p->setup.cores = ret->cores;
}

static double ratio(double a, double b)
{
	return a > 0 && b > 0 ? a / b : 1;
}

/* Median over rounds and arms of what slicing costs. */
static double measure_tax(const struct probing *p)
{
	double taxes[2 * ROUNDS_MAX];
	size_t count = 0;
	for (unsigned r = 0; r < p->rounds; r++)
		for (size_t arm = 0; arm < 2; arm++)
			/* CPU time: what else runs on the machine stretches it least. */
			taxes[count++] =
				ratio(p->sliced[r].ran[arm].cpu_s, p->whole[r].ran[arm].cpu_s);
	return bg_median(taxes, count) - 1;
}

/* What slicing makes of an arm that no further execution can excuse; NULL where there is nothing.
 */
static const char *fault(const struct probing *p, size_t arm)
{
	const struct bg_ran *first = &p->first.ran[arm], *whole = &p->whole[0].ran[arm];
	/* Output that differs between two whole executions (it prints its time) proves nothing. */
	bool stable = first->hash == whole->hash && first->size == whole->size;
	for (unsigned r = 0; r < p->rounds; r++) {
		const struct bg_ran *w = &p->whole[r].ran[arm], *s = &p->sliced[r].ran[arm];
		if (!s->ok)
			return bg_arena_format(p->arena, "fails when stopped and continued: %s",
					       s->reason);
		if (stable && (s->hash != w->hash || s->size != w->size))
			return bg_arena_format(
				p->arena, "%s prints something else when stopped and continued",
				p->setup.arm[arm]->name);
	}
	return NULL;
}

/* A stop that came late for once is the machine's doing; a program that spins does so each time. */
static const char *runs_while_stopped(const struct probing *p, size_t arm)
{
	unsigned count = 0;
	for (unsigned r = 0; r < p->rounds; r++)
		count += p->sliced[r].ran[arm].idle_share > IDLE_MAX;
	if (count * 2 <= p->rounds)
		return NULL;
	return bg_arena_format(p->arena, "%s uses its core while it is stopped",
			       p->setup.arm[arm]->name);
}

static const char *waits_too_long(const struct probing *p, size_t arm)
{
	double blocked[ROUNDS_MAX];
	for (unsigned r = 0; r < p->rounds; r++)
		blocked[r] = p->whole[r].ran[arm].blocked_share;
	double waits = bg_median(blocked, p->rounds);
	if (waits <= BLOCKED_MAX)
		return NULL;
	return bg_arena_format(p->arena,
			       "%s waits %.0f %% of its time (limit 2 %%), and waits go on "
			       "while it is stopped",
			       p->setup.arm[arm]->name, waits * 100);
}

static const char *cpu_time_differs(const struct probing *p, size_t arm)
{
	double ratios[ROUNDS_MAX];
	for (unsigned r = 0; r < p->rounds; r++)
		ratios[r] = ratio(p->sliced[r].ran[arm].cpu_s, p->whole[r].ran[arm].cpu_s);
	double cpu = bg_median(ratios, p->rounds);
	if (fabs(log(cpu)) <= log1p(CPU_TIME_AGREES))
		return NULL;
	return bg_arena_format(p->arena,
			       "%s needs %+.0f %% CPU time when stopped and continued "
			       "(limit 25 %%)",
			       p->setup.arm[arm]->name, (cpu - 1) * 100);
}

/* The first arm's objection of this kind, else the second's, else NULL. */
static const char *of_either(const struct probing *p,
			     const char *(*objection)(const struct probing *, size_t))
{
	const char *why = objection(p, 0);
	return why ? why : objection(p, 1);
}

static void fall_back(struct bg_probe *ret, const char *why)
{
	ret->turn_ns = 0;
	ret->turns = "step";
	ret->turns_why = why;
	ret->turn_tax = 0;
}

/* Rounds [from, to) of one sliced and one whole execution; the first turn length's very first whole
 * one was made before. */
static enum bg_status run_rounds(struct probing *p, unsigned from, uint64_t turn_ns,
				 struct bg_error *err)
{
	for (unsigned r = from; r < p->rounds; r++) {
		enum bg_status status = run_pair(p, &p->sliced[r], turn_ns, err);
		bool again = r > 0 && (turn_ns == BG_TURN_NS || from > 0);
		if (status == BG_OK && again)
			status = run_pair(p, &p->whole[r], 0, err);
		if (status != BG_OK || !both_ok(p))
			return status;
	}
	return BG_OK;
}

/* One length of turns; *why is NULL where nothing speaks against it. */
static enum bg_status try_turn(struct probing *p, const char **why, uint64_t turn_ns,
			       struct bg_error *err)
{
	enum bg_status status = run_rounds(p, 0, turn_ns, err);
	if (status != BG_OK || !both_ok(p))
		return status;
	bool noisy = of_either(p, cpu_time_differs) || of_either(p, runs_while_stopped);
	if (noisy && !of_either(p, fault) && !of_either(p, waits_too_long) && p->rounds == ROUNDS) {
		p->rounds = ROUNDS_MAX;
		status = run_rounds(p, ROUNDS, turn_ns, err);
		if (status != BG_OK || !both_ok(p))
			return status;
	}
	*why = of_either(p, fault);
	if (!*why)
		*why = of_either(p, runs_while_stopped);
	if (!*why)
		*why = of_either(p, waits_too_long);
	if (!*why)
		*why = of_either(p, cpu_time_differs);
	return BG_OK;
}

/* Slices as asked, doubling the turn while its tax is above 10 %. */
static enum bg_status try_slicing(struct probing *p, struct bg_error *err)
{
	struct bg_probe *ret = p->ret;
	for (uint64_t turn_ns = BG_TURN_NS;; turn_ns *= 2) {
		const char *why = NULL;
		enum bg_status status = try_turn(p, &why, turn_ns, err);
		if (status != BG_OK || !both_ok(p))
			return status;
		if (why) {
			fall_back(ret, why);
			return BG_OK;
		}
		ret->turn_tax = measure_tax(p);
		ret->turn_ns = turn_ns;
		if (ret->turn_tax <= TAX_MAX || turn_ns >= BG_TURN_MAX_NS)
			break;
	}
	ret->turns = bg_arena_format(p->arena, "%g ms", (double)ret->turn_ns * 1e-6);
	if (ret->turn_tax > TAX_MAX)
		ret->turns_why = bg_arena_format(p->arena, "a turn costs %.0f %% even so",
						 ret->turn_tax * 100);
	return BG_OK;
}

static enum bg_status choose_turns(struct probing *p, struct bg_error *err)
{
	struct bg_probe *ret = p->ret;
	ret->step_s = (p->whole[0].ran[0].time_s + p->whole[0].ran[1].time_s) / 2;
	if (p->plan->turns == BG_TURNS_STEP) {
		fall_back(ret, "turns: step in the suite");
		return BG_OK;
	}
	if (p->plan->alone || ret->step_s < TURNS_MIN * 1e-9 * (double)BG_TURN_NS) {
		fall_back(ret, NULL);
		ret->turns = "whole";
		return BG_OK;
	}
	p->rounds = ret->step_s > LONG_STEP_S ? 1 : ROUNDS;
	return try_slicing(p, err);
}

enum bg_status bg_probe_run(struct bg_probe *ret, const struct bg_probe_plan *plan,
			    struct bg_arena *arena, struct bg_error *err)
{
	*ret = (struct bg_probe){ .ok = { true, true }, .turns = "step" };
	struct probing p = { .ret = ret, .plan = plan, .setup = *plan->setup, .arena = arena };
	p.setup.probe = true;
	p.setup.cores = bg_topology_most(plan->topology);
	(void)bg_topology_pick(&p.setup.cpus, plan->topology, p.setup.cores);
	enum bg_status status = run_pair(&p, &p.first, 0, err);
	if (status != BG_OK || !both_ok(&p))
		return status;
	choose_cores(&p);
	status = run_pair(&p, &p.whole[0], 0, err);
	if (status != BG_OK || !both_ok(&p))
		return status;
	return choose_turns(&p, err);
}
