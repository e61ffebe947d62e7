#include "baselines/deepen.h"

#include "baselines/git_answer.h"
#include "baselines/git_program.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FETCH_LIMIT_S 300.
#define OUTPUT_SIZE_MAX 65536
#define IDS_MAX 4
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void buffer_drop(struct bg_buffer *buffer)
{
	bg_buffer_release(buffer);
}

static enum bg_status ask(struct bg_git_answer *ret, const struct bg_deepen *deepen,
			  const char *const *args, struct bg_arena *arena, struct bg_error *err)
{
	return bg_git_ask(ret, deepen->repository->root, args, arena, err);
}

enum bg_status bg_deepen_init(struct bg_deepen *ret, struct bg_repository *repository, bool allowed,
			      struct bg_arena *arena, struct bg_error *err)
{
	static const char *const args[] = { "remote", NULL };
	struct bg_git_answer remotes;
	*ret = (struct bg_deepen){ .repository = repository, .allowed = allowed };
	enum bg_status status = ask(&remotes, ret, args, arena, err);
	if (status != BG_OK || remotes.exit_status != 0)
		return status;
	const char *text = remotes.text;
	if (*text && !strchr(text, '\n'))
		ret->remote = text;
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (strcspn(text, "\n") == 6 && strncmp(text, "origin", 6) == 0)
			ret->remote = "origin";
	return BG_OK;
}

/* ssh asks for passwords on the terminal, past every redirection, unless it is told not to. */
static enum bg_status ssh_setting(const char **ret, const struct bg_deepen *deepen,
				  struct bg_arena *arena, struct bg_error *err)
{
	static const char *const args[] = { "config", "--get", "core.sshCommand", NULL };
	struct bg_git_answer set;
	enum bg_status status = ask(&set, deepen, args, arena, err);
	if (status == BG_OK)
		*ret = *set.text || getenv("GIT_SSH") ? "core.askPass="
						      : "core.sshCommand=ssh -o BatchMode=yes";
	return status;
}

/*
 * Runs git with a limit, in the network; *output gets both streams. A failure other than an
 * interruption is told in deepen->fault.
 */
static enum bg_status run(bool *done, struct bg_deepen *deepen, const char *const *words,
			  struct bg_buffer *output, struct bg_arena *arena, struct bg_error *err)
{
	const char *args[BG_GIT_ARGS_MAX + 1] = { "-c" };
	size_t used = 2;
	enum bg_status status = ssh_setting(&args[1], deepen, arena, err);
	if (status != BG_OK)
		return status;
	for (size_t i = 0; words[i]; i++)
		args[used++] = words[i];
	struct bg_git_command command = { .dir = deepen->repository->root,
					  .args = args,
					  .timeout_s = FETCH_LIMIT_S,
					  .log_fd = -1 };
	int exit_status = 0;
	status = bg_git_run(&exit_status, output, &command, err);
	*done = status == BG_OK && exit_status == 0;
	if (status == BG_E_SYSTEM) {
		deepen->fault = bg_arena_text(arena, err->text);
		bg_error_clear(err);
		return BG_OK;
	}
	if (status == BG_OK)
		deepen->fault = *done ? NULL
				      : bg_arena_format(arena, "git %s: %s", words[0],
							bg_git_reason(output->bytes, arena));
	return status;
}

static enum bg_status see_whether_shallow(struct bg_deepen *deepen, struct bg_arena *arena,
					  struct bg_error *err)
{
	static const char *const args[] = { "rev-parse", "--is-shallow-repository", NULL };
	struct bg_git_answer answer;
	enum bg_status status = ask(&answer, deepen, args, arena, err);
	if (status == BG_OK)
		deepen->repository->shallow = strcmp(answer.text, "true") == 0;
	return status;
}

/* depth: "--depth=1", "--deepen=50", or "--no-recurse-submodules" for a fetch without either. */
static enum bg_status fetch(bool *done, struct bg_deepen *deepen, const char *depth,
			    const char *const *ids, struct bg_arena *arena, struct bg_error *err)
{
	const char *args[6 + IDS_MAX + 1] = {
		"fetch", "--no-tags",	"--no-write-fetch-head", "--no-recurse-submodules",
		depth,	 deepen->remote
	};
	for (size_t i = 0; ids[i]; i++) {
		assert(i < IDS_MAX);
		args[6 + i] = ids[i];
	}
	BG_AUTO(buffer_drop) struct bg_buffer output;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	enum bg_status status = run(done, deepen, args, &output, arena, err);
	if (status != BG_OK)
		return status;
	deepen->fetched = deepen->fetched || *done;
	return see_whether_shallow(deepen, arena, err);
}

