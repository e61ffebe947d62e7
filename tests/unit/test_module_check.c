#include "workloads/modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

static struct bg_arena arena;

static enum bg_answer setup(void **state, const struct bg_point *point, struct bg_why *why)
{
	(void)state, (void)point, (void)why;
	return BG_ANSWER_OK;
}

static void costs(void *state, struct bg_costs *ret)
{
	(void)state, (void)ret;
}

static enum bg_answer run(void *state, struct bg_why *why)
{
	(void)state, (void)why;
	return BG_ANSWER_OK;
}

static void teardown(void *state)
{
	(void)state;
}

static const char *const words[] = { "f32", "f64", "E4M3.x+y" };

/* A sound table, for each test to break in one place. */
struct table {
	struct bg_operation_axis axes[3];
	struct bg_operation operations[2];
	struct bg_module module;
};

static struct table *make_table(void)
{
	struct table *table = bg_arena_alloc(&arena, sizeof *table);
	*table = (struct table){
		.axes = { { "m", "Rows", BG_OPERATION_INTEGER, "-1", -9007199254740992.0,
			    9007199254740992.0, NULL, 0 },
			  { "alpha", "Factor", BG_OPERATION_NUMBER, "1e-3", 0, 1, NULL, 0 },
			  { "dtype", "Type", BG_OPERATION_WORD, "f64", 0, 0, words, 3 } },
		.operations = { { "gemm", "one", "Product", 3, table->axes, NULL, setup, costs, run,
				  NULL, NULL, teardown },
				{ "gemm", "two", "Product \xc2\xb5", 0, NULL, NULL, setup, costs,
				  run, NULL, NULL, teardown } },
		.module = { BG_MODULE_HEAD, "sound", "A module", 2, table->operations, NULL },
	};
	return table;
}

static void assert_fault(const struct table *table, const char *part)
{
	const char *fault = bg_module_fault(&table->module, "sound", &arena);
	if (!fault || !strstr(fault, part))
		fail_msg("\"%s\" does not contain \"%s\"", fault ? fault : "(none)", part);
}

static void a_sound_table_has_no_fault(void **state)
{
	(void)state;
	assert_null(bg_module_fault(&make_table()->module, "sound", &arena));
}

static void the_head_is_checked_before_anything_else(void **state)
{
	(void)state;
	assert_string_equal(bg_module_fault(NULL, "x", &arena), "bg_module_v1 returns nothing");
	/* Not one byte behind the head may be looked at. */
	_Alignas(struct bg_module) uint32_t head[4] = { BG_MODULE_ABI + 1, 1, 1, 1 };
	const struct bg_module *module = (const void *)head;
	assert_string_equal(bg_module_fault(module, "x", &arena),
			    "made for version 2 of workload.h, this is 1");
	for (size_t i = 0; i < 3; i++) {
		struct table *table = make_table();
		uint32_t *const sizes[] = { &table->module.size, &table->module.operation_size,
					    &table->module.axis_size };
		*sizes[i] += 8;
		table->module.name = (const char *)8;
		table->module.operations = (const struct bg_operation *)8;
		assert_fault(table, "compile it with this version's workload.h");
	}
}

static void every_must_of_a_module_is_asked_for(void **state)
{
	(void)state;
	struct table *table = make_table();
	table->module.name = "other";
	assert_fault(table, "calls itself other, not sound");
	table->module.name = "\033[31m";
	assert_fault(table, "calls itself something else");
	table->module.name = NULL;
	assert_fault(table, "calls itself something else");
	table = make_table();
	table->module.summary = "two\nlines";
	assert_fault(table, "summary");
	table->module.summary = "\xff";
	assert_fault(table, "summary");
	table = make_table();
	table->module.operation_count = 0;
	assert_fault(table, "has 0 operations; allowed: 1 to 256");
	table->module.operation_count = 257;
	assert_fault(table, "has 257 operations");
	table->module.operation_count = 1;
	table->module.operations = NULL;
	assert_fault(table, "has 0 operations");
}

static void every_must_of_an_operation_is_asked_for(void **state)
{
	(void)state;
	struct table *table = make_table();
	table->operations[1].setup = NULL;
	assert_fault(table, "operation gemm, engine two: has no setup");
	table = make_table();
	table->operations[1].costs = NULL;
	assert_fault(table, "has no costs");
	table = make_table();
	table->operations[1].run = NULL;
	assert_fault(table, "has no run");
	table = make_table();
	table->operations[1].teardown = NULL;
	assert_fault(table, "has no teardown");
	table = make_table();
	table->operations[1].summary = "";
	assert_fault(table, "has no summary");
	table = make_table();
	table->operations[1].engine = NULL;
	assert_fault(table, "operation 2 has no name or engine");
}

