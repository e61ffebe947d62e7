#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "gate/cli/gate_options.h"
#include "gate/cli/options.h"

struct target {
	bool flag;
	const char *text, *word;
	struct bg_texts texts, operands;
	struct bg_pairs pairs;
	uint64_t number;
	double time_s, share;
	unsigned choice;
	struct bg_cpu_list cpus;
};

static const char *const colours[] = { "red", "green", NULL };

#define AT(kind, field) .offset = BG_TARGET_##kind(struct target, field)
static const struct bg_option options[] = {
	{ "flag", BG_OPTION_FLAG, AT(FLAG, flag), .help = "a flag" },
	{ "text", BG_OPTION_TEXT, AT(TEXT, text), .help = "a text" },
	{ "word", BG_OPTION_TEXT, AT(TEXT, word), .fallback = "given", .help = "a word" },
	{ "texts", BG_OPTION_TEXTS, AT(TEXTS, texts), .help = "texts" },
	{ "pair", BG_OPTION_PAIRS, AT(PAIRS, pairs), .help = "pairs" },
	{ "number", BG_OPTION_U64, AT(U64, number), .min = 1, .max = 24, .fallback = "7" },
	{ "time", BG_OPTION_SECONDS, AT(DOUBLE, time_s), .min = 1, .max = 3600 },
	{ "share", BG_OPTION_RATIO, AT(DOUBLE, share), .max = 1 },
	{ "choice", BG_OPTION_CHOICE, AT(CHOICE, choice), .choices = colours, .fallback = "green" },
	{ "cpus", BG_OPTION_CPUS, AT(CPUS, cpus) },
};
static const struct bg_option_table table = {
	.count = sizeof options / sizeof *options,
	.options = options,
	.operands = "FILE",
	.operand_min = 1,
	.operand_max = 2,
	.operand_offset = offsetof(struct target, operands),
};
static const struct bg_option_table bare = { .count = 1, .options = options };

struct fixture {
	struct bg_arena arena;
	struct bg_error err;
	struct target target;
	bool help;
};

static int setup(void **state)
{
	static struct fixture fixture;
	fixture = (struct fixture){ .arena = BG_ARENA_INIT };
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	bg_arena_release(&fixture->arena);
	return 0;
}

/* Parses words up to NULL as the arguments of a command. */
static enum bg_status parse(struct fixture *f, const struct bg_option_table *with, ...)
{
	char *argv[16] = { (char *)(uintptr_t) "command" };
	int argc = 1;
	va_list words;
	va_start(words, with);
	while (argc < 15 && (argv[argc] = va_arg(words, char *)))
		argc++;
	va_end(words);
	f->err = (struct bg_error)BG_ERROR_INIT;
	f->target = (struct target){ 0 };
	return bg_options_parse(&f->target, &f->help, with, argc, argv, &f->arena, &f->err);
}

static void assert_refused(struct fixture *f, enum bg_status status, const char *text)
{
	assert_int_equal(status, BG_E_USAGE);
	assert_string_equal(f->err.text, text);
}

static void every_kind_reaches_its_target(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(parse(f, &table, "--flag", "--text", "a b", "--texts=x", "--texts", "y",
			       "--number=24", "--time", "2m", "--share=5%", "--choice=red",
			       "--cpus=3,0-1,1", "file", NULL),
			 BG_OK);
	assert_true(f->target.flag);
	assert_string_equal(f->target.text, "a b");
	assert_int_equal(f->target.texts.count, 2);
	assert_string_equal(f->target.texts.values[1], "y");
	assert_int_equal(f->target.number, 24);
	assert_true(f->target.time_s == 120);
	assert_true(f->target.share == 0.05);
	assert_int_equal(f->target.choice, 0);
	assert_int_equal(f->target.cpus.count, 3);
	assert_int_equal(f->target.cpus.values[2], 3);
	assert_string_equal(f->target.operands.values[0], "file");
	assert_false(f->help);
}

static void defaults_hold_where_nothing_is_given(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(parse(f, &table, "file", NULL), BG_OK);
	assert_false(f->target.flag);
	assert_null(f->target.text);
	assert_string_equal(f->target.word, "given");
	assert_int_equal(f->target.number, 7);
	assert_int_equal(f->target.choice, 1);
	assert_int_equal(f->target.cpus.count, 0);
}

static void the_last_of_several_values_counts(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(parse(f, &table, "--number=1", "--number", "2", "file", NULL), BG_OK);
	assert_int_equal(f->target.number, 2);
}

static void a_pair_is_split_at_its_first_equals_sign(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(parse(f, &table, "--pair=a=b=c", "--pair", "n=1..4", "file", NULL), BG_OK);
	assert_int_equal(f->target.pairs.count, 2);
	assert_string_equal(f->target.pairs.values[0].name, "a");
	assert_string_equal(f->target.pairs.values[0].value, "b=c");
	assert_string_equal(f->target.pairs.values[1].value, "1..4");
	assert_refused(f, parse(f, &table, "--pair==b", NULL),
		       "--pair: '=b' is not NAME=VALUES, such as batch=1..8");
	assert_int_equal(parse(f, &table, "--pair=a=", NULL), BG_E_USAGE);
	assert_int_equal(parse(f, &table, "--pair=a", NULL), BG_E_USAGE);
}

