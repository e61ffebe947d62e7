#include "gate/cli/gate_arms.h"
#include "gate/core/file.h"
#include "gate/core/process.h"

#include <stdio.h>
#include <unistd.h>

#define BUILD_LIMIT_S 3600.

static void last_line(char *text, size_t size, const struct bg_buffer *output)
{
	size_t end = output->size;
	while (end > 0 && (unsigned char)output->bytes[end - 1] <= ' ')
		end--;
	size_t start = end;
	while (start > 0 && output->bytes[start - 1] != '\n')
		start--;
	snprintf(text, size, "%.*s", (int)(end - start > 200 ? 200 : end - start),
		 output->size ? output->bytes + start : "");
}

static enum bg_status build_arm(struct bg_gate *gate, size_t arm, const char *dir,
				struct bg_error *err)
{
	int log_fd = -1;
	enum bg_status status = bg_gate_log(&log_fd, gate, "build", arm, err);
	if (status != BG_OK)
		return status;
	const char *const *build = gate->head_suite.arms.build;
	if (!build) {
		close(log_fd);
		return BG_OK;
	}
	bg_progress_say(gate->progress, "building %s", bg_arm_name[arm]);
	struct bg_command command = { .argv = build,
				      .envp = gate->environment[arm],
				      .dir = dir,
				      .timeout_s = BUILD_LIMIT_S,
				      .log_fd = log_fd };
	int exit_status = 0;
	status = bg_command_run(&exit_status, NULL, &command, err);
	close(log_fd);
	if (status == BG_E_SYSTEM) {
		gate->build_fault[arm] = bg_arena_format(gate->arena, "%s: arms.build: %s",
							 bg_arm_name[arm], err->text);
		bg_error_clear(err);
		return BG_OK;
	}
	if (status != BG_OK || exit_status == 0)
		return status;
	char *log = bg_arena_format(gate->arena, "%s/build-%s.log", gate->options->out,
				    bg_arm_name[arm]);
	char *bytes, line[256] = "";
	size_t size;
	struct bg_error ignored = BG_ERROR_INIT;
	if (bg_file_read(&bytes, &size, log, (size_t)64 << 20, gate->arena, &ignored) == BG_OK)
		last_line(line, sizeof line, &(struct bg_buffer){ .bytes = bytes, .size = size });
	gate->build_fault[arm] =
		bg_arena_format(gate->arena,
				"%s: arms.build ended with exit status %d: %s "
				"(see build-%s.log)",
				bg_arm_name[arm], exit_status, line, bg_arm_name[arm]);
	return BG_OK;
}

enum bg_status bg_gate_build(struct bg_gate *gate, struct bg_error *err)
{
	enum bg_status status = BG_OK;
	if (gate->comparison == BG_COMPARISON_ARMS)
		status = build_arm(gate, 0, gate->trees.base, err);
	return status == BG_OK ? build_arm(gate, 1, gate->trees.head, err) : status;
}
