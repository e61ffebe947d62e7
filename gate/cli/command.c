#include "gate/cli/command.h"

#include "gate/core/interrupt.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BG_COMMAND(name) extern const struct bg_subcommand bg_subcommand_##name;
#include "gate/cli/command.def"
#undef BG_COMMAND

#define BG_COMMAND(name) &bg_subcommand_##name,
const struct bg_subcommand *const bg_subcommands[] = {
#include "gate/cli/command.def"
};
#undef BG_COMMAND

const size_t bg_subcommand_count = sizeof bg_subcommands / sizeof *bg_subcommands;

int bg_exit_of(const struct bg_error *err)
{
	switch (err->status) {
	case BG_E_USAGE:
	case BG_E_INPUT:
		return BG_EXIT_USAGE;
	case BG_E_SYSTEM:
	case BG_E_NOMEM:
		return BG_EXIT_ENVIRONMENT;
	case BG_E_UNJUDGED:
		return BG_EXIT_UNJUDGED;
	case BG_E_INTERRUPTED:
		return BG_EXIT_SIGNAL + bg_interrupt_pending();
	case BG_E_INTERNAL:
		return BG_EXIT_INTERNAL;
	case BG_OK:
		break;
	}
	assert(err->status != BG_OK);
	return BG_EXIT_INTERNAL;
}

/* Position in 0 < 3 < 4 < 1 < 5 < 2 < signals. */
static int rank(int code)
{
	static const int ranks[] = {
		[BG_EXIT_PASS] = 0,	  [BG_EXIT_UNJUDGED] = 1, [BG_EXIT_ENVIRONMENT] = 2,
		[BG_EXIT_REGRESSION] = 3, [BG_EXIT_INTERNAL] = 4, [BG_EXIT_USAGE] = 5,
	};
	bool known = code >= 0 && (size_t)code < sizeof ranks / sizeof *ranks;
	return known ? ranks[code] : code;
}

int bg_exit_worse(int a, int b)
{
	return rank(b) > rank(a) ? b : a;
}

void bg_complain(const struct bg_error *err)
{
	fprintf(stderr, "batchgate: %s\n", err->text);
}

int bg_stdout_close(int code)
{
	bool failed = ferror(stdout) != 0;
	int reason = errno;
	if (fflush(stdout) != 0 && !failed) {
		failed = true;
		reason = errno;
	}
	if (!failed)
		return code;
	struct bg_error err = BG_ERROR_INIT;
	bg_fail(&err, BG_E_SYSTEM, "cannot write standard output: %s", strerror(reason));
	bg_complain(&err);
	return bg_exit_worse(code, BG_EXIT_ENVIRONMENT);
}
