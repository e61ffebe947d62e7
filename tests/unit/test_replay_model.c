#include "workloads/replay.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct bg_replay prepare(const struct bg_axis_text *axes, size_t count, bool head,
				unsigned launch)
{
	struct bg_request request = { .op = BG_OP_PREPARE,
				      .workload = "replay",
				      .axes = axes,
				      .axis_count = count,
				      .seed = 42,
				      .head = head,
				      .launch = launch };
	struct bg_replay replay;
	struct bg_error err = BG_ERROR_INIT;
	assert_int_equal(bg_replay_prepare(&replay, &request, &err), BG_OK);
	return replay;
}

#define QUIET                                                                                      \
	{ "launch", "0" },                                                                         \
	{                                                                                          \
		"step", "0"                                                                        \
	}

static double log_time(const struct bg_axis_text *axes, size_t count, bool head, unsigned launch,
		       uint64_t step)
{
	struct bg_replay replay = prepare(axes, count, head, launch);
	replay.at.step = step;
	return log(bg_replay_time_s(&replay.model, &replay.at));
}

struct moments {
	double mean, sd, lag1;
};

static struct moments moments_of(const double *x, size_t count)
{
	struct moments m = { 0 };
	double sum = 0, cross = 0;
	for (size_t i = 0; i < count; i++)
		m.mean += x[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		sum += (x[i] - m.mean) * (x[i] - m.mean);
	for (size_t i = 1; i < count; i++)
		cross += (x[i] - m.mean) * (x[i - 1] - m.mean);
	m.sd = sqrt(sum / (double)(count - 1));
	m.lag1 = cross / sum;
	return m;
}

#define MANY 2000

static struct moments ratios(const struct bg_axis_text *axes, size_t count)
{
	double x[MANY];
	for (unsigned l = 0; l < MANY; l++)
		x[l] = log_time(axes, count, true, l, 0) - log_time(axes, count, false, l, 0);
	return moments_of(x, MANY);
}

static void assert_near(double value, double wanted, double tolerance)
{
	if (!(fabs(value - wanted) <= tolerance))
		fail_msg("%g is not %g +- %g", value, wanted, tolerance);
}

static void a_quiet_machine_takes_the_duration(void **state)
{
	(void)state;
	const struct bg_axis_text axes[] = { QUIET, { "duration", "0.25" } };
	assert_near(log_time(axes, 3, true, 5, 7), log(.25), 1e-12);
}

static void the_same_question_has_the_same_answer(void **state)
{
	(void)state;
	const struct bg_axis_text axes[] = { { "level", "0.2" }, { "spikes", "0.1" } };
	double first = log_time(axes, 2, true, 3, 11);
	(void)log_time(axes, 2, false, 9, 2);
	assert_true(first == log_time(axes, 2, true, 3, 11));
	assert_true(first != log_time(axes, 2, true, 4, 11));
	assert_true(first != log_time(axes, 2, false, 3, 11));
}

static void the_level_is_shared_and_the_launch_is_not(void **state)
{
	(void)state;
	const struct bg_axis_text level[] = {
		QUIET, { "level", "0.3" }, { "session", "0.5" }, { "drift", "0.2" }
	};
	struct moments m = ratios(level, 5);
	assert_near(m.mean, 0, 1e-12);
	assert_near(m.sd, 0, 1e-12);
	const struct bg_axis_text launch[] = { { "launch", "0.012" }, { "step", "0" } };
	m = ratios(launch, 2);
	assert_near(m.mean, 0, 4 * .012 / sqrt(MANY));
	assert_near(m.sd, .012, .012 * 4 / sqrt(2 * MANY));
	assert_near(m.lag1, 0, 4 / sqrt(MANY));
}

static void correlation_is_what_was_asked(void **state)
{
	(void)state;
	const struct bg_axis_text axes[] = { { "launch", "0.01" },
					     { "step", "0" },
					     { "correlation", "0.6" } };
	struct moments m = ratios(axes, 3);
	assert_near(m.lag1, .6, .08);
	assert_near(m.sd, .01, .0012);
}

static void a_planted_slowdown_is_in_head_alone(void **state)
{
	(void)state;
	const struct bg_axis_text axes[] = { QUIET, { "slowdown", "0.05" } };
	struct moments m = ratios(axes, 3);
	assert_near(m.mean, log(1.05), 1e-12);
	assert_near(m.sd, 0, 1e-12);
}

static double share_beyond(const struct bg_axis_text *axes, size_t count, double limit,
			   bool by_launch)
{
	double beyond = 0;
	for (unsigned i = 0; i < MANY; i++)
		beyond += log_time(axes, count, true, by_launch ? i : 0, by_launch ? 0 : i) > limit;
	return beyond / MANY;
}

static void shares_of_steps_and_launches_hold(void **state)
{
	(void)state;
	const struct bg_axis_text minority[] = {
		QUIET, { "slowdown", "0.5" }, { "slow_share", "0.1" }, { "duration", "1" }
	};
	assert_near(share_beyond(minority, 5, .1, false), .1, 4 * .3 / sqrt(MANY));
	const struct bg_axis_text spikes[] = { QUIET, { "spikes", "0.02" }, { "duration", "1" } };
	assert_near(share_beyond(spikes, 4, 1, false), .02, 4 * .14 / sqrt(MANY));
	const struct bg_axis_text bimodal[] = {
		QUIET, { "bimodal", "0.4" }, { "gap", "0.2" }, { "duration", "1" }
	};
	assert_near(share_beyond(bimodal, 5, .1, true), .4, 4 * .5 / sqrt(MANY));
}

static void memory_is_whole_pages_and_grows_in_head(void **state)
{
	(void)state;
	const struct bg_axis_text axes[] = { { "memory", "1000000" }, { "memory_growth", "0.02" } };
	struct bg_replay base = prepare(axes, 2, false, 1), head = prepare(axes, 2, true, 1);
	assert_near(bg_replay_memory_bytes(&base.model, &base.at), 245 * 4096, 0);
	assert_near(bg_replay_memory_bytes(&head.model, &head.at), 250 * 4096, 0);
}

static void bad_axes_are_refused(void **state)
{
	(void)state;
	static const struct bg_axis_text bad[] = { { "durations", "1" },  { "duration", "0" },
						   { "duration", "nan" }, { "spikes", "1.5" },
						   { "step", "-1" },	  { "fail", "maybe" },
						   { "slowdown", "-1" } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct bg_request request = { .op = BG_OP_PREPARE,
					      .axes = &bad[i],
					      .axis_count = 1 };
		struct bg_replay replay;
		struct bg_error err = BG_ERROR_INIT;
		assert_int_equal(bg_replay_prepare(&replay, &request, &err), BG_E_INPUT);
		assert_non_null(strstr(err.text, bad[i].name));
	}
}

static void troubles_befall_who_they_should(void **state)
{
	(void)state;
	assert_true(bg_replay_befalls(BG_TROUBLE_BOTH, false));
	assert_true(bg_replay_befalls(BG_TROUBLE_HEAD, true));
	assert_false(bg_replay_befalls(BG_TROUBLE_HEAD, false));
	assert_false(bg_replay_befalls(BG_TROUBLE_NONE, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_machine_takes_the_duration),
		cmocka_unit_test(the_same_question_has_the_same_answer),
		cmocka_unit_test(the_level_is_shared_and_the_launch_is_not),
		cmocka_unit_test(correlation_is_what_was_asked),
		cmocka_unit_test(a_planted_slowdown_is_in_head_alone),
		cmocka_unit_test(shares_of_steps_and_launches_hold),
		cmocka_unit_test(memory_is_whole_pages_and_grows_in_head),
		cmocka_unit_test(bad_axes_are_refused),
		cmocka_unit_test(troubles_befall_who_they_should),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
