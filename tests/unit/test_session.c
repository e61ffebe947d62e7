#include "gate/core/interrupt.h"
#include "gate/verdict/decide.h"
#include "sweeps/launch.h"
#include "sweeps/plan.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char program[PATH_MAX];
static const char *own_worker[] = { program, "worker", NULL };
static const char *slow_worker[] = { program, "worker", "--inject", "6%", NULL };

struct fixture {
	struct bg_arena arena;
	struct bg_session session;
	struct bg_result result;
	struct bg_report report;
	struct bg_suite suite;
	struct bg_workload_entry entry;
	struct bg_case_list cases;
};

static void no_margins(struct bg_margins *margins)
{
	for (size_t m = 0; m < BG_METRIC_COUNT; m++)
		margins->margin[m] = margins->floor[m] = NAN;
}

/* A suite of `count` replay cases, each with one axis value of its own. */
static struct fixture *make(const char *axis, const char *const *values, size_t count)
{
	struct fixture *f = calloc(1, sizeof *f);
	f->entry = (struct bg_workload_entry){ .name = "replay",
					       .use = BG_USE_BUILTIN,
					       .word = "replay" };
	f->suite = (struct bg_suite){
		.name = "unit", .file = "unit.yml", .workloads = &f->entry, .workload_count = 1
	};
	no_margins(&f->entry.margins);
	no_margins(&f->suite.margins);
	f->cases.count = count;
	f->cases.cases = bg_arena_array(&f->arena, count, sizeof *f->cases.cases);
	for (size_t i = 0; i < count; i++) {
		struct bg_axis_text *axes = bg_arena_array(&f->arena, 1, sizeof *axes);
		axes[0] = (struct bg_axis_text){ axis, values[i] };
		f->cases.cases[i] = (struct bg_case){
			.entry = &f->entry,
			.suite = &f->suite,
			.name = bg_arena_format(&f->arena, "replay/%s=%s,case=%zu", axis, values[i],
						i),
			.hash = "0123456789abcdef",
			.axes = axes,
			.axis_count = 1,
		};
	}
	return f;
}

static void measure(struct fixture *f, const char *const *base, const char *const *head)
{
	struct bg_session_options options = {
		.seed = 5, .budget_s = 1e6, .timeout_s = 2, .launches_max = 24
	};
	struct bg_error err = BG_ERROR_INIT;
	extern char **environ;
	static const char *const name[2] = { "base", "head" };
	static const char *const worker[2] = { "worker of base", "worker of head" };
	f->result = (struct bg_result){ .suite = "unit", .suite_file = "unit.yml" };
	bg_session_init(&f->session, &options, &f->result, &f->arena);
	for (size_t i = 0; i < 2; i++)
		f->session.arm[i] = (struct bg_arm){
			.place = { name[i], NULL, (const char *const *)environ },
			.worker = i ? head : base,
			.worker_name = worker[i],
			.log_fd = -1,
		};
	bg_plan_make(&f->session, &(struct bg_plan_input){ .base_suite = &f->suite,
							   .head_suite = &f->suite,
							   .base = &f->cases,
							   .filter = &(struct bg_filter){ 0 },
							   .head = &f->cases });
	assert_int_equal(bg_session_run(&f->session, &err), BG_OK);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	bg_decide(&f->report, &f->result, false, &f->arena);
}

static const struct bg_cell *cell_of(const struct fixture *f, size_t index)
{
	for (size_t i = 0; i < f->report.cell_count; i++)
		if (f->report.cells[i].of == &f->result.cases[index] &&
		    f->report.cells[i].metric == BG_METRIC_TIME)
			return &f->report.cells[i];
	fail_msg("case %zu has no time cell", index);
	return NULL;
}

static void assert_verdict(const struct fixture *f, size_t index, enum bg_verdict verdict)
{
	const struct bg_cell *cell = cell_of(f, index);
	if (cell->verdict != verdict)
		fail_msg("case %zu: %s, wanted %s (%s)", index, bg_verdict_name(cell->verdict),
			 bg_verdict_name(verdict), cell->reason ? cell->reason : cell->sentence);
}

static void drop(struct fixture *f)
{
	bg_arena_release(&f->arena);
	free(f);
}

static void each_case_gets_the_verdict_it_deserves(void **state)
{
	(void)state;
	static const char *const slowdowns[] = { "0", "0.06", "-0.06", "0" };
	struct fixture *f = make("slowdown", slowdowns, 4);
	measure(f, own_worker, own_worker);
	assert_true(f->result.virtual_clock);
	assert_verdict(f, 0, BG_NOT_WORSE);
	assert_verdict(f, 1, BG_REGRESSED);
	assert_int_equal(cell_of(f, 1)->confirmed, BG_CONFIRMED);
	assert_verdict(f, 2, BG_IMPROVED);
	assert_verdict(f, 3, BG_NOT_WORSE);
	assert_int_equal(f->report.exit_code, 1);
	drop(f);
}

