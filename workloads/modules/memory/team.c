#include "workloads/modules/memory/team.h"
#include "workloads/modules/common/room.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct member {
	struct bg_team *team;
	size_t index;
	pthread_t thread;
};

struct bg_team {
	size_t count, started;	/* members; threads among them that run */
	cpu_set_t allowed, own; /* of the calling thread: before, and while it is member 0 */
	bool is_pinned;
	pthread_mutex_t lock;
	pthread_cond_t begin, end;
	/* Under the lock. */
	uint64_t round;
	size_t busy;
	bool leaving;
	void (*part)(void *context, size_t index);
	void *context;
	struct member members[];
};

/* The CPU of the member with this index: the index-th of those allowed. */
static cpu_set_t cpu_of(const struct bg_team *team, size_t index)
{
	cpu_set_t ret;
	CPU_ZERO(&ret);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &team->allowed) && index-- == 0) {
			CPU_SET(cpu, &ret);
			break;
		}
	return ret;
}

static void *serve(void *argument)
{
	const struct member *member = argument;
	struct bg_team *team = member->team;
	uint64_t served = 0;
	pthread_mutex_lock(&team->lock);
	for (;;) {
		while (team->round == served && !team->leaving)
			pthread_cond_wait(&team->begin, &team->lock);
		if (team->leaving)
			break;
		served = team->round;
		pthread_mutex_unlock(&team->lock);
		team->part(team->context, member->index);
		pthread_mutex_lock(&team->lock);
		if (--team->busy == 0)
			pthread_cond_signal(&team->end);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

static enum bg_answer fail(int code, const char *what, struct bg_why *why)
{
	snprintf(why->text, sizeof why->text, "cannot %s: %s", what, strerror(code));
	return BG_ANSWER_FAILED;
}

/* Pinned from the start, so that it never runs where another one belongs. */
static int start_member(struct member *member)
{
	cpu_set_t cpu = cpu_of(member->team, member->index);
	pthread_attr_t attributes;
	int code = pthread_attr_init(&attributes);
	if (code != 0)
		return code;
	code = pthread_attr_setaffinity_np(&attributes, sizeof cpu, &cpu);
	if (code == 0)
		code = pthread_create(&member->thread, &attributes, serve, member);
	pthread_attr_destroy(&attributes);
	return code;
}

static enum bg_answer start(struct bg_team *team, struct bg_why *why)
{
	int code = pthread_getaffinity_np(pthread_self(), sizeof team->allowed, &team->allowed);
	if (code != 0)
		return fail(code, "tell the allowed cores", why);
	team->own = cpu_of(team, 0);
	code = pthread_setaffinity_np(pthread_self(), sizeof team->own, &team->own);
	if (code != 0)
		return fail(code, "pin the thread", why);
	team->is_pinned = true;
	for (size_t i = 1; i < team->count; i++) {
		struct member *member = &team->members[i];
		*member = (struct member){ .team = team, .index = i };
		code = start_member(member);
		if (code != 0)
			return fail(code, "start a thread", why);
		team->started++;
	}
	return BG_ANSWER_OK;
}

enum bg_answer bg_team_new(struct bg_team **ret, size_t count, struct bg_why *why)
{
	enum bg_answer answer = bg_room_cores((int)count, why);
	if (answer != BG_ANSWER_OK)
		return answer;
	struct bg_team *team = calloc(1, sizeof *team + count * sizeof *team->members);
	*ret = team;
	if (!team) {
		snprintf(why->text, sizeof why->text, "no memory for the threads");
		return BG_ANSWER_OUT_OF_MEMORY;
	}
	team->count = count;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->begin, NULL);
	pthread_cond_init(&team->end, NULL);
	return start(team, why);
}

void bg_team_do(struct bg_team *team, void (*part)(void *context, size_t index), void *context)
{
	if (team->count == 1) {
		part(context, 0);
		return;
	}
	pthread_mutex_lock(&team->lock);
	team->part = part;
	team->context = context;
	team->busy = team->count - 1;
	team->round++;
	pthread_cond_broadcast(&team->begin);
	pthread_mutex_unlock(&team->lock);
	part(context, 0);
	pthread_mutex_lock(&team->lock);
	while (team->busy > 0)
		pthread_cond_wait(&team->end, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

/* Unless somebody has pinned the process elsewhere by now. */
static void unpin(const struct bg_team *team)
{
	cpu_set_t now;
	if (team->is_pinned && pthread_getaffinity_np(pthread_self(), sizeof now, &now) == 0 &&
	    CPU_EQUAL(&now, &team->own))
		pthread_setaffinity_np(pthread_self(), sizeof team->allowed, &team->allowed);
}

void bg_team_free(struct bg_team *team)
{
	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->leaving = true;
	pthread_cond_broadcast(&team->begin);
	pthread_mutex_unlock(&team->lock);
	for (size_t i = 0; i < team->started; i++)
		pthread_join(team->members[i + 1].thread, NULL);
	unpin(team);
	pthread_cond_destroy(&team->end);
	pthread_cond_destroy(&team->begin);
	pthread_mutex_destroy(&team->lock);
	free(team);
}
