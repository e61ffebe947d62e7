#include "reporters/reporter.h"

#include <string.h>

#define BG_REPORTER(name) extern const struct bg_reporter bg_reporter_##name;
#include "reporters/registry.def"
#undef BG_REPORTER

const struct bg_reporter *const bg_reporters[] = {
#define BG_REPORTER(name) &bg_reporter_##name,
#include "reporters/registry.def"
#undef BG_REPORTER
};
const size_t bg_reporter_count = sizeof bg_reporters / sizeof *bg_reporters;

const struct bg_reporter *bg_reporter_find(const char *name)
{
	for (size_t i = 0; i < bg_reporter_count; i++)
		if (strcmp(bg_reporters[i]->name, name) == 0)
			return bg_reporters[i];
	return NULL;
}
