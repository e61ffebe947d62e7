#include "tests/unit/machine_fixture.h"

static void the_class_is_a_word_that_a_ref_may_hold(void **state)
{
	struct machine_fixture *f = *state;
	const char *text = fixture_read(f).runner_class;
	assert_memory_equal(text, "x86_64-2c-", 10);
	assert_int_equal(strlen(text), 22);
	assert_int_equal(strspn(text + 10, "0123456789abcdef"), 12);
	f->source.arch = "we~ird^..:";
	assert_memory_equal(fixture_read(f).runner_class, "other-2c-", 9);
	f->source.arch = "a_name_of_many_letters";
	assert_memory_equal(fixture_read(f).runner_class, "other-2c-", 9);
	assert_true(strlen(fixture_read(f).runner_class) < BG_RUNNER_CLASS_MAX);
}

/* Records refer to classes: a change of this text is a change of every baseline's name. */
static void the_class_of_a_known_machine_stays_what_it_was(void **state)
{
	struct machine_fixture *f = *state;
	assert_string_equal(fixture_read(f).runner_class, "x86_64-2c-8af2b4a44dd6");
}

static void entries_are_sorted_by_name(void **state)
{
	struct machine_fixture *f = *state;
	struct bg_fingerprint fingerprint = fixture_read(f);
	for (size_t i = 1; i < fingerprint.count; i++)
		assert_true(strcmp(fingerprint.entry[i - 1].name, fingerprint.entry[i].name) < 0);
}

static void what_passes_changes_no_class(void **state)
{
	struct machine_fixture *f = *state;
	const char *before = fixture_read(f).runner_class;
	fixture_put(f, "proc/cpuinfo",
		    FIXTURE_CPUINFO(FIXTURE_MODEL, "6", "1199.871", FIXTURE_FLAGS));
	fixture_put(f, "proc/meminfo", "MemTotal:       16371292 kB\nMemFree:  9 kB\n");
	fixture_put(f, "proc/sys/kernel/osrelease", "6.5.13-2000-azure\n");
	fixture_put(f, "proc/sys/kernel/hostname", "another\n");
	fixture_put(f, "proc/loadavg", "90.10 80.05 70.01 60/900 1\n");
	fixture_put(f, "proc/uptime", "5.00 1.00\n");
	fixture_put(f, "sys/class/dmi/id/product_name", "Virtual Machine 2\n");
	fixture_put(f, "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	fixture_put(f, "sys/devices/system/node/online", "0-1\n");
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		char path[128];
		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
			 cpu);
		fixture_put(f, path, "800000\n");
		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_max_freq",
			 cpu);
		fixture_put(f, path, "3499000\n");
	}
	f->source.program = "0.1.17-rc2";
	assert_string_equal(fixture_read(f).runner_class, before);
}

/* Other CPUs of the same machine and as many: a container gets some or others at each start. */
static void which_cpus_we_may_use_changes_no_class_but_how_many_does(void **state)
{
	struct machine_fixture *f = *state;
	assert_true(bg_cpus_parse(&f->allowed, "0-1"));
	const char *two = fixture_read(f).runner_class;
	assert_true(bg_cpus_parse(&f->allowed, "2-3"));
	assert_string_equal(fixture_read(f).runner_class, two);
	assert_true(bg_cpus_parse(&f->allowed, "0-2"));
	assert_string_not_equal(fixture_read(f).runner_class, two);
}

