#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/core/file.h"
#include "gate/wire/result_file.h"
#include "tests/bench/synthetic_result.h"
#include "tests/unit/comma_locale.h"

#include <string.h>
#include <unistd.h>

static const struct synthetic small = { .case_count = 3,
					.launches = 6,
					.pairs = 5,
					.seed = 9,
					.sd = .006,
					.slower_share = .5,
					.slowdown = .05 };

struct fixture {
	struct bg_arena arena;
	struct bg_error err;
	struct bg_result result, again;
	char path[64];
	char *text; /* the file */
	size_t size;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	*state = f;
	snprintf(f->path, sizeof f->path, "/tmp/batchgate-test-result-%d.json", (int)getpid());
	synthetic_result(&f->result, &small, &f->arena);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	setlocale(LC_ALL, "C");
	unlink(f->path);
	bg_arena_release(&f->arena);
	free(f);
	return 0;
}

static void write_result(struct fixture *f)
{
	assert_int_equal(bg_result_write(&f->result, f->path, &f->err), BG_OK);
	assert_int_equal(
		bg_file_read(&f->text, &f->size, f->path, BG_RESULT_SIZE_MAX, &f->arena, &f->err),
		BG_OK);
}

static void same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static void same_bits(double a, double b)
{
	uint64_t x, y;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	if (!isnan(a) || !isnan(b))
		assert_int_equal(x, y);
}

static void same_data(const struct bg_datum *a, const struct bg_datum *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		same_bits(a[i].x, b[i].x);
		same_bits(a[i].base, b[i].base);
		same_bits(a[i].head, b[i].head);
	}
}

static void same_series(const struct bg_series *a, const struct bg_series *b)
{
	assert_int_equal(a->metric, b->metric);
	assert_int_equal(a->judge_count, b->judge_count);
	assert_int_equal(a->confirm_count, b->confirm_count);
	same_data(a->judge, b->judge, a->judge_count);
	same_data(a->confirm, b->confirm, a->confirm_count);
}

static void same_pairs(const struct bg_launch_pairs *a, const struct bg_launch_pairs *b)
{
	assert_int_equal(a->phase, b->phase);
	assert_int_equal(a->index, b->index);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->voided, b->voided);
	for (unsigned i = 0; i < a->count; i++) {
		same_bits(a->base[i], b->base[i]);
		same_bits(a->head[i], b->head[i]);
		assert_int_equal(a->head_first[i], b->head_first[i]);
	}
}

static void same_case(const struct bg_case_result *a, const struct bg_case_result *b)
{
	const char *const *texts_a[] = { &a->name,     &a->workload, &a->hash,	    &a->file,
					 &a->reason,   &a->turns,    &a->turns_why, &a->cpus,
					 &a->cpus_why, &a->kernel };
	const char *const *texts_b[] = { &b->name,     &b->workload, &b->hash,	    &b->file,
					 &b->reason,   &b->turns,    &b->turns_why, &b->cpus,
					 &b->cpus_why, &b->kernel };
	for (size_t i = 0; i < sizeof texts_a / sizeof *texts_a; i++)
		same_text(*texts_a[i], *texts_b[i]);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->axis_count, b->axis_count);
	for (size_t i = 0; i < a->axis_count; i++) {
		same_text(a->axes[i].name, b->axes[i].name);
		same_text(a->axes[i].value, b->axes[i].value);
	}
	const double numbers_a[] = { a->turn_tax,	a->items_per_step, a->flops_per_step,
				     a->bytes_per_step, a->error,	   a->tolerance };
	const double numbers_b[] = { b->turn_tax,	b->items_per_step, b->flops_per_step,
				     b->bytes_per_step, b->error,	   b->tolerance };
	for (size_t i = 0; i < sizeof numbers_a / sizeof *numbers_a; i++)
		same_bits(numbers_a[i], numbers_b[i]);
	for (int metric = 0; metric < BG_METRIC_COUNT; metric++) {
		same_bits(a->margin[metric], b->margin[metric]);
		same_bits(a->floor[metric], b->floor[metric]);
	}
	assert_int_equal(a->series_count, b->series_count);
	for (size_t i = 0; i < a->series_count; i++)
		same_series(&a->series[i], &b->series[i]);
	assert_int_equal(a->pairs_count, b->pairs_count);
	for (size_t i = 0; i < a->pairs_count; i++)
		same_pairs(&a->pairs[i], &b->pairs[i]);
}

