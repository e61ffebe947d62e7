#include "gate/cli/output.h"

#include "gate/cli/gate_options.h"
#include "gate/cli/github_files.h"
#include "gate/core/file.h"
#include "gate/core/text.h"
#include "reporters/reporter.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Enough for 100,000 cells in the longest format, and an end to what a fault could print. */
#define REPORT_SIZE_MAX ((size_t)1 << 30)

/* One report and its place; file NULL is stdout. */
struct place {
	const struct bg_reporter *reporter;
	const char *file;
};

struct places {
	size_t count, capacity;
	struct place *items;
	struct bg_arena *arena;
};

static enum bg_status find_reporter(struct place *ret, const char *name, struct bg_arena *arena,
				    struct bg_error *err)
{
	ret->reporter = bg_reporter_find(name);
	if (ret->reporter)
		return BG_OK;
	const char **names = bg_arena_array(arena, bg_reporter_count, sizeof *names), *all = "";
	for (size_t i = 0; i < bg_reporter_count; i++) {
		names[i] = bg_reporters[i]->name;
		all = bg_arena_format(arena, "%s%s%s", all, i > 0 ? ", " : "", names[i]);
	}
	const char *nearest = bg_text_nearest(name, names, bg_reporter_count);
	if (nearest)
		return bg_fail(err, BG_E_USAGE, "--report: unknown format '%s': did you mean '%s'?",
			       name, nearest);
	return bg_fail(err, BG_E_USAGE, "--report: unknown format '%s': there are %s", name, all);
}

static bool is_same_place(const struct place *a, const struct place *b)
{
	return (!a->file && !b->file) || (a->file && b->file && strcmp(a->file, b->file) == 0);
}

static bool is_text(const struct place *place)
{
	return strcmp(place->reporter->name, "text") == 0;
}

/* Standard output holds the text and what may follow it. */
static bool may_share(const struct place *a, const struct place *b)
{
	return !a->file && !b->file &&
	       ((a->reporter->follows_text && is_text(b)) ||
		(b->reporter->follows_text && is_text(a)));
}

static enum bg_status add_place(struct places *places, struct place place, struct bg_error *err)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct place *other = &places->items[i];
		if (!is_same_place(other, &place) || may_share(other, &place))
			continue;
		if (place.file && other->reporter == place.reporter)
			return BG_OK;
		return bg_fail(err, BG_E_USAGE,
			       "--report: both %s and %s go to %s: give one a file of its own",
			       other->reporter->name, place.reporter->name,
			       place.file ? place.file : "standard output");
	}
	places->items = bg_arena_grow(places->arena, places->items, places->count,
				      &places->capacity, sizeof *places->items);
	places->items[places->count++] = place;
	return BG_OK;
}

/* "text", "junit=FILE"; FILE "-" is stdout. */
static enum bg_status parse_place(struct place *ret, const char *text, struct bg_arena *arena,
				  struct bg_error *err)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);
	ret->file = equals && strcmp(equals, "=-") != 0 ? equals + 1 : NULL;
	if (ret->file && !*ret->file)
		return bg_fail(err, BG_E_USAGE, "--report: '%s' names no file", text);
	return find_reporter(ret, bg_arena_bytes(arena, text, length), arena, err);
}

static enum bg_status parse_places(struct places *places, const struct bg_texts *reports,
				   struct bg_error *err)
{
	bool has_stdout = false;
	for (size_t i = 0; i < reports->count; i++) {
		struct place place;
		if (parse_place(&place, reports->values[i], places->arena, err) != BG_OK ||
		    add_place(places, place, err) != BG_OK)
			return err->status;
		has_stdout |= !place.file && !place.reporter->follows_text;
	}
	const struct place text = { bg_reporter_find("text"), NULL };
	return has_stdout ? BG_OK : add_place(places, text, err);
}