static void names_are_spelt_right_and_unique(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",	    "Gemm",
		"9x",	    "a b",
		"a=b",	    "a/b",
		"\xc3\xa4", "a234567890123456789012345678901234567890123456789012345678901234"
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct table *table = make_table();
		table->operations[0].name = bad[i];
		assert_fault(table, "operation 1 has no name or engine");
		table = make_table();
		table->axes[1].name = bad[i];
		assert_fault(table, "axis 2 has no name");
	}
	struct table *table = make_table();
	table->operations[1].engine = "one";
	assert_fault(table, "operation gemm, engine one: is there twice");
	table = make_table();
	table->operations[0].name = "exec";
	assert_fault(table, "the name is reserved");
	table = make_table();
	table->axes[2].name = "m";
	assert_fault(table, "axis m: the name is there twice");
	table = make_table();
	table->axes[0].name = "engine";
	assert_fault(table, "axis engine: the name is a key of the suite file");
}

static void axes_are_checked_by_their_kind(void **state)
{
	(void)state;
	static const struct {
		size_t axis;
		double min, max;
		const char *fallback, *fault;
	} bad[] = {
		{ 0, 2, 1, "1", "axis m: its range is empty" },
		{ 0, NAN, 1, "1", "its range is empty or not finite" },
		{ 0, 0, INFINITY, "1", "its range is empty or not finite" },
		{ 0, 0.5, 9, "1", "whole numbers" },
		{ 0, 0, 1e300, "1", "whole numbers" },
		{ 0, 1, 9, "10", "its default is not a number within" },
		{ 0, 1, 9, "2.0", "its default is not a number within" },
		{ 0, 1, 9, "2e0", "its default is not a number within" },
		{ 0, 1, 9, NULL, "its default is not a number within" },
		{ 1, 0, 1, "1.5", "axis alpha: its default is not a number within" },
		{ 1, 0, 1, "nan", "its default is not a number within" },
		{ 1, 0, 1, "", "its default is not a number within" },
		{ 2, 0, 0, "f16", "axis dtype: its default is none of its words" },
		{ 2, 0, 0, "", "its default is no word" },
		{ 2, 0, 0, NULL, "its default is no word" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct table *table = make_table();
		struct bg_operation_axis *axis = &table->axes[bad[i].axis];
		axis->min = bad[i].min;
		axis->max = bad[i].max;
		axis->fallback = bad[i].fallback;
		assert_fault(table, bad[i].fault);
	}
}

static void the_words_of_an_axis_are_checked(void **state)
{
	(void)state;
	static const char *const twice[] = { "f64", "f32", "f32" }, *const spaced[] = { "f 64" };
	struct table *table = make_table();
	table->axes[2].words = twice;
	assert_fault(table, "misspelt or there twice");
	table->axes[2].words = spaced;
	table->axes[2].word_count = 1;
	assert_fault(table, "misspelt or there twice");
	table->axes[2].words = NULL;
	assert_fault(table, "it counts words but has none");
	table->axes[2].word_count = 0;
	assert_null(bg_module_fault(&table->module, "sound", &arena));
}

static void the_number_and_kinds_of_axes_are_bounded(void **state)
{
	(void)state;
	struct table *table = make_table();
	table->operations[0].axis_count = BG_AXES_MAX + 1;
	assert_fault(table, "has 33 axes, at most 32");
	table = make_table();
	table->operations[1].axis_count = 1;
	assert_fault(table, "counts axes but has none");
	table = make_table();
	int kind = 3;
	memcpy(&table->axes[0].kind, &kind, sizeof table->axes[0].kind);
	assert_fault(table, "its kind is unknown");
	table = make_table();
	table->axes[0].summary = NULL;
	assert_fault(table, "axis m: it has no summary");
}

static int release_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_table_has_no_fault),
		cmocka_unit_test(the_head_is_checked_before_anything_else),
		cmocka_unit_test(every_must_of_a_module_is_asked_for),
		cmocka_unit_test(every_must_of_an_operation_is_asked_for),
		cmocka_unit_test(names_are_spelt_right_and_unique),
		cmocka_unit_test(axes_are_checked_by_their_kind),
		cmocka_unit_test(the_words_of_an_axis_are_checked),
		cmocka_unit_test(the_number_and_kinds_of_axes_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, release_arena);
}