static void same_arm(const struct bg_arm_result *a, const struct bg_arm_result *b)
{
	same_text(a->commit, b->commit);
	same_text(a->subject, b->subject);
	same_text(a->how, b->how);
	assert_int_equal(a->dirty, b->dirty);
}

static void same_result(const struct bg_result *a, const struct bg_result *b)
{
	same_text(a->suite, b->suite);
	same_text(a->suite_file, b->suite_file);
	same_text(a->program, b->program);
	same_text(a->command, b->command);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->aa, b->aa);
	same_arm(&a->base, &b->base);
	same_arm(&a->head, &b->head);
	same_text(a->started_utc, b->started_utc);
	same_bits(a->seconds, b->seconds);
	same_bits(a->budget_s, b->budget_s);
	assert_int_equal(a->ending, b->ending);
	same_text(a->ending_why, b->ending_why);
	assert_int_equal(a->launches, b->launches);
	assert_int_equal(a->virtual_clock, b->virtual_clock);
	same_text(a->runner_class, b->runner_class);
	same_text(a->runner_class_why, b->runner_class_why);
	same_text(a->machine, b->machine);
	assert_int_equal(a->condition_count, b->condition_count);
	for (size_t i = 0; i < a->condition_count; i++)
		same_text(a->conditions[i], b->conditions[i]);
	assert_int_equal(a->policy_change_count, b->policy_change_count);
	for (size_t i = 0; i < a->policy_change_count; i++)
		same_text(a->policy_changes[i], b->policy_changes[i]);
	assert_int_equal(a->case_count, b->case_count);
	for (size_t i = 0; i < a->case_count; i++)
		same_case(&a->cases[i], &b->cases[i]);
}

/* Every field away from its zero. */
static void fill(struct fixture *f)
{
	static const char *conditions[] = { "12 pairs voided", "quota \"1.5\" cores\n\x1b[31m" };
	static const char *changes[] = { "margin of time: 2 % -> 5 %" };
	struct bg_result *r = &f->result;
	r->seed = UINT64_MAX;
	r->aa = r->virtual_clock = r->head.dirty = true;
	r->ending = BG_END_BUDGET;
	r->ending_why = "needs about 3 more minutes";
	r->runner_class = "a1b2";
	r->command = "batchgate gate --seed 1";
	r->seconds = .1;
	r->budget_s = 1.0 / 3;
	r->conditions = conditions;
	r->condition_count = 2;
	r->policy_changes = changes;
	r->policy_change_count = 1;
	struct bg_case_result *c = &r->cases[0];
	c->turns_why = "blocked 3 %";
	c->turn_tax = .04;
	c->flops_per_step = 1e9;
	c->bytes_per_step = 0x1.fffffffffffffp1023;
	c->error = (double)NAN;
	c->margin[BG_METRIC_SETUP] = (double)NAN;
	c->series->confirm_count = 2;
	c->series->confirm = (struct bg_datum[]){ { -.1, 0x1p-1074, 1 }, { 1e-17, .3, .7 } };
	c->series->confirm = memcpy(bg_arena_array(&f->arena, 2, sizeof(struct bg_datum)),
				    c->series->confirm, 2 * sizeof(struct bg_datum));
	c->series->judge[0] = (struct bg_datum){ (double)NAN, 0, 7 };
	c->pairs[1].phase = BG_PHASE_CONFIRM;
	c->pairs[1].voided = 7;
	r->cases[1] = (struct bg_case_result){
		.name = "odd \"name\" \\ \xc3\xa9 \x01",
		.workload = "odd",
		.state = BG_CASE_FAILED,
		.reason = "exit status 139",
	};
}

static void round_trip_keeps_every_bit_of_every_field(void **state)
{
	struct fixture *f = *state;
	fill(f);
	write_result(f);
	assert_int_equal(bg_result_read(&f->again, f->path, &f->arena, &f->err), BG_OK);
	same_result(&f->result, &f->again);
}

