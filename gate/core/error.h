#ifndef BG_CORE_ERROR_H
#define BG_CORE_ERROR_H
/*
 * The caller's error: one status, one line of text. Where a fault is met, bg_fail is called once;
 * callers on the way out only put context in front. Nothing below gate/cli prints.
 *
 * A message says what, where (file:line:column where there is one) and what to do, in one line.
 */
#include <stdarg.h>

enum bg_status {
	BG_OK = 0,
	BG_E_USAGE,	  /* the command line: exit 2 */
	BG_E_INPUT,	  /* a file or a worker's output: exit 2 */
	BG_E_SYSTEM,	  /* git, disk, permission, a missing program: exit 4 */
	BG_E_UNJUDGED,	  /* nothing to judge against: exit 3 */
	BG_E_NOMEM,	  /* exit 4 */
	BG_E_INTERNAL,	  /* a fault of ours: exit 5 */
	BG_E_INTERRUPTED, /* a signal asked us to stop: exit 128 + signal */
};

/* Longest message; anything longer is cut at a character. A path of PATH_MAX is not promised. */
#define BG_ERROR_SIZE 1024

struct bg_error {
	enum bg_status status;
	char text[BG_ERROR_SIZE];
};

#define BG_ERROR_INIT                                                                              \
	{                                                                                          \
		BG_OK, ""                                                                          \
	}
#define BG_MUST_CHECK __attribute__((warn_unused_result))
#define BG_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
/* Runs close(&variable) when the variable leaves its scope. */
#define BG_AUTO(close) __attribute__((cleanup(close)))

/*
 * Records a fault and returns its status, so that "return bg_fail(...)" is one line.
 * status is not BG_OK; err must be empty (first error wins, asserted).
 * Control characters in the formatted text become '?': the text is one line by construction.
 */
enum bg_status bg_fail(struct bg_error *err, enum bg_status status, const char *format, ...)
	BG_PRINTF(3, 4);

/* Puts "context: " in front of a recorded fault; returns its status. err must not be empty. */
enum bg_status bg_within(struct bg_error *err, const char *format, ...) BG_PRINTF(2, 3);

/* Forgets a fault that was dealt with (a fall-back succeeded). */
void bg_error_clear(struct bg_error *err);
#endif
