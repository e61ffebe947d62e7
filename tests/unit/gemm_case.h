#ifndef BG_TESTS_GEMM_CASE_H
#define BG_TESTS_GEMM_CASE_H
/* A case of the built gemm module, set up by hand. */
#include "gate/core/text.h"
#include "workloads/modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct gemm_case {
	const struct bg_operation *gemm;
	const struct bg_module *module;
	void *state;
	struct bg_why why;
	double error, tolerance;
};

/* The module of this very build: modules/ is two folders above the test. */
static inline void gemm_load(struct gemm_case *gemm, struct bg_arena *arena)
{
	char exe[4096];
	ssize_t size = readlink("/proc/self/exe", exe, sizeof exe - 1);
	assert_true(size > 0);
	exe[size] = '\0';
	for (int i = 0; i < 3; i++)
		*strrchr(exe, '/') = '\0';
	struct bg_modules modules;
	bg_modules_load(&modules, exe, NULL, arena);
	const struct bg_loaded_operation *loaded = bg_modules_find(&modules, "gemm", "openblas");
	if (!loaded) {
		fail_msg("%s", modules.missing_count ? modules.missing[0].reason : "no gemm");
		return; /* never reached: fail_msg jumps */
	}
	*gemm = (struct gemm_case){ .gemm = loaded->operation, .module = loaded->module };
}

/* True for "make HAVE_openblas=0 test"; a module that is missing otherwise is a fault. */
static inline bool gemm_is_left_out(void)
{
	const char *have = getenv("HAVE_openblas");
	return have && strcmp(have, "0") == 0;
}

/* The only test then. */
static inline void the_module_is_left_out(void **state)
{
	(void)state;
	print_message("# HAVE_openblas=0\n");
	skip();
}

static inline int gemm_run_left_out(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_module_is_left_out) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* axes: "dtype=f64 m=3", the others at their defaults. */
static inline enum bg_answer gemm_setup(struct gemm_case *gemm, const char *axes, uint64_t seed)
{
	struct bg_coordinate at[BG_AXES_MAX] = { { 0 } };
	char text[BG_AXES_MAX][32];
	for (size_t i = 0; i < gemm->gemm->axis_count; i++) {
		const struct bg_operation_axis *axis = &gemm->gemm->axes[i];
		size_t size = strlen(axis->name);
		const char *value = axis->fallback;
		for (const char *word = axes; word; word = strchr(word, ' ')) {
			word += *word == ' ';
			if (strncmp(word, axis->name, size) == 0 && word[size] == '=')
				value = word + size + 1;
		}
		snprintf(text[i], sizeof text[i], "%.*s", (int)strcspn(value, " "), value);
		at[i].name = axis->name;
		at[i].text = text[i];
		if (axis->kind == BG_OPERATION_INTEGER) {
			assert_true(
				bg_text_to_double(&at[i].number, text[i], axis->min, axis->max));
			at[i].integer = (int64_t)at[i].number;
		}
	}
	struct bg_point point = { gemm->gemm->axis_count, at, seed };
	memset(&gemm->why, 0, sizeof gemm->why);
	gemm->state = NULL;
	return gemm->gemm->setup(&gemm->state, &point, &gemm->why);
}

/* Sets up, runs once, verifies and tears down; the first answer that is not OK. */
static inline enum bg_answer gemm_once(struct gemm_case *gemm, const char *axes, uint64_t seed)
{
	enum bg_answer answer = gemm_setup(gemm, axes, seed);
	gemm->error = gemm->tolerance = -1;
	if (answer == BG_ANSWER_OK)
		answer = gemm->gemm->run(gemm->state, &gemm->why);
	if (answer == BG_ANSWER_OK)
		answer =
			gemm->gemm->verify(gemm->state, &gemm->error, &gemm->tolerance, &gemm->why);
	gemm->gemm->teardown(gemm->state);
	gemm->state = NULL;
	return answer;
}
#endif
