#include "gate/core/file.h"
#include "gate/core/quota.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char root[64];

static void put(const char *path, const char *text)
{
	struct bg_error err = BG_ERROR_INIT;
	char full[512], folder[512];
	snprintf(full, sizeof full, "%s/%s", root, path);
	snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(full, '/') - full), full);
	assert_int_equal(bg_dir_make(folder, &err), BG_OK);
	assert_int_equal(bg_file_replace(full, text, strlen(text), &err), BG_OK);
}

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/bg-quota-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	struct bg_error err = BG_ERROR_INIT;
	return bg_tree_remove(root, &err) == BG_OK ? 0 : -1;
}

static void version_two_takes_the_tightest_on_the_way_up(void **state)
{
	(void)state;
	struct bg_quota quota;
	put("proc/self/cgroup", "0::/a/b\n");
	put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	put("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
	put("sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 4\n");
	bg_quota_read(&quota, root);
	assert_true(fabs(quota.cores - .5) < 1e-12);
	assert_int_equal(bg_quota_throttled(&quota), 4);
}

static void version_one_reads_quota_and_period(void **state)
{
	(void)state;
	struct bg_quota quota;
	put("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/job\n");
	put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
	put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
	put("sys/fs/cgroup/cpu/job/cpu.stat", "nr_periods 1\nnr_throttled 7\n");
	bg_quota_read(&quota, root);
	assert_true(fabs(quota.cores - 1.5) < 1e-12);
	assert_int_equal(bg_quota_throttled(&quota), 7);
}

static void a_container_that_hides_its_path_is_read_at_the_mount(void **state)
{
	(void)state;
	struct bg_quota quota;
	put("proc/self/cgroup", "0::/docker/0123\n");
	put("sys/fs/cgroup/cpu.max", "200000 100000\n");
	bg_quota_read(&quota, root);
	assert_true(fabs(quota.cores - 2) < 1e-12);
}

static void no_quota_and_odd_files_leave_it_unlimited(void **state)
{
	(void)state;
	struct bg_quota quota;
	bg_quota_read(&quota, root);
	assert_true(isinf(quota.cores));
	put("proc/self/cgroup", "0::/\nrubbish\n4:cpu:/j\n");
	put("sys/fs/cgroup/cpu.max", "50000\n");
	put("sys/fs/cgroup/cpu/j/cpu.cfs_quota_us", "-1\n");
	put("sys/fs/cgroup/cpu/j/cpu.cfs_period_us", "0\n");
	bg_quota_read(&quota, root);
	assert_true(isinf(quota.cores));
	assert_int_equal(bg_quota_throttled(&quota), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(version_two_takes_the_tightest_on_the_way_up,
						make_root, remove_root),
		cmocka_unit_test_setup_teardown(version_one_reads_quota_and_period, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(
			a_container_that_hides_its_path_is_read_at_the_mount, make_root,
			remove_root),
		cmocka_unit_test_setup_teardown(no_quota_and_odd_files_leave_it_unlimited,
						make_root, remove_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
