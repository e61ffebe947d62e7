#include "baselines/remote.h"

#include "baselines/git_program.h"
#include "gate/core/text.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_SIZE_MAX ((size_t)1 << 20)
#define NAMES_MAX 1000
#define AUTHOR "batchgate"
#define EMAIL "batchgate@localhost"

struct settings {
	const char *ssh_command, *author, *email, *branch_remote;
	size_t count;
	const char *names[NAMES_MAX + 1]; /* of remotes */
};

static void reference_drop(git_reference **reference)
{
	git_reference_free(*reference);
}

/* "main"; NULL where HEAD is detached. */
static const char *current_branch(const struct bg_repository *repository, struct bg_arena *arena)
{
	static const char start[] = "refs/heads/";
	BG_AUTO(reference_drop) git_reference *head = NULL;
	if (!repository->handle || git_reference_lookup(&head, repository->handle, "HEAD") != 0 ||
	    git_reference_type(head) != GIT_REFERENCE_SYMBOLIC)
		return NULL;
	const char *target = git_reference_symbolic_target(head);
	return strncmp(target, start, strlen(start)) == 0
		       ? bg_arena_text(arena, target + strlen(start))
		       : NULL;
}

static void add_name(struct settings *settings, const char *key, struct bg_arena *arena)
{
	size_t size = strlen(key), prefix = strlen("remote."), suffix = strlen(".url");
	if (size <= prefix + suffix || settings->count == NAMES_MAX)
		return;
	const char *name = bg_arena_bytes(arena, key + prefix, size - prefix - suffix);
	for (size_t i = 0; i < settings->count; i++)
		if (strcmp(settings->names[i], name) == 0)
			return;
	settings->names[settings->count++] = name;
}

/* One setting of git's list; the last of a key counts. */
static void take(struct settings *settings, const char *key, const char *value,
		 const char *branch_key, struct bg_arena *arena)
{
	if (strcmp(key, "core.sshcommand") == 0)
		settings->ssh_command = value;
	else if (strcmp(key, "batchgate.notes.name") == 0)
		settings->author = value;
	else if (strcmp(key, "batchgate.notes.email") == 0)
		settings->email = value;
	else if (branch_key && strcmp(key, branch_key) == 0)
		settings->branch_remote = value;
	else if (strncmp(key, "remote.", 7) == 0)
		add_name(settings, key, arena);
}

/* git's own answer, which knows includes, conditions and variables that libgit2 does not. */
static enum bg_status read_settings(struct settings *settings,
				    const struct bg_repository *repository, struct bg_arena *arena,
				    struct bg_error *err)
{
	static const char pattern[] = "^(core\\.sshcommand|batchgate\\.notes\\.(name|email)|"
				      "branch\\..*\\.remote|remote\\..*\\.url)$";
	const char *const args[] = { "config", "--null", "--get-regexp", pattern, NULL };
	struct bg_git_command command = { .dir = repository->root, .args = args, .log_fd = -1 };
	const char *branch = current_branch(repository, arena);
	const char *branch_key = branch ? bg_arena_format(arena, "branch.%s.remote", branch) : NULL;
	BG_AUTO(bg_buffer_release) struct bg_buffer output;
	int exit_status = 0;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	if (bg_git_run(&exit_status, &output, &command, err) != BG_OK)
		return err->status;
	if (exit_status > 1 || output.full)
		return bg_fail(err, BG_E_SYSTEM, "%s: git config: %s", repository->root,
			       output.full ? "more than 1 MiB of remotes"
					   : bg_git_reason(output.bytes, arena));
	/* "key LF value NUL", or "key NUL" where there is no value. */
	const char *at = output.bytes, *end = at + output.size;
	while (at && at < end) {
		const char *text = bg_arena_text(arena, at), *line = strchr(text, '\n');
		const char *key = line ? bg_arena_bytes(arena, text, (size_t)(line - text)) : text;
		take(settings, key, line ? line + 1 : "", branch_key, arena);
		at += strlen(text) + 1;
	}
	return BG_OK;
}

