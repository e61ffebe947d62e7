#include "tests/unit/machine_fixture.h"

#include "gate/core/text.h"

#include <sys/stat.h>
#include <unistd.h>

static void expect(struct machine_fixture *f, const char *name, const char *value)
{
	assert_string_equal(fixture_value(f, name), value);
}

static void an_x86_machine_is_told_as_its_files_have_it(void **state)
{
	struct machine_fixture *f = *state;
	expect(f, "affinity", "4");
	expect(f, "arch", "x86_64");
	expect(f, "batchgate", "0.1");
	expect(f, "boost", "on");
	expect(f, "cores", "2");
	expect(f, "cpu", "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz");
	expect(f, "cpu.features", "sse4_2 avx2 avx512f");
	expect(f, "cpu.stepping", "GenuineIntel 6/106/6");
	expect(f, "cpus", "4");
	expect(f, "frequency.limit", "3500000");
	expect(f, "governor", "performance");
	expect(f, "hypervisor", "Microsoft Corporation");
	expect(f, "kernel", "6.5");
	expect(f, "kernel.release", "6.5.0-1025-azure");
	expect(f, "libc", "glibc 2.36");
	expect(f, "memory", "16 GiB");
	expect(f, "microcode", "0xd0003a5");
	expect(f, "numa.nodes", "1");
	expect(f, "product", "Microsoft Corporation Virtual Machine");
	expect(f, "quota", "none");
	expect(f, "smt", "on");
	expect(f, "thp", "madvise");
}

static void an_arm_machine_lists_each_kind_of_core_once(void **state)
{
	struct machine_fixture *f = *state;
	static const char text[] =
		"processor\t: 0\nFeatures\t: fp asimd asimddp i8mm hypervisor\n"
		"CPU implementer\t: 0x41\nCPU variant\t: 0x1\nCPU part\t: 0xd0d\nCPU revision\t: "
		"2\n"
		"\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU variant\t: 0x1\nCPU part\t: 0xd0d\n"
		"\nprocessor\t: 2\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: "
		"0xd44\n";
	fixture_put(f, "proc/cpuinfo", text);
	f->source.arch = "aarch64";
	expect(f, "cpu", "0x41/0xd0d + 0x41/0xd44");
	expect(f, "cpu.stepping", "variant 0x1 revision 2");
	expect(f, "cpu.features", "asimd asimddp i8mm");
	expect(f, "hypervisor", "unknown");
	assert_memory_equal(fixture_read(f).runner_class, "aarch64-2c-", 11);
}

static void bare_metal_has_no_hypervisor_and_a_nameless_one_is_told(void **state)
{
	struct machine_fixture *f = *state;
	fixture_put(f, "proc/cpuinfo", FIXTURE_CPUINFO("AMD EPYC", "1", "1", "avx2"));
	expect(f, "hypervisor", "none");
	fixture_put(f, "proc/cpuinfo", FIXTURE_CPUINFO("AMD EPYC", "1", "1", "avx2 hypervisor"));
	fixture_remove_file(f, "sys/class");
	expect(f, "hypervisor", "unnamed");
	expect(f, "product", "unknown");
	fixture_put(f, "sys/hypervisor/type", "xen\n");
	expect(f, "hypervisor", "xen");
}

static void memory_is_rounded_up_to_what_is_sold(void **state)
{
	struct machine_fixture *f = *state;
	static const struct {
		const char *total, *class;
	} sizes[] = {
		{ "24684084", "24 GiB" },   { "16777216", "16 GiB" },	  { "16777217", "20 GiB" },
		{ "65500000", "64 GiB" },   { "131900000", "128 GiB" },	  { "8130000", "8 GiB" },
		{ "4194304", "4 GiB" },	    { "3900000", "4 GiB" },	  { "1018000", "1024 MiB" },
		{ "197500000", "192 GiB" }, { "2113000000", "2048 GiB" },
	};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char text[64];
		snprintf(text, sizeof text, "MemTotal:  %s kB\n", sizes[i].total);
		fixture_put(f, "proc/meminfo", text);
		expect(f, "memory", sizes[i].class);
	}
	fixture_put(f, "proc/meminfo", "MemTotal: many kB\n");
	expect(f, "memory", "unknown");
	fixture_put(f, "proc/meminfo", "MemTotal: 99999999999999999999 kB\n");
	expect(f, "memory", "unknown");
}