/* Something that is there and is no file to be replaced: /dev/stderr, a pipe, a terminal. */
static bool is_stream(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static enum bg_status check_file(const char *path, struct bg_arena *arena, struct bg_error *err)
{
	struct stat info;
	char *folder = bg_arena_text(arena, path), *slash = strrchr(folder, '/');
	if (is_stream(path))
		return BG_OK;
	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return bg_fail(err, BG_E_SYSTEM, "--report: %s: is a folder", path);
	if (slash)
		slash[slash == folder ? 1 : 0] = '\0';
	if (slash && bg_dir_make(folder, err) != BG_OK)
		return bg_within(err, "--report");
	if (access(slash ? folder : ".", W_OK | X_OK) != 0 ||
	    (unlink(path) != 0 && errno != ENOENT))
		return bg_fail(err, BG_E_SYSTEM, "--report: %s: cannot write: %s", path,
			       strerror(errno));
	return BG_OK;
}

enum bg_status bg_output_check(const struct bg_texts *reports, struct bg_error *err)
{
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct places places = { .arena = &arena };
	enum bg_status status = parse_places(&places, reports, err);
	for (size_t i = 0; i < places.count && status == BG_OK; i++)
		if (places.items[i].file)
			status = check_file(places.items[i].file, &arena, err);
	return status;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	return value && *value;
}

static bool is_forced(const char *name)
{
	const char *value = getenv(name);
	return value && *value && strcmp(value, "0") != 0;
}

bool bg_output_is_colored(unsigned choice, bool is_terminal)
{
	const char *terminal = getenv("TERM");
	if (choice != BG_COLOR_AUTO)
		return choice == BG_COLOR_ALWAYS;
	if (is_set("NO_COLOR"))
		return false;
	if (is_forced("FORCE_COLOR") || is_forced("CLICOLOR_FORCE"))
		return true;
	return is_terminal && !(terminal && strcmp(terminal, "dumb") == 0);
}

/* Columns of the terminal on stdout; 0 where it is none. */
static unsigned terminal_width(void)
{
	struct winsize size;
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		return size.ws_col;
	return 0;
}

static struct bg_report_view view_of(const struct bg_output *output, bool on_stdout)
{
	bool is_terminal = on_stdout && isatty(STDOUT_FILENO);
	return (struct bg_report_view){
		.report = output->report,
		.color = on_stdout && bg_output_is_colored(output->color, is_terminal),
		.strict_junit = output->dialect == BG_JUNIT_STRICT,
		.width = on_stdout ? terminal_width() : 0,
		.command = output->report->result->command,
		.exit_code = output->fault ? output->exit_code : output->report->exit_code,
		.fault = output->fault,
	};
}

static enum bg_status write_stream(const char *path, const struct bg_buffer *text,
				   struct bg_error *err)
{
	FILE *file = fopen(path, "we");
	bool failed = !file || fwrite(text->bytes, 1, text->size, file) != text->size;
	int reason = errno;
	if (file && fclose(file) != 0 && !failed) {
		failed = true;
		reason = errno;
	}
	return failed ? bg_fail(err, BG_E_SYSTEM, "%s: cannot write: %s", path, strerror(reason))
		      : BG_OK;
}

/* A link is followed: what it points to gets replaced, not the link. */
static enum bg_status write_file(const char *path, const struct bg_buffer *text,
				 struct bg_error *err)
{
	char resolved[PATH_MAX];
	if (is_stream(path))
		return write_stream(path, text, err);
	return bg_file_replace(realpath(path, resolved) ? resolved : path, text->bytes, text->size,
			       err);
}

/* "report.junit.2.xml" for the second document of report.junit.xml. */
static const char *part_file(const char *file, size_t part, struct bg_arena *arena)
{
	const char *name = strrchr(file, '/'), *dot = strrchr(name ? name : file, '.');
	if (part == 1)
		return file;
	if (!dot)
		dot = file + strlen(file);
	return bg_arena_format(arena, "%.*s.%zu%s", (int)(dot - file), file, part, dot);
}

static enum bg_status write_document(const struct place *place, const struct bg_report_view *view,
				     struct bg_error *err)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer text;
	bg_buffer_init(&text, REPORT_SIZE_MAX);
	if (place->reporter->write(&text, view, err) != BG_OK)
		return bg_within(err, "--report %s", place->reporter->name);
	bg_buffer_text(&text, ""); /* annotations may be none: bytes is no longer NULL */
	if (place->file)
		return write_file(place->file, &text, err);
	fwrite(text.bytes, 1, text.size, stdout);
	return BG_OK;
}

