#include "baselines/fingerprint.h"

#include "gate/core/random.h" /* bg_hash */

#include <inttypes.h>
#include <string.h>

#define FACT(label, field, counts)                                                                 \
	{                                                                                          \
		label, offsetof(struct bg_machine, field), counts                                  \
	}

/* By name, which is also the order in which they are hashed. */
static const struct {
	const char *name;
	size_t offset; /* of its text in struct bg_machine */
	bool in_class;
} facts[] = {
	FACT("affinity", affinity, true),
	FACT("arch", arch, true),
	FACT("batchgate", batchgate, true),
	FACT("boost", boost, true),
	FACT("cores", cores, true),
	FACT("cpu", cpu, true),
	FACT("cpu.features", cpu_features, true),
	FACT("cpu.stepping", cpu_stepping, true),
	FACT("cpus", cpus, true),
	FACT("frequency.limit", frequency_limit, false),
	FACT("governor", governor, true),
	FACT("hypervisor", hypervisor, true),
	FACT("kernel", kernel, true),
	FACT("kernel.release", kernel_release, false),
	FACT("libc", libc, true),
	FACT("memory", memory, true),
	FACT("microcode", microcode, false),
	FACT("numa.nodes", numa_nodes, false),
	FACT("product", product, false),
	FACT("quota", quota, true),
	FACT("smt", smt, true),
	FACT("thp", thp, false),
};

#define FACT_COUNT (sizeof facts / sizeof *facts)
#define HASH_BITS 48

/* For a ref's name: letters, digits and '_', at most 16; an odd one is no reason to fail. */
static const char *ref_word(const char *text, struct bg_arena *arena)
{
	size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
	return size == 0 || text[size] || size > 16 ? "other" : bg_arena_bytes(arena, text, size);
}

static const char *class_text(const struct bg_machine *machine, uint64_t hash,
			      struct bg_arena *arena)
{
	/* Folded as its authors advise for a width that is no power of two. */
	uint64_t folded = (hash >> HASH_BITS) ^ (hash & ((UINT64_C(1) << HASH_BITS) - 1));
	const char *cores = strcmp(machine->cores, "unknown") == 0 ? "0" : machine->cores;
	return bg_arena_format(arena, "%s-%sc-%012" PRIx64, ref_word(machine->arch, arena), cores,
			       folded);
}

void bg_fingerprint_read(struct bg_fingerprint *ret, const struct bg_machine_source *source,
			 struct bg_arena *arena)
{
	struct bg_machine machine;
	struct bg_axis_text *entry = bg_arena_array(arena, FACT_COUNT, sizeof *entry);
	uint64_t hash = BG_HASH_INIT;
	bg_machine_read(&machine, source, arena);
	for (size_t i = 0; i < FACT_COUNT; i++) {
		const char *value;
		memcpy(&value, (const char *)&machine + facts[i].offset, sizeof value);
		entry[i] = (struct bg_axis_text){ facts[i].name, value };
		if (!facts[i].in_class)
			continue;
		hash = bg_hash(hash, entry[i].name, strlen(entry[i].name) + 1);
		hash = bg_hash(hash, value, strlen(value) + 1);
	}
	*ret = (struct bg_fingerprint){ .runner_class = class_text(&machine, hash, arena),
					.count = FACT_COUNT,
					.entry = entry };
}

bool bg_fingerprint_in_class(const char *name)
{
	for (size_t i = 0; i < FACT_COUNT; i++)
		if (strcmp(facts[i].name, name) == 0)
			return facts[i].in_class;
	return false;
}

static const char *value_of(const struct bg_fingerprint_side *side, const char *name)
{
	for (size_t i = 0; i < side->count; i++)
		if (strcmp(side->entry[i].name, name) == 0)
			return side->entry[i].value;
	return NULL;
}

struct explanation {
	const struct bg_fingerprint_side *then, *now;
	const char **lines;
	size_t count;
	struct bg_arena *arena;
};

static void explain(struct explanation *to, const char *name, bool in_class)
{
	const char *then = value_of(to->then, name), *now = value_of(to->now, name);
	if (bg_fingerprint_in_class(name) != in_class || (then && now && strcmp(then, now) == 0))
		return;
	to->lines[to->count++] =
		bg_arena_format(to->arena, "%s: %s, then %s%s", name, then ? then : "not recorded",
				now ? now : "not recorded", in_class ? "" : " (recorded only)");
}

const char **bg_fingerprint_explain(size_t *ret_count, const struct bg_fingerprint_side *then,
				    const struct bg_fingerprint_side *now, struct bg_arena *arena)
{
	struct explanation to = { .then = then, .now = now, .arena = arena };
	to.lines = bg_arena_array(arena, then->count + now->count, sizeof *to.lines);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < then->count; i++)
			explain(&to, then->entry[i].name, pass == 0);
		for (size_t i = 0; i < now->count; i++)
			if (!value_of(then, now->entry[i].name))
				explain(&to, now->entry[i].name, pass == 0);
	}
	*ret_count = to.count;
	return to.lines;
}
