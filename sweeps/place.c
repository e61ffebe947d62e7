/* Which cores a case that workers run gets. */
#include "gate/core/text.h"
#include "sweeps/launch.h"

#include <string.h>

/* What the case itself or the suite says; 0 where neither does. */
static unsigned threads_of(const struct bg_case *of)
{
	uint64_t threads;
	for (size_t i = 0; i < of->axis_count; i++)
		if (strcmp(of->axes[i].name, "threads") == 0 &&
		    bg_text_to_u64(&threads, of->axes[i].value, 1, BG_TOPOLOGY_MAX))
			return (unsigned)threads;
	return of->entry->threads;
}

static void settle(struct bg_case_run *run, enum bg_case_state state, const char *reason)
{
	run->result->state = state;
	run->result->reason = reason;
	run->open = false;
}

void bg_case_place(struct bg_session *session, struct bg_case_run *run, unsigned cores,
		   const char *why)
{
	char cpus[256];
	run->cores = cores;
	if (!run->of->worker && session->arm[bg_first_arm(run)].remote && session->arm[1].remote)
		return; /* neither our cores nor our quota matter to it */
	if (!bg_topology_pick(&run->cpus, &session->topology, cores)) {
		settle(run, BG_CASE_SKIPPED,
		       bg_arena_format(session->arena,
				       "needs %u cores of one kind, %zu may be used", cores,
				       bg_topology_cores(&session->topology)));
		return;
	}
	/* Idle threads of a library spin for a while; stopped ones cannot. */
	run->freeze_idle = cores > 1;
	bg_cpus_text(cpus, sizeof cpus, &run->cpus);
	if (!bg_arm_remote(session, run)) {
		run->result->cpus = bg_arena_text(session->arena, cpus);
		run->result->cpus_why = why;
	}
	if (!run->find_cores && session->quota.cores < (double)cores + BG_QUOTA_SLACK)
		settle(run, BG_CASE_UNMEASURED,
		       bg_arena_format(session->arena,
				       "the CPU quota of %.2g cores is less than the case's %u and "
				       "%.1g to spare: wall time under throttling is not judged",
				       session->quota.cores, cores, BG_QUOTA_SLACK));
}

/* A built-in says how many threads it has; what an exec or a program uses is found by a probe. */
static void place(struct bg_session *session, struct bg_case_run *run)
{
	unsigned threads = threads_of(run->of), most = bg_topology_most(&session->topology);
	const char *why =
		run->of->entry->threads > 0 ? "threads: in the suite" : "one core a thread";
	run->find_cores = threads == 0 && most > 1 && run->of->entry->use == BG_USE_PROGRAM;
	if (run->find_cores)
		bg_case_place(session, run, most, NULL);
	else
		bg_case_place(session, run, threads > 0 ? threads : 1, why);
}

void bg_session_place(struct bg_session *session)
{
	for (size_t i = 0; i < 2; i++)
		if (session->arm[i].place.envp)
			session->arm[i].place.envp = bg_hash_seed_add(
				&session->hash_seed, session->arm[i].place.envp, session->arena);
	for (size_t i = 0; i < session->run_count; i++) {
		struct bg_case_run *run = &session->runs[i];
		run->open = bg_case_runs(run);
		if (run->open && run->of->entry->use != BG_USE_EXEC)
			place(session, run);
	}
}