/* Whether the program of a command line is OpenSSH's, by its name: others know no -o. */
static bool is_ssh(const char *command)
{
	size_t size = strcspn(command, " \t");
	const char *end = command + size;
	while (end > command && end[-1] != '/')
		end--;
	return (size_t)(command + size - end) == 3 && strncmp(end, "ssh", 3) == 0;
}

/*
 * GIT_SSH_COMMAND goes before core.sshCommand, so what the user has set there is carried over. A
 * wrapper or another program of the user's is left as it is.
 */
static const char *const *make_env(const struct settings *settings, struct bg_arena *arena)
{
	const char **env = bg_arena_array(arena, 3, sizeof *env);
	const char *askpass = getenv("GIT_ASKPASS"), *command = getenv("GIT_SSH_COMMAND");
	size_t used = 0;
	if (!command || !*command)
		command = settings->ssh_command;
	if ((!command || !*command) && !getenv("GIT_SSH"))
		command = "ssh";
	if (command && is_ssh(command))
		env[used++] =
			bg_arena_format(arena, "GIT_SSH_COMMAND=%s -o BatchMode=yes", command);
	if (askpass)
		env[used++] = bg_arena_format(arena, "GIT_ASKPASS=%s", askpass);
	return env;
}

static bool is_known(const struct settings *settings, const char *name)
{
	for (size_t i = 0; name && i < settings->count; i++)
		if (strcmp(settings->names[i], name) == 0)
			return true;
	return false;
}

static enum bg_status choose(const char **ret, const struct settings *settings, const char *given,
			     struct bg_error *err)
{
	if (given && !is_known(settings, given)) {
		const char *near = bg_text_nearest(given, settings->names, settings->count);
		return bg_fail(err, BG_E_USAGE, "no remote '%s' is configured here%s%s%s", given,
			       near ? ": did you mean '" : ": 'git remote' lists them",
			       near ? near : "", near ? "'?" : "");
	}
	if (given)
		*ret = given;
	else if (is_known(settings, settings->branch_remote))
		*ret = settings->branch_remote;
	else if (is_known(settings, "origin"))
		*ret = "origin";
	else if (settings->count == 1)
		*ret = settings->names[0];
	else if (settings->count == 0)
		return bg_fail(err, BG_E_SYSTEM,
			       "no remote is configured: git remote add origin URL");
	else
		return bg_fail(err, BG_E_SYSTEM,
			       "this branch follows none of %zu remotes and none is called "
			       "origin: choose with --remote",
			       settings->count);
	return BG_OK;
}

enum bg_status bg_remote_find(struct bg_remote *ret, const struct bg_repository *repository,
			      const char *given, struct bg_arena *arena, struct bg_error *err)
{
	struct settings settings = { .author = AUTHOR, .email = EMAIL };
	const char *name = NULL;
	if (read_settings(&settings, repository, arena, err) != BG_OK ||
	    choose(&name, &settings, given, err) != BG_OK || !name)
		return err->status;
	int valid = 0;
	const char *mirror = bg_remote_refs_of(name, "c", arena).mirror;
	if (git_reference_name_is_valid(&valid, mirror) != 0 || !valid || name[0] == '-')
		return bg_fail(err, BG_E_SYSTEM,
			       "remote '%s' has a name that no reference can hold: git remote "
			       "rename",
			       name);
	*ret = (struct bg_remote){ .name = bg_arena_text(arena, name),
				   .env = make_env(&settings, arena),
				   .author = settings.author,
				   .email = settings.email };
	return BG_OK;
}

struct bg_remote_refs bg_remote_refs_of(const char *remote, const char *runner_class,
					struct bg_arena *arena)
{
	/* Encoded, so that remotes "a" and "a/b" cannot be in each other's way. */
	return (struct bg_remote_refs){
		.remote = bg_arena_format(arena, "refs/notes/batchgate/v1/%s", runner_class),
		.mirror = bg_arena_format(arena, "refs/batchgate/mirror/%s/%s",
					  bg_text_percent_encode(arena, remote), runner_class),
	};
}
