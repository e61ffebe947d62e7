#include "gate/cli/options.h"

#include "gate/core/text.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

struct parser {
	const struct bg_option_table *table;
	unsigned char *target;
	struct bg_arena *arena;
	struct bg_error *err;
};

static struct bg_texts *operands_of(const struct parser *parser)
{
	return (struct bg_texts *)(void *)(parser->target + parser->table->operand_offset);
}

static void add_text(struct bg_texts *texts, const char *value, struct bg_arena *arena)
{
	texts->values = bg_arena_grow(arena, texts->values, texts->count, &texts->capacity,
				      sizeof *texts->values);
	texts->values[texts->count++] = value;
}

static bool add_pair(struct bg_pairs *pairs, const char *text, struct bg_arena *arena)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text || equals[1] == '\0')
		return false;
	pairs->values = bg_arena_grow(arena, pairs->values, pairs->count, &pairs->capacity,
				      sizeof *pairs->values);
	pairs->values[pairs->count++] = (struct bg_axis_text){
		.name = bg_arena_bytes(arena, text, (size_t)(equals - text)),
		.value = equals + 1,
	};
	return true;
}

/* Marks the CPUs of one "3" or "2-5". */
static bool mark_cpus(bool marked[BG_OPTION_CPU_LIMIT], char *range)
{
	char *dash = strchr(range, '-');
	uint64_t first, last;
	if (dash)
		*dash = '\0';
	if (!bg_text_to_u64(&first, range, 0, BG_OPTION_CPU_LIMIT - 1))
		return false;
	last = first;
	if (dash && !bg_text_to_u64(&last, dash + 1, first, BG_OPTION_CPU_LIMIT - 1))
		return false;
	for (uint64_t cpu = first; cpu <= last; cpu++)
		marked[cpu] = true;
	return true;
}

static bool read_cpus(struct bg_cpu_list *ret, const char *text, struct bg_arena *arena)
{
	bool marked[BG_OPTION_CPU_LIMIT] = { false };
	char *rest = bg_arena_text(arena, text), *range;
	while ((range = strsep(&rest, ",")))
		if (!mark_cpus(marked, range))
			return false;
	struct bg_cpu_list list = { 0, bg_arena_array(arena, BG_OPTION_CPU_LIMIT,
						      sizeof *list.values) };
	for (unsigned cpu = 0; cpu < BG_OPTION_CPU_LIMIT; cpu++)
		if (marked[cpu])
			list.values[list.count++] = cpu;
	*ret = list;
	return true;
}

static bool read_choice(unsigned *ret, const char *const *choices, const char *text)
{
	for (unsigned i = 0; choices[i]; i++) {
		if (strcmp(choices[i], text) != 0)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

/* Stores text in the option's target; false where it is not of the option's kind or range. */
static bool store(const struct parser *parser, const struct bg_option *option, const char *text)
{
	void *target = parser->target + option->offset;
	double max = option->max > 0 ? option->max : 1e300;
	switch (option->kind) {
	case BG_OPTION_FLAG:
		*(bool *)target = true;
		return true;
	case BG_OPTION_TEXT:
		*(const char **)target = text;
		return true;
	case BG_OPTION_TEXTS:
		add_text(target, text, parser->arena);
		return true;
	case BG_OPTION_PAIRS:
		return add_pair(target, text, parser->arena);
	case BG_OPTION_U64:
		return bg_text_to_u64(target, text, (uint64_t)option->min,
				      option->max > 0 ? (uint64_t)option->max : UINT64_MAX);
	case BG_OPTION_SECONDS:
		return bg_text_to_seconds(target, text, option->min, max);
	case BG_OPTION_RATIO:
		return bg_text_to_ratio(target, text, option->min, max);
	case BG_OPTION_CHOICE:
		return read_choice(target, option->choices, text);
	case BG_OPTION_CPUS:
		return read_cpus(target, text, parser->arena);
	}
	assert(false);
	return false;
}

/* "from 0.1 to 86400 s". */
static const char *range_of(const struct bg_option *option, struct bg_arena *arena)
{
	bool ratio = option->kind == BG_OPTION_RATIO;
	double scale = ratio ? 100 : 1;
	const char *unit = ratio ? " %" : option->kind == BG_OPTION_SECONDS ? " s" : "";
	if (option->max > 0)
		return bg_arena_format(arena, "from %.15g to %.15g%s", option->min * scale,
				       option->max * scale, unit);
	return bg_arena_format(arena, "from %.15g%s up", option->min * scale, unit);
}

static const char *joined(const char *const *words, const char *between, struct bg_arena *arena)
{
	const char *text = words[0];
	for (size_t i = 1; words[i]; i++)
		text = bg_arena_format(arena, "%s%s%s", text, between, words[i]);
	return text;
}

/* What the option takes, for "--budget takes ...". */
static const char *accepted(const struct bg_option *option, struct bg_arena *arena)
{
	switch (option->kind) {
	case BG_OPTION_U64:
		return bg_arena_format(arena, "a whole number %s", range_of(option, arena));
	case BG_OPTION_SECONDS:
		return bg_arena_format(arena, "a time such as 90s or 10m, %s",
				       range_of(option, arena));
	case BG_OPTION_RATIO:
		return bg_arena_format(arena, "a share such as 5%%, %s", range_of(option, arena));
	case BG_OPTION_CHOICE:
		return bg_arena_format(arena, "one of %s", joined(option->choices, ", ", arena));
	case BG_OPTION_PAIRS:
		return "NAME=VALUES, such as batch=1..8";
	case BG_OPTION_CPUS:
		return bg_arena_format(arena, "CPU numbers below %d such as 0,2-3",
				       BG_OPTION_CPU_LIMIT);
	case BG_OPTION_FLAG:
	case BG_OPTION_TEXT:
	case BG_OPTION_TEXTS:
		break; /* these take anything */
	}
	return "a text";
}

const char *bg_option_value(const struct bg_option *option, struct bg_arena *arena)
{
	if (option->kind == BG_OPTION_FLAG)
		return NULL;
	if (option->value)
		return option->value;
	switch (option->kind) {
	case BG_OPTION_U64:
		return "N";
	case BG_OPTION_SECONDS:
		return "TIME";
	case BG_OPTION_RATIO:
		return "SHARE";
	case BG_OPTION_PAIRS:
		return "NAME=VALUES";
	case BG_OPTION_CPUS:
		return "LIST";
	case BG_OPTION_CHOICE:
		return joined(option->choices, "|", arena);
	case BG_OPTION_FLAG:
	case BG_OPTION_TEXT:
	case BG_OPTION_TEXTS:
		break;
	}
	return "TEXT";
}

static enum bg_status fail_unknown(const struct parser *parser, const char *name)
{
	const struct bg_option_table *table = parser->table;
	const char **names = bg_arena_array(parser->arena, table->count + 1, sizeof *names);
	for (size_t i = 0; i < table->count; i++)
		names[i] = table->options[i].name;
	names[table->count] = "help";
	const char *nearest = bg_text_nearest(name, names, table->count + 1);
	if (nearest)
		return bg_fail(parser->err, BG_E_USAGE,
			       "unknown option '--%s': did you mean '--%s'?", name, nearest);
	return bg_fail(parser->err, BG_E_USAGE, "unknown option '--%s': see --help", name);
}

static const struct bg_option *find(const struct bg_option_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->options[i].name, name) == 0)
			return &table->options[i];
	return NULL;
}

