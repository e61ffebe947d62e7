#ifndef BG_WIRE_JSON_H
#define BG_WIRE_JSON_H
/*
 * JSON in and out, the one place that knows jansson. Reading is bounded: size, depth, numbers
 * finite, no duplicate keys, valid UTF-8. Writing is byte-stable: keys in the order given, numbers
 * as %.17g in the C locale, text that is not UTF-8 with its bad bytes replaced by U+FFFD.
 */
#include "gate/core/arena.h"
#include "gate/core/buffer.h"

#include <stdbool.h>
#include <stdint.h>

#define BG_JSON_DEPTH_MAX 32

struct bg_json; /* a value; owned by its document */
struct bg_json_document {
	struct bg_json *root;
};

/* size bytes of text; what names the source in messages ("report.json", "worker of head"). */
BG_MUST_CHECK enum bg_status bg_json_read(struct bg_json_document *ret, const char *text,
					  size_t size, const char *what, struct bg_error *err);
void bg_json_release(struct bg_json_document *document);

/* Questions; a missing key or another type gives the fallback (NULL, false, NaN). */
const struct bg_json *bg_json_get(const struct bg_json *object, const char *key);
const char *bg_json_text(const struct bg_json *value); /* NULL unless a string without NUL */
double bg_json_number(const struct bg_json *value);    /* NaN unless a number */
bool bg_json_bool(const struct bg_json *value, bool fallback);
bool bg_json_u64(uint64_t *ret, const struct bg_json *value); /* integer >= 0 or false */
bool bg_json_is_object(const struct bg_json *value);
bool bg_json_is_array(const struct bg_json *value);
bool bg_json_is_null(const struct bg_json *value); /* a null that is there; a missing key is not */
size_t bg_json_count(const struct bg_json *array); /* 0 unless an array */
const struct bg_json *bg_json_at(const struct bg_json *array, size_t index);
/* Calls each(key, value, context) over an object's members in the file's order. */
void bg_json_each(const struct bg_json *object,
		  void (*each)(const char *key, const struct bg_json *value, void *context),
		  void *context);

/*
 * Writer: a stream of calls into a buffer. Commas, nesting and (pretty) indentation are its own
 * business. key is NULL inside arrays.
 */
struct bg_json_writer {
	struct bg_buffer *out;
	bool pretty; /* two spaces, one member a line */
	unsigned depth;
	bool has_member[BG_JSON_DEPTH_MAX];
};
void bg_json_start(struct bg_json_writer *writer, struct bg_buffer *out, bool pretty);
void bg_json_open(struct bg_json_writer *writer, const char *key, char bracket); /* '{' or '[' */
void bg_json_close(struct bg_json_writer *writer, char bracket);		 /* '}' or ']' */
void bg_json_put_text(struct bg_json_writer *writer, const char *key,
		      const char *text); /* NULL: null */
void bg_json_put_number(struct bg_json_writer *writer, const char *key,
			double number); /* not finite: null */
void bg_json_put_u64(struct bg_json_writer *writer, const char *key, uint64_t number);
void bg_json_put_bool(struct bg_json_writer *writer, const char *key, bool value);
void bg_json_put_null(struct bg_json_writer *writer, const char *key);
#endif
