#include "gate/core/host.h"
#include "sweeps/launch.h"

#include <stdlib.h>

#define START_LIMIT_S 30.

const struct bg_arm *bg_arm_remote(const struct bg_session *session, const struct bg_case_run *run)
{
	for (size_t i = bg_first_arm(run); i < 2; i++)
		if (session->arm[i].remote)
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

static enum bg_status open_one(struct bg_session *session, struct bg_arm *arm,
			       struct bg_arm_outcome *outcome, struct bg_error *err)
{
	struct bg_link_start start = {
		.name = arm->worker_name,
		.argv = arm->worker,
		.envp = arm->place.envp,
		.dir = arm->place.dir,
		.cpus = &session->allowed,
		.log_fd = arm->log_fd,
		.timeout_s = START_LIMIT_S,
		.forest = &session->forest,
	};
	enum bg_status status = bg_link_open(&arm->link, &start, session->arena, err);
	arm->live = status == BG_OK;
	/* Once elsewhere, always elsewhere: a case is measured in one way over all its launches. */
	if (arm->live && arm->chosen && !bg_host_is_this(arm->link.hello.boot_id))
		arm->remote = true;
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
	for (size_t i = 0; i < 2; i++) {
		size_t which = i == 0 ? first : 1 - first;
		struct bg_arm *arm = &session->arm[which];
		if (arm->live || which < bg_first_arm(run))
			continue;
		enum bg_status status = open_one(session, arm, &outcome[which], err);
		if (status != BG_OK)
			return status;
	}
	return BG_OK;
}