static void both_versions_of_control_groups_tell_the_quota(void **state)
{
	struct machine_fixture *f = *state;
	fixture_put(f, "sys/fs/cgroup/a/cpu.max", "150000 100000\n");
	expect(f, "quota", "1.50");
	fixture_put(f, "proc/self/cgroup", "4:cpu,cpuacct:/job\n");
	fixture_put(f, "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n");
	fixture_put(f, "sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
	expect(f, "quota", "2.00");
}

static void only_the_governors_of_cpus_we_may_use_count(void **state)
{
	struct machine_fixture *f = *state;
	fixture_put(f, "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "ondemand\n");
	expect(f, "governor", "ondemand + performance");
	assert_true(bg_cpus_parse(&f->allowed, "0-2"));
	expect(f, "governor", "performance");
	expect(f, "affinity", "3");
}

static void amd_s_switch_for_boost_goes_the_other_way(void **state)
{
	struct machine_fixture *f = *state;
	fixture_put(f, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	expect(f, "boost", "off");
	fixture_remove_file(f, "sys/devices/system/cpu/intel_pstate");
	expect(f, "boost", "unknown");
	fixture_put(f, "sys/devices/system/cpu/cpufreq/boost", "1\n");
	expect(f, "boost", "on");
	fixture_put(f, "sys/devices/system/cpu/cpufreq/boost", "0\n");
	expect(f, "boost", "off");
}

static void smt_that_is_switched_off_leaves_a_cpu_a_core(void **state)
{
	struct machine_fixture *f = *state;
	fixture_put(f, "sys/devices/system/cpu/online", "0,2\n");
	fixture_put(f, "sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0\n");
	fixture_put(f, "sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2\n");
	expect(f, "smt", "off");
	expect(f, "cores", "2");
	expect(f, "cpus", "2");
}

static void a_machine_without_files_is_unknown_and_no_fault(void **state)
{
	struct machine_fixture *f = *state;
	fixture_remove_file(f, "proc");
	fixture_remove_file(f, "sys");
	expect(f, "cpu", "unknown");
	expect(f, "cores", "unknown");
	expect(f, "memory", "unknown");
	expect(f, "kernel", "unknown");
	expect(f, "governor", "none");
	expect(f, "thp", "unknown");
	assert_memory_equal(fixture_read(f).runner_class, "x86_64-0c-", 10);
}

/* Firmware tables hold what their makers liked; a record and a terminal get text. */
static void odd_bytes_of_the_firmware_become_question_marks(void **state)
{
	struct machine_fixture *f = *state;
	char long_name[1000];
	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	fixture_put(f, "sys/class/dmi/id/sys_vendor", "A\033[31m\xff\xc2\x9b\n");
	fixture_put(f, "sys/class/dmi/id/product_name", long_name);
	fixture_put(f, "proc/sys/kernel/osrelease", "six\n");
	expect(f, "hypervisor", "A?[31m??");
	expect(f, "kernel", "unknown");
	assert_int_equal(strlen(fixture_value(f, "product")), BG_MACHINE_TEXT_MAX);
}

static void a_file_that_never_ends_or_never_answers_is_left(void **state)
{
	struct machine_fixture *f = *state;
	char path[256];
	fixture_remove_file(f, "proc/meminfo");
	snprintf(path, sizeof path, "%s/proc/meminfo", f->root);
	assert_int_equal(symlink("/dev/zero", path), 0);
	fixture_remove_file(f, "sys/class/dmi/id/sys_vendor");
	snprintf(path, sizeof path, "%s/sys/class/dmi/id/sys_vendor", f->root);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect(f, "memory", "unknown");
	expect(f, "hypervisor", "unnamed");
}

static void this_very_machine_is_read(void **state)
{
	struct machine_fixture *f = *state;
	struct bg_machine_source source = { .root = "" };
	f->source = source;
	struct bg_fingerprint fingerprint = fixture_read(f);
	for (size_t i = 0; i < fingerprint.count; i++) {
		const char *value = fingerprint.entry[i].value;
		assert_true(*value && bg_text_is_utf8(value, strlen(value)));
	}
	assert_string_not_equal(fixture_value(f, "kernel"), "unknown");
	assert_string_not_equal(fixture_value(f, "memory"), "unknown");
	assert_string_equal(fixture_value(f, "batchgate"), "0.1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_x86_machine_is_told_as_its_files_have_it),
		TEST(an_arm_machine_lists_each_kind_of_core_once),
		TEST(bare_metal_has_no_hypervisor_and_a_nameless_one_is_told),
		TEST(memory_is_rounded_up_to_what_is_sold),
		TEST(both_versions_of_control_groups_tell_the_quota),
		TEST(only_the_governors_of_cpus_we_may_use_count),
		TEST(amd_s_switch_for_boost_goes_the_other_way),
		TEST(smt_that_is_switched_off_leaves_a_cpu_a_core),
		TEST(a_machine_without_files_is_unknown_and_no_fault),
		TEST(odd_bytes_of_the_firmware_become_question_marks),
		TEST(a_file_that_never_ends_or_never_answers_is_left),
		TEST(this_very_machine_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
