/*
 * STREAM's triad, a = b + 3 c over arrays of n elements: the memory's speed (McCalpin 1995, IEEE
 * TCCA Newsletter, December). For that, each array should be four times the last-level cache.
 *
 * Bytes are STREAM's: three arrays, read or written once, so 24 an element of f64 and 12 of f32. A
 * cache that first reads the line it is to write (write-allocate) moves a third more.
 */
#include "workloads/modules/common/element.h"
#include "workloads/modules/common/room.h"
#include "workloads/modules/memory/loop.h"
#include "workloads/modules/memory/team.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)
#define COUNT_MAX 0x1p40
#define THREADS_MAX 1024
#define CHECKED_MAX ((size_t)1 << 18)	    /* elements; each may miss every cache three times */
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* what bg_element_random adds for each number */

enum triad_axis { AXIS_DTYPE, AXIS_N, AXIS_THREADS, AXIS_COUNT };

struct triad {
	size_t count, thread_count;
	enum bg_element element;
	uint64_t seed;
	void *block, *a, *b, *c;
	size_t block_size, array_size;
	const struct bg_triad_loop *loop;
	struct bg_team *team;
};

/* Where the part of a thread begins; of thread_count, where the last one ends. Each page belongs
 * to one thread, which is the one to touch it first. */
static size_t part_begin(const struct triad *triad, size_t index)
{
	size_t a_page = PAGE / bg_element_size(triad->element);
	size_t pages = (triad->count + a_page - 1) / a_page;
	size_t begin = pages / triad->thread_count * index +
		       pages % triad->thread_count * index / triad->thread_count;
	return index == triad->thread_count ? triad->count : begin * a_page;
}

static char *at(const struct triad *triad, void *array, size_t index)
{
	return (char *)array + index * bg_element_size(triad->element);
}

/* The same values whatever the number of threads. */
static void fill_part(void *context, size_t index)
{
	const struct triad *triad = context;
	size_t begin = part_begin(triad, index), count = part_begin(triad, index + 1) - begin;
	uint64_t b = triad->seed + begin * GOLDEN, c = ~triad->seed + begin * GOLDEN;
	bg_element_spoil(at(triad, triad->a, begin), count * bg_element_size(triad->element),
			 triad->element);
	bg_element_fill(at(triad, triad->b, begin), count, triad->element, 1, &b);
	bg_element_fill(at(triad, triad->c, begin), count, triad->element, 1, &c);
}

static void run_part(void *context, size_t index)
{
	const struct triad *triad = context;
	size_t begin = part_begin(triad, index), count = part_begin(triad, index + 1) - begin;
	void *a = at(triad, triad->a, begin), *b = at(triad, triad->b, begin),
	     *c = at(triad, triad->c, begin);
	if (triad->element == BG_ELEMENT_F64)
		triad->loop->f64(a, b, c, count);
	else
		triad->loop->f32(a, b, c, count);
}