/* Parts that an earlier, larger report left would be read as this one's. */
static enum bg_status remove_parts(const char *file, size_t part, struct bg_arena *arena,
				   struct bg_error *err)
{
	const char *stale = part_file(file, part, arena);
	for (; access(stale, F_OK) == 0; stale = part_file(file, ++part, arena))
		if (unlink(stale) != 0)
			return bg_fail(err, BG_E_SYSTEM, "%s: cannot remove the old file: %s",
				       stale, strerror(errno));
	return BG_OK;
}

/* Several documents where one would pass what its readers take; a stream always gets one. */
static enum bg_status write_place(const struct bg_output *output, const struct place *place,
				  struct bg_arena *arena, struct bg_error *err)
{
	struct bg_report_view view = view_of(output, !place->file);
	size_t count = output->report->cell_count, most = place->reporter->cells_max;
	if (!place->file || most == 0 || is_stream(place->file))
		return write_document(place, &view, err);
	size_t part = 1;
	view.cell_max = most;
	do {
		struct place of = { place->reporter, part_file(place->file, part++, arena) };
		if (write_document(&of, &view, err) != BG_OK)
			return err->status;
		view.cell_first += most;
	} while (view.cell_first < count);
	return remove_parts(place->file, part, arena, err);
}

static enum bg_status add_folder(struct places *places, const char *out, struct bg_error *err)
{
	static const struct {
		const char *format, *file;
	} always[] = { { "json", "report.json" }, { "junit", "report.junit.xml" } };
	if (bg_dir_make(out, err) != BG_OK)
		return bg_within(err, "--out");
	for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
		struct place place = { bg_reporter_find(always[i].format),
				       bg_arena_format(places->arena, "%s/%s", out,
						       always[i].file) };
		if (add_place(places, place, err) != BG_OK)
			return err->status;
	}
	return BG_OK;
}

/* Where a report of this format went; NULL: into no file. */
static const char *file_of(const struct places *places, const char *format)
{
	for (size_t i = 0; i < places->count; i++)
		if (strcmp(places->items[i].reporter->name, format) == 0 && places->items[i].file)
			return places->items[i].file;
	return NULL;
}

/* Asked for GitHub's annotations, a run also fills the files that GitHub gave it. */
static enum bg_status write_github_files(const struct bg_output *output,
					 const struct places *places, struct bg_error *err)
{
	const struct bg_report_view view = view_of(output, false);
	const struct bg_github_files files = { .view = &view,
					       .json = file_of(places, "json"),
					       .junit = file_of(places, "junit") };
	for (size_t i = 0; i < places->count; i++)
		if (strcmp(places->items[i].reporter->name, "github") == 0)
			return bg_github_files_write(&files, places->arena, err);
	return BG_OK;
}

/* One after the other; the first fault is kept. */
static void write_places(const struct bg_output *output, const struct places *places,
			 bool follows_text, struct bg_error *err)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->items[i];
		struct bg_error fault = BG_ERROR_INIT;
		if (place->reporter->follows_text != follows_text ||
		    (output->files_only && !place->file && !follows_text))
			continue;
		if (write_place(output, place, places->arena, &fault) != BG_OK &&
		    err->status == BG_OK)
			*err = fault;
	}
}

enum bg_status bg_output_write(const struct bg_output *output, struct bg_arena *arena,
			       struct bg_error *err)
{
	struct places places = { .arena = arena };
	if (parse_places(&places, output->reports, err) != BG_OK ||
	    (output->out && add_folder(&places, output->out, err) != BG_OK))
		return err->status;
	write_places(output, &places, false, err);
	write_places(output, &places, true, err);
	struct bg_error fault = BG_ERROR_INIT;
	if (write_github_files(output, &places, &fault) != BG_OK && err->status == BG_OK)
		*err = fault;
	return err->status;
}
