#include "baselines/git_program.h"

#include "gate/core/process.h"

#include <assert.h>
#include <string.h>

extern char **environ;

/*
 * A hook's git sets GIT_DIR, GIT_INDEX_FILE, GIT_PREFIX and more, and later versions add others: so
 * all of GIT_* is left out but what says how git is configured and how it reaches a server (files
 * of a partial clone and of LFS are fetched at checkout).
 */
static const char *const kept[] = {
	"GIT_CONFIG_GLOBAL=",  "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_NOSYSTEM=",
	"GIT_CONFIG_COUNT=",   "GIT_CONFIG_KEY_",    "GIT_CONFIG_VALUE_",
	"GIT_EXEC_PATH=",      "GIT_SSH=",	     "GIT_SSH_COMMAND=",
	"GIT_SSH_VARIANT=",    "GIT_SSL_",	     "GIT_PROXY_",
	"GIT_ALLOW_PROTOCOL=", "GIT_HTTP_",	     "GIT_LFS_",
};

static const char *const replaced[] = { "LC_ALL=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=" };

static const char *const set[] = { "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
				   "SSH_ASKPASS_REQUIRE=never" };

static const char *const settings[] = {
	"git",
	"--no-optional-locks",
	"-c",
	"core.hooksPath=/dev/null",
	"-c",
	"core.fsmonitor=false",
	"-c",
	"gc.auto=0",
	"-c",
	"maintenance.auto=false",
	/* Relative paths add an extension to the repository that older readers refuse. */
	"-c",
	"worktree.useRelativePaths=false",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool starts_with_one(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* Whether one of the variables has the name of "NAME=value". */
static bool names_one(const char *const *variables, const char *text)
{
	size_t size = strcspn(text, "=") + 1;
	for (size_t i = 0; variables && variables[i]; i++)
		if (strncmp(variables[i], text, size) == 0)
			return true;
	return false;
}

static const char *const *make_environment(const struct bg_git_command *command,
					   struct bg_arena *arena)
{
	const char *const *more = command->env;
	size_t count = 0, used = 0, more_count = 0;
	while (environ[count])
		count++;
	while (more && more[more_count])
		more_count++;
	const char **envp =
		bg_arena_array(arena, count + COUNT(set) + more_count + 2, sizeof *envp);
	for (size_t i = 0; i < count; i++) {
		bool dropped = strncmp(environ[i], "GIT_", 4) == 0 &&
			       !starts_with_one(environ[i], kept, COUNT(kept));
		dropped = dropped || names_one(more, environ[i]);
		if (!dropped && !starts_with_one(environ[i], replaced, COUNT(replaced)))
			envp[used++] = environ[i];
	}
	for (size_t i = 0; i < COUNT(set); i++)
		envp[used++] = set[i];
	if (command->no_lazy_fetch)
		envp[used++] = "GIT_NO_LAZY_FETCH=1";
	for (size_t i = 0; i < more_count; i++)
		envp[used++] = more[i];
	return envp;
}

static void arena_drop(struct bg_arena *arena)
{
	bg_arena_release(arena);
}

enum bg_status bg_git_run(int *exit_status, struct bg_buffer *output,
			  const struct bg_git_command *command, struct bg_error *err)
{
	BG_AUTO(arena_drop) struct bg_arena arena = BG_ARENA_INIT;
	const char *argv[COUNT(settings) + BG_GIT_ARGS_MAX + 1] = { NULL };
	size_t used = 0;
	for (size_t i = 0; i < COUNT(settings); i++)
		argv[used++] = settings[i];
	for (size_t i = 0; command->args[i]; i++) {
		assert(i < BG_GIT_ARGS_MAX);
		argv[used++] = command->args[i];
	}
	struct bg_command git = { .argv = argv,
				  .envp = make_environment(command, &arena),
				  .dir = command->dir,
				  .timeout_s = command->timeout_s,
				  .log_fd = command->log_fd,
				  .error_fd = command->error_fd };
	return bg_command_run(exit_status, output, &git, err);
}

const char *bg_git_reason(const char *output, struct bg_arena *arena)
{
	const char *reason = NULL;
	size_t reason_size = 0;
	bool told = false;
	for (const char *line = output; line && *line && !told;) {
		size_t size = strcspn(line, "\r\n");
		told = strncmp(line, "fatal: ", 7) == 0 || strncmp(line, "error: ", 7) == 0;
		if (size > 0) {
			reason = line;
			reason_size = size;
		}
		line += size + (line[size] != '\0');
	}
	return reason ? bg_arena_bytes(arena, reason, reason_size) : "no reason given";
}
