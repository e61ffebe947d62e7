#ifndef BG_WIRE_FIELDS_H
#define BG_WIRE_FIELDS_H
/*
 * Reads the members of JSON objects that nobody vouches for. The first fault is kept, with the
 * place where it stands ("result.json: cases[3].series[0].x[2] is not a number"), and every call
 * after it gives an empty value, so that a reader checks once a loop rather than once a member.
 * Members that nobody asks for are ignored: newer writers may add some.
 */
#include "gate/core/arena.h"
#include "gate/wire/json.h"

#include <stddef.h>

#define BG_FIELD_TEXT_MAX 65536 /* bytes of one text */

struct bg_fields {
	const char *what;	/* names the file in messages */
	const char *cure;	/* what to do, at the end of each message */
	struct bg_arena *arena; /* owns all that is read */
	struct bg_error *err;
	const struct bg_json *object; /* whose members are read */
	char place[192];	      /* of the object: "cases[3]."; "" at the top */
};

/* Where a reader stood before it went into a member. */
struct bg_fields_mark {
	const struct bg_json *object;
	size_t place_size;
};

bool bg_fields_failed(const struct bg_fields *fields);
/* Records a fault of member key ("x", or "x[2]"; NULL: of the object itself) unless there is one.
 */
void bg_fields_refuse(struct bg_fields *fields, const char *key, const char *format, ...)
	BG_PRINTF(3, 4);

/* Whether the member is there, null not counted. */
bool bg_fields_has(const struct bg_fields *fields, const char *key);

/* Goes into an object that is a member. */
struct bg_fields_mark bg_fields_enter(struct bg_fields *fields, const char *key);
/* Goes into element index of an array of objects. */
struct bg_fields_mark bg_fields_enter_at(struct bg_fields *fields, const char *key, size_t index);
void bg_fields_leave(struct bg_fields *fields, struct bg_fields_mark mark);

/* Elements of an array, at most count_max; anything else is refused. */
size_t bg_fields_count(struct bg_fields *fields, const char *key, size_t count_max);

/* A text; never NULL ("" after a fault). */
const char *bg_fields_text(struct bg_fields *fields, const char *key);
/* A text or null; absent is null. */
const char *bg_fields_text_or_null(struct bg_fields *fields, const char *key);
bool bg_fields_bool(struct bg_fields *fields, const char *key);
uint64_t bg_fields_u64(struct bg_fields *fields, const char *key, uint64_t max);
/* Finite. */
double bg_fields_number(struct bg_fields *fields, const char *key);
/* Finite and >= 0. */
double bg_fields_amount(struct bg_fields *fields, const char *key);
/* Finite and >= 0, or NaN for null; absent is null. */
double bg_fields_amount_or_nan(struct bg_fields *fields, const char *key);

/*
 * An array of count numbers of min or more, or NaN for null: what was no number when it was
 * measured has no other form in JSON.
 */
double *bg_fields_numbers(struct bg_fields *fields, const char *key, size_t count, double min);
/* An array of texts, at most count_max. */
const char **bg_fields_lines(struct bg_fields *fields, const char *key, size_t count_max,
			     size_t *ret_count);
#endif