static void a_slower_worker_is_caught(void **state)
{
	(void)state;
	static const char *const values[] = { "0" };
	struct fixture *f = make("slowdown", values, 1);
	measure(f, own_worker, slow_worker);
	assert_verdict(f, 0, BG_REGRESSED);
	drop(f);
}

static void the_same_seed_gives_the_same_data(void **state)
{
	(void)state;
	static const char *const values[] = { "0", "0.03" };
	struct fixture *a = make("slowdown", values, 2), *b = make("slowdown", values, 2);
	measure(a, own_worker, own_worker);
	measure(b, own_worker, own_worker);
	for (size_t i = 0; i < 2; i++) {
		const struct bg_series *x = &a->result.cases[i].series[0];
		const struct bg_series *y = &b->result.cases[i].series[0];
		assert_int_equal(x->judge_count, y->judge_count);
		for (size_t l = 0; l < x->judge_count; l++)
			assert_true(x->judge[l].x == y->judge[l].x);
	}
	assert_true(a->result.seconds == b->result.seconds);
	drop(a);
	drop(b);
}

static void a_step_that_fails_is_told_by_arm(void **state)
{
	(void)state;
	static const char *const values[] = { "head", "both", "base", "none" };
	struct fixture *f = make("fail", values, 4);
	measure(f, own_worker, own_worker);
	assert_verdict(f, 0, BG_FAILED);
	assert_non_null(strstr(cell_of(f, 0)->reason, "worker of head: step failed"));
	assert_verdict(f, 1, BG_BROKEN);
	assert_verdict(f, 2, BG_NEW);
	assert_verdict(f, 3, BG_NOT_WORSE);
	drop(f);
}

static void a_worker_that_dies_costs_only_its_case(void **state)
{
	(void)state;
	static const char *const values[] = { "head", "none" };
	struct fixture *f = make("crash", values, 2);
	measure(f, own_worker, own_worker);
	assert_verdict(f, 0, BG_FAILED);
	assert_non_null(strstr(cell_of(f, 0)->reason, "killed by signal 6"));
	assert_verdict(f, 1, BG_NOT_WORSE);
	drop(f);
}

static void a_wrong_result_is_incorrect(void **state)
{
	(void)state;
	static const char *const values[] = { "head" };
	struct fixture *f = make("wrong", values, 1);
	measure(f, own_worker, own_worker);
	assert_verdict(f, 0, BG_INCORRECT);
	drop(f);
}

/* A worker of a few lines of shell: answers all but the step itself, which the script gives. */
#define HELLO "read l; echo '{\"op\":\"hello\",\"ok\":true,\"protocol\":1}'; "
#define PIN "read l; echo '{\"op\":\"pin\",\"ok\":true,\"cpus\":[0]}'; "
#define PREPARE                                                                                    \
	"read l; echo '{\"op\":\"prepare\",\"ok\":true,\"state\":\"ready\",\"call_s\":0.01}'; "
#define STEP(value)                                                                                \
	"while read l; do echo '{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[" value "]}'; done"

/* One that does as it should: its steps take 10 ms, and it says so. */
static const char *good_worker[] = {
	"sh", "-c",
	HELLO PIN "while read l; do case $l in "
		  "*prepare*) echo '{\"op\":\"prepare\",\"ok\":true,\"state\":\"ready\","
		  "\"call_s\":0.01}';; "
		  "*step*) sleep 0.01; "
		  "echo '{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[9900000]}';; "
		  "*) exit;; esac; done",
	NULL
};

static void bad_head(const char *script, enum bg_verdict verdict, const char *reason)
{
	static const char *const values[] = { "0" };
	const char *worker[] = { "sh", "-c", script, NULL };
	struct fixture *f = make("slowdown", values, 1);
	measure(f, good_worker, worker);
	assert_verdict(f, 0, verdict);
	if (!strstr(cell_of(f, 0)->reason, reason))
		fail_msg("'%s' does not say '%s'", cell_of(f, 0)->reason, reason);
	drop(f);
}

