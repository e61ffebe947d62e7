#ifndef BG_WIRE_RECORD_H
#define BG_WIRE_RECORD_H
/*
 * A record: what one session measured of one commit on one machine, one line of JSON (schema
 * "batchgate.record/1"), sorted keys, no spaces, at most 64 KiB with its LF. A session too large
 * for one line is several lines of one run id, each valid by itself and with its own part of the
 * cells. Unknown members are kept by copying lines as they are.
 */
#include "gate/core/arena.h"
#include "gate/core/buffer.h"
#include "gate/verdict/result.h"

#define BG_RECORD_SCHEMA "batchgate.record/1"
#define BG_RECORD_LINE_MAX 65536
#define BG_RECORD_RUN_SIZE 33 /* 128 random bits in hex, NUL */

/* Of a fingerprint's parts, and of a cell's name with its hash and kernel as JSON. */
#define BG_RECORD_HEAD_MAX 24576
#define BG_RUNNER_CLASS_MAX 64

struct bg_record_cell {
	const char *name; /* of the case */
	const char *hash; /* of its definition; NULL unknown */
	enum bg_metric metric;
	const char *kernel; /* NULL unknown; another kernel is not comparable */
	double level;	    /* ln of head's level, as bg_level_take centres it */
	double variance;    /* of ln level over launches, >= 0; NaN of one launch */
	unsigned launches;
};

struct bg_record {
	const char *run;	  /* random id of the session */
	unsigned part, parts;	  /* from 1 */
	const char *commit;	  /* full object ids, hex */
	const char *tree;	  /* never NULL */
	const char *parent;	  /* first parent; NULL of a root */
	const char *branch;	  /* NULL unknown */
	const char *time_utc;	  /* when it started; for people, never for order */
	const char *runner_class; /* never NULL */
	const char *suite;	  /* name */
	const char *program;	  /* "batchgate 0.1.0" */
	bool dirty;
	size_t fingerprint_count;
	struct bg_axis_text *fingerprint;
	size_t cell_count;
	struct bg_record_cell *cells; /* sorted by name, then metric */
};

/*
 * True for 1 to BG_RUNNER_CLASS_MAX of [A-Za-z0-9._-] that can be the last part of a reference's
 * name: no dot at either end, no "..", not ending in ".lock", no dash first.
 */
bool bg_runner_class_is_valid(const char *name);
/* True for 40 to 128 lower-case hex digits: sha1, sha256 and what may come. */
bool bg_object_id_is_valid(const char *id);
/* True for BG_RECORD_RUN_SIZE - 1 lower-case hex digits. */
bool bg_record_run_is_valid(const char *run);

/*
 * The record of a result's head: cells of head's levels with at least one launch, all of them
 * positive. Launches of a confirmation do not count: they lay elsewhere on purpose.
 * run      a valid run id
 * returns  BG_E_INPUT where it cannot be a baseline, with what to do: no commit or tree, no runner
 *          class, a virtual clock, nothing measured, a name too long for a line. A dirty head is
 *          the caller's to refuse.
 */
BG_MUST_CHECK enum bg_status bg_record_from_result(struct bg_record *ret,
						   const struct bg_result *result, const char *run,
						   struct bg_arena *arena, struct bg_error *err);
/* The cells alone, of any result: sets cells and cell_count. */
void bg_record_cells(struct bg_record *record, const struct bg_result *result,
		     struct bg_arena *arena);
/*
 * Appends the whole record as lines, each ended by LF, each within BG_RECORD_LINE_MAX; part and
 * parts of record are not looked at. The same record gives the same bytes. record is one of
 * bg_record_from_result's. Returns the number of lines.
 */
size_t bg_record_write(struct bg_buffer *out, const struct bg_record *record);
/*
 * One line without its LF. A cell of a metric that this version does not know is left out.
 * returns  BG_E_INPUT with "what: " and the reason; BG_E_UNJUDGED where it is a record of another
 *          version of the schema
 */
BG_MUST_CHECK enum bg_status bg_record_parse(struct bg_record *ret, const char *line, size_t size,
					     const char *what, struct bg_arena *arena,
					     struct bg_error *err);
/*
 * One record of all the lines of one run: the first line's members, the cells of all of them
 * sorted, each once. count >= 1; borrows what the lines point at.
 */
void bg_record_join(struct bg_record *ret, const struct bg_record *lines, size_t count,
		    struct bg_arena *arena);
#endif