static void each_state_and_ending_survives(void **state)
{
	struct fixture *f = *state;
	for (int word = 0; word <= BG_CASE_UNMEASURED; word++) {
		struct bg_case_result *c = &f->result.cases[1];
		c->state = (enum bg_case_state)word;
		c->series_count = word == BG_CASE_MEASURED;
		f->result.ending = (enum bg_ending)(word % (BG_END_INTERRUPTED + 1));
		write_result(f);
		assert_int_equal(bg_result_read(&f->again, f->path, &f->arena, &f->err), BG_OK);
		assert_int_equal(f->again.cases[1].state, word);
		assert_int_equal(f->again.ending, f->result.ending);
	}
}

static void writing_twice_gives_the_same_bytes(void **state)
{
	struct fixture *f = *state;
	write_result(f);
	char *first = f->text;
	assert_int_equal(bg_result_read(&f->again, f->path, &f->arena, &f->err), BG_OK);
	f->result = f->again;
	write_result(f);
	assert_string_equal(first, f->text);
}

static void a_comma_locale_changes_no_byte(void **state)
{
	struct fixture *f = *state;
	write_result(f);
	char *first = f->text;
	if (!comma_locale_set())
		skip();
	write_result(f);
	assert_string_equal(first, f->text);
	assert_int_equal(bg_result_read(&f->again, f->path, &f->arena, &f->err), BG_OK);
	same_result(&f->result, &f->again);
}

/* The written text with the first `from` replaced by `to`. */
static char *changed(struct fixture *f, const char *from, const char *to)
{
	char *at = strstr(f->text, from);
	assert_non_null(at);
	return bg_arena_format(&f->arena, "%.*s%s%s", (int)(at - f->text), f->text, to,
			       at + strlen(from));
}

static void refused(struct fixture *f, const char *text, const char *message_part)
{
	struct bg_result untouched = { .seed = 77 };
	assert_int_equal(
		bg_result_parse(&untouched, text, strlen(text), "r.json", &f->arena, &f->err),
		BG_E_INPUT);
	if (!strstr(f->err.text, message_part))
		fail_msg("\"%s\" does not say \"%s\"", f->err.text, message_part);
	assert_non_null(strstr(f->err.text, "r.json"));
	assert_true(untouched.seed == 77);
	bg_error_clear(&f->err);
}

static void unknown_members_are_ignored(void **state)
{
	struct fixture *f = *state;
	write_result(f);
	char *text = changed(f, "\"aa\":", "\"later\":{\"a\":[1,{}]},\"aa\":");
	assert_int_equal(
		bg_result_parse(&f->again, text, strlen(text), "r.json", &f->arena, &f->err),
		BG_OK);
	same_result(&f->result, &f->again);
}

static void a_margin_that_an_older_writer_lacked_is_unknown(void **state)
{
	struct fixture *f = *state;
	write_result(f);
	char *text = changed(f, "\"setup\":0.10000000000000001,", "");
	assert_int_equal(
		bg_result_parse(&f->again, text, strlen(text), "r.json", &f->arena, &f->err),
		BG_OK);
	assert_true(isnan(f->again.cases[0].margin[BG_METRIC_SETUP]));
}

static void files_of_another_kind_are_named_for_what_they_are(void **state)
{
	struct fixture *f = *state;
	refused(f, "", "is empty; wanted is result.json");
	refused(f, " \n", "is empty");
	refused(f, "<?xml version=\"1.0\"?>", "is XML, perhaps a JUnit report; wanted");
	refused(f, "[1,2]", "is not a JSON object");
	refused(f, "{}", "has no \"schema\"");
	refused(f, "{\"schema\":1}", "has no \"schema\"");
	refused(f, "{\"schema\":\"batchgate.report/1\"}", "is a report (batchgate.report/1)");
	refused(f, "{\"schema\":\"batchgate.result/2\"}", "another version of batchgate");
	refused(f, "{\"schema\":\"x/1\"}", "has schema \"x/1\"");
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
	struct fixture *f = *state;
	write_result(f);
	for (size_t size = 0; size < f->size - 2; size += 1 + size / 50) {
		enum bg_status status =
			bg_result_parse(&f->again, f->text, size, "r.json", &f->arena, &f->err);
		assert_int_equal(status, BG_E_INPUT);
		bg_error_clear(&f->err);
	}
	f->text[f->size / 2] = '\0';
	refused(f, f->text, "is cut short after");
}

