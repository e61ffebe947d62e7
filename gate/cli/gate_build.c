#include "baselines/built_cache.h"
#include "baselines/built_key.h"
#include "gate/cli/gate_arms.h"
#include "gate/core/file.h"
#include "gate/core/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

static const char *log_path(const struct bg_gate *gate, size_t arm)
{
	return bg_arena_format(gate->arena, "%s/build-%s.log", gate->options->out,
			       bg_arm_name[arm]);
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
	const char *log = log_path(gate, arm);
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

/* Base's tree as an earlier run built it; true where there was one. */
static enum bg_status take_built(bool *taken, struct bg_gate *gate,
				 const struct bg_built_cache *cache, struct bg_error *err)
{
	static const char said[] = "batchgate: taken from an earlier run that built the same files "
				   "with the same command (--no-cache builds again); its log:\n";
	enum bg_built_taken how = BG_BUILT_ABSENT;
	int log_fd = -1;
	enum bg_status status = bg_gate_log(&log_fd, gate, "build", 0, err);
	*taken = false;
	if (status != BG_OK)
		return status;
	/* Only where there is one is its line wanted: a build of our own empties the log again. */
	(void)!write(log_fd, said, sizeof said - 1);
	status = bg_built_take(&how, cache, gate->trees.base, log_fd, gate->arena, err);
	close(log_fd);
	*taken = how == BG_BUILT_TAKEN;
	if (how == BG_BUILT_DAMAGED)
		bg_gate_remark(gate, "a kept build of base was damaged: it was dropped, and base "
				     "built again");
	return status;
}

/* Why base's build is not kept goes where its build is told of. */
static void tell_not_kept(struct bg_gate *gate, const char *why)
{
	int log_fd = open(log_path(gate, 0), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	const char *line =
		bg_arena_format(gate->arena, "batchgate: not kept for later runs: %s\n", why);
	if (log_fd >= 0) {
		(void)!write(log_fd, line, strlen(line));
		close(log_fd);
	}
	bg_progress_say(gate->progress, "base's build is not kept for later runs: %s", why);
}

static enum bg_status open_cache(struct bg_built_cache *cache, struct bg_gate *gate,
				 struct bg_error *err)
{
	char key[BG_SHA256_TEXT_SIZE];
	const struct bg_arms *arms = &gate->head_suite.arms;
	const char **linked = bg_arena_array(gate->arena, arms->link_count, sizeof *linked);
	for (size_t i = 0; i < arms->link_count; i++)
		linked[i] =
			bg_arena_format(gate->arena, "%s/%s", gate->repository.root, arms->link[i]);
	struct bg_built_input input = { .tree = gate->trees.base,
					.command = arms->build,
					.environment = gate->environment[0],
					.linked_count = arms->link_count,
					.linked = linked };
	enum bg_status status = bg_built_key(key, &input, gate->arena, err);
	return status == BG_OK ? bg_built_open(cache, key, gate->arena, err) : status;
}

static enum bg_status build_base(struct bg_gate *gate, struct bg_error *err)
{
	struct bg_built_cache cache = { .folder = NULL };
	const char *why = NULL;
	bool taken = false;
	if (!gate->head_suite.arms.build || gate->options->no_cache)
		return build_arm(gate, 0, gate->trees.base, err);
	enum bg_status status = open_cache(&cache, gate, err);
	if (status == BG_E_SYSTEM) {
		why = bg_arena_text(gate->arena, err->text);
		bg_error_clear(err);
		status = BG_OK;
	}
	if (status == BG_OK && cache.folder)
		status = take_built(&taken, gate, &cache, err);
	if (status == BG_OK && !taken) {
		status = build_arm(gate, 0, gate->trees.base, err);
		bool built = status == BG_OK && !gate->build_fault[0];
		if (built && cache.folder)
			bg_built_keep(&cache, gate->trees.base, log_path(gate, 0), &why,
				      gate->arena);
		if (built && why)
			tell_not_kept(gate, why);
	}
	bg_built_close(&cache);
	return status;
}

enum bg_status bg_gate_build(struct bg_gate *gate, struct bg_error *err)
{
	enum bg_status status = BG_OK;
	if (gate->comparison == BG_COMPARISON_ARMS)
		status = build_base(gate, err);
	return status == BG_OK ? build_arm(gate, 1, gate->trees.head, err) : status;
}
