#ifndef BG_TESTS_GIT_SCRATCH_H
#define BG_TESTS_GIT_SCRATCH_H
/* A folder of its own for each test, with a home, a cache and repositories that git makes there. */
#include "gate/core/file.h"
#include "gate/core/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/*
 * For LeakSanitizer: libgit2 1.5 loses a match of each regular expression it tries on settings and
 * names, and a reference where a revision cannot be read. A stack may end in the library below it.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libgit2\nleak:libpcre2\n";
}

const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

struct scratch {
	struct bg_arena arena;
	struct bg_error err;
	struct bg_buffer output; /* of the last script */
	char dir[64];
	const char *cache; /* where the trees' folders are */
};

static inline void scratch_variables(const char *dir)
{
	static const char *const gone[] = { "GIT_DIR",		"GIT_WORK_TREE",
					    "GIT_INDEX_FILE",	"GIT_PREFIX",
					    "GIT_CONFIG_COUNT", "TMPDIR",
					    "GIT_COMMON_DIR",	"GIT_CONFIG_NOSYSTEM" };
	static const char *const ident[] = { "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
					     "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL" };
	char path[256];
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		unsetenv(gone[i]);
	for (size_t i = 0; i < sizeof ident / sizeof *ident; i++)
		setenv(ident[i], "tester@example.org", 1);
	snprintf(path, sizeof path, "%s/home", dir);
	(void)mkdir(path, 0777);
	setenv("HOME", path, 1);
	snprintf(path, sizeof path, "%s/cache", dir);
	setenv("XDG_CACHE_HOME", path, 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
	/* What a later git makes by default must not decide what these tests see. */
	setenv("GIT_DEFAULT_HASH", "sha1", 1);
	setenv("GIT_DEFAULT_REF_FORMAT", "files", 1);
}

static inline int scratch_make(void **state)
{
	struct scratch *scratch = calloc(1, sizeof *scratch);
	if (!scratch)
		return -1;
	snprintf(scratch->dir, sizeof scratch->dir, "/tmp/batchgate-git-XXXXXX");
	if (!mkdtemp(scratch->dir))
		return -1;
	(void)umask(022);
	bg_buffer_init(&scratch->output, 1 << 20);
	scratch_variables(scratch->dir);
	scratch->cache = bg_arena_format(&scratch->arena, "%s/cache/batchgate/trees", scratch->dir);
	*state = scratch;
	return 0;
}

static inline int scratch_remove(void **state)
{
	struct scratch *scratch = *state;
	struct bg_error err = BG_ERROR_INIT;
	int failed = bg_tree_remove(scratch->dir, &err) == BG_OK ? 0 : -1;
	bg_buffer_release(&scratch->output);
	bg_arena_release(&scratch->arena);
	free(scratch);
	return failed;
}

/* Runs a shell script in the scratch folder; returns its exit status, -1 where it did not run. */
static inline int scratch_try(struct scratch *scratch, const char *script)
{
	const char *const argv[] = { "sh", "-ec", script, NULL };
	struct bg_command command = { .argv = argv, .dir = scratch->dir, .log_fd = -1 };
	struct bg_error err = BG_ERROR_INIT;
	int exit_status = -1;
	bg_buffer_clear(&scratch->output);
	if (bg_command_run(&exit_status, &scratch->output, &command, &err) != BG_OK)
		return -1;
	return exit_status;
}

/* A script that must succeed; returns what it printed, without the last line's end. */
static inline const char *scratch_run(struct scratch *scratch, const char *script)
{
	int exit_status = scratch_try(scratch, script);
	const char *text = scratch->output.bytes ? scratch->output.bytes : "";
	if (exit_status != 0)
		fail_msg("exit %d: %s\n%s", exit_status, script, text);
	size_t size = strlen(text);
	while (size > 0 && text[size - 1] == '\n')
		size--;
	return bg_arena_bytes(&scratch->arena, text, size);
}

/* A path below the scratch folder. */
static inline const char *scratch_path(struct scratch *scratch, const char *name)
{
	return bg_arena_format(&scratch->arena, "%s/%s", scratch->dir, name);
}

/* "work": a repository of two commits, "one" with file old and "two" with file new besides. */
static inline const char *scratch_repository(struct scratch *scratch)
{
	scratch_run(scratch, "git init -q -b main work; cd work; echo 1 >old; git add .;"
			     "git commit -qm one; echo 2 >new; git add .; git commit -qm two");
	return scratch_path(scratch, "work");
}
#endif
