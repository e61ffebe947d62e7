#include "sweeps/policy.h"

#include "gate/core/text.h"
#include "gate/verdict/sentence.h" /* bg_quantity_text */
#include "sweeps/command.h"
#include "sweeps/phrase.h"

#include <math.h>
#include <string.h>

#define UNSET "not set"
#define BASE_USED "base's was used"
#define HEAD_USED "head's was used"
#define HEAD_RUN "head's was run in both arms"

struct changes {
	struct bg_arena *arena;
	struct bg_name_map seen; /* lines: cases of one workload tell the same */
	size_t count, capacity, dropped;
	const char **lines;
};

/* One key of both suites. */
struct key {
	const char *name;  /* "workloads.tokenizer.timeout" */
	const char *whose; /* which value was in force */
};

static void add(struct changes *changes, struct key key, const char *base, const char *head)
{
	if (strcmp(base, head) == 0)
		return;
	struct bg_arena *arena = changes->arena;
	const char *line =
		bg_arena_format(arena, "%s: %s -> %s (%s)", key.name, base, head, key.whose);
	if (bg_name_map_add(&changes->seen, line, 0))
		return;
	/* The last line is kept for the count of the rest. */
	if (changes->count == BG_POLICY_CHANGES_MAX - 1) {
		changes->dropped++;
		return;
	}
	changes->lines = bg_arena_grow(arena, changes->lines, changes->count, &changes->capacity,
				       sizeof *changes->lines);
	changes->lines[changes->count++] = line;
}

/* Both NaN or both the same number. */
static bool same_number(double a, double b)
{
	return (isnan(a) && isnan(b)) || !(a < b || a > b || isnan(a) || isnan(b));
}

/* unit NULL: a ratio. */
static const char *amount_text(double amount, const char *unit, struct bg_arena *arena)
{
	if (isnan(amount))
		return UNSET;
	if (unit)
		return bg_quantity_text(arena, amount, unit);
	char text[BG_FIXED_SIZE];
	bg_text_fixed(text, 100 * amount, 4);
	char *end = text + strlen(text);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		*--end = '\0';
	return bg_arena_format(arena, "%s %%", text);
}

/* Amounts that differ in places that nobody wants to see are told apart by all their digits. */
static const char *exact_text(double amount, const char *unit, struct bg_arena *arena)
{
	if (isnan(amount))
		return UNSET;
	return bg_arena_format(arena, "%s%s%s", bg_phrase_number(arena, amount), unit ? " " : "",
			       unit ? unit : "");
}

/* A margin or a floor: base's, head's, and what base's suite as a whole makes of it. */
struct amount {
	double base, head, in_force;
	const char *unit; /* NULL: a ratio */
};

/* Two amounts that differ, as texts that do. */
static void amount_texts(const char *texts[2], struct amount amount, struct bg_arena *arena)
{
	texts[0] = amount_text(amount.base, amount.unit, arena);
	texts[1] = amount_text(amount.head, amount.unit, arena);
	if (strcmp(texts[0], texts[1]) != 0)
		return;
	texts[0] = exact_text(amount.base, amount.unit, arena);
	texts[1] = exact_text(amount.head, amount.unit, arena);
}

static void add_amount(struct changes *changes, const char *name, struct amount amount)
{
	struct bg_arena *arena = changes->arena;
	const char *texts[2];
	if (same_number(amount.base, amount.head))
		return;
	amount_texts(texts, amount, arena);
	const char *whose = bg_arena_format(arena, "base's %s was used",
					    amount_text(amount.in_force, amount.unit, arena));
	add(changes, (struct key){ name, whose }, texts[0], texts[1]);
}

/* The first that is set. */
static double first_set(double a, double b, double c)
{
	return !isnan(a) ? a : !isnan(b) ? b : c;
}

/* prefix: "" or "workloads.NAME."; whole: base's suite's own margins. */
static void compare_margins(struct changes *changes, const char *prefix,
			    const struct bg_margins *const margins[2],
			    const struct bg_margins *whole)
{
	const struct bg_margins *base = margins[0], *head = margins[1];
	for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++) {
		const struct bg_metric_info *info = bg_metric_info(m);
		const char *name =
			bg_arena_format(changes->arena, "%smargins.%s", prefix, info->name);
		add_amount(
			changes, name,
			(struct amount){ base->margin[m], head->margin[m],
					 first_set(base->margin[m], whole->margin[m], info->margin),
					 NULL });
		name = bg_arena_format(changes->arena, "%s.floor", name);
		add_amount(changes, name,
			   (struct amount){ base->floor[m], head->floor[m],
					    first_set(base->floor[m], whole->floor[m], info->floor),
					    info->unit });
	}
}