/* Fresh pages: the heap's may have been touched by another thread before. */
static enum bg_answer allocate(struct triad *triad, struct bg_why *why)
{
	double needed = 3 * (double)triad->count * (double)bg_element_size(triad->element);
	size_t size = bg_room_multiply(triad->count, bg_element_size(triad->element));
	triad->array_size = bg_room_add(size, PAGE - 1) / PAGE * PAGE;
	size_t block_size = bg_room_multiply(triad->array_size, 3);
	enum bg_answer answer = bg_room_memory(block_size, needed, why);
	if (answer != BG_ANSWER_OK)
		return answer;
	void *block =
		mmap(NULL, block_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return bg_room_refuse(needed, why);
	triad->block = triad->a = block;
	triad->block_size = block_size;
	triad->b = (char *)triad->a + triad->array_size;
	triad->c = (char *)triad->b + triad->array_size;
	return BG_ANSWER_OK;
}

static enum bg_answer triad_setup(void **state, const struct bg_point *point, struct bg_why *why)
{
	const struct bg_coordinate *at = point->coordinates;
	struct triad *triad = calloc(1, sizeof *triad);
	*state = triad;
	if (!triad) {
		snprintf(why->text, sizeof why->text, "no memory for the state");
		return BG_ANSWER_OUT_OF_MEMORY;
	}
	triad->count = (size_t)at[AXIS_N].integer;
	triad->thread_count = (size_t)at[AXIS_THREADS].integer;
	triad->element = strcmp(at[AXIS_DTYPE].text, "f64") == 0 ? BG_ELEMENT_F64 : BG_ELEMENT_F32;
	triad->seed = point->seed;
	triad->loop = bg_triad_loop();
	enum bg_answer answer = bg_team_new(&triad->team, triad->thread_count, why);
	if (answer == BG_ANSWER_OK)
		answer = allocate(triad, why);
	if (answer == BG_ANSWER_OK)
		bg_team_do(triad->team, fill_part, triad);
	return answer;
}

static void triad_costs(void *state, struct bg_costs *ret)
{
	const struct triad *triad = state;
	ret->items = (double)triad->count;
	ret->flops = 2 * ret->items;
	ret->bytes = 3 * ret->items * (double)bg_element_size(triad->element);
}

static enum bg_answer triad_run(void *state, struct bg_why *why)
{
	struct triad *triad = state;
	(void)why;
	bg_team_do(triad->team, run_part, triad);
	return BG_ANSWER_OK;
}

/* Relative to |b| + |3 c|. */
static double element_error(const struct triad *triad, size_t index)
{
	double b = bg_element_value(triad->b, index, triad->element),
	       c = BG_TRIAD_SCALAR * bg_element_value(triad->c, index, triad->element);
	return fabs(bg_element_value(triad->a, index, triad->element) - (b + c)) /
	       (fabs(b) + fabs(c));
}

/* NaN stays. */
static double worse(double worst, double found)
{
	return isnan(worst) || found <= worst ? worst : found;
}

/* The ends of every thread's part, and elements from all over: each, where they are few. */
static double worst_error(const struct triad *triad)
{
	double worst = 0;
	for (size_t i = 0; i < triad->thread_count; i++) {
		size_t begin = part_begin(triad, i), end = part_begin(triad, i + 1);
		if (begin == end)
			continue;
		worst = worse(worst, element_error(triad, begin));
		worst = worse(worst, element_error(triad, end - 1));
	}
	size_t stride = (triad->count + CHECKED_MAX - 1) / CHECKED_MAX;
	uint64_t state = ~triad->seed;
	for (size_t i = 0; i < triad->count; i += stride) {
		size_t left = triad->count - i, reach = stride < left ? stride : left;
		size_t index = i + (size_t)(bg_element_random(&state) % reach);
		worst = worse(worst, element_error(triad, index));
	}
	return worst;
}

/* Two roundings each, here and in the reference, which is in f64. */
static enum bg_answer triad_verify(void *state, double *error, double *tolerance,
				   struct bg_why *why)
{
	const struct triad *triad = state;
	const double u64 = 0x1p-53, u = triad->element == BG_ELEMENT_F64 ? u64 : 0x1p-24;
	*error = worst_error(triad);
	*tolerance = u * (2 + u) + u64 * (2 + u64);
	if (*error <= *tolerance)
		return BG_ANSWER_OK;
	snprintf(why->text, sizeof why->text,
		 "the sum is wrong: an error of %.2g of |b| + |3 c|, rounding explains %.2g",
		 *error, *tolerance);
	return BG_ANSWER_INCORRECT;
}

static void triad_teardown(void *state)
{
	struct triad *triad = state;
	if (!triad)
		return;
	bg_team_free(triad->team);
	if (triad->block)
		munmap(triad->block, triad->block_size);
	free(triad);
}

static const char *kernel(void)
{
	return bg_triad_loop()->name;
}

static const char *const dtypes[] = { "f64", "f32" };

static const struct bg_operation_axis axes[AXIS_COUNT] = {
	[AXIS_DTYPE] = { "dtype", "type of the elements", BG_OPERATION_WORD, "f64", 0, 0, dtypes,
			 sizeof dtypes / sizeof *dtypes },
	[AXIS_N] = { "n", "elements of each of the three arrays", BG_OPERATION_INTEGER, "10000000",
		     1, COUNT_MAX, NULL, 0 },
	[AXIS_THREADS] = { "threads", "threads, one a core", BG_OPERATION_INTEGER, "1", 1,
			   THREADS_MAX, NULL, 0 },
};

static const struct bg_operation operations[] = {
	{
		.name = "triad",
		.engine = "c",
		.summary =
			"STREAM's a = b + 3 c; bytes as STREAM counts them, 24 an element of f64",
		.axis_count = AXIS_COUNT,
		.axes = axes,
		.setup = triad_setup,
		.costs = triad_costs,
		.run = triad_run,
		.verify = triad_verify,
		.teardown = triad_teardown,
	},
};

static const struct bg_module module = {
	BG_MODULE_HEAD,
	.name = "memory",
	.summary = "the memory's speed, in C",
	.operation_count = sizeof operations / sizeof *operations,
	.operations = operations,
	.kernel = kernel,
};

const struct bg_module *bg_module_v1(void)
{
	return &module;
}
