#include "gate/cli/github_files.h"

#include "gate/core/descriptor.h"
#include "gate/core/file.h"
#include "reporters/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUTS_SIZE_MAX ((size_t)1 << 16)
#define WORD_BYTES 16
#define WORD_SIZE (sizeof "bg_" + (size_t)2 * WORD_BYTES)
#define SUMMARY_SIZE_MIN 16384 /* below it, next to nothing of a report fits */

static enum bg_status fail(struct bg_error *err, const char *name, const char *path)
{
	return bg_fail(err, BG_E_SYSTEM, "%s: %s: cannot write: %s", name, path, strerror(errno));
}

/* Opens the file that a variable names; -1 and BG_OK where it names none. */
static enum bg_status open_named(int *ret, const char *name, struct bg_error *err)
{
	const char *path = getenv(name);
	struct stat info;
	*ret = -1;
	if (!path || !*path)
		return BG_OK;
	int fd =
		open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
	if (fd < 0)
		return fail(err, name, path);
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
		*ret = fd;
		return BG_OK;
	}
	close(fd);
	return bg_fail(err, BG_E_SYSTEM, "%s: %s: is no regular file", name, path);
}

/* One write, so that what is there after a failure is not half a report if it can be helped. */
static enum bg_status append(int fd, const struct bg_buffer *text, const char *name,
			     struct bg_error *err)
{
	size_t done = 0;
	while (done < text->size) {
		ssize_t count = write(fd, text->bytes + done, text->size - done);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return fail(err, name, getenv(name));
		done += (size_t)count;
	}
	return BG_OK;
}

/* Size of the file so far, and whether its last line was left open. */
static size_t size_so_far(int fd, bool *is_open)
{
	struct stat info;
	char last = '\n';
	if (fstat(fd, &info) != 0 || info.st_size <= 0)
		info.st_size = 0;
	else if (pread(fd, &last, 1, info.st_size - 1) != 1)
		last = '\0';
	*is_open = last != '\n';
	return (size_t)info.st_size;
}

static enum bg_status random_word(char word[WORD_SIZE], struct bg_error *err)
{
	unsigned char bytes[WORD_BYTES];
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return bg_fail(err, BG_E_SYSTEM, "GITHUB_OUTPUT: no random numbers: %s",
			       strerror(errno));
	memcpy(word, "bg_", 4);
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(word + 3 + 2 * i, 3, "%02x", bytes[i]);
	return BG_OK;
}

static enum bg_status add_output(struct bg_buffer *out, const char *name, const char *value,
				 struct bg_error *err)
{
	char word[WORD_SIZE];
	do {
		if (random_word(word, err) != BG_OK)
			return err->status;
	} while (strstr(value, word));
	bg_buffer_format(out, "%s<<%s\n", name, word);
	bg_buffer_text(out, value);
	bg_buffer_format(out, "\n%s\n", word);
	return BG_OK;
}

static const char *absolute(const char *path, struct bg_arena *arena)
{
	struct bg_error ignored = BG_ERROR_INIT;
	char *whole;
	if (!path)
		return "";
	return bg_path_absolute(&whole, path, arena, &ignored) == BG_OK ? whole : path;
}

static enum bg_status write_outputs(const struct bg_github_files *files, struct bg_arena *arena,
				    struct bg_error *err)
{
	const struct bg_report *report = files->view->report;
	const int exit_code = files->view->exit_code;
	const struct {
		const char *name, *value;
	} outputs[] = {
		{ "verdict", bg_summary_verdict(exit_code) },
		{ "exit_code", bg_arena_format(arena, "%d", exit_code) },
		{ "judged", bg_arena_format(arena, "%zu", report->judged) },
		{ "not_judged", bg_arena_format(arena, "%zu", report->not_judged) },
		{ "report_json", absolute(files->json, arena) },
		{ "report_junit", absolute(files->junit, arena) },
	};
	BG_AUTO(bg_descriptor_drop) int fd = -1;
	BG_AUTO(bg_buffer_release) struct bg_buffer text;
	bg_buffer_init(&text, OUTPUTS_SIZE_MAX);
	if (open_named(&fd, "GITHUB_OUTPUT", err) != BG_OK || fd < 0)
		return err->status;
	bool is_open;
	size_so_far(fd, &is_open);
	bg_buffer_text(&text, is_open ? "\n" : "");
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		if (add_output(&text, outputs[i].name, outputs[i].value, err) != BG_OK)
			return err->status;
	if (text.full)
		return bg_fail(err, BG_E_SYSTEM,
			       "GITHUB_OUTPUT: the paths of reports are too long");
	return append(fd, &text, "GITHUB_OUTPUT", err);
}

static enum bg_status write_summary(const struct bg_github_files *files, struct bg_error *err)
{
	const struct bg_reporter *markdown = bg_reporter_find("markdown");
	struct bg_report_view view = *files->view;
	BG_AUTO(bg_descriptor_drop) int fd = -1;
	BG_AUTO(bg_buffer_release) struct bg_buffer text;
	bg_buffer_init(&text, BG_GITHUB_SUMMARY_MAX);
	if (open_named(&fd, "GITHUB_STEP_SUMMARY", err) != BG_OK || fd < 0)
		return err->status;
	bool is_open;
	size_t used = size_so_far(fd, &is_open);
	if (used + SUMMARY_SIZE_MIN > BG_GITHUB_SUMMARY_MAX) {
		fprintf(stderr,
			"batchgate: no summary: the step's own text left no room below 1 MiB\n");
		return BG_OK;
	}
	/* An HTML comment begins a block of its own only after a blank line. */
	bg_buffer_text(&text, is_open ? "\n\n" : used > 0 ? "\n" : "");
	size_t room = BG_GITHUB_SUMMARY_MAX - used - text.size, usual = BG_MARKDOWN_SIZE_MAX;
	view.size_max = room < usual ? room : usual;
	BG_AUTO(bg_buffer_release) struct bg_buffer page;
	bg_buffer_init(&page, view.size_max);
	if (markdown->write(&page, &view, err) != BG_OK)
		return bg_within(err, "GITHUB_STEP_SUMMARY");
	bg_buffer_add(&text, page.bytes, page.size);
	return append(fd, &text, "GITHUB_STEP_SUMMARY", err);
}

enum bg_status bg_github_files_write(const struct bg_github_files *files, struct bg_arena *arena,
				     struct bg_error *err)
{
	struct bg_error second = BG_ERROR_INIT;
	if (write_outputs(files, arena, err) != BG_OK) {
		/* The first failure is told; the summary may still be of use. */
		if (write_summary(files, &second) != BG_OK)
			bg_error_clear(&second);
		return err->status;
	}
	return write_summary(files, err);
}
