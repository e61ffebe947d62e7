#include "baselines/spool.h"

#include "tests/unit/git_scratch.h"
#include "tests/unit/record_result.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <utime.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

/* Writes a record of `cases` cells into the scratch folder's spool; returns its run id. */
static const char *spooled(struct scratch *s, size_t cases)
{
	struct bg_result result = record_result(cases, 6, &s->arena);
	struct bg_record record;
	const char *path;
	char run[BG_RECORD_RUN_SIZE];
	if (bg_run_id_make(run, &s->err) != BG_OK ||
	    bg_record_from_result(&record, &result, run, &s->arena, &s->err) != BG_OK ||
	    bg_spool_write(&path, s->dir, &record, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	assert_string_equal(
		path, scratch_path(s, bg_arena_format(&s->arena, "batchgate/spool/%s.json", run)));
	return record.run;
}

static struct bg_spool spool_of(struct scratch *s)
{
	struct bg_spool spool;
	if (bg_spool_read(&spool, s->dir, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return spool;
}

static void a_repository_without_records_has_an_empty_spool(void **state)
{
	struct bg_spool spool = spool_of(*state);
	assert_int_equal(spool.count, 0);
	assert_int_equal(spool.bad_count, 0);
}

static void a_record_waits_until_it_is_removed(void **state)
{
	struct scratch *s = *state;
	const char *run = spooled(s, 3);
	struct bg_spool spool = spool_of(s);
	assert_int_equal(spool.count, 1);
	assert_string_equal(spool.entries[0].record.run, run);
	assert_string_equal(spool.entries[0].record.commit, RECORD_COMMIT);
	assert_int_equal(spool.entries[0].record.cell_count, 3);
	assert_string_equal(
		scratch_run(s, "cat batchgate/spool/*"),
		bg_arena_bytes(&s->arena, spool.entries[0].text, spool.entries[0].size - 1));
	assert_int_equal(bg_spool_remove(&spool.entries[0], &s->err), BG_OK);
	assert_int_equal(bg_spool_remove(&spool.entries[0], &s->err), BG_OK);
	assert_int_equal(spool_of(s).count, 0);
}

static void a_record_of_many_lines_is_one_entry(void **state)
{
	struct scratch *s = *state;
	spooled(s, 2000);
	struct bg_spool spool = spool_of(s);
	assert_int_equal(spool.count, 1);
	assert_int_equal(spool.entries[0].record.cell_count, 2000);
	assert_int_equal(spool.bad_count, 0);
}

#define PROCESSES 8
#define EACH 12

static void eight_processes_at_once_keep_all_their_records(void **state)
{
	struct scratch *s = *state;
	pid_t pid[PROCESSES];
	for (size_t i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			for (size_t k = 0; k < EACH; k++)
				spooled(s, 1);
			_exit(0);
		}
	}
	for (size_t i = 0; i < PROCESSES; i++) {
		int status = -1;
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	struct bg_spool spool = spool_of(s);
	assert_int_equal(spool.count, PROCESSES * EACH);
	for (size_t i = 1; i < spool.count; i++)
		assert_true(strcmp(spool.entries[i - 1].record.run, spool.entries[i].record.run) <
			    0);
	assert_string_equal(scratch_run(s, "ls batchgate/spool | grep -vc 'json$' || true"), "0");
}

static void foreign_files_are_left_alone(void **state)
{
	struct scratch *s = *state;
	spooled(s, 1);
	scratch_run(s, "cd batchgate/spool; echo x >notes.txt; echo x >0011.json; mkdir folder;"
		       "echo x >00112233445566778899aabbccddeeff.json.abcdef;"
		       "echo x >00112233445566778899AABBCCDDEEFF.json;"
		       "echo x >.00112233445566778899aabbccddeef.json");
	struct bg_spool spool = spool_of(s);
	assert_int_equal(spool.count, 1);
	assert_int_equal(spool.bad_count, 0);
	bg_spool_sweep(s->dir, &s->arena);
	assert_string_equal(scratch_run(s, "ls -A batchgate/spool | wc -l"), "7");
}

static void what_a_crash_left_is_swept_an_hour_later(void **state)
{
	struct scratch *s = *state;
	spooled(s, 1);
	scratch_run(s, "cd batchgate/spool; echo x >00112233445566778899aabbccddeeff.json.abcdef;"
		       "echo x >00112233445566778899aabbccddeeff.json.ABCDEF;"
		       "touch -d '2 hours ago' *.abcdef");
	bg_spool_sweep(s->dir, &s->arena);
	assert_string_equal(scratch_run(s, "ls batchgate/spool | grep -c abcdef || true"), "0");
	assert_string_equal(scratch_run(s, "ls batchgate/spool | grep -c ABCDEF"), "1");
	assert_int_equal(spool_of(s).count, 1);
}

static void bad_files_are_counted_and_the_first_is_told(void **state)
{
	struct scratch *s = *state;
	spooled(s, 1);
	const char *run = spooled(s, 900);
	scratch_run(s, bg_arena_format(&s->arena,
				       "cd batchgate/spool; r=%s.json; n=%%032d;"
				       "sed 1d $r >x; mv x $r;" /* a line is missing */
				       ": >$(printf $n 1).json;"
				       "head -c 100 $r >$(printf $n 2).json;"
				       "echo '{\"schema\":\"batchgate.record/9\"}' >$(printf $n "
				       "3).json;"
				       "mkdir $(printf $n 4).json; mkfifo $(printf $n 5).json;"
				       "for f in *; do case $f in 0000*) ;; *) test $f = $r ||"
				       " cp $f $(printf $n 6).json;; esac; done",
				       run));
	struct bg_spool spool = spool_of(s);
	assert_int_equal(spool.count, 1);
	assert_int_equal(spool.bad_count, 7);
	assert_non_null(strstr(spool.bad, "00001.json: is empty"));
}

static void a_full_disk_leaves_nothing_and_is_told(void **state)
{
	struct scratch *s = *state;
	spooled(s, 1);
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit none = { 1000, 1000 };
		struct bg_result result = record_result(50, 6, &s->arena);
		struct bg_record record;
		const char *path = "untouched";
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &none);
		bool told =
			bg_record_from_result(&record, &result, RECORD_RUN, &s->arena, &s->err) ==
				BG_OK &&
			bg_spool_write(&path, s->dir, &record, &s->arena, &s->err) == BG_E_SYSTEM &&
			strstr(s->err.text, "the record is not kept") &&
			strcmp(path, "untouched") == 0;
		_exit(told ? 0 : 1);
	}
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(scratch_run(s, "ls batchgate/spool | wc -l"), "1");
	assert_int_equal(spool_of(s).count, 1);
}

static void a_spool_that_is_no_folder_is_told(void **state)
{
	struct scratch *s = *state;
	struct bg_spool spool;
	scratch_run(s, "mkdir batchgate; echo >batchgate/spool");
	assert_int_equal(bg_spool_read(&spool, s->dir, &s->arena, &s->err), BG_E_SYSTEM);
	assert_non_null(strstr(s->err.text, "batchgate/spool: cannot read: Not a directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_repository_without_records_has_an_empty_spool),
		TEST(a_record_waits_until_it_is_removed),
		TEST(a_record_of_many_lines_is_one_entry),
		TEST(eight_processes_at_once_keep_all_their_records),
		TEST(foreign_files_are_left_alone),
		TEST(what_a_crash_left_is_swept_an_hour_later),
		TEST(bad_files_are_counted_and_the_first_is_told),
		TEST(a_full_disk_leaves_nothing_and_is_told),
		TEST(a_spool_that_is_no_folder_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
