/*
 * Answers questions about the statistics on stdin, one a line, with one line of %.17g numbers each;
 * tests/cross/test_rule.py asks them and compares with scipy. Ends with status 1 where it cannot
 * read a line.
 *
 *   quantile TAIL DF | tail T DF | digamma X | trigamma X | lag1 X... | estimate X...
 *   ranks COUNT ERROR | prior V DF V DF ...
 *   decide CELLS {METRIC MARGIN FLOOR JUDGE CONFIRM {X BASE HEAD}...}...
 *
 * decide prints one line a cell: case, metric, verdict, outcome, confirmed, measured, effect, low,
 * high, mde, launches, base, head; then "end EXIT_CODE".
 */
#include "gate/core/text.h"
#include "gate/verdict/decide.h"
#include "gate/verdict/discrete.h"
#include "gate/verdict/moderate.h"
#include "gate/verdict/student.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(char **rest)
{
	double value;
	const char *word = strsep(rest, " ");
	if (!word || !bg_text_to_double(&value, word, -1e308, 1e308)) {
		fprintf(stderr, "rule: not a number: %s\n", word ? word : "(end of line)");
		exit(1);
	}
	return value;
}

static size_t numbers(double *value, size_t max, char **rest)
{
	size_t count = 0;
	while (*rest && count < max)
		value[count++] = number(rest);
	return count;
}

static void estimate(char **rest)
{
	double x[BG_LAUNCHES_MAX];
	struct bg_estimate got;
	bg_estimate_take(&got, x, numbers(x, BG_LAUNCHES_MAX, rest));
	printf("%.17g %.17g %.17g\n", got.center, got.variance, got.df);
}

static void lag1(char **rest)
{
	double x[BG_LAUNCHES_MAX];
	size_t count = numbers(x, BG_LAUNCHES_MAX, rest);
	printf("%.17g\n", bg_estimate_lag1(x, count));
}

static void prior(char **rest)
{
	struct bg_pool pool = { 0 };
	while (*rest) {
		struct bg_estimate one = { .variance = number(rest) };
		one.df = number(rest);
		bg_pool_add(&pool, &one);
	}
	bg_pool_fit(&pool);
	printf("%.17g %.17g\n", pool.prior_df, pool.prior_variance);
}

static struct bg_datum *data(size_t count, char **rest, struct bg_arena *arena)
{
	struct bg_datum *datum = bg_arena_array(arena, count, sizeof *datum);
	for (size_t i = 0; i < count; i++) {
		datum[i].x = number(rest);
		datum[i].base = number(rest);
		datum[i].head = number(rest);
	}
	return datum;
}

static void read_case(struct bg_case_result *of, char **rest, struct bg_arena *arena)
{
	enum bg_metric metric = (enum bg_metric)number(rest);
	of->name = "case";
	of->margin[metric] = number(rest);
	of->floor[metric] = number(rest);
	of->series_count = 1;
	of->series = bg_arena_array(arena, 1, sizeof *of->series);
	of->series->metric = metric;
	of->series->judge_count = (size_t)number(rest);
	of->series->confirm_count = (size_t)number(rest);
	of->series->judge = data(of->series->judge_count, rest, arena);
	of->series->confirm = data(of->series->confirm_count, rest, arena);
}

static void decide(char **rest)
{
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_result result = { .case_count = (size_t)number(rest) };
	struct bg_report report;
	result.cases = bg_arena_array(&arena, result.case_count, sizeof *result.cases);
	for (size_t i = 0; i < result.case_count; i++)
		read_case(&result.cases[i], rest, &arena);
	bg_decide(&report, &result, false, &arena);
	for (size_t i = 0; i < report.cell_count; i++) {
		const struct bg_cell *cell = &report.cells[i];
		printf("%td %d %s %d %d %d %.17g %.17g %.17g %.17g %u %.17g %.17g\n",
		       cell->of - result.cases, cell->metric, bg_verdict_name(cell->verdict),
		       cell->outcome, cell->confirmed, cell->measured, cell->effect, cell->low,
		       cell->high, cell->mde, cell->launches, cell->base, cell->head);
	}
	printf("end %d\n", report.exit_code);
	bg_arena_release(&arena);
}

static void answer(const char *question, char **rest)
{
	if (strcmp(question, "estimate") == 0) {
		estimate(rest);
	} else if (strcmp(question, "lag1") == 0) {
		lag1(rest);
	} else if (strcmp(question, "prior") == 0) {
		prior(rest);
	} else if (strcmp(question, "decide") == 0) {
		decide(rest);
	} else if (strcmp(question, "digamma") == 0) {
		printf("%.17g\n", bg_digamma(number(rest)));
	} else if (strcmp(question, "trigamma") == 0) {
		printf("%.17g\n", bg_trigamma(number(rest)));
	} else {
		double first = number(rest), second = number(rest);
		if (strcmp(question, "quantile") == 0)
			printf("%.17g\n", bg_student_quantile(first, second));
		else if (strcmp(question, "tail") == 0)
			printf("%.17g\n", bg_student_tail(first, second));
		else if (strcmp(question, "ranks") == 0)
			printf("%zu\n", bg_signed_rank_critical((size_t)first, second));
		else
			exit(1);
	}
}

int main(void)
{
	char *line = NULL;
	size_t capacity = 0;
	while (getline(&line, &capacity, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		char *rest = line;
		const char *question = strsep(&rest, " ");
		answer(question, &rest);
	}
	free(line);
	return 0;
}
