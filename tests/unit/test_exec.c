#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "sweeps/exec.h"
#include "sweeps/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cmocka.h>

static struct bg_forest forest;
static struct bg_random jitter;
static struct bg_arm_place base = { "base", NULL, NULL }, head = { "head", NULL, NULL };

#define SPIN "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; "

static struct bg_exec_setup make_setup(const char *const *a, const char *const *b, double turn_ms)
{
	struct bg_exec_setup setup = {
		.arm = { &base, &head },
		.command = { a, b },
		.cores = 1,
		.turn_ns = (uint64_t)(turn_ms * 1e6),
		.timeout_s = 20,
		.jitter = &jitter,
		.forest = &forest,
	};
	sched_getaffinity(0, sizeof setup.cpus, &setup.cpus);
	return setup;
}

static struct bg_exec_pair run(const struct bg_exec_setup *setup)
{
	struct bg_exec_pair pair;
	struct bg_error err = BG_ERROR_INIT;
	assert_int_equal(bg_exec_pair_run(&pair, setup, 0, 2, &err), BG_OK);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return pair;
}

#define SH(script) ((const char *const[]){ "sh", "-c", script, NULL })

static void both_arms_run_whole_and_sliced(void **state)
{
	(void)state;
	for (double turn_ms = 0; turn_ms <= 4; turn_ms += 4) {
		struct bg_exec_setup setup = make_setup(SH(SPIN), SH(SPIN), turn_ms);
		struct bg_exec_pair pair = run(&setup);
		for (int i = 0; i < 2; i++) {
			assert_true(pair.ran[i].ok);
			assert_true(pair.ran[i].time_s > 0);
			assert_true(pair.ran[i].cpu_s > 0);
			assert_int_equal(pair.ran[i].strays, 0);
		}
	}
}

static void a_failure_is_told_with_its_last_line(void **state)
{
	(void)state;
	for (double turn_ms = 0; turn_ms <= 4; turn_ms += 4) {
		struct bg_exec_setup setup = make_setup(
			SH(SPIN), SH("echo first; echo 'no \033[31mdata' >&2; exit 7"), turn_ms);
		setup.probe = true;
		struct bg_exec_pair pair = run(&setup);
		assert_true(pair.ran[0].ok);
		assert_false(pair.ran[1].ok);
		assert_string_equal(pair.ran[1].reason, "head: exit status 7: no ?[31mdata");
	}
}

static void a_signal_is_named(void **state)
{
	(void)state;
	struct bg_exec_setup setup = make_setup(SH("kill -SEGV $$"), SH(SPIN), 4);
	struct bg_exec_pair pair = run(&setup);
	assert_non_null(strstr(pair.ran[0].reason, "base: killed by signal 11"));
}

static void a_missing_program_fails_its_arm_only(void **state)
{
	(void)state;
	const char *const missing[] = { "./no-such-program", NULL };
	struct bg_exec_setup setup = make_setup(SH(SPIN), missing, 0);
	struct bg_exec_pair pair = run(&setup);
	assert_true(pair.ran[0].ok);
	assert_false(pair.ran[1].ok);
	assert_non_null(strstr(pair.ran[1].reason, "no-such-program"));
}

static void a_hang_ends_at_the_timeout(void **state)
{
	(void)state;
	for (double turn_ms = 0; turn_ms <= 4; turn_ms += 4) {
		struct bg_exec_setup setup = make_setup(
			SH("trap '' TERM INT HUP; while :; do :; done"), SH(SPIN), turn_ms);
		setup.timeout_s = .3;
		struct bg_exec_pair pair = run(&setup);
		assert_false(pair.ran[0].ok);
		assert_non_null(strstr(pair.ran[0].reason, "base: still running after 0.3 s"));
		assert_non_null(pair.voided);
	}
}

static void a_daemon_left_behind_is_killed_and_counted(void **state)
{
	(void)state;
	for (double turn_ms = 0; turn_ms <= 4; turn_ms += 4) {
		struct bg_exec_setup setup =
			make_setup(SH("(setsid sleep 60 &); " SPIN), SH(SPIN), turn_ms);
		struct bg_exec_pair pair = run(&setup);
		assert_true(pair.ran[0].ok);
		assert_int_equal(pair.ran[0].strays, 1);
		assert_int_equal(pair.ran[1].strays, 0);
	}
}

static void endless_output_is_hashed_and_not_kept(void **state)
{
	(void)state;
	struct bg_exec_setup setup =
		make_setup(SH("head -c 200000000 /dev/zero"), SH("head -c 200000001 /dev/zero"), 0);
	setup.probe = true;
	struct bg_exec_pair pair = run(&setup);
	assert_int_equal(pair.ran[0].size, 200000000);
	assert_int_equal(pair.ran[1].size, 200000001);
	assert_int_not_equal(pair.ran[0].hash, pair.ran[1].hash);
}

