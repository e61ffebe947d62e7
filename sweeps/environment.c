#include "sweeps/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool has_prefix(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool has_suffix(const char *name, size_t length, const char *suffix)
{
	size_t tail = strlen(suffix);
	return length >= tail && strncmp(name + length - tail, suffix, tail) == 0;
}

static bool is_dropped(const char *variable)
{
	static const char *const names[] = { "SSH_AUTH_SOCK", "SSH_AGENT_PID", "PWD", "OLDPWD",
					     "_" };
	static const char *const suffixes[] = { "_TOKEN",    "_KEY",	     "_SECRET",
						"_PASSWORD", "_CREDENTIALS", "_JWT" };
	/* GITHUB_ENV and its like are files that later steps of a job obey. */
	static const char *const prefixes[] = { "GIT_",		  "ACTIONS_",
						"GITHUB_ENV=",	  "GITHUB_PATH=",
						"GITHUB_OUTPUT=", "GITHUB_STEP_SUMMARY=",
						"GITHUB_STATE=" };
	size_t length = strcspn(variable, "=");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && strncmp(variable, names[i], length) == 0)
			return true;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (has_suffix(variable, length, suffixes[i]))
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
