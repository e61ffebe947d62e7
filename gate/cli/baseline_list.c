/* Records for people: the commits that have some, and those of one commit. */
#include "gate/cli/baseline.h"

#include "baselines/ancestry.h"
#include "reporters/format.h"
#include "reporters/visible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far the order by history reaches. */
#define HISTORY_MAX 10000
#define OUTPUT_SIZE_MAX ((size_t)256 << 20)

struct row {
	const char *commit, *runner_class;
	size_t place; /* in HEAD's first parents; HISTORY_MAX: not there */
	size_t sessions, cells, waiting;
};

struct rows {
	size_t count, capacity;
	struct row *rows;
};

static void add_foreign(struct bg_buffer *out, const char *text)
{
	bg_visible_add(out, text ? text : "", BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
}

/* What cannot serve is never passed over in silence. */
static void tell_faults(const struct bg_note_faults *faults, const char *runner_class)
{
	if (faults->bad > 0)
		fprintf(stderr, "batchgate: class %s: %zu record%s cannot be read: %s\n",
			runner_class, faults->bad, faults->bad == 1 ? "" : "s", faults->first);
	if (faults->other_schema + faults->misplaced + faults->foreign > 0)
		fprintf(stderr,
			"batchgate: class %s: not used: %zu line%s of another version, %zu of "
			"another commit or class, %zu that are no records\n",
			runner_class, faults->other_schema, faults->other_schema == 1 ? "" : "s",
			faults->misplaced, faults->foreign);
}

static void add_faults(struct bg_note_faults *sum, const struct bg_note_faults *more)
{
	sum->bad += more->bad;
	sum->other_schema += more->other_schema;
	sum->misplaced += more->misplaced;
	sum->foreign += more->foreign;
	if (!sum->first)
		sum->first = more->first;
}

static size_t place_of(const struct bg_ancestry *ancestry, const char *commit)
{
	for (size_t i = 0; i < ancestry->count; i++)
		if (strcmp(ancestry->commits[i], commit) == 0)
			return i;
	return HISTORY_MAX;
}

static enum bg_status open_store(struct bg_store *ret, struct bg_baseline *baseline,
				 const char *runner_class)
{
	struct bg_store_name name = { baseline->remote ? baseline->remote->name : NULL,
				      runner_class };
	return bg_store_open(ret, baseline->repository, &name, baseline->arena, baseline->err);
}

static enum bg_status add_row(struct rows *rows, struct row *row, const struct bg_store *store,
			      struct bg_note_faults *faults, struct bg_baseline *baseline)
{
	/* What a note holds is counted and let go: there may be thousands. */
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_store_sessions sessions;
	enum bg_status status = bg_store_read(&sessions, store, row->commit, &arena, baseline->err);
	if (status == BG_OK) {
		struct bg_record joined = { 0 };
		if (sessions.count > 0)
			bg_record_join(&joined, sessions.records, sessions.count, &arena);
		row->sessions = sessions.count;
		row->cells = joined.cell_count;
		for (size_t i = 0; i < sessions.count; i++)
			row->waiting += sessions.waiting[i];
		sessions.faults.first = bg_arena_text(baseline->arena, sessions.faults.first);
		add_faults(faults, &sessions.faults);
		rows->rows = bg_arena_grow(baseline->arena, rows->rows, rows->count,
					   &rows->capacity, sizeof *rows->rows);
		rows->rows[rows->count++] = *row;
	}
	bg_arena_release(&arena);
	return status;
}

static enum bg_status add_class(struct rows *rows, struct bg_baseline *baseline,
				const char *runner_class, const struct bg_ancestry *ancestry)
{
	struct bg_store store;
	struct bg_note_faults faults = { 0 };
	if (open_store(&store, baseline, runner_class) != BG_OK)
		return baseline->err->status;
	for (size_t i = 0; i < store.commit_count; i++) {
		struct row row = { .commit = store.commits[i],
				   .runner_class = runner_class,
				   .place = place_of(ancestry, store.commits[i]) };
		if (add_row(rows, &row, &store, &faults, baseline) != BG_OK)
			return baseline->err->status;
	}
	tell_faults(&faults, runner_class);
	return BG_OK;
}

static int by_place(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	int order = strcmp(x->commit, y->commit);
	return order != 0 ? order : strcmp(x->runner_class, y->runner_class);
}

static void print_rows(const struct rows *rows)
{
	int width = (int)strlen("class");
	for (size_t i = 0; i < rows->count; i++)
		if ((int)strlen(rows->rows[i].runner_class) > width)
			width = (int)strlen(rows->rows[i].runner_class);
	printf("commit        %-*s  sessions  cells  waiting\n", width, "class");
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->rows[i];
		printf("%.12s  %-*s  %8zu  %5zu  %7zu%s\n", row->commit, width, row->runner_class,
		       row->sessions, row->cells, row->waiting,
		       row->place == HISTORY_MAX ? "  not in HEAD's first parents" : "");
	}
}

static void read_history(struct bg_ancestry *ret, struct bg_baseline *baseline)
{
	struct bg_revision head;
	struct bg_error ignored = BG_ERROR_INIT;
	*ret = (struct bg_ancestry){ 0 };
	if (bg_revision_find(&head, baseline->repository, "HEAD", baseline->arena, &ignored) ==
	    BG_OK)
		bg_ancestry_read(ret, baseline->repository, head.commit, HISTORY_MAX,
				 baseline->arena);
}

