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

struct bg_record_cell {
	const char *name; /* of the case */
	const char *hash; /* of its definition */
	enum bg_metric metric;
	const char *kernel; /* NULL unknown; another kernel is not comparable */
	double level;	    /* ln of head's level: 10 % trimmed mean over launches */
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
 * The record of a result's head: cells of head's levels with at least one launch and a positive
 * level. BG_E_INPUT where it cannot be a baseline, with what to do: no commit or tree, no runner
 * class, a virtual clock, nothing measured. A dirty head is the caller's to refuse.
 */
BG_MUST_CHECK enum bg_status bg_record_from_result(struct bg_record *ret,
						   const struct bg_result *result, const char *run,
						   struct bg_arena *arena, struct bg_error *err);
/* Appends the record's lines, each ended by LF, each within BG_RECORD_LINE_MAX. */
void bg_record_write(struct bg_buffer *out, const struct bg_record *record);
/* One line without its LF. BG_E_INPUT with "what: " and the reason. */
BG_MUST_CHECK enum bg_status bg_record_parse(struct bg_record *ret, const char *line, size_t size,
					     const char *what, struct bg_arena *arena,
					     struct bg_error *err);
#endif
