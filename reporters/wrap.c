#include "reporters/wrap.h"

#include "reporters/visible.h"

#include <string.h>

static size_t current_column(const struct bg_buffer *out)
{
	size_t start = out->size;
	while (start > 0 && out->bytes[start - 1] != '\n')
		start--;
	return out->size > 0 ? bg_visible_columns(out->bytes + start, out->size - start) : 0;
}

void bg_wrap_add(struct bg_buffer *out, const char *text, struct bg_wrap wrap)
{
	size_t column = current_column(out);
	for (bool first = true; *text; first = false) {
		size_t space = strspn(text, " "), size = strcspn(text + space, " ");
		size_t columns = space + bg_visible_columns(text + space, size);
		bool may_break = !first && size > 0 && strncmp(text + space, "::", 2) != 0;
		if (wrap.width > 0 && may_break && column + columns > wrap.width) {
			bg_buffer_format(out, "\n%*s", (int)wrap.indent, "");
			bg_buffer_add(out, text + space, size);
			column = wrap.indent + columns - space;
		} else {
			bg_buffer_add(out, text, space + size);
			column += columns;
		}
		text += space + size;
	}
}
