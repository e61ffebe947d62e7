#include "baselines/refusal.h"

#include <ctype.h>
#include <string.h>

static const char *const final_words[] = {
	"hook declined",
	"protected",
	"hidden",
	"denied",
	"deny",
	"permission",
	"not allowed",
	"forbidden",
	"unauthorized",
	"error: 401",
	"error: 403",
	"authentication failed",
	"could not read username",
	"could not read password",
	"read-only",
	"read only",
};

/* Lower case, without what stands in quotes and without addresses. */
static char *plain_copy(const char *line, size_t size, struct bg_arena *arena)
{
	char *copy = bg_arena_alloc(arena, size + 1);
	size_t used = 0;
	for (size_t i = 0; i < size; i++) {
		const char *end = line[i] == '\'' ? memchr(line + i + 1, '\'', size - i - 1) : NULL;
		if (end) {
			i = (size_t)(end - line);
			continue;
		}
		if (size - i > 3 && memcmp(line + i, "://", 3) == 0)
			while (i < size && line[i] != ' ')
				i++;
		if (i < size)
			copy[used++] = (char)tolower((unsigned char)line[i]);
	}
	return copy;
}

bool bg_refusal_is_final(const char *output, struct bg_arena *arena)
{
	for (const char *line = output; line && *line;) {
		size_t size = strcspn(line, "\n");
		/* "To ADDRESS" and lines about references, whose names are the user's. */
		bool names = strncmp(line, "To ", 3) == 0 || memchr(line, '\t', size) != NULL;
		const char *plain = names ? "" : plain_copy(line, size, arena);
		for (size_t i = 0; i < sizeof final_words / sizeof *final_words; i++)
			if (strstr(plain, final_words[i]))
				return true;
		line += size + (line[size] != '\0');
	}
	return false;
}

enum bg_push_answer bg_push_answer_read(const char **ret_reason, const char *output,
					const char *reference, struct bg_arena *arena)
{
	const char *wanted = bg_arena_format(arena, ":%s\t", reference);
	for (const char *line = output; line && *line;) {
		size_t size = strcspn(line, "\n");
		const char *tab = size > 2 && line[1] == '\t' ? line + 2 : NULL;
		const char *name = tab ? memmem(tab, size - 2, wanted, strlen(wanted)) : NULL;
		if (name && strchr(" *+=", line[0]))
			return BG_PUSH_TAKEN;
		if (name && line[0] == '!') {
			const char *reason = name + strlen(wanted);
			*ret_reason = bg_arena_bytes(arena, reason, (size_t)(line + size - reason));
			return BG_PUSH_REJECTED;
		}
		line += size + (line[size] != '\0');
	}
	return BG_PUSH_NO_ANSWER;
}
