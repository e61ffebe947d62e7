#include "workloads/modules/common/product.h"
#include "workloads/modules/common/room.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PAGE ((size_t)4096)
#define SAMPLE_MAX 64
#define WORK_MAX ((size_t)1 << 19) /* multiplications; of B's column each may miss every cache */
#define UNIT_F64 0x1p-53

/*
 * Integers of A have 7 bits, of B 6. Processors without VNNI add two products u8 x s8 in 16 bits
 * and saturate (vpmaddubsw; oneDNN's guide, "Nuances of int8 computations"), and s8 x s8 runs as
 * u8 x s8 with 128 added to A: 2 x 255 x 63 still fits.
 */
#define A_BITS 7
#define B_BITS 6

const struct bg_dtype *bg_dtype_find(const char *word)
{
	static const struct bg_dtype types[] = {
		{ "f32", BG_ELEMENT_F32, BG_ELEMENT_F32, BG_ELEMENT_F32, 0x1p-24, 0 },
		{ "f64", BG_ELEMENT_F64, BG_ELEMENT_F64, BG_ELEMENT_F64, UNIT_F64, 0 },
		{ "bf16", BG_ELEMENT_BF16, BG_ELEMENT_BF16, BG_ELEMENT_BF16, 0x1p-24, 0x1p-8 },
		{ "s8", BG_ELEMENT_S8, BG_ELEMENT_S8, BG_ELEMENT_S32, 0, 0 },
		{ "u8", BG_ELEMENT_U8, BG_ELEMENT_S8, BG_ELEMENT_S32, 0, 0 },
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].word, word) == 0)
			return &types[i];
	assert(false); /* a word of an axis without its type */
	return NULL;
}

static size_t operand_size(const struct bg_product *product, size_t elements,
			   enum bg_element element)
{
	size_t size = bg_room_multiply(bg_room_multiply(elements, product->batch),
				       bg_element_size(element));
	return size > SIZE_MAX - PAGE ? SIZE_MAX : (size + PAGE - 1) / PAGE * PAGE;
}

double bg_product_size(const struct bg_product *product)
{
	const struct bg_dtype *type = product->type;
	double m = (double)product->m, n = (double)product->n, k = (double)product->k;
	double one = m * k * (double)bg_element_size(type->a) +
		     k * n * (double)bg_element_size(type->b) +
		     m * n * (double)bg_element_size(type->c);
	return one * (double)product->batch;
}

enum bg_answer bg_product_fill(struct bg_product *product, struct bg_why *why)
{
	const struct bg_dtype *type = product->type;
	size_t a = bg_room_multiply(product->m, product->k),
	       b = bg_room_multiply(product->k, product->n),
	       c = bg_room_multiply(product->m, product->n);
	size_t a_size = operand_size(product, a, type->a),
	       b_size = operand_size(product, b, type->b),
	       c_size = operand_size(product, c, type->c);
	size_t size = bg_room_add(bg_room_add(a_size, b_size), c_size);
	enum bg_answer answer = bg_room_memory(size, bg_product_size(product), why);
	if (answer != BG_ANSWER_OK)
		return answer;
	product->block = aligned_alloc(PAGE, size);
	if (!product->block)
		return bg_room_refuse(bg_product_size(product), why);
	product->a = product->block;
	product->b = (char *)product->a + a_size;
	product->c = (char *)product->b + b_size;
	uint64_t state = product->seed;
	bg_element_fill(product->a, a * product->batch, type->a, A_BITS, &state);
	bg_element_fill(product->b, b * product->batch, type->b, B_BITS, &state);
	bg_element_spoil(product->c, c_size, type->c);
	return BG_ANSWER_OK;
}

void bg_product_release(struct bg_product *product)
{
	free(product->block);
	product->block = NULL;
}

/* Of the element with this index in C: |c - reference| / (sum |a||b| + slack |reference|). */
static double element_error(const struct bg_product *product, size_t index, double slack)
{
	const struct bg_dtype *type = product->type;
	size_t column = index % product->n, row = index / product->n; /* counted over the batch */
	size_t a = row * product->k;
	size_t b = row / product->m * product->k * product->n + column;
	double sum = 0, magnitude = 0;
	for (size_t i = 0; i < product->k; i++) {
		double term = bg_element_value(product->a, a + i, type->a) *
			      bg_element_value(product->b, b + i * product->n, type->b);
		sum += term;
		magnitude += fabs(term);
	}
	return fabs(bg_element_value(product->c, index, type->c) - sum) /
	       (magnitude + slack * fabs(sum));
}

/*
 * What rounding may do to a sum of k products in any order, relative to sum |a||b|; u is the unit
 * roundoff. The smaller of
 *   the worst case, k u / (1 - k u)             Higham 2002, Accuracy and Stability of Numerical
 *                                               Algorithms, (3.5)
 *   exp(l sqrt(k) u + k u^2 / (1 - u)) - 1      Higham & Mary 2019, SIAM J. Sci. Comput. 41(5),
 *                                               theorem 3.1; exceeded with a probability of at most
 *                                               2 k exp(-l^2 (1 - u)^2 / 2), for l = 8 and k = 10^6
 *                                               3e-8
 * since from k of about 10^5 in f32 the worst case is larger than the results themselves.
 */
static double rounding_bound(double k, double u)
{
	double likely = expm1(8 * sqrt(k) * u + k * u * u / (1 - u));
	return k * u < .5 ? fmin(k * u / (1 - k * u), likely) : likely;
}

/* The elements to compare: corners of the first and the last product, then any. */
static size_t sample_index(const struct bg_product *product, size_t i, uint64_t *state)
{
	size_t count = product->batch * product->m * product->n;
	switch (i) {
	case 0:
		return count - 1;
	case 1:
		return 0;
	case 2:
		return product->n - 1;
	case 3:
		return count - product->n;
	default:
		return (size_t)(bg_element_random(state) % count);
	}
}

/* Of a sum alone: the library's rounding, and the reference's, which is in f64. */
static double sum_tolerance(const struct bg_product *product)
{
	const struct bg_dtype *type = product->type;
	double k = (double)product->k;
	/* Sums of integers stay below 2^53, so the reference is exact as well. */
	if (type->roundoff == 0)
		return 0;
	return rounding_bound(k, type->roundoff) * (1 + type->result_roundoff) +
	       rounding_bound(k, UNIT_F64);
}

void bg_product_check(const struct bg_product *product, double *error, double *tolerance)
{
	size_t count = product->batch * product->m * product->n;
	size_t affordable = WORK_MAX / product->k;
	bool all = count <= affordable;
	size_t checked = all			   ? count
			 : affordable < 2	   ? 2
			 : affordable < SAMPLE_MAX ? affordable
						   : SAMPLE_MAX;
	uint64_t state = ~product->seed;
	double worst = 0, allowed = sum_tolerance(product);
	/* |c - sum| <= allowed sum |a||b| + result_roundoff |sum|, divided by allowed. */
	double slack = allowed > 0 ? product->type->result_roundoff / allowed : 0;
	for (size_t i = 0; i < checked; i++) {
		size_t index = all ? i : sample_index(product, i, &state);
		double found = element_error(product, index, slack);
		/* NaN stays. */
		worst = found > worst || isnan(found) ? found : worst;
		if (isnan(worst))
			break;
	}
	*error = worst;
	*tolerance = allowed;
}
