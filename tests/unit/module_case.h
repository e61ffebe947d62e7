#ifndef BG_TESTS_MODULE_CASE_H
#define BG_TESTS_MODULE_CASE_H
/* A case of a built module's operation, set up by hand. */
#include "gate/core/text.h"
#include "workloads/modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct module_case {
	const struct bg_operation *operation;
	const struct bg_module *module;
	void *state;
	struct bg_why why; /* of the last hook; after module_case_load, why there is no module */
	double error, tolerance;
};

/*
 * The operation of this very build: modules/ is two folders above the test. False where the build
 * left the module out on purpose; one that is missing otherwise is a fault.
 */
static inline bool module_case_load(struct module_case *ret, const char *name, const char *engine,
				    struct bg_arena *arena)
{
	char exe[4096];
	ssize_t size = readlink("/proc/self/exe", exe, sizeof exe - 1);
	assert_true(size > 0);
	exe[size] = '\0';
	for (int i = 0; i < 3; i++)
		*strrchr(exe, '/') = '\0';
	struct bg_modules modules;
	bg_modules_load(&modules, exe, NULL, arena);
	const struct bg_loaded_operation *loaded = bg_modules_find(&modules, name, engine);
	*ret = (struct module_case){ .operation = NULL };
	if (loaded) {
		ret->operation = loaded->operation;
		ret->module = loaded->module;
		return true;
	}
	for (size_t i = 0; i < modules.missing_count; i++)
		if (strcmp(modules.missing[i].module, engine) == 0)
			snprintf(ret->why.text, sizeof ret->why.text, "%.500s",
				 modules.missing[i].reason);
	if (strncmp(ret->why.text, "not built: ", strlen("not built: ")) != 0)
		fail_msg("%s of %s: %s", name, engine, ret->why.text);
	return false;
}

/* Skips the test where the module is left out or its library is missing. */
static inline void module_case_need(struct module_case *at)
{
	if (at->operation) {
		at->why.text[0] = '\0';
		if (!at->operation->usable || at->operation->usable(&at->why) == BG_ANSWER_OK)
			return;
	}
	print_message("# %s\n", at->why.text);
	skip();
}

/* axes: "dtype=f64 m=3", the others at their defaults. */
static inline enum bg_answer module_case_setup(struct module_case *at, const char *axes,
					       uint64_t seed)
{
	struct bg_coordinate coordinates[BG_AXES_MAX] = { { 0 } };
	char text[BG_AXES_MAX][32];
	for (size_t i = 0; i < at->operation->axis_count; i++) {
		const struct bg_operation_axis *axis = &at->operation->axes[i];
		struct bg_coordinate *coordinate = &coordinates[i];
		size_t size = strlen(axis->name);
		const char *value = axis->fallback;
		for (const char *word = axes; word; word = strchr(word, ' ')) {
			word += *word == ' ';
			if (strncmp(word, axis->name, size) == 0 && word[size] == '=')
				value = word + size + 1;
		}
		snprintf(text[i], sizeof text[i], "%.*s", (int)strcspn(value, " "), value);
		coordinate->name = axis->name;
		coordinate->text = text[i];
		if (axis->kind == BG_OPERATION_INTEGER) {
			assert_true(bg_text_to_double(&coordinate->number, text[i], axis->min,
						      axis->max));
			coordinate->integer = (int64_t)coordinate->number;
		}
	}
	struct bg_point point = { at->operation->axis_count, coordinates, seed };
	memset(&at->why, 0, sizeof at->why);
	at->state = NULL;
	return at->operation->setup(&at->state, &point, &at->why);
}

static inline void module_case_teardown(struct module_case *at)
{
	at->operation->teardown(at->state);
	at->state = NULL;
}

/* Sets up, runs once, verifies and tears down; the first answer that is not OK. */
static inline enum bg_answer module_case_once(struct module_case *at, const char *axes,
					      uint64_t seed)
{
	enum bg_answer answer = module_case_setup(at, axes, seed);
	at->error = at->tolerance = -1;
	if (answer == BG_ANSWER_OK)
		answer = at->operation->run(at->state, &at->why);
	if (answer == BG_ANSWER_OK)
		answer = at->operation->verify(at->state, &at->error, &at->tolerance, &at->why);
	module_case_teardown(at);
	return answer;
}

/* The share of a core that this process' threads use while it sleeps for a tenth of a second. */
static inline double module_case_idle_share(void)
{
	struct timespec before, after, pause = { .tv_nsec = 100000000 };
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	return ((double)(after.tv_sec - before.tv_sec) +
		(double)(after.tv_nsec - before.tv_nsec) * 1e-9) /
	       .1;
}
#endif
