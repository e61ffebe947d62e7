#ifndef BG_CLI_SERVICE_H
#define BG_CLI_SERVICE_H
#include <stdbool.h>

/*
 * Whether we run under a CI service: one that says so in a variable of its own (GITHUB_ACTIONS,
 * GITLAB_CI, TF_BUILD, BUILDKITE, CIRCLECI, JENKINS_URL, BITBUCKET_BUILD_NUMBER), or a CI that is
 * neither empty nor "false" nor 0. It changes how progress looks, and never a verdict.
 */
bool bg_service_detected(void);
#endif
