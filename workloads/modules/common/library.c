#include "workloads/modules/common/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bg_library_default(const char *variable, const char *value)
{
	const char *old = getenv(variable);
	if (value && (!old || !*old))
		setenv(variable, value, 1);
}

void bg_library_let_idle_threads_sleep(void)
{
	bg_library_default("OMP_WAIT_POLICY", "passive");
}

enum bg_answer bg_library_open(void **ret, const char *file, const char *cure, struct bg_why *why)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		snprintf(why->text, sizeof why->text, "%s: %s", dlerror(), cure);
		return BG_ANSWER_UNSUPPORTED;
	}
	*ret = handle;
	return BG_ANSWER_OK;
}

enum bg_answer bg_library_find(void *handle, const char *file, const struct bg_symbol *symbols,
			       size_t count, struct bg_why *why)
{
	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(handle, symbols[i].name);
		if (!symbol) {
			snprintf(why->text, sizeof why->text, "%s has no %s", file,
				 symbols[i].name);
			return BG_ANSWER_UNSUPPORTED;
		}
		memcpy(symbols[i].slot, &symbol, sizeof symbol);
	}
	return BG_ANSWER_OK;
}
