#include "baselines/fetch.h"

#include "baselines/git_program.h"
#include "baselines/refusal.h"
#include "gate/core/clock.h"
#include "gate/core/descriptor.h"
#include "gate/core/file.h"
#include "gate/core/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#define OUTPUT_SIZE_MAX ((size_t)1 << 20)
#define LOCK_WAIT_S 600
#define LOCK_NAP_NS 50000000
/* A reference is locked for milliseconds; a lock of a process that was killed stays. */
#define STALE_LOCK_S 10

enum bg_status bg_store_lock(struct bg_store_lock *ret, const struct bg_repository *repository,
			     struct bg_arena *arena, struct bg_error *err)
{
	const char *folder = bg_arena_format(arena, "%s/batchgate", repository->common_dir);
	const char *path = bg_arena_format(arena, "%s/push.lock", folder);
	if (bg_dir_make(folder, err) != BG_OK)
		return err->status;
	BG_AUTO(bg_descriptor_drop) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot open: %s", path, strerror(errno));
	uint64_t start_ns = bg_clock_ns();
	while (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		struct timespec nap = { 0, LOCK_NAP_NS };
		(void)ppoll(NULL, 0, &nap, bg_interrupt_mask());
		if (bg_interrupt_pending())
			return bg_fail(err, BG_E_INTERRUPTED, "interrupted");
		if (bg_clock_ns() - start_ns > LOCK_WAIT_S * BG_NS_PER_S)
			return bg_fail(err, BG_E_SYSTEM,
				       "%s: another batchgate has held it for %d minutes", path,
				       LOCK_WAIT_S / 60);
	}
	/* Where a file system has no locks, the remote's answers still keep records apart. */
	ret->fd = bg_descriptor_take(&fd);
	return BG_OK;
}

void bg_store_unlock(struct bg_store_lock *lock)
{
	bg_descriptor_drop(&lock->fd);
}

static void remove_stale_lock(const struct bg_fetch *fetch, const char *mirror,
			      struct bg_arena *arena)
{
	const char *path =
		bg_arena_format(arena, "%s/%s.lock", fetch->repository->common_dir, mirror);
	struct stat info;
	if (lstat(path, &info) == 0 && info.st_mtime + STALE_LOCK_S < time(NULL))
		(void)unlink(path);
}

static enum bg_status run_git(int *exit_status, struct bg_buffer *output,
			      const struct bg_fetch *fetch, const char *const *args,
			      struct bg_error *err)
{
	struct bg_git_command command = { .dir = fetch->repository->root,
					  .args = args,
					  .log_fd = -1,
					  .env = fetch->remote->env,
					  .timeout_s = BG_REMOTE_TIMEOUT_S };
	bg_buffer_clear(output);
	return bg_git_run(exit_status, output, &command, err);
}

/*
 * Exit status 2 of ls-remote is its word for "no such reference"; its pattern also meets names that
 * only end in ours.
 */
static enum bg_status ask_remote(bool *ret_there, const struct bg_fetch *fetch,
				 const char *reference, struct bg_arena *arena,
				 struct bg_error *err)
{
	const char *const args[] = { "ls-remote",	  "--exit-code", "--",
				     fetch->remote->name, reference,	 NULL };
	BG_AUTO(bg_buffer_release) struct bg_buffer output;
	int exit_status = 0;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	if (run_git(&exit_status, &output, fetch, args, err) != BG_OK)
		return err->status;
	if (exit_status != 0 && exit_status != 2)
		return bg_fail(err, BG_E_SYSTEM, "cannot reach remote '%s': %s",
			       fetch->remote->name, bg_git_reason(output.bytes, arena));
	const char *line = bg_arena_format(arena, "\t%s\n", reference);
	*ret_there = exit_status == 0 && output.bytes && strstr(output.bytes, line);
	return BG_OK;
}

/* What the remote no longer has, the mirror must not show. */
static enum bg_status forget_mirror(const struct bg_fetch *fetch, const char *mirror,
				    struct bg_arena *arena, struct bg_error *err)
{
	const char *const args[] = { "update-ref", "-d", mirror, NULL };
	BG_AUTO(bg_buffer_release) struct bg_buffer output;
	int exit_status = 0;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	if (run_git(&exit_status, &output, fetch, args, err) != BG_OK)
		return err->status;
	if (exit_status != 0)
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot remove: %s", mirror,
			       bg_git_reason(output.bytes, arena));
	return BG_OK;
}

enum bg_status bg_fetch_run(bool *ret_there, const struct bg_fetch *fetch, struct bg_arena *arena,
			    struct bg_error *err)
{
	struct bg_remote_refs refs =
		bg_remote_refs_of(fetch->remote->name, fetch->runner_class, arena);
	bool all = strcmp(fetch->runner_class, "*") == 0, there = true;
	const char *const args[] = {
		"fetch",
		"--quiet",
		"--no-tags",
		"--no-write-fetch-head",
		"--no-recurse-submodules",
		/* A partial clone would leave the notes' contents at the remote. */
		"--no-filter",
		/* The user's own refspecs are not ours to follow. */
		"--refmap=",
		/* With the pattern, mirrors of references that have gone go too. */
		all ? "--prune" : "--no-prune",
		"--",
		fetch->remote->name,
		bg_arena_format(arena, "+%s:%s", refs.remote, refs.mirror),
		NULL,
	};
	BG_AUTO(bg_buffer_release) struct bg_buffer output;
	int exit_status = 0;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	remove_stale_lock(fetch, refs.mirror, arena);
	if (run_git(&exit_status, &output, fetch, args, err) != BG_OK)
		return err->status;
	if (exit_status != 0 &&
	    (all || ask_remote(&there, fetch, refs.remote, arena, err) != BG_OK || there))
		return err->status != BG_OK
			       ? err->status
			       : bg_fail(err, BG_E_SYSTEM, "cannot fetch '%s' from '%s': %s",
					 refs.remote, fetch->remote->name,
					 bg_git_reason(output.bytes, arena));
	if (!there && forget_mirror(fetch, refs.mirror, arena, err) != BG_OK)
		return err->status;
	*ret_there = there;
	return BG_OK;
}