/*
 * One "--name" or "--name=value"; value may be taken from next, and *used_next says so. A next
 * that looks like an option is more likely a value forgotten than a value meant.
 */
static enum bg_status parse_option(const struct parser *parser, bool *used_next, const char *word,
				   const char *next)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const char *name = bg_arena_bytes(parser->arena, word, length);
	const struct bg_option *option = find(parser->table, name);
	if (!option)
		return fail_unknown(parser, name);
	const char *value = equals ? equals + 1 : NULL;
	if (option->kind == BG_OPTION_FLAG && value)
		return bg_fail(parser->err, BG_E_USAGE, "--%s takes no value: leave out '=%s'",
			       name, value);
	if (option->kind != BG_OPTION_FLAG && !value && next && strncmp(next, "--", 2) != 0) {
		value = next;
		*used_next = true;
	}
	if (option->kind != BG_OPTION_FLAG && (!value || !*value))
		return bg_fail(parser->err, BG_E_USAGE, "--%s needs a value: --%s=%s", name, name,
			       bg_option_value(option, parser->arena));
	if (!store(parser, option, value))
		return bg_fail(parser->err, BG_E_USAGE, "--%s: '%s' is not %s", name, value,
			       accepted(option, parser->arena));
	return BG_OK;
}

static void store_defaults(const struct parser *parser)
{
	for (size_t i = 0; i < parser->table->count; i++) {
		const struct bg_option *option = &parser->table->options[i];
		bool stored = !option->fallback || store(parser, option, option->fallback);
		assert(stored);
	}
}

static enum bg_status parse_operand(const struct parser *parser, const char *word)
{
	const struct bg_option_table *table = parser->table;
	if (!table->operands)
		return bg_fail(parser->err, BG_E_USAGE,
			       "unexpected argument '%s': see --help for the options", word);
	struct bg_texts *operands = operands_of(parser);
	if (operands->count == table->operand_max)
		return bg_fail(parser->err, BG_E_USAGE, "unexpected argument '%s': at most %zu %s",
			       word, table->operand_max, table->operands);
	add_text(operands, word, parser->arena);
	return BG_OK;
}

enum bg_status bg_options_parse(void *target, bool *wants_help, const struct bg_option_table *table,
				int argc, char **argv, struct bg_arena *arena, struct bg_error *err)
{
	struct parser parser = { table, target, arena, err };
	bool ended = false;
	*wants_help = false;
	store_defaults(&parser);
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		bool used_next = false;
		enum bg_status status = BG_OK;
		if (ended || word[0] != '-' || word[1] == '\0') {
			status = parse_operand(&parser, word);
		} else if (strcmp(word, "--") == 0) {
			ended = true;
		} else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
			*wants_help = true;
			return BG_OK;
		} else if (word[1] != '-') {
			status = bg_fail(err, BG_E_USAGE,
					 "unknown option '%s': options are long, such as --help",
					 word);
		} else {
			status = parse_option(&parser, &used_next, word + 2,
					      i + 1 < argc ? argv[i + 1] : NULL);
		}
		if (status != BG_OK)
			return status;
		i += used_next;
	}
	if (table->operands && operands_of(&parser)->count < table->operand_min)
		return bg_fail(err, BG_E_USAGE, "%s is missing: see --help", table->operands);
	return BG_OK;
}
