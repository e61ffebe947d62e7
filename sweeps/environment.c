#include "sweeps/environment.h"

#include "gate/core/buffer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool has_prefix(const char *name, const char *prefix)
{
	return strncasecmp(name, prefix, strlen(prefix)) == 0;
}

/* "TOKEN" itself, or what ends in it behind an underscore or a dash. */
static bool has_end(const char *name, size_t length, const char *word)
{
	size_t tail = strlen(word);
	return length >= tail && strncasecmp(name + length - tail, word, tail) == 0 &&
	       (length == tail || name[length - tail - 1] == '_' || name[length - tail - 1] == '-');
}

/* Names of credentials are written in either case: npm's are in small letters. */
static bool is_dropped(const char *variable)
{
	static const char *const names[] = { "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS",
					     "GPG_AGENT_INFO", "PWD", "OLDPWD", "_",
					     "DOCKER_AUTH_CONFIG", "NETRC",
					     /* GitLab writes the job's token into it. */
					     "CI_REPOSITORY_URL" };
	static const char *const ends[] = { "TOKEN",	 "KEY",	   "SECRET",	 "PASSWORD",
					    "PASSWD",	 "PASS",   "PASSPHRASE", "CREDENTIALS",
					    "JWT",	 "JWT_V1", "JWT_V2",	 "SECRETS",
					    "APIKEY",	 "KEY_ID", "PAT",	 "AUTH",
					    "AUTHTOKEN", "COOKIE" };
	/* GITHUB_ENV and its like are files that later steps of a job obey. */
	static const char *const prefixes[] = {
		"GIT_",		"ACTIONS_",	"AWS_",		  "INPUT_",
		"GITHUB_ENV=",	"GITHUB_PATH=", "GITHUB_OUTPUT=", "GITHUB_STEP_SUMMARY=",
		"GITHUB_STATE="
	};
	size_t length = strcspn(variable, "=");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && strncmp(variable, names[i], length) == 0)
			return true;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (has_end(variable, length, ends[i]))
			return true;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (has_prefix(variable, prefixes[i]))
			return true;
	return variable[length] != '=';
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *bg_environment_clean(const char *const *environment, struct bg_arena *arena)
{
	size_t count = 0, kept = 0;
	while (environment[count])
		count++;
	const char **clean = bg_arena_array(arena, count + 1, sizeof *clean);
	for (size_t i = 0; i < count; i++)
		if (!is_dropped(environment[i]))
			clean[kept++] = bg_arena_text(arena, environment[i]);
	qsort(clean, kept, sizeof *clean, compare_text);
	return clean;
}

#define VARIABLE_SIZE_MAX ((size_t)4 << 20)
#define PATH_ENDS ":;,\"' \t\n()"

static size_t count_of(const char *const *environment)
{
	size_t count = 0;
	while (environment[count])
		count++;
	return count;
}

/* "/repo" is meant in ":/repo" and "-I/repo", not in "/x/repo" and "/repo2". */
static bool is_mention(const char *value, const char *at, size_t size)
{
	bool flag = at - value >= 2 && at[-2] == '-' && strchr("ILFB", at[-1]);
	bool starts = at == value || flag || strchr(PATH_ENDS "=@", at[-1]);
	return starts && (at[size] == '\0' || at[size] == '/' || strchr(PATH_ENDS, at[size]));
}

static bool agrees(const struct bg_environment_move *move, const char *variable, size_t name_size,
		   const char *after, struct bg_arena *arena)
{
	after += strspn(after, "/");
	char *below = bg_arena_bytes(arena, after, strcspn(after, PATH_ENDS));
	return move->moves(move->context, variable, name_size, below);
}

static const char *move_one(const char *variable, const struct bg_environment_move *move,
			    struct bg_arena *arena)
{
	size_t size = strlen(move->from), name_size = strcspn(variable, "=");
	const char *value = variable + name_size + (variable[name_size] == '='), *rest = variable;
	struct bg_buffer out;
	bg_buffer_init(&out, VARIABLE_SIZE_MAX);
	for (const char *at = value; (at = strstr(at, move->from)) != NULL;) {
		bool moved = is_mention(value, at, size) &&
			     agrees(move, variable, name_size, at + size, arena);
		if (moved) {
			bg_buffer_add(&out, rest, (size_t)(at - rest));
			bg_buffer_text(&out, move->to);
			rest = at + size;
		}
		at += size;
	}
	bg_buffer_text(&out, rest);
	const char *result =
		rest == variable || out.full ? variable : bg_arena_text(arena, out.bytes);
	bg_buffer_release(&out);
	return result;
}

const char *const *bg_environment_move(const char *const *environment,
				       const struct bg_environment_move *move,
				       struct bg_arena *arena)
{
	size_t count = count_of(environment);
	const char **moved = bg_arena_array(arena, count + 1, sizeof *moved);
	for (size_t i = 0; i < count; i++)
		moved[i] = move_one(environment[i], move, arena);
	return moved;
}

const char *const *bg_environment_prepend(const char *const *environment, const char *name,
					  const char *paths, struct bg_arena *arena)
{
	size_t count = count_of(environment), size = strlen(name), kept = 0;
	const char **with = bg_arena_array(arena, count + 2, sizeof *with);
	const char *old = "";
	for (size_t i = 0; i < count; i++) {
		bool is_it =
			strncmp(environment[i], name, size) == 0 && environment[i][size] == '=';
		if (is_it)
			old = environment[i] + size + 1;
		else
			with[kept++] = environment[i];
	}
	with[kept++] = bg_arena_format(arena, "%s=%s%s%s", name, paths, old[0] ? ":" : "", old);
	qsort(with, kept, sizeof *with, compare_text);
	return with;
}
