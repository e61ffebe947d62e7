#include "gate/core/text.h"
#include "workloads/modules.h"

#include <math.h>
#include <string.h>

#define NAME_MAX_SIZE 63
#define SUMMARY_MAX_SIZE 255
#define INTEGER_MAX 9007199254740992.0 /* 2^53: every integer up to it is a double */

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool is_made_of(const char *text, const char *allowed)
{
	if (!text)
		return false;
	size_t size = strnlen(text, NAME_MAX_SIZE + 1);
	return size >= 1 && size <= NAME_MAX_SIZE && strspn(text, allowed) == size;
}

static bool is_name(const char *text)
{
	return is_made_of(text, LOWER DIGITS "_-") && *text >= 'a' && *text <= 'z';
}

static bool is_summary(const char *text)
{
	size_t size = text ? strnlen(text, SUMMARY_MAX_SIZE + 1) : 0;
	if (size < 1 || size > SUMMARY_MAX_SIZE || !bg_text_is_utf8(text, size))
		return false;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return true;
}

static bool is_one_of(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return false;
}

static const char *word_axis_fault(const struct bg_operation_axis *axis)
{
	if (!is_made_of(axis->fallback, UPPER LOWER DIGITS "._+-"))
		return "its default is no word";
	if (axis->word_count == 0)
		return NULL;
	if (!axis->words)
		return "it counts words but has none";
	for (size_t i = 0; i < axis->word_count; i++)
		if (!is_made_of(axis->words[i], UPPER LOWER DIGITS "._+-") ||
		    is_one_of(axis->words[i], axis->words, i))
			return "a word of it is misspelt or there twice";
	return is_one_of(axis->fallback, axis->words, axis->word_count)
		       ? NULL
		       : "its default is none of its words";
}

static const char *number_axis_fault(const struct bg_operation_axis *axis)
{
	bool whole = axis->kind == BG_OPERATION_INTEGER;
	double fallback;
	if (!isfinite(axis->min) || !isfinite(axis->max) || axis->min > axis->max)
		return "its range is empty or not finite";
	if (whole && (floor(axis->min) != axis->min || floor(axis->max) != axis->max ||
		      axis->min < -INTEGER_MAX || axis->max > INTEGER_MAX))
		return "its range is not one of whole numbers up to 2^53";
	if (!axis->fallback ||
	    !bg_text_to_double(&fallback, axis->fallback, axis->min, axis->max) ||
	    (whole && !is_made_of(axis->fallback, DIGITS "-")))
		return "its default is not a number within its range";
	return NULL;
}

static const char *axis_fault(const struct bg_operation *operation, size_t index)
{
	static const char *const taken[] = { "use",	"path",	 "engine", "shape",
					     "timeout", "turns", "margins" };
	const struct bg_operation_axis *axis = &operation->axes[index];
	if (is_one_of(axis->name, taken, sizeof taken / sizeof *taken))
		return "the name is a key of the suite file";
	for (size_t i = 0; i < index; i++)
		if (strcmp(axis->name, operation->axes[i].name) == 0)
			return "the name is there twice";
	if (!is_summary(axis->summary))
		return "it has no summary of one line";
	switch (axis->kind) {
	case BG_OPERATION_INTEGER:
	case BG_OPERATION_NUMBER:
		return number_axis_fault(axis);
	case BG_OPERATION_WORD:
		return word_axis_fault(axis);
	}
	return "its kind is unknown";
}

static const char *axes_fault(const struct bg_operation *operation, struct bg_arena *arena)
{
	if (operation->axis_count > BG_AXES_MAX)
		return bg_arena_format(arena, "has %zu axes, at most %d", operation->axis_count,
				       BG_AXES_MAX);
	if (operation->axis_count > 0 && !operation->axes)
		return "counts axes but has none";
	for (size_t i = 0; i < operation->axis_count; i++) {
		if (!is_name(operation->axes[i].name))
			return bg_arena_format(arena, "axis %zu has no name of a-z, 0-9, _ and -",
					       i + 1);
		const char *fault = axis_fault(operation, i);
		if (fault)
			return bg_arena_format(arena, "axis %s: %s", operation->axes[i].name,
					       fault);
	}
	return NULL;
}

static const char *missing_hook(const struct bg_operation *operation)
{
	return !operation->setup      ? "setup"
	       : !operation->costs    ? "costs"
	       : !operation->run      ? "run"
	       : !operation->teardown ? "teardown"
				      : NULL;
}

/* The words after `use:` that are no operation's name. */
static bool is_reserved(const char *name)
{
	static const char *const taken[] = { "exec", "program", "plugin", "replay" };
	return is_one_of(name, taken, sizeof taken / sizeof *taken);
}

static const char *operation_fault(const struct bg_module *module, size_t index,
				   struct bg_arena *arena)
{
	const struct bg_operation *operation = &module->operations[index];
	if (!is_name(operation->name) || !is_name(operation->engine))
		return bg_arena_format(arena,
				       "operation %zu has no name or engine of a-z, 0-9, _ and -",
				       index + 1);
	const char *fault = NULL, *hook = missing_hook(operation);
	if (is_reserved(operation->name))
		fault = "the name is reserved";
	else if (!is_summary(operation->summary))
		fault = "has no summary of one line";
	else if (hook)
		fault = bg_arena_format(arena, "has no %s", hook);
	else
		fault = axes_fault(operation, arena);
	for (size_t i = 0; i < index && !fault; i++)
		if (strcmp(operation->name, module->operations[i].name) == 0 &&
		    strcmp(operation->engine, module->operations[i].engine) == 0)
			fault = "is there twice for the engine";
	return fault ? bg_arena_format(arena, "operation %s, engine %s: %s", operation->name,
				       operation->engine, fault)
		     : NULL;
}

const char *bg_module_fault(const struct bg_module *module, const char *stem,
			    struct bg_arena *arena)
{
	if (!module)
		return "bg_module_v1 returns nothing";
	if (module->abi != BG_MODULE_ABI)
		return bg_arena_format(arena, "made for version %u of workload.h, this is %d",
				       module->abi, BG_MODULE_ABI);
	if (module->size != sizeof(struct bg_module) ||
	    module->operation_size != sizeof(struct bg_operation) ||
	    module->axis_size != sizeof(struct bg_operation_axis))
		return bg_arena_format(arena,
				       "has structs of %u, %u and %u bytes, not %zu, %zu and %zu: "
				       "compile it with this version's workload.h",
				       module->size, module->operation_size, module->axis_size,
				       sizeof(struct bg_module), sizeof(struct bg_operation),
				       sizeof(struct bg_operation_axis));
	if (!module->name || strcmp(module->name, stem) != 0)
		return bg_arena_format(arena, "calls itself %s, not %s as its file does",
				       is_name(module->name) ? module->name : "something else",
				       stem);
	if (!is_summary(module->summary))
		return "has no summary of one line";
	if (module->operation_count < 1 || module->operation_count > BG_MODULE_OPERATIONS_MAX ||
	    !module->operations)
		return bg_arena_format(arena, "has %zu operations; allowed: 1 to %d",
				       module->operations ? module->operation_count : 0,
				       BG_MODULE_OPERATIONS_MAX);
	for (size_t i = 0; i < module->operation_count; i++) {
		const char *fault = operation_fault(module, i, arena);
		if (fault)
			return fault;
	}
	return NULL;
}
