#include "baselines/git_answer.h"

#include "baselines/git_program.h"
#include "gate/core/descriptor.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ERRORS_SIZE 16384

static void buffer_drop(struct bg_buffer *buffer)
{
	bg_buffer_release(buffer);
}

enum bg_status bg_git_ask(struct bg_git_answer *ret, const char *dir, const char *const *args,
			  struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(bg_descriptor_drop) int errors = memfd_create("git", MFD_CLOEXEC);
	BG_AUTO(buffer_drop) struct bg_buffer output;
	bg_buffer_init(&output, BG_GIT_ANSWER_MAX);
	if (errors < 0)
		return bg_fail(err, BG_E_SYSTEM, "cannot make a file in memory: %s",
			       strerror(errno));
	struct bg_git_command command = {
		.dir = dir, .args = args, .log_fd = -1, .error_fd = errors
	};
	int exit_status = 0;
	enum bg_status status = bg_git_run(&exit_status, &output, &command, err);
	if (status != BG_OK)
		return status;
	if (output.full)
		return bg_fail(err, BG_E_SYSTEM, "%s: git %s prints more than %zu bytes", dir,
			       args[0], BG_GIT_ANSWER_MAX);
	char *text = bg_arena_alloc(arena, ERRORS_SIZE + 1);
	(void)!pread(errors, text, ERRORS_SIZE, 0);
	size_t size = output.size;
	if (size > 0 && output.bytes[size - 1] == '\n')
		size--;
	*ret = (struct bg_git_answer){
		.exit_status = exit_status,
		.text = bg_arena_bytes(arena, size ? output.bytes : "", size),
		.errors = text,
	};
	return BG_OK;
}
