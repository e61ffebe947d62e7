#include "gate/wire/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool bg_fields_failed(const struct bg_fields *fields)
{
	return fields->err->status != BG_OK;
}

void bg_fields_refuse(struct bg_fields *fields, const char *key, const char *format, ...)
{
	if (bg_fields_failed(fields))
		return;
	char problem[256], place[sizeof fields->place];
	va_list args;
	va_start(args, format);
	vsnprintf(problem, sizeof problem, format, args);
	va_end(args);
	snprintf(place, sizeof place, "%s", fields->place);
	size_t size = strlen(place);
	/* "cases[3]." is how members of the case begin; the case itself has no dot. */
	if (!key && size > 0)
		place[size - 1] = '\0';
	bg_fail(fields->err, BG_E_INPUT, "%s: %s%s %s; %s", fields->what, place, key ? key : "",
		problem, fields->cure);
}

static struct bg_fields_mark go_into(struct bg_fields *fields, const struct bg_json *object,
				     const char *step)
{
	struct bg_fields_mark mark = { fields->object, strlen(fields->place) };
	snprintf(fields->place + mark.place_size, sizeof fields->place - mark.place_size, "%s.",
		 step);
	fields->object = object;
	if (!object || !bg_json_is_object(object))
		bg_fields_refuse(fields, NULL, object ? "is not an object" : "is missing");
	return mark;
}

bool bg_fields_has(const struct bg_fields *fields, const char *key)
{
	const struct bg_json *member = bg_json_get(fields->object, key);
	return member && !bg_json_is_null(member);
}

struct bg_fields_mark bg_fields_enter(struct bg_fields *fields, const char *key)
{
	return go_into(fields, bg_json_get(fields->object, key), key);
}

struct bg_fields_mark bg_fields_enter_at(struct bg_fields *fields, const char *key, size_t index)
{
	char step[64];
	snprintf(step, sizeof step, "%s[%zu]", key, index);
	return go_into(fields, bg_json_at(bg_json_get(fields->object, key), index), step);
}

void bg_fields_leave(struct bg_fields *fields, struct bg_fields_mark mark)
{
	fields->object = mark.object;
	fields->place[mark.place_size] = '\0';
}

/* The member, or NULL with a fault recorded where there is none. */
static const struct bg_json *need(struct bg_fields *fields, const char *key)
{
	if (bg_fields_failed(fields))
		return NULL;
	const struct bg_json *value = bg_json_get(fields->object, key);
	if (!value)
		bg_fields_refuse(fields, key, "is missing");
	return value;
}

/* The member where it is there and not null. */
static const struct bg_json *may(const struct bg_fields *fields, const char *key)
{
	if (bg_fields_failed(fields))
		return NULL;
	const struct bg_json *value = bg_json_get(fields->object, key);
	return value && !bg_json_is_null(value) ? value : NULL;
}

size_t bg_fields_count(struct bg_fields *fields, const char *key, size_t count_max)
{
	const struct bg_json *value = need(fields, key);
	if (!value)
		return 0;
	size_t count = bg_json_count(value);
	if (!bg_json_is_array(value))
		bg_fields_refuse(fields, key, "is not an array");
	else if (count > count_max)
		bg_fields_refuse(fields, key, "has %zu elements, at most %zu are allowed", count,
				 count_max);
	return bg_fields_failed(fields) ? 0 : count;
}

static const char *to_text(struct bg_fields *fields, const char *key, const struct bg_json *value)
{
	const char *text = bg_json_text(value);
	if (!text)
		bg_fields_refuse(fields, key, "is not a text");
	else if (strlen(text) > BG_FIELD_TEXT_MAX)
		bg_fields_refuse(fields, key, "has %zu bytes, at most %d are allowed", strlen(text),
				 BG_FIELD_TEXT_MAX);
	return bg_fields_failed(fields) ? "" : bg_arena_text(fields->arena, text);
}

const char *bg_fields_text(struct bg_fields *fields, const char *key)
{
	const struct bg_json *value = need(fields, key);
	return value ? to_text(fields, key, value) : "";
}

const char *bg_fields_text_or_null(struct bg_fields *fields, const char *key)
{
	const struct bg_json *value = may(fields, key);
	return value ? to_text(fields, key, value) : NULL;
}

bool bg_fields_bool(struct bg_fields *fields, const char *key)
{
	const struct bg_json *value = need(fields, key);
	if (!value)
		return false;
	bool answer = bg_json_bool(value, false);
	if (answer != bg_json_bool(value, true))
		bg_fields_refuse(fields, key, "is not true or false");
	return answer;
}

uint64_t bg_fields_u64(struct bg_fields *fields, const char *key, uint64_t max)
{
	const struct bg_json *value = need(fields, key);
	uint64_t number = 0;
	if (value && (!bg_json_u64(&number, value) || number > max)) {
		bg_fields_refuse(fields, key, "is not an integer of 0 to %llu",
				 (unsigned long long)max);
		return 0;
	}
	return number;
}

double bg_fields_number(struct bg_fields *fields, const char *key)
{
	const struct bg_json *value = need(fields, key);
	double number = bg_json_number(value);
	if (value && !isfinite(number))
		bg_fields_refuse(fields, key, "is not a number");
	return bg_fields_failed(fields) ? 0 : number;
}

static double to_amount(struct bg_fields *fields, const char *key, const struct bg_json *value)
{
	double number = bg_json_number(value);
	if (!(isfinite(number) && number >= 0)) {
		bg_fields_refuse(fields, key, "is not a number of 0 or more");
		return 0;
	}
	return number;
}

double bg_fields_amount(struct bg_fields *fields, const char *key)
{
	const struct bg_json *value = need(fields, key);
	return value ? to_amount(fields, key, value) : 0;
}

double bg_fields_amount_or_nan(struct bg_fields *fields, const char *key)
{
	const struct bg_json *value = may(fields, key);
	return value ? to_amount(fields, key, value) : (double)NAN;
}

double *bg_fields_numbers(struct bg_fields *fields, const char *key, size_t count, double min)
{
	double *numbers = bg_arena_array(fields->arena, count, sizeof *numbers);
	size_t found = bg_fields_count(fields, key, SIZE_MAX);
	if (!bg_fields_failed(fields) && found != count)
		bg_fields_refuse(fields, key, "has %zu elements, not %zu like its neighbours",
				 found, count);
	const struct bg_json *array = bg_json_get(fields->object, key);
	for (size_t i = 0; i < count && !bg_fields_failed(fields); i++) {
		const struct bg_json *value = bg_json_at(array, i);
		numbers[i] = bg_json_number(value);
		if ((isfinite(numbers[i]) && numbers[i] >= min) || bg_json_is_null(value))
			continue;
		char element[64];
		snprintf(element, sizeof element, "%s[%zu]", key, i);
		bg_fields_refuse(fields, element, "is not a number%s",
				 min == 0 ? " of 0 or more" : "");
	}
	return numbers;
}

const char **bg_fields_lines(struct bg_fields *fields, const char *key, size_t count_max,
			     size_t *ret_count)
{
	size_t count = bg_fields_count(fields, key, count_max);
	const char **lines = bg_arena_array(fields->arena, count, sizeof *lines);
	const struct bg_json *array = bg_json_get(fields->object, key);
	for (size_t i = 0; i < count; i++) {
		char element[64];
		snprintf(element, sizeof element, "%s[%zu]", key, i);
		lines[i] = to_text(fields, element, bg_json_at(array, i));
	}
	*ret_count = count;
	return lines;
}