static void each_stable_fact_makes_another_class(void **state)
{
	struct machine_fixture *f = *state;
	static const struct {
		const char *name, *path, *text;
	} changes[] = {
		{ "boost", "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n" },
		{ "cpu", "proc/cpuinfo",
		  FIXTURE_CPUINFO("Intel(R) Xeon(R) 8272CL", "6", "2800.000", FIXTURE_FLAGS) },
		{ "cpu.stepping", "proc/cpuinfo",
		  FIXTURE_CPUINFO(FIXTURE_MODEL, "7", "2800.000", FIXTURE_FLAGS) },
		{ "cpu.features", "proc/cpuinfo",
		  FIXTURE_CPUINFO(FIXTURE_MODEL, "6", "2800.000", "avx2 hypervisor") },
		{ "hypervisor", "proc/cpuinfo",
		  FIXTURE_CPUINFO(FIXTURE_MODEL, "6", "2800.000", "sse4_2 avx2 avx512f") },
		{ "hypervisor", "sys/class/dmi/id/sys_vendor", "Amazon EC2\n" },
		{ "memory", "proc/meminfo", "MemTotal:       32780000 kB\n" },
		{ "kernel", "proc/sys/kernel/osrelease", "6.6.0-1025-azure\n" },
		{ "quota", "sys/fs/cgroup/a/cpu.max", "200000 100000\n" },
		{ "cpus", "sys/devices/system/cpu/online", "0-2\n" },
		{ "cores", "sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1\n" },
		{ "governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		  "powersave\n" },
	};
	const char *before = fixture_read(f).runner_class;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		const char *old = fixture_value(f, changes[i].name);
		fixture_put(f, changes[i].path, changes[i].text);
		assert_string_not_equal(fixture_value(f, changes[i].name), old);
		assert_string_not_equal(fixture_read(f).runner_class, before);
		fixture_write(f);
		assert_string_equal(fixture_read(f).runner_class, before);
	}
	f->source.arch = "i686";
	assert_string_not_equal(fixture_read(f).runner_class + 10, before + 10);
	f->source.arch = "x86_64";
	f->source.libc = "glibc 2.41";
	assert_string_not_equal(fixture_read(f).runner_class, before);
	f->source.libc = "glibc 2.36";
	f->source.program = "0.2.0";
	assert_string_not_equal(fixture_read(f).runner_class, before);
}

static size_t explain(struct machine_fixture *f, const char ***lines,
		      const struct bg_fingerprint *then, const struct bg_fingerprint *now)
{
	struct bg_fingerprint_side a = { then->count, then->entry };
	struct bg_fingerprint_side b = { now->count, now->entry };
	size_t count = 99;
	*lines = bg_fingerprint_explain(&count, &a, &b, &f->arena);
	return count;
}

static void a_difference_is_explained_field_by_field_the_class_first(void **state)
{
	struct machine_fixture *f = *state;
	const char **lines;
	struct bg_fingerprint then = fixture_read(f);
	assert_int_equal(explain(f, &lines, &then, &then), 0);
	fixture_put(f, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	fixture_put(f, "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	fixture_put(f, "proc/sys/kernel/osrelease", "6.8.0-1\n");
	struct bg_fingerprint now = fixture_read(f);
	assert_int_equal(explain(f, &lines, &then, &now), 4);
	assert_string_equal(lines[0], "boost: on, then off");
	assert_string_equal(lines[1], "kernel: 6.5, then 6.8");
	assert_string_equal(lines[2],
			    "kernel.release: 6.5.0-1025-azure, then 6.8.0-1 (recorded only)");
	assert_string_equal(lines[3], "thp: madvise, then always (recorded only)");
}

static void a_fact_that_one_version_lacks_is_not_recorded_there(void **state)
{
	struct machine_fixture *f = *state;
	const char **lines;
	struct bg_axis_text old[] = { { "smt", "on" }, { "gpu", "H200" } };
	struct bg_axis_text new[] = { { "cores", "2" }, { "smt", "on" } };
	struct bg_fingerprint then = { .count = 2, .entry = old };
	struct bg_fingerprint now = { .count = 2, .entry = new };
	assert_int_equal(explain(f, &lines, &then, &now), 2);
	assert_string_equal(lines[0], "cores: not recorded, then 2");
	assert_string_equal(lines[1], "gpu: H200, then not recorded (recorded only)");
	assert_false(bg_fingerprint_in_class("gpu"));
	assert_true(bg_fingerprint_in_class("cores"));
	assert_false(bg_fingerprint_in_class("thp"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_class_is_a_word_that_a_ref_may_hold),
		TEST(the_class_of_a_known_machine_stays_what_it_was),
		TEST(entries_are_sorted_by_name),
		TEST(what_passes_changes_no_class),
		TEST(which_cpus_we_may_use_changes_no_class_but_how_many_does),
		TEST(each_stable_fact_makes_another_class),
		TEST(a_difference_is_explained_field_by_field_the_class_first),
		TEST(a_fact_that_one_version_lacks_is_not_recorded_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
