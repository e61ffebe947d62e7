#include "gate/wire/json.h"

#include "gate/core/text.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* struct bg_json is jansson's value under another name: nothing else ever sees inside. */
static const json_t *value_of(const struct bg_json *value)
{
	return (const json_t *)value;
}

/* Depth outside strings; jansson's own limit is 2048, deep enough to overflow a small stack. */
static bool is_too_deep(const char *text, size_t size)
{
	unsigned depth = 0;
	bool in_string = false;
	for (size_t i = 0; i < size; i++) {
		char c = text[i];
		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			if (++depth > BG_JSON_DEPTH_MAX)
				return true;
		} else if ((c == '}' || c == ']') && depth > 0) {
			depth--;
		}
	}
	return false;
}

enum bg_status bg_json_read(struct bg_json_document *ret, const char *text, size_t size,
			    const char *what, struct bg_error *err)
{
	if (is_too_deep(text, size))
		return bg_fail(err, BG_E_INPUT, "%s: JSON nested deeper than %d", what,
			       BG_JSON_DEPTH_MAX);
	json_error_t fault;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
	if (!root)
		return bg_fail(err, BG_E_INPUT, "%s:%d:%d: not valid JSON: %s", what, fault.line,
			       fault.column, fault.text);
	ret->root = (struct bg_json *)root;
	return BG_OK;
}

void bg_json_release(struct bg_json_document *document)
{
	json_decref((json_t *)document->root);
	document->root = NULL;
}

const struct bg_json *bg_json_get(const struct bg_json *object, const char *key)
{
	return (const struct bg_json *)json_object_get(value_of(object), key);
}

const char *bg_json_text(const struct bg_json *value)
{
	const char *text = json_string_value(value_of(value));
	return text && strlen(text) == json_string_length(value_of(value)) ? text : NULL;
}

double bg_json_number(const struct bg_json *value)
{
	return json_is_number(value_of(value)) ? json_number_value(value_of(value)) : NAN;
}

bool bg_json_bool(const struct bg_json *value, bool fallback)
{
	return json_is_boolean(value_of(value)) ? json_is_true(value_of(value)) : fallback;
}

bool bg_json_u64(uint64_t *ret, const struct bg_json *value)
{
	if (!json_is_integer(value_of(value)) || json_integer_value(value_of(value)) < 0)
		return false;
	*ret = (uint64_t)json_integer_value(value_of(value));
	return true;
}

bool bg_json_is_object(const struct bg_json *value)
{
	return json_is_object(value_of(value));
}

size_t bg_json_count(const struct bg_json *array)
{
	return json_array_size(value_of(array));
}

const struct bg_json *bg_json_at(const struct bg_json *array, size_t index)
{
	return (const struct bg_json *)json_array_get(value_of(array), index);
}

bool bg_json_is_array(const struct bg_json *value)
{
	return json_is_array(value_of(value));
}

bool bg_json_is_null(const struct bg_json *value)
{
	return value && json_is_null(value_of(value));
}

void bg_json_each(const struct bg_json *object,
		  void (*each)(const char *key, const struct bg_json *value, void *context),
		  void *context)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)value_of(object), key, value)
		each(key, (const struct bg_json *)value, context);
}
