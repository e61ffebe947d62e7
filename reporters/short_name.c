#include "reporters/short_name.h"

#include "reporters/visible.h"
#include "reporters/wrap.h"

#include <stdlib.h>
#include <string.h>

/* Calls it tokens: what stands between '/', ',' and the end. */
static bool has_token(const char *tokens, const char *token)
{
	size_t size = strlen(token);
	for (const char *at = strstr(tokens, token); at; at = strstr(at + 1, token))
		if ((at == tokens || at[-1] == ',') && (at[size] == ',' || at[size] == '\0'))
			return true;
	return false;
}

static struct bg_short_workload *find(struct bg_short_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strncmp(names->workloads[i].name, name, names->workloads[i].name_size) == 0)
			return &names->workloads[i];
	return NULL;
}

static void start(struct bg_short_workload *workload, const char *name, size_t name_size,
		  struct bg_arena *arena)
{
	*workload = (struct bg_short_workload){ .name = name, .name_size = name_size };
	size_t capacity = 0;
	const char *token = name + name_size;
	while (*token) {
		size_t size = strcspn(token, ",");
		workload->common = bg_arena_grow(arena, workload->common, workload->common_count,
						 &capacity, sizeof *workload->common);
		workload->common[workload->common_count++] = bg_arena_bytes(arena, token, size);
		token += size + (token[size] == ',');
	}
}

static void keep_shared(struct bg_short_workload *workload, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < workload->common_count; i++)
		if (has_token(name + workload->name_size, workload->common[i]))
			workload->common[kept++] = workload->common[i];
	workload->common_count = kept;
}

void bg_short_names_init(struct bg_short_names *ret, const struct bg_cell *const *cells,
			 size_t count, struct bg_arena *arena)
{
	*ret = (struct bg_short_names){ 0 };
	const struct bg_case_result *last = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct bg_case_result *of = cells[i]->of;
		const char *slash = strchr(of->name, '/');
		if (of == last || !slash)
			continue;
		last = of;
		struct bg_short_workload *workload = find(ret, of->name);
		if (!workload) {
			if (ret->count == BG_SHORT_WORKLOADS_MAX)
				continue;
			workload = &ret->workloads[ret->count++];
			start(workload, of->name, (size_t)(slash - of->name) + 1, arena);
		}
		workload->case_count++;
		keep_shared(workload, of->name);
	}
}

static bool is_common(const struct bg_short_workload *workload, const char *token, size_t size)
{
	for (size_t i = 0; i < workload->common_count; i++)
		if (strncmp(workload->common[i], token, size) == 0 &&
		    workload->common[i][size] == '\0')
			return true;
	return false;
}

void bg_short_names_add(struct bg_buffer *out, struct bg_short_names *names, const char *name)
{
	struct bg_short_workload *workload = find(names, name);
	if (!workload || workload->case_count < 2 || workload->common_count == 0) {
		bg_buffer_text(out, name);
		return;
	}
	workload->used = true;
	bg_buffer_add(out, name, workload->name_size - 1);
	const char *token = name + workload->name_size, *before = ": ";
	while (*token) {
		size_t size = strcspn(token, ",");
		if (!is_common(workload, token, size)) {
			bg_buffer_text(out, before);
			bg_buffer_add(out, token, size);
			before = ",";
		}
		token += size + (token[size] == ',');
	}
}

void bg_short_names_explain(struct bg_buffer *out, const struct bg_short_names *names, size_t width)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer line;
	bg_buffer_init(&line, (size_t)1 << 20);
	for (size_t i = 0; i < names->count; i++) {
		const struct bg_short_workload *workload = &names->workloads[i];
		if (!workload->used)
			continue;
		char *part = strndup(workload->name, workload->name_size - 1);
		bg_visible_add(&line, part, BG_VISIBLE_LINE);
		bg_buffer_text(&line, ": is ");
		bg_visible_add(&line, part, BG_VISIBLE_LINE);
		bg_buffer_text(&line, "/");
		free(part);
		for (size_t j = 0; j < workload->common_count; j++) {
			bg_buffer_text(&line, j > 0 ? "," : "");
			bg_visible_add(&line, workload->common[j], BG_VISIBLE_LINE);
		}
		bg_wrap_add(out, line.bytes, (struct bg_wrap){ 4, width });
		bg_buffer_text(out, "\n");
		bg_buffer_clear(&line);
	}
}
