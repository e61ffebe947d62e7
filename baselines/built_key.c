#include "baselines/built_key.h"

#include "baselines/listing.h"
#include "gate/core/file.h"
#include "gate/core/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define TREE_SIZE_MAX (UINT64_C(2) << 30)
#define TREE_COUNT_MAX UINT64_C(200000)
#define SMALL_FILE_MAX ((size_t)1 << 20)
#define VERSION_LIMIT_S 10.
#define FORMAT "batchgate built arm 1"

static void add_text(struct bg_buffer *key, const char *what, const char *text)
{
	bg_buffer_format(key, "%s %zu %s\n", what, strlen(text), text);
}

/* What tells one job, shell or window from the next: no build is another for it. */
static bool is_passing(const char *variable)
{
	static const char *const prefixes[] = { "GITHUB_",
						"RUNNER_",
						"CI_",
						"GITLAB_",
						"BUILDKITE_",
						"BUILD_",
						"JENKINS_",
						"CIRCLE_",
						"TRAVIS_",
						"SYSTEM_",
						"AGENT_",
						"SLURM_",
						"TMUX",
						"TERM",
						"COLORTERM=",
						"COLUMNS=",
						"LINES=",
						"SHLVL=",
						"WINDOWID=",
						"DISPLAY=",
						"XDG_SESSION",
						"XDG_RUNTIME_DIR=",
						"DBUS_SESSION_",
						"SSH_",
						"INVOCATION_ID=",
						"JOURNAL_STREAM=",
						"LS_COLORS=",
						"STY=",
						"VSCODE_",
						"SUDO_",
						"MAIL=",
						"GPG_TTY=" };
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* A text with the tree's own path, which differs from run to run, left out. */
static void add_without(struct bg_buffer *key, const char *text, const char *path)
{
	size_t size = strlen(path);
	for (const char *at; (at = strstr(text, path)) != NULL; text = at + size)
		bg_buffer_format(key, "%.*s<tree>", (int)(at - text), text);
	bg_buffer_format(key, "%s\n", text);
}

static void add_environment(struct bg_buffer *key, const struct bg_built_input *input)
{
	for (const char *const *v = input->environment; *v; v++)
		if (!is_passing(*v))
			add_without(key, *v, input->tree);
}

static void add_file(struct bg_buffer *key, const char *path, struct bg_arena *arena)
{
	struct bg_error ignored = BG_ERROR_INIT;
	char *text;
	size_t size;
	if (bg_file_read(&text, &size, path, SMALL_FILE_MAX, arena, &ignored) == BG_OK)
		add_text(key, path, text);
}

static void add_stamp(struct bg_buffer *key, const char *path)
{
	struct stat info;
	if (stat(path, &info) == 0)
		bg_buffer_format(key, "%s %lld %lld.%09ld\n", path, (long long)info.st_size,
				 (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/* Of the first processor; a home folder may be shared by machines that differ. */
static void add_processor(struct bg_buffer *key)
{
	char line[8192];
	FILE *info = fopen("/proc/cpuinfo", "re");
	while (info && fgets(line, sizeof line, info) && line[0] != '\n')
		if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0 ||
		    strncmp(line, "model name", 10) == 0)
			bg_buffer_text(key, line);
	if (info)
		fclose(info);
}

static const char *value_of(const struct bg_built_input *input, const char *name)
{
	size_t size = strlen(name);
	for (const char *const *v = input->environment; *v; v++)
		if (strncmp(*v, name, size) == 0 && (*v)[size] == '=')
			return *v + size + 1;
	return "";
}

/* Compilers that are on the way, by size and time: cheaper than to ask each for its version. */
static void add_tools(struct bg_buffer *key, const struct bg_built_input *input,
		      struct bg_arena *arena)
{
	static const char *const tools[] = { "cc",   "c++",   "gcc",	 "g++",	  "clang", "ld",
					     "make", "cmake", "ninja",	 "rustc", "cargo", "go",
					     "nvcc", "node",  "python3", "javac" };
	for (const char *at = value_of(input, "PATH"); *at;) {
		size_t size = strcspn(at, ":");
		for (size_t i = 0; i < sizeof tools / sizeof *tools && size > 0; i++)
			add_stamp(key, bg_arena_format(arena, "%.*s/%s", (int)size, at, tools[i]));
		at += size + (at[size] == ':');
	}
}

static enum bg_status add_compiler(struct bg_buffer *key, const struct bg_built_input *input,
				   struct bg_error *err)
{
	static const char *const words[] = { "cc", "--version", NULL };
	struct bg_command command = { .argv = words,
				      .envp = input->environment,
				      .dir = "/",
				      .timeout_s = VERSION_LIMIT_S,
				      .log_fd = -1 };
	struct bg_buffer output;
	int exit_status = 0;
	bg_buffer_init(&output, 65536);
	enum bg_status status = bg_command_run(&exit_status, &output, &command, err);
	if (status == BG_E_SYSTEM) { /* a machine without a C compiler builds something else */
		bg_error_clear(err);
		status = BG_OK;
	}
	add_text(key, "cc", output.bytes ? output.bytes : "");
	bg_buffer_release(&output);
	return status;
}

static enum bg_status add_machine(struct bg_buffer *key, const struct bg_built_input *input,
				  struct bg_arena *arena, struct bg_error *err)
{
	struct utsname machine;
	if (uname(&machine) == 0)
		add_text(key, "machine", machine.machine);
	add_processor(key);
	add_file(key, "/etc/os-release", arena);
	add_stamp(key, "/var/lib/dpkg/status");
	add_stamp(key, "/var/lib/rpm/rpmdb.sqlite");
	add_stamp(key, "/var/lib/pacman/local");
	add_stamp(key, "/lib/apk/db/installed");
	add_tools(key, input, arena);
	return add_compiler(key, input, err);
}

static enum bg_status add_files(struct bg_buffer *key, const struct bg_built_input *input,
				struct bg_arena *arena, struct bg_error *err)
{
	struct bg_listing tree = { .contents = true,
				   .count_left = TREE_COUNT_MAX,
				   .size_left = TREE_SIZE_MAX };
	if (bg_listing_add(key, &tree, input->tree, err) != BG_OK)
		return err->status;
	/* Python writes there when it only reads. */
	struct bg_listing linked = { .times = true,
				     .passed_over = "__pycache__",
				     .count_left = TREE_COUNT_MAX,
				     .size_left = UINT64_MAX };
	for (size_t i = 0; i < input->linked_count; i++) {
		char *path;
		add_text(key, "linked", input->linked[i]);
		if (bg_path_absolute(&path, input->linked[i], arena, err) != BG_OK ||
		    bg_listing_add(key, &linked, path, err) != BG_OK)
			return err->status;
	}
	return BG_OK;
}

enum bg_status bg_built_key(char ret[BG_SHA256_TEXT_SIZE], const struct bg_built_input *input,
			    struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer key;
	struct bg_sha256 sha;
	bg_buffer_init(&key, BG_LISTING_SIZE_MAX);
	bg_buffer_text(&key, FORMAT "\n");
	for (const char *const *word = input->command; *word; word++)
		add_text(&key, "word", *word);
	add_environment(&key, input);
	enum bg_status status = add_machine(&key, input, arena, err);
	if (status == BG_OK)
		status = add_files(&key, input, arena, err);
	if (status != BG_OK)
		return status;
	bg_sha256_init(&sha);
	bg_sha256_add(&sha, key.bytes, key.size);
	bg_sha256_text(ret, &sha);
	return BG_OK;
}
