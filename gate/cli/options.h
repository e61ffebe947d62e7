#ifndef BG_CLI_OPTIONS_H
#define BG_CLI_OPTIONS_H
/*
 * The command line: one const table a command, from which parsing, --help and the README's tables
 * all come. Long options only (--name VALUE, --name=VALUE), plus -h; "--" ends them. An option
 * that is given twice keeps the last value, a repeatable one keeps all.
 */
#include "gate/core/arena.h"
#include "gate/verdict/result.h" /* bg_axis_text */

#include <stdbool.h>
#include <stdint.h>

#define BG_OPTION_CPU_LIMIT 1024 /* CPU numbers are below it */

/* Targets of the repeatable kinds; owned by the arena. */
struct bg_texts {
	size_t count, capacity;
	const char **values;
};
struct bg_pairs {
	size_t count, capacity;
	struct bg_axis_text *values; /* NAME=VALUE, split at the first '=' */
};
/* "0,2-3" as 0 2 3: ascending, each once; count 0 where not given. */
struct bg_cpu_list {
	size_t count;
	unsigned *values;
};

enum bg_option_kind {
	BG_OPTION_FLAG,	   /* bool */
	BG_OPTION_TEXT,	   /* const char *, never empty; NULL where not given */
	BG_OPTION_TEXTS,   /* struct bg_texts */
	BG_OPTION_PAIRS,   /* struct bg_pairs */
	BG_OPTION_U64,	   /* uint64_t, between min and max */
	BG_OPTION_SECONDS, /* double, between min and max */
	BG_OPTION_RATIO,   /* double, between min and max */
	BG_OPTION_CHOICE,  /* unsigned: index into choices */
	BG_OPTION_CPUS,	   /* struct bg_cpu_list */
};

struct bg_option {
	const char *name; /* without dashes */
	enum bg_option_kind kind;
	size_t offset;		    /* of the target in the command's struct; see BG_TARGET_* */
	const char *value;	    /* how help names the value: "FILE"; NULL: from the kind */
	const char *const *choices; /* CHOICE: NULL-terminated */
	double min, max;	    /* U64 (exact up to 2^53), SECONDS, RATIO; max 0: no limit */
	const char *fallback;	    /* the default, in the user's form; NULL: zero */
	const char *help;	    /* one sentence, no full stop */
};

/* offset of a target; does not compile where the field's type is not the kind's. */
#define BG_TARGET_(type, field, want) _Generic(((type *)0)->field, want : offsetof(type, field))
#define BG_TARGET_FLAG(type, field) BG_TARGET_(type, field, bool)
#define BG_TARGET_TEXT(type, field) BG_TARGET_(type, field, const char *)
#define BG_TARGET_TEXTS(type, field) BG_TARGET_(type, field, struct bg_texts)
#define BG_TARGET_PAIRS(type, field) BG_TARGET_(type, field, struct bg_pairs)
#define BG_TARGET_U64(type, field) BG_TARGET_(type, field, uint64_t)
#define BG_TARGET_DOUBLE(type, field) BG_TARGET_(type, field, double)
#define BG_TARGET_CHOICE(type, field) BG_TARGET_(type, field, unsigned)
#define BG_TARGET_CPUS(type, field) BG_TARGET_(type, field, struct bg_cpu_list)

struct bg_option_table {
	size_t count;
	const struct bg_option *options;
	const char
		*operands; /* help's name for positional arguments: "RESULT"; NULL: none allowed */
	size_t operand_min, operand_max;
	size_t operand_offset; /* a struct bg_texts; only where operands are allowed */
};

/*
 * Fills the struct at target from the defaults and argv[1..argc), argv[0] being the command's name.
 * Texts point into argv or into the table. *wants_help is true after --help or -h, whatever else
 * is wrong after it.
 * returns BG_E_USAGE: one line, with the nearest option where one is near
 */
BG_MUST_CHECK enum bg_status bg_options_parse(void *target, bool *wants_help,
					      const struct bg_option_table *table, int argc,
					      char **argv, struct bg_arena *arena,
					      struct bg_error *err);

/* How help shows an option's value: "FILE", "N", "on|off"; NULL for a flag. */
const char *bg_option_value(const struct bg_option *option, struct bg_arena *arena);
#endif
