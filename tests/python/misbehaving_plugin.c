/* A plugin that crashes in the hook that CRASH names, in a case of kind=bad where there is a case.
 */
#include "batchgate/workload.h"

#include <stdlib.h>
#include <string.h>

#ifndef CRASH
#define CRASH ""
#endif
#ifndef ABI
#define ABI BG_MODULE_ABI
#endif
#ifndef SIZE
#define SIZE sizeof(struct bg_module)
#endif
#ifndef ENTRY
#define ENTRY bg_module_v1
#endif
#ifndef ANSWER
#define ANSWER BG_ANSWER_OK
#endif
#ifndef DEFAULT
#define DEFAULT "good"
#endif
#ifdef NOWHERE
extern void nowhere(void);
#endif

static void crash_in(const char *hook, int bad)
{
	if (bad && strcmp(CRASH, hook) == 0)
		abort();
}

static enum bg_answer usable(struct bg_why *why)
{
	(void)why;
	crash_in("usable", 1);
	return BG_ANSWER_OK;
}

static enum bg_answer setup(void **state, const struct bg_point *point, struct bg_why *why)
{
	int bad = strcmp(point->coordinates[0].text, "bad") == 0;
	(void)why;
	crash_in("setup", bad);
	*state = malloc(sizeof(int));
	if (!*state)
		return BG_ANSWER_OUT_OF_MEMORY;
	*(int *)*state = bad;
	return BG_ANSWER_OK;
}

static void costs(void *state, struct bg_costs *ret)
{
	crash_in("costs", *(int *)state);
	ret->items = 1;
}

static enum bg_answer run(void *state, struct bg_why *why)
{
	static volatile double sum;
	(void)why;
	crash_in("run", *(int *)state);
	for (int i = 0; i < 20000; i++)
		sum += i;
	return *(int *)state ? ANSWER : BG_ANSWER_OK;
}

static enum bg_answer finish(void *state, struct bg_why *why)
{
	(void)why;
	crash_in("finish", *(int *)state);
	return BG_ANSWER_OK;
}

static enum bg_answer verify(void *state, double *error, double *tolerance, struct bg_why *why)
{
	(void)why;
	crash_in("verify", *(int *)state);
	*error = 0;
	*tolerance = 1;
	return BG_ANSWER_OK;
}

static void teardown(void *state)
{
	if (state)
		crash_in("teardown", *(int *)state);
	free(state);
}

__attribute__((constructor)) static void load(void)
{
	crash_in("constructor", 1);
#ifdef NOWHERE
	nowhere();
#endif
}

static const char *const kinds[] = { "good", "bad" };
static const struct bg_operation_axis axes[] = {
	{ "kind", "whether to crash", BG_OPERATION_WORD, DEFAULT, 0, 0, kinds, 2 },
};
static const struct bg_operation operations[] = {
	{ "work", "none", "nothing much", 1, axes, usable, setup, costs, run, finish, verify,
	  teardown },
};
static const struct bg_module module = {
	ABI, SIZE, sizeof *operations, sizeof *axes, "kernels", "a test", 1, operations, NULL,
};

const struct bg_module *ENTRY(void);
const struct bg_module *ENTRY(void)
{
	crash_in("bg_module_v1", 1);
	return &module;
}