static const struct {
	const char *from, *to, *part;
} faults[] = {
	{ "\"suite\":\"synthetic\",", "", "suite is missing; take an unchanged copy" },
	{ "\"suite\":\"synthetic\"", "\"suite\":5", "suite is not a text" },
	{ "\"seed\":\"1844", "\"seed\":\"-1844", "seed is not an integer in quotes" },
	{ "\"seed\":\"18446744073709551615\"", "\"seed\":\"18446744073709551616\"",
	  "seed is not an integer" },
	{ "\"aa\":true", "\"aa\":1", "aa is not true or false" },
	{ "\"base\":{", "\"base\":[],\"b\":{", "base is not an object" },
	{ "\"commit\":\"1111", "\"commit\":\"--up", "base.commit is not an object id" },
	{ "2026-01-02", "2026-02-30", "started_utc is not a time" },
	{ "\"seconds\":0.1", "\"seconds\":-0.1", "seconds is not a number of 0 or more" },
	{ "\"seconds\":0.1", "\"seconds\":null,\"s\":0.1", "seconds is not a number" },
	{ "\"ending\":\"budget\"", "\"ending\":\"bored\"", "ending is a word" },
	{ "\"launches\":6", "\"launches\":6.5", "launches is not an integer" },
	{ "\"conditions\":[", "\"conditions\":[1,", "conditions[0] is not a text" },
	{ "\"conditions\":[", "\"conditions\":null,\"c\":[", "conditions is not an array" },
	{ "\"cases\":[", "\"cases\":[{}],\"c\":[", "cases[0].name is missing" },
	{ "\"cases\":[", "\"cases\":[5],\"c\":[", "cases[0] is not an object" },
	{ "\"cases\":[", "\"cases\":{},\"c\":[", "cases is not an array" },
	{ "\"name\":\"gemm/m=64,n=512,k=512,batch=3\"", "\"name\":\"odd\"",
	  "cases [1] and [2] have the same name" },
	{ "\"name\":\"gemm/m=64,n=512,k=512,batch=3\"", "\"name\":\"\"", "cases[2].name is empty" },
	{ "\"name\":\"batch\"", "\"name\":\"m\"", "cases[0].axes[1].name is there twice" },
	{ "\"state\":\"measured\"", "\"state\":\"maybe\"", "cases[0].state is a word" },
	{ "\"state\":\"measured\"", "\"state\":\"skipped\"",
	  "cases[0].series has data of a case that was not measured" },
	{ "\"state\":\"failed\"", "\"state\":\"measured\"",
	  "cases[1].series has no data of a measured case" },
	{ "\"margin\":{\"time\":0.02", "\"margin\":{\"time\":null,\"t\":0.02",
	  "cases[0].series[0].metric has no margin" },
	{ "\"floor\":{\"time\":", "\"floor\":{\"time\":null,\"t\":",
	  "cases[0].series[0].metric has no floor" },
	{ "\"metric\":\"time\"", "\"metric\":\"mood\"",
	  "cases[0].series[0].metric is a metric this version does not know" },
	{ "\"judge\":{\"x\":[", "\"judge\":{\"x\":[\"a\",",
	  "cases[0].series[0].judge.x[0] is not a number;" },
	{ "\"judge\":{\"x\":[", "\"judge\":{\"x\":[2000,", "no ln of a ratio" },
	{ "\"judge\":{\"x\":[", "\"judge\":{\"x\":[0,", "judge.base has 6 elements, not 7" },
	{ "\"judge\":{\"x\":[", "\"judge\":5,\"j\":{\"x\":[", "judge is not an object" },
	{ "\"confirm\":{\"x\":[", "\"confirm\":{\"x\":[true,", "confirm.x[0] is not" },
	{ "\"base\":[4.9406564584124654e-324", "\"base\":[\"0\"",
	  "confirm.base[0] is not a number of 0 or more" },
	{ "\"base\":[4.9406564584124654e-324", "\"base\":[-1",
	  "confirm.base[0] is not a number of 0 or more" },
	{ "\"phase\":\"confirm\"", "\"phase\":\"nap\"", "pairs[1].phase is not judge" },
	{ "\"phase\":\"judge\",\"launch\":2", "\"phase\":\"judge\",\"launch\":0",
	  "cases[0].pairs[2].launch is there twice" },
	{ "\"launch\":2", "\"launch\":64", "launch is not an integer of 0 to 63" },
	{ "\"first\":\"bhhbb\"", "\"first\":\"bhhbx\"", "first has letters other than" },
	{ "\"first\":\"bhhbb\"", "\"first\":\"bhhb\"", "base has 5 elements, not 4" },
	{ "\"first\":\"bhhbb\"", "\"first\":\"bhhbbb\"", "base has 5 elements, not 6" },
};

