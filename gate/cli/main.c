#include "gate/cli/command.h"
#include "gate/cli/help.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELP_SIZE_MAX ((size_t)1 << 20)

/* A run that cannot hold its own data has nothing left to decide. stdio may allocate: not used. */
static void out_of_memory(size_t size) __attribute__((noreturn));
static void out_of_memory(size_t size)
{
	static const char text[] = "batchgate: out of memory: run fewer cases, or give it more\n";
	(void)size;
	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	_exit(BG_EXIT_ENVIRONMENT);
}

/*
 * A file opened later must not become our standard output. Read-only, so that what is printed to
 * an output that was closed fails instead of vanishing.
 */
static void fill_closed_descriptors(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static int print_help(const struct bg_subcommand *command, struct bg_arena *arena)
{
	struct bg_buffer out;
	bg_buffer_init(&out, HELP_SIZE_MAX);
	if (command)
		bg_help_command(&out, command, arena);
	else
		bg_help_program(&out);
	fwrite(out.bytes, 1, out.size, stdout);
	bg_buffer_release(&out);
	return BG_EXIT_PASS;
}

static enum bg_status run_command(int *ret, const struct bg_subcommand *command, int argc,
				  char **argv, struct bg_arena *arena, struct bg_error *err)
{
	void *options = bg_arena_alloc(arena, command->options_size);
	bool wants_help;
	if (bg_options_parse(options, &wants_help, command->table, argc, argv, arena, err) != BG_OK)
		return bg_within(err, "%s", command->name);
	if (!wants_help)
		return command->run(ret, options, arena, err);
	*ret = print_help(command, arena);
	return BG_OK;
}

static enum bg_status run_program(int *ret, int argc, char **argv, struct bg_arena *arena,
				  struct bg_error *err)
{
	if (argc < 2)
		return bg_fail(err, BG_E_USAGE, "no command given: 'batchgate help' lists them");
	if (strcmp(argv[1], "--version") == 0) {
		printf("batchgate %s\n", BG_VERSION);
		*ret = BG_EXIT_PASS;
		return BG_OK;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		*ret = print_help(NULL, arena);
		return BG_OK;
	}
	const struct bg_subcommand *command = bg_subcommand_find(argv[1]);
	if (!command)
		return bg_subcommand_unknown(argv[1], arena, err);
	return run_command(ret, command, argc - 1, argv + 1, arena, err);
}

int main(int argc, char **argv)
{
	fill_closed_descriptors();
	bg_arena_on_exhausted(out_of_memory);
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_error err = BG_ERROR_INIT;
	int code = BG_EXIT_INTERNAL;
	if (run_program(&code, argc, argv, &arena, &err) != BG_OK) {
		bg_complain(&err);
		code = bg_exit_of(&err);
	}
	bg_arena_release(&arena);
	return bg_stdout_close(code);
}
