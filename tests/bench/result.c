/*
 * What deciding and reporting cost, on results drawn from a seed.
 *
 * usage: result                                          times every stage of 10,000 cells
 *        result write PATH CASES LAUNCHES PAIRS [SEED]   writes a result.json and does no more
 *        result report FORMAT PATH                       reads one, decides, prints the report
 *
 * The gate's own suite measures the last two as programs; the Python tests read what they print.
 */
#include "gate/core/clock.h"
#include "gate/core/text.h"
#include "gate/verdict/decide.h"
#include "gate/wire/result_file.h"
#include "reporters/reporter.h"
#include "tests/bench/synthetic_result.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CASES 10000
#define LAUNCHES 24

static struct synthetic plan_of(uint64_t seed)
{
	return (struct synthetic){ .case_count = CASES,
				   .launches = LAUNCHES,
				   .seed = seed,
				   .sd = .006,
				   .slower_share = .01,
				   .slowdown = .05 };
}

static int tell(const struct bg_error *err)
{
	fprintf(stderr, "result: %s\n", err->text);
	return 2;
}

static bool read_count(uint64_t *ret, const char *text, uint64_t min, uint64_t max)
{
	if (bg_text_to_u64(ret, text, min, max))
		return true;
	fprintf(stderr, "result: %s is not an integer of %llu to %llu\n", text,
		(unsigned long long)min, (unsigned long long)max);
	return false;
}

static int write_result(char **words, int count)
{
	uint64_t cases, launches, pairs, seed = 1;
	if (!read_count(&cases, words[1], 1, BG_CASES_MAX) ||
	    !read_count(&launches, words[2], 1, BG_LAUNCHES_MAX) ||
	    !read_count(&pairs, words[3], 0, BG_PAIRS_MAX) ||
	    (count == 5 && !read_count(&seed, words[4], 0, UINT64_MAX)))
		return 2;
	struct synthetic plan = plan_of(seed);
	plan.case_count = cases;
	plan.launches = (unsigned)launches;
	plan.pairs = (unsigned)pairs;
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct bg_result result;
	synthetic_result(&result, &plan, &arena);
	struct bg_error err = BG_ERROR_INIT;
	return bg_result_write(&result, words[0], &err) == BG_OK ? 0 : tell(&err);
}

static int print_report(const char *format, const char *path)
{
	const struct bg_reporter *reporter =
		bg_reporter_find(strcmp(format, "junit-strict") == 0 ? "junit" : format);
	if (!reporter) {
		fprintf(stderr, "result: no format %s\n", format);
		return 2;
	}
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, (size_t)1 << 30);
	struct bg_error err = BG_ERROR_INIT;
	struct bg_result result;
	if (bg_result_read(&result, path, &arena, &err) != BG_OK)
		return tell(&err);
	struct bg_report report;
	bg_decide(&report, &result, false, &arena);
	struct bg_report_view view = { .report = &report,
				       .command = result.command,
				       .strict_junit = strcmp(format, "junit-strict") == 0,
				       .exit_code = report.exit_code };
	if (reporter->write(&out, &view, &err) != BG_OK)
		return tell(&err);
	return fwrite(out.bytes, 1, out.size, stdout) == out.size && fflush(stdout) == 0 ? 0 : 4;
}

static void say(const char *stage, uint64_t since_ns)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("  %-28s %8.1f ms   peak %6.1f MB\n", stage,
	       (double)(bg_clock_ns() - since_ns) / 1e6, (double)usage.ru_maxrss * 1024 / 1e6);
}

static int time_reports(const struct bg_report *report)
{
	struct bg_error err = BG_ERROR_INIT;
	for (size_t i = 0; i < bg_reporter_count; i++) {
		BG_AUTO(bg_buffer_release) struct bg_buffer out;
		bg_buffer_init(&out, (size_t)1 << 30);
		struct bg_report_view view = { .report = report, .exit_code = report->exit_code };
		uint64_t start_ns = bg_clock_ns();
		if (bg_reporters[i]->write(&out, &view, &err) != BG_OK)
			return tell(&err);
		say(bg_reporters[i]->name, start_ns);
	}
	return 0;
}

static int time_stages(void)
{
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct synthetic plan = plan_of(1);
	struct bg_result drawn, result;
	synthetic_result(&drawn, &plan, &arena);
	struct bg_report report;
	printf("%d cells x %d launches\n", CASES, LAUNCHES);
	uint64_t start_ns = bg_clock_ns();
	bg_decide(&report, &drawn, false, &arena);
	say("decide", start_ns);
	char path[64];
	snprintf(path, sizeof path, "/tmp/batchgate-bench-result-%d.json", (int)getpid());
	struct bg_error err = BG_ERROR_INIT;
	start_ns = bg_clock_ns();
	if (bg_result_write(&drawn, path, &err) != BG_OK)
		return tell(&err);
	say("write result.json", start_ns);
	start_ns = bg_clock_ns();
	enum bg_status status = bg_result_read(&result, path, &arena, &err);
	unlink(path);
	if (status != BG_OK)
		return tell(&err);
	say("read result.json", start_ns);
	return time_reports(&report);
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return time_stages();
	if ((argc == 6 || argc == 7) && strcmp(argv[1], "write") == 0)
		return write_result(argv + 2, argc - 2);
	if (argc == 4 && strcmp(argv[1], "report") == 0)
		return print_report(argv[2], argv[3]);
	fprintf(stderr, "usage: result | result write PATH CASES LAUNCHES PAIRS [SEED] | "
			"result report text|json|junit|junit-strict PATH\n");
	return 2;
}