/* Of two long texts: from a little before the first difference on, and not without end. */
static const char *window(const char *text, size_t same_size, struct bg_arena *arena)
{
	enum { LEAD = 20, SHOWN = 200 };
	size_t start = same_size > SHOWN / 2 ? same_size - LEAD : 0, size = strlen(text);
	/* At a character's begin. */
	while (start > 0 && ((unsigned char)text[start] & 0xc0) == 0x80)
		start--;
	size_t end = size - start > SHOWN ? start + SHOWN : size;
	while (end < size && ((unsigned char)text[end] & 0xc0) == 0x80)
		end++;
	return bg_arena_format(arena, "%s%.*s%s", start > 0 ? "..." : "", (int)(end - start),
			       text + start, end < size ? "..." : "");
}

static void add_texts(struct changes *changes, struct key key, const char *base, const char *head)
{
	size_t same = 0;
	while (base[same] && base[same] == head[same])
		same++;
	add(changes, key, window(base, same, changes->arena), window(head, same, changes->arena));
}

struct words {
	const char *const *words;
	size_t count;
};

static bool same_words(struct words a, struct words b)
{
	if (a.count != b.count)
		return false;
	for (size_t i = 0; i < a.count; i++)
		if (strcmp(a.words[i], b.words[i]) != 0)
			return false;
	return true;
}

static void add_words(struct changes *changes, struct key key, struct words base, struct words head)
{
	struct bg_arena *arena = changes->arena;
	if (!same_words(base, head))
		add_texts(changes, key,
			  base.count > 0 ? bg_command_text(base.words, base.count, arena) : UNSET,
			  head.count > 0 ? bg_command_text(head.words, head.count, arena) : UNSET);
}

static void add_timeout(struct changes *changes, struct key key, double base_s, double head_s)
{
	struct amount amount = { base_s, head_s, NAN, "s" };
	const char *texts[2];
	if (same_number(base_s, head_s))
		return;
	amount_texts(texts, amount, changes->arena);
	add(changes, key, base_s > 0 ? texts[0] : UNSET, head_s > 0 ? texts[1] : UNSET);
}

static const char *threads_text(unsigned threads, struct bg_arena *arena)
{
	return threads > 0 ? bg_arena_format(arena, "%u", threads) : UNSET;
}

static const char *const turns_words[] = {
	[BG_TURNS_AUTO] = "auto",
	[BG_TURNS_STEP] = "step",
	[BG_TURNS_SLICED] = "sliced",
};

/* What both arms do to run a workload's cases. */
static void compare_definitions(struct changes *changes, const char *prefix,
				const struct bg_workload_entry *base,
				const struct bg_workload_entry *head)
{
	struct bg_arena *arena = changes->arena;
#define KEY(word, whose) (struct key){ bg_arena_format(arena, "%s" word, prefix), whose }
	add(changes, KEY("use", HEAD_USED), base->word, head->word);
	add_words(changes, KEY("run", HEAD_RUN),
		  (struct words){ base->command, base->command_count },
		  (struct words){ head->command, head->command_count });
	add_words(changes, KEY("path", HEAD_USED),
		  (struct words){ &base->path, base->path != NULL },
		  (struct words){ &head->path, head->path != NULL });
	add_timeout(changes, KEY("timeout", HEAD_USED), base->timeout_s, head->timeout_s);
	add(changes, KEY("threads", HEAD_USED), threads_text(base->threads, arena),
	    threads_text(head->threads, arena));
	add(changes, KEY("turns", HEAD_USED), turns_words[base->turns], turns_words[head->turns]);
#undef KEY
}

static void compare_workloads(struct changes *changes, const struct bg_suite *base,
			      const struct bg_matches *matches)
{
	for (size_t i = 0; i < matches->count; i++) {
		const struct bg_match *match = &matches->of[i];
		const struct bg_workload_entry *of_head = match->head->entry;
		const struct bg_workload_entry *of_base = match->policy->entry;
		/* Neighbours mostly are of one entry in both suites, and tell the same. */
		bool told = i > 0 && match[-1].head->entry == of_head &&
			    match[-1].policy->entry == of_base && (match[-1].base || !match->base);
		if (of_base == of_head || told)
			continue;
		const char *prefix =
			bg_arena_format(changes->arena, "workloads.%s.", of_head->name);
		if (match->base)
			compare_definitions(changes, prefix, of_base, of_head);
		compare_margins(
			changes, prefix,
			(const struct bg_margins *const[]){ &of_base->margins, &of_head->margins },
			&base->margins);
	}
}

