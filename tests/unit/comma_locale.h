#ifndef BG_TESTS_COMMA_LOCALE_H
#define BG_TESTS_COMMA_LOCALE_H
/*
 * A locale whose decimal point is a comma, for tests that bytes don't depend on it: one that is
 * installed, else one made with localedef in a folder of our own.
 */
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static inline bool comma_locale_run(const char *const *argv)
{
	pid_t pid = fork();
	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
			_exit(127);
		execvp(argv[0], (char *const *)(size_t)argv);
		_exit(127);
	}
	int status;
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static inline bool comma_locale_make(void)
{
	char dir[] = "/tmp/batchgate-locale-XXXXXX", target[64];
	if (!mkdtemp(dir))
		return false;
	snprintf(target, sizeof target, "%s/de_DE.UTF-8", dir);
	const char *const make[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", target, NULL };
	const char *const clean[] = { "rm", "-rf", dir, NULL };
	bool made = comma_locale_run(make) && setenv("LOCPATH", dir, 1) == 0 &&
		    setlocale(LC_ALL, "de_DE.UTF-8");
	unsetenv("LOCPATH");
	return comma_locale_run(clean) && made;
}

/* True where numbers now print with a comma; false: the test has to skip, with this reason. */
static inline bool comma_locale_set(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
					     "de_AT.UTF-8" };
	bool set = false;
	for (size_t i = 0; !set && i < sizeof names / sizeof *names; i++)
		set = setlocale(LC_ALL, names[i]) != NULL;
	if (!set && !comma_locale_make()) {
		printf("no locale with a decimal comma, and localedef cannot make one\n");
		return false;
	}
	return strcmp(localeconv()->decimal_point, ",") == 0;
}
#endif