static enum bg_status find_classes(struct bg_baseline *baseline, const char ***ret,
				   size_t *ret_count)
{
	const char *remote = baseline->remote ? baseline->remote->name : NULL;
	if (!baseline->runner_class)
		return bg_store_classes(ret, ret_count, baseline->repository, remote,
					baseline->arena, baseline->err);
	*ret = bg_arena_alloc(baseline->arena, sizeof **ret);
	(*ret)[0] = baseline->runner_class;
	*ret_count = 1;
	return BG_OK;
}

enum bg_status bg_baseline_list(struct bg_baseline *baseline)
{
	struct bg_ancestry ancestry;
	struct rows rows = { 0 };
	const char **classes;
	size_t count;
	read_history(&ancestry, baseline);
	if (find_classes(baseline, &classes, &count) != BG_OK)
		return baseline->err->status;
	for (size_t i = 0; i < count; i++)
		if (add_class(&rows, baseline, classes[i], &ancestry) != BG_OK)
			return baseline->err->status;
	if (rows.count == 0) {
		printf("no records here: 'batchgate baseline fetch' brings those that are "
		       "published\n");
		return BG_OK;
	}
	qsort(rows.rows, rows.count, sizeof *rows.rows, by_place);
	print_rows(&rows);
	return BG_OK;
}

static void add_cell(struct bg_buffer *out, const struct bg_record_cell *cell)
{
	const struct bg_metric_info *metric = bg_metric_info(cell->metric);
	bg_buffer_text(out, "  ");
	add_foreign(out, cell->name);
	bg_buffer_format(out, " %s: ", metric->name);
	bg_format_level(out, exp(cell->level), metric->unit);
	if (isfinite(cell->variance)) {
		bg_buffer_text(out, ", sd ");
		bg_format_magnitude(out, sqrt(cell->variance));
	}
	bg_buffer_format(out, ", %u launch%s", cell->launches, cell->launches == 1 ? "" : "es");
	if (cell->kernel) {
		bg_buffer_text(out, ", ");
		add_foreign(out, cell->kernel);
	}
	bg_buffer_text(out, "\n");
}

static void add_member(struct bg_buffer *out, const char *before, const char *text)
{
	if (!text)
		return;
	bg_buffer_text(out, before);
	add_foreign(out, text);
}

static void add_session(struct bg_buffer *out, const struct bg_record *record, bool waiting)
{
	bg_buffer_format(out, "\nrun %s, class %s", record->run, record->runner_class);
	add_member(out, ", suite ", record->suite);
	add_member(out, ", ", record->time_utc);
	add_member(out, ", ", record->program);
	add_member(out, ", branch ", record->branch);
	bg_buffer_text(out, record->dirty ? ", with changes: never a baseline" : "");
	bg_buffer_text(out, waiting ? ", waiting to be published\n" : "\n");
	for (size_t i = 0; i < record->cell_count; i++)
		add_cell(out, &record->cells[i]);
}

static enum bg_status show_class(struct bg_buffer *out, struct bg_baseline *baseline,
				 const char *runner_class, const char *commit)
{
	struct bg_store store;
	struct bg_store_sessions sessions;
	if (open_store(&store, baseline, runner_class) != BG_OK ||
	    bg_store_read(&sessions, &store, commit, baseline->arena, baseline->err) != BG_OK)
		return baseline->err->status;
	for (size_t i = 0; i < sessions.count; i++)
		add_session(out, &sessions.records[i], sessions.waiting[i]);
	tell_faults(&sessions.faults, runner_class);
	if (sessions.faults.bad > 0)
		baseline->code = bg_exit_worse(baseline->code, BG_EXIT_UNJUDGED);
	return BG_OK;
}

/* A revision of this clone; a whole id may be of a commit that is not here. */
static enum bg_status find_commit(const char **ret, struct bg_baseline *baseline)
{
	struct bg_revision revision;
	const char *rev = baseline->rev ? baseline->rev : "HEAD";
	if (bg_object_id_is_valid(rev)) {
		*ret = rev;
		return BG_OK;
	}
	if (bg_revision_find(&revision, baseline->repository, rev, baseline->arena,
			     baseline->err) != BG_OK)
		return baseline->err->status;
	*ret = revision.commit;
	return BG_OK;
}

enum bg_status bg_baseline_show(struct bg_baseline *baseline)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	const char **classes, *commit = NULL;
	size_t count;
	bg_buffer_init(&out, OUTPUT_SIZE_MAX);
	if (find_commit(&commit, baseline) != BG_OK ||
	    find_classes(baseline, &classes, &count) != BG_OK)
		return baseline->err->status;
	for (size_t i = 0; i < count; i++)
		if (show_class(&out, baseline, classes[i], commit) != BG_OK)
			return baseline->err->status;
	printf("commit %s%s\n", commit, out.size == 0 ? ": no records here" : "");
	if (out.size > 0)
		fwrite(out.bytes, 1, out.size, stdout);
	return BG_OK;
}
