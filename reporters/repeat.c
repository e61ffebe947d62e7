#include "reporters/repeat.h"

#include "gate/core/text.h"
#include "reporters/visible.h"

#include <string.h>

static void add_byte(struct bg_buffer *out, char c)
{
	if (c == '\'')
		bg_buffer_text(out, "'\\''");
	else if (strchr("*?[\\", c))
		bg_buffer_format(out, "\\%c", c);
	else
		bg_buffer_add(out, &c, 1);
}

void bg_repeat_add(struct bg_buffer *out, const char *command, const char *case_name)
{
	bg_visible_add(out, command ? command : "batchgate gate", BG_VISIBLE_LINE);
	bg_buffer_text(out, " --only '");
	for (const char *c = case_name; *c; c++) {
		if (*c >= ' ' && *c < 0x7f)
			add_byte(out, *c);
		else
			bg_buffer_text(out, "?");
	}
	bg_buffer_text(out, "'");
}
