#include "sweeps/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool all_move(void *context, const char *variable, size_t size, const char *below)
{
	(void)variable;
	(void)size;
	(void)below;
	(void)context;
	return true;
}

/* What a single variable becomes when /repo is moved to /tree/x. */
static void becomes(const char *before, const char *after)
{
	struct bg_arena arena = BG_ARENA_INIT;
	const char *const environment[] = { before, NULL };
	struct bg_environment_move move = { .from = "/repo", .to = "/tree/x", .moves = all_move };
	const char *const *moved = bg_environment_move(environment, &move, &arena);
	assert_string_equal(moved[0], after);
	assert_null(moved[1]);
	bg_arena_release(&arena);
}

static void every_mention_of_the_folder_is_changed(void **state)
{
	(void)state;
	becomes("A=/repo", "A=/tree/x");
	becomes("A=/repo/", "A=/tree/x/");
	becomes("A=/usr:/repo/src:/repo/lib", "A=/usr:/tree/x/src:/tree/x/lib");
	becomes("A=-O2 -I/repo/a -L/repo", "A=-O2 -I/tree/x/a -L/tree/x");
	becomes("A=--root=/repo '/repo/b'", "A=--root=/tree/x '/tree/x/b'");
	becomes("A={\"a\":\"/repo\"}", "A={\"a\":\"/tree/x\"}");
}

static void another_folder_is_left_alone(void **state)
{
	(void)state;
	becomes("A=/repo2", "A=/repo2");
	becomes("A=/x/repo/src", "A=/x/repo/src");
	becomes("A=/repository:/repo-old", "A=/repository:/repo-old");
	becomes("A=x/repo", "A=x/repo");
	becomes("A=-X/repo", "A=-X/repo");
	becomes("/repo=1", "/repo=1");
	becomes("A=", "A=");
}

struct asked {
	char text[256];
};

static bool refuses(void *context, const char *variable, size_t size, const char *below)
{
	struct asked *asked = context;
	size_t used = strlen(asked->text);
	snprintf(asked->text + used, sizeof asked->text - used, "%.*s[%s] ", (int)size, variable,
		 below);
	return strcmp(below, "yes") == 0;
}

static void each_mention_is_asked_for(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	struct asked asked = { "" };
	const char *const environment[] = { "B=/repo/no:/repo//yes:/repo", NULL };
	struct bg_environment_move move = {
		.from = "/repo", .to = "/t", .moves = refuses, .context = &asked
	};
	const char *const *moved = bg_environment_move(environment, &move, &arena);
	assert_string_equal(moved[0], "B=/repo/no:/t//yes:/repo");
	assert_string_equal(asked.text, "B[no] B[yes] B[] ");
	bg_arena_release(&arena);
}

static void paths_come_in_front_and_the_order_stays(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	const char *const environment[] = { "A=1", "PYTHONPATH2=x", "Z=1", NULL };
	const char *const *with =
		bg_environment_prepend(environment, "PYTHONPATH", "/a:/b", &arena);
	assert_string_equal(with[0], "A=1");
	assert_string_equal(with[1], "PYTHONPATH2=x");
	assert_string_equal(with[2], "PYTHONPATH=/a:/b");
	assert_string_equal(with[3], "Z=1");
	assert_null(with[4]);
	with = bg_environment_prepend(with, "PYTHONPATH", "/c", &arena);
	assert_string_equal(with[2], "PYTHONPATH=/c:/a:/b");
	assert_null(with[4]);
	bg_arena_release(&arena);
}

static bool is_kept(const char *variable)
{
	struct bg_arena arena = BG_ARENA_INIT;
	const char *const environment[] = { variable, NULL };
	bool kept = bg_environment_clean(environment, &arena)[0] != NULL;
	bg_arena_release(&arena);
	return kept;
}

static void credentials_are_dropped_in_either_case(void **state)
{
	(void)state;
	static const char *const dropped[] = { "GITHUB_TOKEN=x",
					       "token=x",
					       "npm_config_//r/:_authToken=x",
					       "AWS_REGION=x",
					       "aws_profile=x",
					       "INPUT_REPO-TOKEN=x",
					       "CI_JOB_JWT_V2=x",
					       "A_PASS=x",
					       "CI_REPOSITORY_URL=https://t@x",
					       "DOCKER_AUTH_CONFIG=",
					       "PWD=/x",
					       "OLDPWD=/x",
					       "GITHUB_ENV=/x",
					       "GIT_DIR=/x",
					       "ACTIONS_CACHE_URL=x",
					       "no value",
					       "SSH_AUTH_SOCK=/x",
					       "AZURE_STORAGE_KEY=x" };
	static const char *const kept[] = { "HOME=/x",		"PATH=/bin",	"KEYBOARD=x",
					    "TOKENIZERS=x",	"MONKEY=x",	"COMPAT=1",
					    "GITHUB_SHA=x",	"A_TOKENS_N=1", "PASSAGE=x",
					    "CI_PROJECT_DIR=/x" };
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (is_kept(dropped[i]))
			fail_msg("%s is kept", dropped[i]);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (!is_kept(kept[i]))
			fail_msg("%s is dropped", kept[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mention_of_the_folder_is_changed),
		cmocka_unit_test(another_folder_is_left_alone),
		cmocka_unit_test(each_mention_is_asked_for),
		cmocka_unit_test(paths_come_in_front_and_the_order_stays),
		cmocka_unit_test(credentials_are_dropped_in_either_case),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
