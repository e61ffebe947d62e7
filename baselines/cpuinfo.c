#include "baselines/cpuinfo.h"

#include "gate/core/buffer.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE 8192	/* the longest flags seen are 2 KiB */
#define LINES_MAX 40000 /* 1024 CPUs of 30 lines, and some */
#define VALUE_MAX 200
#define KINDS_MAX 512 /* bytes of all core types' names */

/* What libraries choose their kernels by; other flags come and go with kernels and mitigations. */
static const char *const vector_units[] = {
	"sse4_2",      "avx",	   "avx2",     "fma",	   "avx512f",  "avx512_vnni", "avx512_bf16",
	"avx512_fp16", "avx_vnni", "amx_tile", "amx_int8", "amx_bf16", "asimd",	      "asimddp",
	"sve",	       "sve2",	   "i8mm",     "bf16",	   "sme",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct reading {
	char name[VALUE_MAX + 1]; /* "model name", or what other architectures have instead */
	char vendor[VALUE_MAX + 1], family[16], model[16], stepping[16];
	char implementer[16], part[16], variant[16], revision[16];
	char microcode[32];
	bool arm, have_flags, hypervisor;
	bool unit[COUNT(vector_units)];
	struct bg_buffer kinds; /* arm64: core types met so far, joined */
};

/* The first value counts: CPUs of one machine repeat it. */
static void keep(char *ret, size_t size, const char *value)
{
	if (!*ret)
		snprintf(ret, size, "%s", value);
}

static bool has_word(const char *list, const char *word)
{
	size_t size = strlen(word);
	while (*list) {
		size_t length = strcspn(list, " ");
		if (length == size && memcmp(list, word, size) == 0)
			return true;
		list += length + (list[length] != '\0');
	}
	return false;
}

static void read_flags(struct reading *r, const char *flags)
{
	if (r->have_flags)
		return;
	r->have_flags = true;
	r->hypervisor = has_word(flags, "hypervisor");
	for (size_t i = 0; i < COUNT(vector_units); i++)
		r->unit[i] = has_word(flags, vector_units[i]);
}

/* A chip of big and little cores lists several: in the order met, each once. */
static void add_kind(struct reading *r)
{
	char kind[40];
	snprintf(kind, sizeof kind, "%s/%s", r->implementer, r->part);
	if (!*r->implementer || (r->kinds.size && strstr(r->kinds.bytes, kind)))
		return;
	if (r->kinds.size)
		bg_buffer_text(&r->kinds, " + ");
	bg_buffer_text(&r->kinds, kind);
}

static void read_pair(struct reading *r, const char *key, const char *value)
{
	struct {
		const char *key;
		char *ret;
		size_t size;
	} const texts[] = {
		{ "model name", r->name, sizeof r->name },
		{ "vendor_id", r->vendor, sizeof r->vendor },
		{ "cpu family", r->family, sizeof r->family },
		{ "model", r->model, sizeof r->model },
		{ "stepping", r->stepping, sizeof r->stepping },
		{ "microcode", r->microcode, sizeof r->microcode },
		{ "CPU variant", r->variant, sizeof r->variant },
		{ "CPU revision", r->revision, sizeof r->revision },
		{ "cpu", r->name, sizeof r->name },   /* ppc64 */
		{ "uarch", r->name, sizeof r->name }, /* riscv64 */
	};
	for (size_t i = 0; i < COUNT(texts); i++)
		if (strcmp(key, texts[i].key) == 0)
			keep(texts[i].ret, texts[i].size, value);
	if (strcmp(key, "flags") == 0 || strcmp(key, "Features") == 0)
		read_flags(r, value);
	if (strcmp(key, "CPU implementer") == 0)
		snprintf(r->implementer, sizeof r->implementer, "%s", value);
	if (strcmp(key, "CPU part") == 0) {
		snprintf(r->part, sizeof r->part, "%s", value);
		r->arm = true;
		add_kind(r);
	}
}

/* Runs of white space become one space; none at the ends. In place. */
static char *squeeze(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++) {
		bool space = *from == ' ' || *from == '\t' || *from == '\n' || *from == '\r';
		if (!space)
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
	return text;
}

static void read_lines(struct reading *r, FILE *file)
{
	char line[LINE_SIZE];
	for (unsigned count = 0; count < LINES_MAX && fgets(line, sizeof line, file); count++) {
		char *colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		read_pair(r, squeeze(line), squeeze(colon + 1));
	}
}

static const char *units_text(const struct reading *r, struct bg_arena *arena)
{
	struct bg_buffer text;
	bg_buffer_init(&text, LINE_SIZE);
	for (size_t i = 0; i < COUNT(vector_units); i++)
		if (r->unit[i])
			bg_buffer_format(&text, "%s%s", text.size ? " " : "", vector_units[i]);
	const char *copy = bg_arena_text(arena, text.size ? text.bytes : "none");
	bg_buffer_release(&text);
	return r->have_flags ? copy : "unknown";
}

static const char *or_unknown(const char *text, struct bg_arena *arena)
{
	return *text ? bg_arena_text(arena, text) : "unknown";
}

void bg_cpuinfo_read(struct bg_cpuinfo *ret, const char *root, struct bg_arena *arena)
{
	char path[PATH_MAX];
	struct reading r = { .arm = false };
	bg_buffer_init(&r.kinds, KINDS_MAX);
	snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
	FILE *file = fopen(path, "re");
	if (file) {
		read_lines(&r, file);
		fclose(file);
	}
	*ret = (struct bg_cpuinfo){
		.model = or_unknown(r.arm && r.kinds.size ? r.kinds.bytes : r.name, arena),
		.stepping = "unknown",
		.features = units_text(&r, arena),
		.microcode = or_unknown(r.microcode, arena),
		.tells_hypervisor = r.have_flags && !r.arm,
		.hypervisor = r.hypervisor,
	};
	if (r.arm)
		ret->stepping =
			bg_arena_format(arena, "variant %s revision %s", r.variant, r.revision);
	else if (*r.vendor)
		ret->stepping = bg_arena_format(arena, "%s %s/%s/%s", r.vendor, r.family, r.model,
						r.stepping);
	bg_buffer_release(&r.kinds);
}