static void a_worker_that_misbehaves_fails_its_arm(void **state)
{
	(void)state;
	bad_head("exit 3", BG_FAILED, "ended with exit status 3 before it replied");
	bad_head("while read l; do echo '{\"rubbish\"'; done", BG_FAILED, "not valid JSON");
	bad_head("read l; echo '{\"op\":\"hello\",\"ok\":true,\"protocol\":9}'; cat >/dev/null",
		 BG_FAILED, "speaks step protocol 9");
	bad_head("read l; echo '{\"op\":\"hello\",\"ok\":false,\"reason\":\"too old\"}'; cat",
		 BG_FAILED, "refused hello: too old");
	bad_head(HELLO "read l; echo '{\"op\":\"bye\",\"ok\":true}'; cat >/dev/null", BG_FAILED,
		 "another request");
	bad_head(HELLO PIN PREPARE STEP("-5"), BG_FAILED, "finite number");
	bad_head(HELLO PIN PREPARE STEP("NaN"), BG_FAILED, "not valid JSON");
	bad_head(HELLO PIN PREPARE STEP("1e999"), BG_FAILED, "not valid JSON");
	bad_head(HELLO PIN PREPARE STEP("1,2"), BG_FAILED, "the one step it was asked for");
	bad_head(HELLO PIN PREPARE "read l; head -c 3000000 /dev/zero | tr '\\0' x; cat >/dev/null",
		 BG_FAILED, "a line of more than 1048576 bytes");
	bad_head(HELLO PIN PREPARE "read l; exec <&-; exec >&-; sleep 30", BG_FAILED,
		 "closed its output without a reply");
	bad_head(HELLO PIN PREPARE "read l; trap '' TERM; sleep 30", BG_FAILED,
		 "did not reply in time");
}

static void a_worker_whose_clock_lies_is_mistrusted(void **state)
{
	(void)state;
	bad_head(HELLO PIN PREPARE STEP("0"), BG_MISTRUSTED, "took no time");
	bad_head(HELLO PIN PREPARE STEP("60000000000"), BG_MISTRUSTED, "longer than the wait");
	bad_head(HELLO PIN PREPARE "while read l; do sleep 0.02; echo "
				   "'{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[1000000]}'; done",
		 BG_MISTRUSTED, "shorter than half");
}

static void a_clock_that_is_not_ours_is_mistrusted(void **state)
{
	(void)state;
	static const char *const values[] = { "0" };
	struct fixture *f = make("slowdown", values, 1);
	measure(f, good_worker, own_worker);
	assert_verdict(f, 0, BG_MISTRUSTED);
	assert_non_null(strstr(cell_of(f, 0)->reason, "clock of its own"));
	drop(f);
}

static void a_greeting_before_hello_is_let_through(void **state)
{
	(void)state;
	static const char *const values[] = { "0" };
	char script[PATH_MAX + 64];
	snprintf(script, sizeof script, "echo Welcome; echo; exec %s worker", program);
	const char *worker[] = { "sh", "-c", script, NULL };
	struct fixture *f = make("slowdown", values, 1);
	measure(f, own_worker, worker);
	assert_verdict(f, 0, BG_NOT_WORSE);
	drop(f);
}

static void a_case_at_its_margin_stays_undecided(void **state)
{
	(void)state;
	static const char *const values[] = { "0.02" };
	struct fixture *f = make("slowdown", values, 1);
	measure(f, own_worker, own_worker);
	/* Worse by exactly the margin: undecided after all launches. */
	assert_verdict(f, 0, BG_INCONCLUSIVE);
	assert_int_equal(f->result.cases[0].series[0].judge_count, 24);
	drop(f);
}

static void pairs_alternate_in_balanced_blocks(void **state)
{
	(void)state;
	struct bg_random random;
	struct bg_pair_order order = { 0 };
	bg_random_init(&random, 1, "order");
	int head_first = 0, both_kinds = 0;
	for (int block = 0; block < 1000; block++) {
		bool first = bg_pair_order_next(&order, &random);
		bool second = bg_pair_order_next(&order, &random);
		assert_true(first != second);
		head_first += first;
		both_kinds |= 1 << first;
	}
	assert_int_equal(both_kinds, 3);
	assert_in_range(head_first, 430, 570);
}

int main(void)
{
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	program[length > 0 ? length : 0] = '\0';
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(program, '/');
		if (slash)
			*slash = '\0';
	}
	strncat(program, "/batchgate", sizeof program - strlen(program) - 1);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bg_interrupt_install();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case_gets_the_verdict_it_deserves),
		cmocka_unit_test(a_slower_worker_is_caught),
		cmocka_unit_test(the_same_seed_gives_the_same_data),
		cmocka_unit_test(a_step_that_fails_is_told_by_arm),
		cmocka_unit_test(a_worker_that_dies_costs_only_its_case),
		cmocka_unit_test(a_wrong_result_is_incorrect),
		cmocka_unit_test(a_worker_that_misbehaves_fails_its_arm),
		cmocka_unit_test(a_worker_whose_clock_lies_is_mistrusted),
		cmocka_unit_test(a_clock_that_is_not_ours_is_mistrusted),
		cmocka_unit_test(a_greeting_before_hello_is_let_through),
		cmocka_unit_test(a_case_at_its_margin_stays_undecided),
		cmocka_unit_test(pairs_alternate_in_balanced_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
