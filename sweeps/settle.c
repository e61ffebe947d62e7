#include "sweeps/launch.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/*
 * What two arms' outcomes make of a case (design: section 2). An arm that fails where the other ran
 * is that arm's doing; an arm whose result is wrong is worse than one that does not run.
 */
static enum bg_case_state state_of(const struct bg_case_run *run, enum bg_arm_state base,
				   enum bg_arm_state head)
{
	if (head == BG_ARM_INCORRECT)
		return BG_CASE_INCORRECT;
	if (base == BG_ARM_MISTRUSTED || head == BG_ARM_MISTRUSTED)
		return BG_CASE_MISTRUSTED;
	if (base == BG_ARM_UNSUPPORTED && head == BG_ARM_UNSUPPORTED)
		return BG_CASE_SKIPPED;
	if (base != BG_ARM_OK && head != BG_ARM_OK)
		return BG_CASE_BROKEN;
	if (head != BG_ARM_OK)
		return BG_CASE_FAILED;
	/* Base never ran this case: there is nothing to compare with. Base ran and then broke: that
	 * may be the machine's doing, and must not turn into a pass. */
	bool never_ran = run->launches == 0 && base != BG_ARM_INCORRECT;
	return never_ran ? BG_CASE_NEW : BG_CASE_NO_BASELINE;
}

/* Head alone: nobody knows whether it ran before. */
static void settle_alone(struct bg_session *session, struct bg_case_run *run,
			 const struct bg_arm_outcome *head)
{
	struct bg_case_result *result = run->result;
	run->open = false;
	result->state = head->state == BG_ARM_INCORRECT	    ? BG_CASE_INCORRECT
			: head->state == BG_ARM_MISTRUSTED  ? BG_CASE_MISTRUSTED
			: head->state == BG_ARM_UNSUPPORTED ? BG_CASE_SKIPPED
							    : BG_CASE_BROKEN;
	result->reason =
		result->state == BG_CASE_BROKEN
			? bg_arena_format(session->arena, "fails, with no base beside it: %s",
					  head->reason)
			: head->reason;
}

static bool exists(const char *folder, const char *path)
{
	char whole[PATH_MAX];
	int size = snprintf(whole, sizeof whole, "%s/%s", folder, path);
	return size > 0 && (size_t)size < sizeof whole && access(whole, F_OK) == 0;
}

/* The first word of a command that names a file in head's tree which base's tree lacks, or NULL. */
static const char *word_base_lacks(const struct bg_session *session, const struct bg_case_run *run)
{
	const char *base = session->arm[0].place.dir, *head = session->arm[1].place.dir;
	const struct bg_workload_entry *entry = run->of->entry;
	const char *const plugin[] = { entry->path, NULL };
	const char *const *words = entry->path	     ? plugin
				   : run->of->worker ? run->of->worker
						     : run->of->command;
	for (size_t i = 0; base && head && words && words[i]; i++)
		if (words[i][0] && words[i][0] != '/' && exists(head, words[i]) &&
		    !exists(base, words[i]))
			return words[i];
	return NULL;
}

static const char *why_new(struct bg_session *session, const struct bg_case_run *run,
			   const char *reason)
{
	const char *word = word_base_lacks(session, run);
	if (word)
		return bg_arena_format(session->arena, "nothing to compare with: base has no %s",
				       word);
	return bg_arena_format(session->arena, "nothing to compare with: base cannot run it (%s)",
			       reason);
}

void bg_case_settle(struct bg_session *session, struct bg_case_run *run,
		    const struct bg_arm_outcome outcome[2])
{
	const struct bg_arm_outcome *base = &outcome[0], *head = &outcome[1];
	struct bg_case_result *result = run->result;
	if (run->alone) {
		settle_alone(session, run, head);
		return;
	}
	result->state = state_of(run, base->state, head->state);
	run->open = false;
	switch (result->state) {
	case BG_CASE_NEW:
		result->reason = why_new(session, run, base->reason);
		run->alone = true;
		run->open = true;
		break;
	case BG_CASE_BROKEN:
		result->reason =
			bg_arena_format(session->arena, "fails on both arms: %s", head->reason);
		break;
	default:
		result->reason = head->state != BG_ARM_OK ? head->reason : base->reason;
		break;
	}
}
