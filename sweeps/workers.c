#include "gate/core/host.h"
#include "sweeps/launch.h"
#include "sweeps/own_worker.h"

#include <stdlib.h>

#define START_LIMIT_S 30.
/* An interpreter that loads a big library takes a while on a cold disk. */
#define OWN_START_LIMIT_S 120.

/* Also while the arm's live worker is another one. */
static bool is_remote(const struct bg_arm *arm, const struct bg_case_run *run)
{
	if (arm->group == run->of->worker_group)
		return arm->remote;
	return arm->notes && arm->notes[run->of->worker_group].remote;
}

const struct bg_arm *bg_arm_remote(const struct bg_session *session, const struct bg_case_run *run)
{
	for (size_t i = bg_first_arm(run); i < 2; i++)
		if (is_remote(&session->arm[i], run))
			return &session->arm[i];
	return NULL;
}

static void close_one(struct bg_arm *arm)
{
	if (arm->live)
		bg_link_close(&arm->link);
	arm->live = false;
}

void bg_workers_close(struct bg_session *session)
{
	close_one(&session->arm[0]);
	close_one(&session->arm[1]);
}

/* A program that makes its threads when it starts must find its own cores then, and no others. */
static bool serves(const struct bg_arm *arm, const struct bg_case_run *run)
{
	return arm->group == run->of->worker_group &&
	       (arm->group == 0 || CPU_EQUAL(&arm->group_cpus, &run->cpus));
}

static void make_notes(struct bg_session *session, struct bg_arm *arm)
{
	size_t count = 1;
	for (size_t i = 0; i < session->run_count; i++)
		if (session->runs[i].of->worker_group >= count)
			count = session->runs[i].of->worker_group + 1;
	arm->notes = bg_arena_array(session->arena, count, sizeof *arm->notes);
}

/* Another worker of the arm: what is known of the last one is kept. */
static void turn_to(struct bg_session *session, struct bg_arm *arm, const struct bg_case_run *run)
{
	close_one(arm);
	if (arm->group != run->of->worker_group) {
		if (!arm->notes)
			make_notes(session, arm);
		arm->notes[arm->group] = (struct bg_worker_note){ arm->worker_name, arm->chosen,
								  arm->remote, arm->round_trip_s };
		arm->group = run->of->worker_group;
		struct bg_worker_note *note = &arm->notes[arm->group];
		if (!note->name)
			note->name =
				bg_own_worker_name(run->of->entry, arm->place.name, session->arena);
		arm->worker_name = note->name;
		arm->chosen = note->chosen;
		arm->remote = note->remote;
		arm->round_trip_s = note->round_trip_s;
	}
	arm->group_cpus = run->cpus;
}

/*
 * Once elsewhere, always elsewhere: a case is measured in one way over all its launches. A program
 * of the suite is our child and need not say where it is; one that says otherwise is believed.
 */
static void look_where(struct bg_arm *arm)
{
	const char *boot_id = arm->link.hello.boot_id;
	bool may = arm->chosen || (arm->group > 0 && boot_id);
	if (may && !bg_host_is_this(boot_id))
		arm->remote = true;
}

static enum bg_status open_one(struct bg_session *session, const struct bg_case_run *run,
			       struct bg_arm *arm, struct bg_arm_outcome *outcome,
			       struct bg_error *err)
{
	const char *const *own = run->of->worker;
	struct bg_link_start start = {
		.name = arm->worker_name,
		.argv = own ? own : arm->worker,
		.envp = arm->place.envp,
		.dir = arm->place.dir,
		.cpus = own ? &run->cpus : &session->allowed,
		.log_fd = arm->log_fd,
		.timeout_s = own ? OWN_START_LIMIT_S : START_LIMIT_S,
		.forest = &session->forest,
	};
	enum bg_status status = bg_link_open(&arm->link, &start, session->arena, err);
	arm->live = status == BG_OK;
	if (arm->live)
		look_where(arm);
	if (status == BG_OK || status == BG_E_INTERRUPTED)
		return status;
	outcome->state = BG_ARM_FAILED;
	outcome->reason = bg_arena_text(session->arena, err->text);
	bg_error_clear(err);
	return BG_OK;
}

enum bg_status bg_workers_open(struct bg_session *session, const struct bg_case_run *run,
			       struct bg_arm_outcome outcome[2], struct bg_error *err)
{
	size_t first = session->launch_number % 2;
	for (size_t i = 0; i < 2; i++)
		if (!serves(&session->arm[i], run))
			turn_to(session, &session->arm[i], run);
	for (size_t i = 0; i < 2; i++) {
		size_t which = i == 0 ? first : 1 - first;
		struct bg_arm *arm = &session->arm[which];
		if (arm->live || which < bg_first_arm(run))
			continue;
		enum bg_status status = open_one(session, run, arm, &outcome[which], err);
		if (status != BG_OK)
			return status;
	}
	return BG_OK;
}