static void two_dashes_end_the_options(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(parse(f, &table, "--", "--flag", "-h", NULL), BG_OK);
	assert_false(f->target.flag);
	assert_false(f->help);
	assert_string_equal(f->target.operands.values[0], "--flag");
	assert_string_equal(f->target.operands.values[1], "-h");
}

static void a_lone_dash_is_an_operand(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(parse(f, &table, "-", NULL), BG_OK);
	assert_string_equal(f->target.operands.values[0], "-");
}

static void help_wins_over_what_is_missing(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(parse(f, &table, "--help", NULL), BG_OK);
	assert_true(f->help);
	assert_int_equal(parse(f, &table, "-h", "--nonsense", NULL), BG_OK);
	assert_true(f->help);
}

static void an_unknown_option_names_its_neighbour(void **state)
{
	struct fixture *f = *state;
	assert_refused(f, parse(f, &table, "--numbr=3", NULL),
		       "unknown option '--numbr': did you mean '--number'?");
	assert_refused(f, parse(f, &table, "--hepl", NULL),
		       "unknown option '--hepl': did you mean '--help'?");
	assert_refused(f, parse(f, &table, "--zzzzzz", NULL),
		       "unknown option '--zzzzzz': see --help");
	assert_refused(f, parse(f, &table, "-x", NULL),
		       "unknown option '-x': options are long, such as --help");
}

static void a_forgotten_value_is_not_taken_from_the_next_option(void **state)
{
	struct fixture *f = *state;
	assert_refused(f, parse(f, &table, "--text", "--flag", NULL),
		       "--text needs a value: --text=TEXT");
	assert_refused(f, parse(f, &table, "--number", NULL), "--number needs a value: --number=N");
	assert_refused(f, parse(f, &table, "--choice=", NULL),
		       "--choice needs a value: --choice=red|green");
	assert_int_equal(parse(f, &table, "--text=--flag", "file", NULL), BG_OK);
	assert_string_equal(f->target.text, "--flag");
}

static void a_value_out_of_range_says_what_is_allowed(void **state)
{
	struct fixture *f = *state;
	assert_refused(f, parse(f, &table, "--number=25", NULL),
		       "--number: '25' is not a whole number from 1 to 24");
	assert_refused(f, parse(f, &table, "--number=-1", NULL),
		       "--number: '-1' is not a whole number from 1 to 24");
	assert_refused(f, parse(f, &table, "--time=0", NULL),
		       "--time: '0' is not a time such as 90s or 10m, from 1 to 3600 s");
	assert_refused(f, parse(f, &table, "--share=101%", NULL),
		       "--share: '101%' is not a share such as 5%, from 0 to 100 %");
	assert_refused(f, parse(f, &table, "--choice=blue", NULL),
		       "--choice: 'blue' is not one of red, green");
	assert_refused(f, parse(f, &table, "--flag=yes", NULL),
		       "--flag takes no value: leave out '=yes'");
}

static void a_bad_cpu_list_is_refused(void **state)
{
	struct fixture *f = *state;
	static const char *const bad[] = { "1024", "3-1", "1,", ",1", "-1", "1--2", "a", "0-9999" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(parse(f, &table, "--cpus", bad[i], "file", NULL), BG_E_USAGE);
}

static void operands_are_counted(void **state)
{
	struct fixture *f = *state;
	assert_refused(f, parse(f, &table, NULL), "FILE is missing: see --help");
	assert_refused(f, parse(f, &table, "a", "b", "c", NULL),
		       "unexpected argument 'c': at most 2 FILE");
	assert_refused(f, parse(f, &bare, "a", NULL),
		       "unexpected argument 'a': see --help for the options");
}

static void the_gate_has_its_documented_defaults(void **state)
{
	struct fixture *f = *state;
	struct bg_gate_options gate = { 0 };
	char *argv[] = { (char *)(uintptr_t) "gate" };
	assert_int_equal(
		bg_options_parse(&gate, &f->help, &bg_gate_table, 1, argv, &f->arena, &f->err),
		BG_OK);
	assert_null(gate.suite);
	assert_string_equal(gate.base, "auto");
	assert_string_equal(gate.head, "HEAD");
	assert_string_equal(gate.out, "batchgate-out");
	assert_true(gate.budget_s == 600);
	assert_int_equal(gate.launches_max, 24);
	assert_int_equal(gate.seed, 1);
	assert_int_equal(gate.color, BG_COLOR_AUTO);
	assert_int_equal(gate.dialect, BG_JUNIT_CI);
	assert_false(gate.strict || gate.aa || gate.dry_run || gate.keep || gate.quiet);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_kind_reaches_its_target),
		T(defaults_hold_where_nothing_is_given),
		T(the_last_of_several_values_counts),
		T(a_pair_is_split_at_its_first_equals_sign),
		T(two_dashes_end_the_options),
		T(a_lone_dash_is_an_operand),
		T(help_wins_over_what_is_missing),
		T(an_unknown_option_names_its_neighbour),
		T(a_forgotten_value_is_not_taken_from_the_next_option),
		T(a_value_out_of_range_says_what_is_allowed),
		T(a_bad_cpu_list_is_refused),
		T(operands_are_counted),
		T(the_gate_has_its_documented_defaults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
