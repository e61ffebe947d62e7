#include "baselines/push.h"

#include "baselines/git_program.h"
#include "baselines/notes_tree.h"
#include "baselines/refusal.h"
#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "gate/core/random.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define OUTPUT_SIZE_MAX ((size_t)1 << 20)
#define TRIES_MIN 12
#define BUDGET_S 90
#define BACKOFF_FIRST_S .2
#define BACKOFF_LAST_S 8.0
/* Failures to reach the remote in a row: a wrong address must not take the whole budget. */
#define UNREACHED_MAX 3
/*
 * Rejections in a row for a tip that is no longer the remote's, where fetching says it is: nobody
 * else pushes, the remote hides from pushes what it shows to fetches. Some are let pass for the
 * sake of servers with copies that lag.
 */
#define CONTRADICTIONS_MAX 6

enum outcome { DONE, AGAIN, UNREACHED, STOP };

struct pushing {
	const struct bg_push *push;
	struct bg_remote_refs refs;
	const struct bg_notes_addition *additions;
	struct bg_random random;
	struct bg_pushed done;
	const char *stale_tip; /* that the last push was rejected for */
	unsigned contradictions;
	struct bg_arena *arena;
	struct bg_error *err; /* why the last try failed */
};

static int by_commit(const void *a, const void *b)
{
	const struct bg_notes_addition *x = a, *y = b;
	return strcmp(x->commit, y->commit);
}

static const struct bg_notes_addition *make_additions(const struct bg_push *push,
						      struct bg_arena *arena)
{
	struct bg_notes_addition *additions = bg_arena_array(arena, push->count, sizeof *additions);
	for (size_t i = 0; i < push->count; i++)
		additions[i] = (struct bg_notes_addition){
			.commit = push->entries[i]->record.commit,
			.text = { push->entries[i]->text, push->entries[i]->size },
		};
	/* Entries come by run id; glibc's sort of few elements keeps that order. */
	qsort(additions, push->count, sizeof *additions, by_commit);
	return additions;
}

/* Whether a rejection for a stale tip says what the fetch before it has disproved once too often.
 */
static bool contradicts(struct pushing *state, const char *reason, const char *tip)
{
	bool stale = tip && strstr(reason, "stale info");
	bool same = stale && state->stale_tip && strcmp(state->stale_tip, tip) == 0;
	state->contradictions = same ? state->contradictions + 1 : 0;
	state->stale_tip = stale ? bg_arena_text(state->arena, tip) : NULL;
	return state->contradictions >= CONTRADICTIONS_MAX;
}

/* Sends the commit; the remote takes it only where its reference still is what we built on. */
static enum outcome send_commit(struct pushing *state, const char *commit, const char *tip,
				struct bg_arena *arena)
{
	const struct bg_push *push = state->push;
	const char *reference = state->refs.remote, *reason = NULL;
	const char *const args[] = {
		"push",
		"--porcelain",
		"--no-progress",
		"--no-thin",
		"--no-verify",
		"--no-signed",
		"--no-follow-tags",
		"--recurse-submodules=no",
		bg_arena_format(arena, "--force-with-lease=%s:%s", reference, tip ? tip : ""),
		"--",
		push->remote->name,
		bg_arena_format(arena, "%s:%s", commit, reference),
		NULL,
	};
	struct bg_git_command command = { .dir = push->repository->root,
					  .args = args,
					  .log_fd = -1,
					  .env = push->remote->env,
					  .timeout_s = BG_REMOTE_TIMEOUT_S };
	BG_AUTO(bg_buffer_release) struct bg_buffer output;
	int exit_status = 0;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	state->done.tries++;
	if (bg_git_run(&exit_status, &output, &command, state->err) != BG_OK)
		return state->err->status == BG_E_INTERRUPTED ? STOP : UNREACHED;
	enum bg_push_answer answer = bg_push_answer_read(&reason, output.bytes, reference, arena);
	if (answer == BG_PUSH_TAKEN)
		return DONE;
	bool rejected = answer == BG_PUSH_REJECTED;
	bg_fail(state->err, BG_E_SYSTEM, "'%s' does not take %s: %s", push->remote->name, reference,
		rejected ? reason : bg_git_reason(output.bytes, arena));
	if (bg_refusal_is_final(output.bytes, arena) ||
	    (rejected && bg_refusal_is_final(reason, arena)))
		return STOP;
	if (rejected && contradicts(state, reason, tip)) {
		bg_within(state->err, "fetching shows the reference, pushing does not, as where "
				      "it is hidden from pushes");
		return STOP;
	}
	return rejected ? AGAIN : UNREACHED;
}