static enum bg_status take(bool *got, struct bg_deepen *deepen, const char *depth, const char *id,
			   struct bg_arena *arena, struct bg_error *err)
{
	bool done;
	enum bg_status status =
		fetch(&done, deepen, depth, (const char *const[]){ id, NULL }, arena, err);
	return status == BG_OK ? bg_revision_is_here(got, deepen->repository, id, err) : status;
}

enum bg_status bg_deepen_commit(bool *got, struct bg_deepen *deepen, const char *id,
				struct bg_arena *arena, struct bg_error *err)
{
	enum bg_status status = bg_revision_is_here(got, deepen->repository, id, err);
	if (status != BG_OK || *got || !deepen->allowed || !deepen->remote ||
	    !deepen->repository->shallow)
		return status;
	return take(got, deepen, "--depth=1", id, arena, err);
}

/* The id before the tab; git lists each reference whose name ends in the one that was asked for. */
static const char *listed_id(const char *text, const char *ref, struct bg_arena *arena)
{
	for (const char *line = text; line && *line;) {
		size_t size = strcspn(line, "\n"), id = strspn(line, "0123456789abcdef");
		if (id >= 40 && line[id] == '\t' && size == id + 1 + strlen(ref) &&
		    strncmp(line + id + 1, ref, strlen(ref)) == 0)
			return bg_arena_bytes(arena, line, id);
		line += size + (line[size] == '\n');
	}
	return NULL;
}

enum bg_status bg_deepen_branch(const char **ret_id, struct bg_deepen *deepen, const char *branch,
				struct bg_arena *arena, struct bg_error *err)
{
	const char *ref = bg_arena_format(arena, "refs/heads/%s", branch);
	const char *const check[] = { "check-ref-format", ref, NULL };
	struct bg_git_answer valid;
	bool done, got = false;
	*ret_id = NULL;
	if (!deepen->allowed || !deepen->remote)
		return BG_OK;
	enum bg_status status = ask(&valid, deepen, check, arena, err);
	if (status != BG_OK || valid.exit_status != 0)
		return status;
	const char *const list[] = { "ls-remote", deepen->remote, ref, NULL };
	BG_AUTO(buffer_drop) struct bg_buffer output;
	bg_buffer_init(&output, OUTPUT_SIZE_MAX);
	status = run(&done, deepen, list, &output, arena, err);
	const char *id = status == BG_OK && done ? listed_id(output.bytes, ref, arena) : NULL;
	if (!id)
		return status;
	status = bg_revision_is_here(&got, deepen->repository, id, err);
	if (status == BG_OK && !got)
		status = take(&got, deepen,
			      deepen->repository->shallow ? "--depth=1" : "--no-recurse-submodules",
			      id, arena, err);
	if (status == BG_OK && got)
		*ret_id = id;
	return status;
}

enum bg_status bg_deepen_more(bool *more, struct bg_deepen *deepen, const char *const *ids,
			      struct bg_arena *arena, struct bg_error *err)
{
	char depth[32];
	*more = false;
	if (!deepen->allowed || !deepen->remote || !deepen->repository->shallow ||
	    deepen->commits >= BG_DEEPEN_STEP * BG_DEEPEN_STEPS_MAX)
		return BG_OK;
	snprintf(depth, sizeof depth, "--deepen=%d", BG_DEEPEN_STEP);
	enum bg_status status = fetch(more, deepen, depth, ids, arena, err);
	/* A server need not give what is no branch's tip: then all the clone follows is deepened.
	 */
	if (status == BG_OK && !*more)
		status = fetch(more, deepen, depth, (const char *const[]){ NULL }, arena, err);
	if (status == BG_OK && *more)
		deepen->commits += BG_DEEPEN_STEP;
	return status;
}

const char *bg_deepen_remark(const struct bg_deepen *deepen, struct bg_arena *arena)
{
	if (deepen->commits)
		return bg_arena_format(arena,
				       "git fetch deepened this shallow clone by %u commits from "
				       "%s to find the base (--no-fetch forbids it)",
				       deepen->commits, deepen->remote);
	if (deepen->fetched)
		return bg_arena_format(arena,
				       "git fetch added commits from %s to this clone to find the "
				       "base (--no-fetch forbids it)",
				       deepen->remote);
	return NULL;
}
