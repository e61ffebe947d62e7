#include "baselines/built_key.h"

#include "tests/unit/git_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

struct inputs {
	const char *command[4];
	const char *environment[8];
	const char *linked[2];
};

static struct inputs plain(struct scratch *s)
{
	return (struct inputs){ { "make", "-s", NULL },
				{ "PATH=/usr/bin:/bin", "CFLAGS=-O2",
				  bg_arena_format(&s->arena, "HERE=%s/tree", s->dir), NULL },
				{ scratch_path(s, "mine/data"), NULL } };
}

static const char *key_of(struct scratch *s, const struct inputs *inputs, const char *tree)
{
	char *key = bg_arena_alloc(&s->arena, BG_SHA256_TEXT_SIZE);
	struct bg_built_input input = { .tree = scratch_path(s, tree),
					.command = inputs->command,
					.environment = inputs->environment,
					.linked_count = inputs->linked[0] ? 1 : 0,
					.linked = inputs->linked };
	if (bg_built_key(key, &input, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return key;
}

static void make_tree(struct scratch *s)
{
	scratch_run(s, "mkdir -p tree/src mine/data; echo 1 >tree/src/a.c; ln -s a.c tree/src/l;"
		       "echo d >mine/data/d; ln -s ../mine/data tree/data; echo g >tree/.git");
}

/* The key after a script is another (or not) than before it; then all is as it was. */
static void changes(struct scratch *s, bool changed, const char *script)
{
	struct inputs inputs = plain(s);
	scratch_run(s, "rm -rf tree mine");
	make_tree(s);
	const char *before = key_of(s, &inputs, "tree");
	scratch_run(s, script);
	if ((strcmp(before, key_of(s, &inputs, "tree")) != 0) != changed)
		fail_msg("%s: %s", changed ? "the same" : "another", script);
}

static void every_file_counts(void **state)
{
	struct scratch *s = *state;
	changes(s, false, "true");
	changes(s, true, "echo 2 >tree/src/a.c");
	changes(s, true, "chmod +x tree/src/a.c");
	changes(s, true, "mv tree/src/a.c tree/src/b.c");
	changes(s, true, "ln -sf b.c tree/src/l");
	changes(s, true, "mkdir tree/empty");
	changes(s, true, "rm tree/src/l");
	changes(s, false, "touch tree/src/a.c");
	changes(s, false, "echo other >tree/.git");
}

static void linked_files_count_by_size_and_time(void **state)
{
	struct scratch *s = *state;
	changes(s, true, "touch -d 2001-02-03 mine/data/d");
	changes(s, true, "touch mine/data/e");
	changes(s, false, "mkdir mine/data/__pycache__; echo 1 >mine/data/__pycache__/x");
}

static void the_command_and_the_environment_count(void **state)
{
	struct scratch *s = *state;
	make_tree(s);
	struct inputs inputs = plain(s);
	const char *key = key_of(s, &inputs, "tree");
	inputs.command[1] = "-k";
	assert_string_not_equal(key_of(s, &inputs, "tree"), key);
	inputs = plain(s);
	inputs.command[0] = "make -s";
	inputs.command[1] = NULL;
	assert_string_not_equal(key_of(s, &inputs, "tree"), key);
	inputs = plain(s);
	inputs.environment[1] = "CFLAGS=-O3";
	assert_string_not_equal(key_of(s, &inputs, "tree"), key);
	inputs = plain(s);
	inputs.linked[0] = NULL;
	assert_string_not_equal(key_of(s, &inputs, "tree"), key);
}

static void the_job_and_the_trees_own_path_do_not(void **state)
{
	struct scratch *s = *state;
	make_tree(s);
	struct inputs inputs = plain(s);
	const char *key = key_of(s, &inputs, "tree");
	inputs.environment[3] = "GITHUB_RUN_ID=12";
	inputs.environment[4] = "SSH_CONNECTION=1 2 3 4";
	inputs.environment[5] = "TERM=xterm";
	assert_string_equal(key_of(s, &inputs, "tree"), key);
	inputs.environment[2] = bg_arena_format(&s->arena, "HERE=%s/moved", s->dir);
	scratch_run(s, "mv tree moved");
	assert_string_equal(key_of(s, &inputs, "moved"), key);
}

static void the_compiler_counts(void **state)
{
	struct scratch *s = *state;
	make_tree(s);
	struct inputs inputs = plain(s);
	inputs.environment[0] = bg_arena_format(&s->arena, "PATH=%s/bin:/usr/bin:/bin", s->dir);
	scratch_run(s, "mkdir bin; printf '#!/bin/sh\\necho cc 1\\n' >bin/cc; chmod +x bin/cc");
	const char *key = key_of(s, &inputs, "tree");
	assert_string_equal(key_of(s, &inputs, "tree"), key);
	scratch_run(s, "touch -r bin/cc stamp; printf '#!/bin/sh\\necho cc 2\\n' >bin/cc;"
		       "touch -r stamp bin/cc");
	assert_string_not_equal(key_of(s, &inputs, "tree"), key);
	key = key_of(s, &inputs, "tree");
	scratch_run(s, "echo >bin/rustc");
	assert_string_not_equal(key_of(s, &inputs, "tree"), key);
}

static void what_cannot_be_listed_has_no_key(void **state)
{
	struct scratch *s = *state;
	char key[BG_SHA256_TEXT_SIZE] = "untouched";
	make_tree(s);
	scratch_run(s, "mkfifo tree/pipe");
	struct inputs inputs = plain(s);
	struct bg_built_input input = { .tree = scratch_path(s, "tree"),
					.command = inputs.command,
					.environment = inputs.environment };
	assert_int_equal(bg_built_key(key, &input, &s->arena, &s->err), BG_E_SYSTEM);
	assert_string_equal(key, "untouched");
	assert_non_null(strstr(s->err.text, "pipe: neither a file nor a folder nor a link"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_file_counts),
		TEST(linked_files_count_by_size_and_time),
		TEST(the_command_and_the_environment_count),
		TEST(the_job_and_the_trees_own_path_do_not),
		TEST(the_compiler_counts),
		TEST(what_cannot_be_listed_has_no_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