static enum outcome after_fetch(const struct bg_error *err, struct bg_arena *arena)
{
	if (err->status == BG_E_INTERRUPTED || bg_refusal_is_final(err->text, arena))
		return STOP;
	/* Another git, or one that was killed, has the mirror locked: that passes. */
	return strstr(err->text, ".lock'") ? AGAIN : UNREACHED;
}

/* Once through: fetch, build on what is there, send. */
static enum outcome try_once(struct pushing *state, struct bg_arena *arena)
{
	const struct bg_push *push = state->push;
	struct bg_fetch fetch = { push->repository, push->remote, push->runner_class };
	struct bg_notes notes = { 0 };
	struct bg_notes_write write = {
		.repository = push->repository,
		.on = &notes,
		.count = push->count,
		.additions = state->additions,
		.author = push->remote->author,
		.email = push->remote->email,
		.message = bg_arena_format(arena, "batchgate: %zu record%s of %s", push->count,
					   push->count == 1 ? "" : "s", push->runner_class),
	};
	const char *commit = NULL, *large = NULL;
	bool there = false;
	if (bg_fetch_run(&there, &fetch, arena, state->err) != BG_OK)
		return after_fetch(state->err, arena);
	if (there &&
	    bg_notes_read(&notes, push->repository, state->refs.mirror, arena, state->err) != BG_OK)
		return STOP;
	if (bg_notes_write(&commit, &large, &write, arena, state->err) != BG_OK)
		return STOP;
	state->done.large = bg_arena_text(state->arena, large);
	return commit ? send_commit(state, commit, notes.tip, arena) : DONE;
}

/* Full jitter: two that met once must not meet again. False where a signal came. */
static bool back_off(struct pushing *state, unsigned tries)
{
	double longest_s = BACKOFF_FIRST_S;
	for (unsigned i = 1; i < tries && longest_s < BACKOFF_LAST_S; i++)
		longest_s *= 2;
	longest_s = longest_s < BACKOFF_LAST_S ? longest_s : BACKOFF_LAST_S;
	double nap_s = longest_s * bg_random_unit(&state->random);
	struct timespec nap = { (time_t)nap_s, (long)((nap_s - (double)(time_t)nap_s) * 1e9) };
	(void)ppoll(NULL, 0, &nap, bg_interrupt_mask());
	return !bg_interrupt_pending();
}

static enum bg_status push_until_taken(struct pushing *state)
{
	uint64_t start_ns = bg_clock_ns();
	unsigned unreached = 0;
	for (unsigned tries = 1;; tries++) {
		struct bg_arena arena = BG_ARENA_INIT;
		bg_error_clear(state->err);
		enum outcome outcome = try_once(state, &arena);
		bg_arena_release(&arena);
		unreached = outcome == UNREACHED ? unreached + 1 : 0;
		bool late = tries >= TRIES_MIN && bg_clock_ns() - start_ns > BUDGET_S * BG_NS_PER_S;
		if (outcome == DONE)
			return BG_OK;
		if (outcome == STOP || unreached == UNREACHED_MAX || late)
			return state->err->status;
		if (!back_off(state, tries)) {
			bg_error_clear(state->err);
			return bg_fail(state->err, BG_E_INTERRUPTED, "interrupted");
		}
	}
}

/*
 * The records are published now. The mirror is fetched before their files go, so that no reader
 * here misses them; where that fails, the next fetch brings them.
 */
static enum bg_status finish(struct pushing *state)
{
	const struct bg_push *push = state->push;
	struct bg_fetch fetch = { push->repository, push->remote, push->runner_class };
	struct bg_error ignored = BG_ERROR_INIT;
	bool there;
	if (state->done.tries > 0)
		(void)!bg_fetch_run(&there, &fetch, state->arena, &ignored);
	for (size_t i = 0; i < push->count; i++)
		if (bg_spool_remove(push->entries[i], state->err) != BG_OK)
			return state->err->status;
	return BG_OK;
}

enum bg_status bg_push_run(struct bg_pushed *ret, const struct bg_push *push,
			   struct bg_arena *arena, struct bg_error *err)
{
	struct pushing state = {
		.push = push,
		.refs = bg_remote_refs_of(push->remote->name, push->runner_class, arena),
		.additions = make_additions(push, arena),
		.arena = arena,
		.err = err,
	};
	if (bg_repository_need_handle(push->repository, err) != BG_OK)
		return err->status;
	uint64_t seed = bg_clock_ns();
	/* Where there are no random numbers, two processes still have started apart. */
	(void)!getrandom(&seed, sizeof seed, 0);
	bg_random_init(&state.random, seed, "push");
	if (push_until_taken(&state) != BG_OK || finish(&state) != BG_OK)
		return err->status;
	*ret = state.done;
	return BG_OK;
}
