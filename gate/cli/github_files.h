#ifndef BG_CLI_GITHUB_FILES_H
#define BG_CLI_GITHUB_FILES_H
/*
 * The files through which a step of GitHub Actions talks to its job, where the environment names
 * them: GITHUB_OUTPUT gets the outputs of the step, GITHUB_STEP_SUMMARY the markdown report. Both
 * are appended to, never followed through a link: an earlier step may have run anything.
 *
 * Outputs: verdict, exit_code, judged, not_judged, report_json, report_junit. Each is written
 * between lines of a random word that its value does not hold, so that no value can end itself
 * and go on as another output.
 */
#include "gate/core/arena.h"
#include "reporters/reporter.h"

#define BG_GITHUB_SUMMARY_MAX 1048576 /* bytes; GitHub drops a larger summary whole */

struct bg_github_files {
	const struct bg_report_view *view;
	const char *json, *junit; /* paths of reports; NULL: not written */
};

/*
 * Nothing to do is BG_OK. A summary that earlier text left no room for is left out and said on
 * stderr: the reports are in files too. BG_E_SYSTEM: a file could not be written, the first one's
 * reason; the other is tried all the same.
 */
BG_MUST_CHECK enum bg_status bg_github_files_write(const struct bg_github_files *files,
						   struct bg_arena *arena, struct bg_error *err);
#endif
