#include "gate/cli/service.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_on(const char *name)
{
	const char *value = getenv(name);
	return value && *value && strcasecmp(value, "false") != 0 && strcmp(value, "0") != 0;
}

bool bg_service_detected(void)
{
	static const char *const names[] = {
		"CI",	     "GITHUB_ACTIONS", "GITLAB_CI",   "TF_BUILD",
		"BUILDKITE", "CIRCLECI",       "JENKINS_URL", "BITBUCKET_BUILD_NUMBER",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_on(names[i]))
			return true;
	return false;
}