static void compare_arms(struct changes *changes, const struct bg_arms *base,
			 const struct bg_arms *head)
{
	add_words(changes, (struct key){ "arms.build", HEAD_RUN },
		  (struct words){ base->build, base->build_count },
		  (struct words){ head->build, head->build_count });
	add_words(changes, (struct key){ "arms.worker", HEAD_RUN },
		  (struct words){ base->worker, base->worker_count },
		  (struct words){ head->worker, head->worker_count });
	add_words(changes, (struct key){ "arms.carry", HEAD_USED },
		  (struct words){ base->carry, base->carry_count },
		  (struct words){ head->carry, head->carry_count });
	add_words(changes, (struct key){ "arms.link", HEAD_USED },
		  (struct words){ base->link, base->link_count },
		  (struct words){ head->link, head->link_count });
}

static void compare_judged(struct changes *changes, const struct bg_suite *base,
			   const struct bg_suite *head)
{
	static const char *const words[] = { "not judged", "judged" };
	for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++) {
		const struct bg_metric_info *info = bg_metric_info(m);
		if (!info->judged)
			add(changes,
			    (struct key){ bg_arena_format(changes->arena, "judge.%s", info->name),
					  BASE_USED },
			    words[base->judge[m]], words[head->judge[m]]);
	}
}

static void add_names(struct bg_name_map *names, const struct bg_suite *suite)
{
	for (size_t i = 0; i < suite->alias_count; i++)
		(void)bg_name_map_add(names, suite->aliases[i].name, (unsigned)i);
}

static void compare_aliases(struct changes *changes, const struct bg_suite *base,
			    const struct bg_suite *head)
{
	struct bg_name_map of_base = { .arena = changes->arena };
	struct bg_name_map of_head = { .arena = changes->arena };
	add_names(&of_base, base);
	add_names(&of_head, head);
	for (size_t i = 0; i < head->alias_count; i++) {
		const struct bg_alias *alias = &head->aliases[i];
		const struct bg_name_slot *slot = bg_name_map_find(&of_base, alias->name);
		add(changes,
		    (struct key){ bg_arena_format(changes->arena, "aliases.%s", alias->name),
				  HEAD_USED },
		    slot ? base->aliases[slot->line].old_name : UNSET, alias->old_name);
	}
	for (size_t i = 0; i < base->alias_count; i++)
		if (!bg_name_map_find(&of_head, base->aliases[i].name))
			add(changes,
			    (struct key){ bg_arena_format(changes->arena, "aliases.%s",
							  base->aliases[i].name),
					  HEAD_USED },
			    base->aliases[i].old_name, UNSET);
}

static void compare_removals(struct changes *changes, const struct bg_suite *base,
			     const struct bg_suite *head)
{
	const struct bg_suite *const suites[2] = { head, base };
	for (size_t s = 0; s < 2; s++) {
		struct bg_name_map others = { .arena = changes->arena };
		for (size_t i = 0; i < suites[!s]->removal_count; i++)
			(void)bg_name_map_add(&others, suites[!s]->removals[i].pattern, 0);
		for (size_t i = 0; i < suites[s]->removal_count; i++) {
			const char *pattern = suites[s]->removals[i].pattern;
			if (!bg_name_map_find(&others, pattern))
				add(changes,
				    (struct key){
					    bg_arena_format(changes->arena, "removed.%s", pattern),
					    HEAD_USED },
				    s == 0 ? "not listed" : "listed",
				    s == 0 ? "listed" : "not listed");
		}
	}
}

void bg_policy_compare(struct bg_result *result, const struct bg_suite *base,
		       const struct bg_suite *head, const struct bg_matches *matches,
		       struct bg_arena *arena)
{
	struct changes changes = { .arena = arena, .seen = { .arena = arena } };
	add(&changes, (struct key){ "suite", HEAD_USED }, base->name, head->name);
	compare_workloads(&changes, base, matches);
	compare_arms(&changes, &base->arms, &head->arms);
	compare_margins(&changes, "",
			(const struct bg_margins *const[]){ &base->margins, &head->margins },
			&base->margins);
	compare_judged(&changes, base, head);
	compare_aliases(&changes, base, head);
	compare_removals(&changes, base, head);
	if (changes.dropped > 0) {
		changes.lines = bg_arena_grow(arena, changes.lines, changes.count,
					      &changes.capacity, sizeof *changes.lines);
		changes.lines[changes.count++] =
			bg_arena_format(arena, "further changes: %zu, not listed", changes.dropped);
	}
	result->policy_changes = changes.lines;
	result->policy_change_count = changes.count;
}