static void faults_are_told_with_their_place(void **state)
{
	struct fixture *f = *state;
	fill(f);
	f->result.cases[1].name = "odd";
	write_result(f);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		refused(f, changed(f, faults[i].from, faults[i].to), faults[i].part);
}

static void series_out_of_order_are_refused(void **state)
{
	struct fixture *f = *state;
	struct bg_series two[2] = { *f->result.cases[0].series, *f->result.cases[0].series };
	f->result.cases[0].series = two;
	f->result.cases[0].series_count = 2;
	write_result(f);
	refused(f, f->text, "cases[0].series[1].metric is out of order or there twice");
}

static void counts_beyond_their_bounds_are_refused(void **state)
{
	struct fixture *f = *state;
	write_result(f);
	static char many[(BG_CASES_MAX + 1) * 3], first[BG_PAIRS_MAX + 2];
	for (size_t i = 0; i <= BG_CASES_MAX; i++)
		memcpy(many + 3 * i, "{},", 3);
	many[sizeof many - 1] = '\0';
	refused(f,
		changed(f, "\"cases\":[",
			bg_arena_format(&f->arena, "\"cases\":[%s],\"c\":[", many)),
		"cases has 100001 elements, at most 100000");
	memset(first, 'b', sizeof first - 1);
	refused(f,
		changed(f, "\"first\":\"bhhbb\"",
			bg_arena_format(&f->arena, "\"first\":\"%s\"", first)),
		"first has 10001 pairs, at most 10000");
	char *x = bg_arena_bytes(&f->arena, "\"judge\":{\"x\":[", 14);
	for (size_t i = 0; i < BG_LAUNCHES_MAX; i++)
		x = bg_arena_format(&f->arena, "%s0,", x);
	refused(f, changed(f, "\"judge\":{\"x\":[", x), "judge.x has 70 elements, at most 64");
}

static void a_missing_file_and_a_folder_are_refused_with_their_path(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(bg_result_read(&f->again, "/nowhere/result.json", &f->arena, &f->err),
			 BG_E_INPUT);
	assert_non_null(strstr(f->err.text, "/nowhere/result.json"));
	bg_error_clear(&f->err);
	assert_int_equal(bg_result_read(&f->again, "/tmp", &f->arena, &f->err), BG_E_INPUT);
	bg_error_clear(&f->err);
	assert_int_equal(bg_result_write(&f->result, "/nowhere/result.json", &f->err), BG_E_SYSTEM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(round_trip_keeps_every_bit_of_every_field),
		TEST(each_state_and_ending_survives),
		TEST(writing_twice_gives_the_same_bytes),
		TEST(a_comma_locale_changes_no_byte),
		TEST(unknown_members_are_ignored),
		TEST(a_margin_that_an_older_writer_lacked_is_unknown),
		TEST(files_of_another_kind_are_named_for_what_they_are),
		TEST(a_file_cut_at_any_byte_is_refused),
		TEST(faults_are_told_with_their_place),
		TEST(series_out_of_order_are_refused),
		TEST(counts_beyond_their_bounds_are_refused),
		TEST(a_missing_file_and_a_folder_are_refused_with_their_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