static struct bg_probe probe(const char *const *command, struct bg_arena *arena)
{
	struct bg_exec_setup setup = make_setup(command, command, 0);
	struct bg_topology topology;
	bg_topology_read(&topology, "", NULL);
	struct bg_probe_plan plan = { .setup = &setup, .topology = &topology };
	struct bg_probe found;
	struct bg_error err = BG_ERROR_INIT;
	assert_int_equal(bg_probe_run(&found, &plan, arena, &err), BG_OK);
	return found;
}

static void a_sleeper_is_not_sliced_and_the_reason_said(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_probe found = probe(SH("sleep 0.05"), &arena);
	assert_true(found.ok[0] && found.ok[1]);
	assert_int_equal(found.turn_ns, 0);
	assert_string_equal(found.turns, "step");
	assert_non_null(strstr(found.turns_why, "waits"));
	assert_int_equal(found.cores, 1);
	bg_arena_release(&arena);
}

#define LONG_SPIN SPIN SPIN SPIN SPIN

static void one_thread_is_given_one_core(void **state)
{
	(void)state;
	for (int round = 0; round < 5; round++) {
		struct bg_arena arena = BG_ARENA_INIT;
		struct bg_probe found = probe(SH(LONG_SPIN), &arena);
		assert_true(found.ok[0] && found.ok[1]);
		assert_int_equal(found.cores, 1);
		assert_int_equal(CPU_COUNT(&found.cpus), 1);
		bg_arena_release(&arena);
	}
}

static void two_processes_at_once_are_given_all_cores(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_topology topology;
	bg_topology_read(&topology, "", NULL);
	if (bg_topology_cores(&topology) < 2)
		skip();
	struct bg_probe found = probe(SH("(" LONG_SPIN ") & " LONG_SPIN "wait"), &arena);
	assert_true(found.ok[0] && found.ok[1]);
	assert_true(found.cores > 1);
	bg_arena_release(&arena);
}

static void a_short_program_alternates_whole(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_probe found = probe((const char *const[]){ "true", NULL }, &arena);
	assert_int_equal(found.turn_ns, 0);
	assert_string_equal(found.turns, "whole");
	assert_null(found.turns_why);
	bg_arena_release(&arena);
}

static void a_program_that_notices_its_stops_is_not_sliced(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	/* Prints whether it was ever continued. */
	struct bg_probe found =
		probe(SH("n=0; trap 'n=1' CONT; " SPIN SPIN SPIN SPIN "echo $n"), &arena);
	assert_int_equal(found.turn_ns, 0);
	assert_non_null(strstr(found.turns_why, "prints something else"));
	bg_arena_release(&arena);
}

static void a_failing_arm_is_told_by_the_probe(void **state)
{
	(void)state;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_probe found = probe(SH("echo broken >&2; exit 1"), &arena);
	assert_false(found.ok[0]);
	assert_string_equal(found.reason[1], "head: exit status 1: broken");
	bg_arena_release(&arena);
}

static void own_threads_do_not_count_as_foreign_wait(void **state)
{
	(void)state;
	/* Two threads share one core fully: each waits half of the time, for the other. */
	assert_int_equal(bg_foreign_wait_ns(1000, 1000, 1000, 1), 0);
	/* One thread, kept from its core for a third. */
	assert_int_equal(bg_foreign_wait_ns(900, 600, 300, 1), 300);
	/* Two cores, one thread on each, both kept waiting 100. */
	assert_int_equal(bg_foreign_wait_ns(1000, 1800, 200, 2), 100);
	/* Clocks that disagree by a little never wrap. */
	assert_int_equal(bg_foreign_wait_ns(1000, 1001, 5, 1), 0);
}

int main(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bg_interrupt_install();
	bg_random_init(&jitter, 1, "jitter");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_arms_run_whole_and_sliced),
		cmocka_unit_test(a_failure_is_told_with_its_last_line),
		cmocka_unit_test(a_signal_is_named),
		cmocka_unit_test(a_missing_program_fails_its_arm_only),
		cmocka_unit_test(a_hang_ends_at_the_timeout),
		cmocka_unit_test(a_daemon_left_behind_is_killed_and_counted),
		cmocka_unit_test(endless_output_is_hashed_and_not_kept),
		cmocka_unit_test(a_sleeper_is_not_sliced_and_the_reason_said),
		cmocka_unit_test(one_thread_is_given_one_core),
		cmocka_unit_test(two_processes_at_once_are_given_all_cores),
		cmocka_unit_test(a_short_program_alternates_whole),
		cmocka_unit_test(a_program_that_notices_its_stops_is_not_sliced),
		cmocka_unit_test(a_failing_arm_is_told_by_the_probe),
		cmocka_unit_test(own_threads_do_not_count_as_foreign_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
