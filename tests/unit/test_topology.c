#include "gate/core/file.h"
#include "gate/core/topology.h"

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

static void put_cpu(unsigned cpu, const char *siblings, const char *l3, unsigned node)
{
	char path[256];
	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		 cpu);
	put(path, siblings);
	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cache/index3/shared_cpu_list",
		 cpu);
	put(path, l3);
	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/node%u/cpulist", cpu, node);
	put(path, "0\n");
}

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/bg-topology-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	struct bg_error err = BG_ERROR_INIT;
	return bg_tree_remove(root, &err) == BG_OK ? 0 : -1;
}

static const char *pick(const char *allowed, size_t count, bool *enough)
{
	static char text[256];
	static struct bg_topology topology;
	cpu_set_t set, picked;
	assert_true(bg_cpus_parse(&set, allowed));
	bg_topology_read(&topology, root, &set);
	*enough = bg_topology_pick(&picked, &topology, count);
	bg_cpus_text(text, sizeof text, &picked);
	return text;
}

static void one_thread_a_core_and_the_last_cores_first(void **state)
{
	(void)state;
	bool enough;
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		char siblings[16];
		snprintf(siblings, sizeof siblings, "%u,%u\n", cpu % 4, cpu % 4 + 4);
		put_cpu(cpu, siblings, "0-7\n", 0);
	}
	assert_string_equal(pick("0-7", 1, &enough), "7");
	assert_true(enough);
	assert_string_equal(pick("0-7", 2, &enough), "6,7");
	assert_string_equal(pick("0-7", 5, &enough), "4-7");
	assert_false(enough);
	assert_string_equal(pick("1,5", 2, &enough), "5");
	assert_false(enough);
}

static void cores_come_from_one_node_and_one_cache(void **state)
{
	(void)state;
	bool enough;
	for (unsigned cpu = 0; cpu < 6; cpu++) {
		char alone[16];
		snprintf(alone, sizeof alone, "%u\n", cpu);
		put_cpu(cpu, alone, cpu < 2 ? "0-1\n" : "2-5\n", cpu < 4 ? 0 : 1);
	}
	/* Groups: {0,1} and {2,3} on node 0, {4,5} on node 1. */
	assert_string_equal(pick("0-5", 2, &enough), "4,5");
	assert_true(enough);
	assert_string_equal(pick("0-5", 3, &enough), "4,5");
	assert_false(enough);
	assert_string_equal(pick("0-4", 2, &enough), "2,3");
}

static void small_cores_are_a_group_of_their_own(void **state)
{
	(void)state;
	bool enough;
	put("sys/devices/cpu_atom/cpus", "2-3\n");
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		char alone[16];
		snprintf(alone, sizeof alone, "%u\n", cpu);
		put_cpu(cpu, alone, "0-3\n", 0);
	}
	assert_string_equal(pick("0-2", 2, &enough), "0,1");
	assert_true(enough);
}

static void a_machine_without_sys_is_one_group(void **state)
{
	(void)state;
	bool enough;
	assert_string_equal(pick("0-3", 4, &enough), "0-3");
	assert_true(enough);
}

static void bad_cpu_lists_are_refused(void **state)
{
	(void)state;
	cpu_set_t set;
	static const char *const bad[] = { "",	  ",", "1,",  "1-",   "-1",
					   "2-1", "a", "1 2", "1024", "0-99999999999",
					   "1,,2" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(bg_cpus_parse(&set, bad[i]));
	char text[64];
	assert_true(bg_cpus_parse(&set, "7,0-2,4-5"));
	bg_cpus_text(text, sizeof text, &set);
	assert_string_equal(text, "0-2,4,5,7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_thread_a_core_and_the_last_cores_first,
						make_root, remove_root),
		cmocka_unit_test_setup_teardown(cores_come_from_one_node_and_one_cache, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(small_cores_are_a_group_of_their_own, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(a_machine_without_sys_is_one_group, make_root,
						remove_root),
		cmocka_unit_test(bad_cpu_lists_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
