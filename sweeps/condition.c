#include "sweeps/session.h"

#include <stdio.h>
#include <string.h>

#define LINE_MAX_SIZE 512

void bg_condition_add(struct bg_session *session, const char *format, ...)
{
	char line[LINE_MAX_SIZE];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	struct bg_result *result = session->result;
	for (size_t i = 0; i < result->condition_count; i++)
		if (strcmp(result->conditions[i], line) == 0)
			return;
	if (result->condition_count >= BG_CONDITIONS_MAX)
		return;
	if (result->condition_count == BG_CONDITIONS_MAX - 1)
		snprintf(line, sizeof line, "more conditions were met than are listed");
	result->conditions =
		bg_arena_grow(session->arena, result->conditions, result->condition_count,
			      &session->condition_capacity, sizeof *result->conditions);
	result->conditions[result->condition_count++] = bg_arena_text(session->arena, line);
}
