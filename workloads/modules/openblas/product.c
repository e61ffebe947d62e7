#include "workloads/modules/openblas/product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE ((size_t)4096)
#define SAMPLE_MAX 64
#define WORK_MAX ((size_t)1 << 19) /* multiplications; of B's column each may miss every cache */

static size_t element_size(const struct bg_product *product)
{
	return product->is_f64 ? sizeof(double) : sizeof(float);
}

/* SIZE_MAX, which no allocation can have, where the product is larger. */
static size_t multiply(size_t a, size_t b)
{
	return a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static size_t operand_size(const struct bg_product *product, size_t rows, size_t columns)
{
	size_t size =
		multiply(multiply(multiply(rows, columns), product->batch), element_size(product));
	return size > SIZE_MAX - PAGE ? SIZE_MAX : (size + PAGE - 1) / PAGE * PAGE;
}

static size_t add(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

double bg_product_size(const struct bg_product *product)
{
	double m = (double)product->m, n = (double)product->n, k = (double)product->k;
	return (m * k + k * n + m * n) * (double)product->batch * (double)element_size(product);
}

/* Bytes; SIZE_MAX where unknown. */
static size_t available_memory(void)
{
	size_t found = SIZE_MAX;
	char line[256];
	FILE *file = fopen("/proc/meminfo", "re");
	if (!file)
		return found;
	while (found == SIZE_MAX && fgets(line, sizeof line, file)) {
		const char *digit = line + strlen("MemAvailable:");
		if (strncmp(line, "MemAvailable:", strlen("MemAvailable:")) != 0)
			continue;
		size_t kib = 0;
		for (digit += strspn(digit, " "); *digit >= '0' && *digit <= '9'; digit++)
			kib = kib * 10 + (size_t)(*digit - '0');
		found = multiply(kib, 1024);
	}
	fclose(file);
	return found;
}

static enum bg_answer refuse_memory(const struct bg_product *product, size_t available,
				    struct bg_why *why)
{
	char has[64] = "";
	if (available != SIZE_MAX)
		snprintf(has, sizeof has, "; %.1f GiB are free", (double)available / 0x1p30);
	snprintf(why->text, sizeof why->text, "the operands need %.1f GiB%s",
		 bg_product_size(product) / 0x1p30, has);
	return BG_ANSWER_OUT_OF_MEMORY;
}

/* splitmix64: Steele, Lea & Flood 2014. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* An odd multiple of 2^-23 within -1 .. 1: neither it nor a product of two can be denormal. */
static float odd_f32(uint64_t random)
{
	int32_t x = (int32_t)(random >> 41) - (1 << 22);
	return (float)(2 * x + 1) * 0x1p-23f;
}

static double odd_f64(uint64_t random)
{
	int64_t x = (int64_t)(random >> 12) - ((int64_t)1 << 51);
	return (double)(2 * x + 1) * 0x1p-52;
}

static void fill(void *operand, size_t count, bool is_f64, uint64_t *state)
{
	float *f32 = operand;
	double *f64 = operand;
	for (size_t i = 0; i < count; i++)
		if (is_f64)
			f64[i] = odd_f64(next_random(state));
		else
			f32[i] = odd_f32(next_random(state));
}

enum bg_answer bg_product_fill(struct bg_product *product, struct bg_why *why)
{
	size_t a_size = operand_size(product, product->m, product->k);
	size_t b_size = operand_size(product, product->k, product->n);
	size_t c_size = operand_size(product, product->m, product->n);
	size_t size = add(add(a_size, b_size), c_size), available = available_memory();
	if (size == SIZE_MAX || size > available)
		return refuse_memory(product, available, why);
	product->block = aligned_alloc(PAGE, size);
	if (!product->block)
		return refuse_memory(product, available, why);
	product->a = product->block;
	product->b = (char *)product->a + a_size;
	product->c = (char *)product->b + b_size;
	uint64_t state = product->seed;
	fill(product->a, product->m * product->k * product->batch, product->is_f64, &state);
	fill(product->b, product->k * product->n * product->batch, product->is_f64, &state);
	/* All bits set are a NaN in both types. */
	memset(product->c, 0xff, c_size);
	return BG_ANSWER_OK;
}

void bg_product_release(struct bg_product *product)
{
	free(product->block);
	product->block = NULL;
}

static double element(const struct bg_product *product, const void *operand, size_t index)
{
	return product->is_f64 ? ((const double *)operand)[index]
			       : (double)((const float *)operand)[index];
}

/* Of the element with this index in C: |c - reference| / sum |a||b|. */
static double element_error(const struct bg_product *product, size_t index)
{
	size_t column = index % product->n, row = index / product->n; /* counted over the batch */
	size_t a = row * product->k;
	size_t b = row / product->m * product->k * product->n + column;
	double sum = 0, magnitude = 0;
	for (size_t i = 0; i < product->k; i++) {
		double term = element(product, product->a, a + i) *
			      element(product, product->b, b + i * product->n);
		sum += term;
		magnitude += fabs(term);
	}
	return fabs(element(product, product->c, index) - sum) / magnitude;
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
		return (size_t)(next_random(state) % count);
	}
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
	double worst = 0;
	for (size_t i = 0; i < checked; i++) {
		size_t index = all ? i : sample_index(product, i, &state);
		double found = element_error(product, index);
		/* NaN stays. */
		worst = found > worst || isnan(found) ? found : worst;
		if (isnan(worst))
			break;
	}
	double k = (double)product->k;
	*error = worst;
	/* The reference's own rounding is in f64. */
	*tolerance =
		rounding_bound(k, product->is_f64 ? 0x1p-53 : 0x1p-24) + rounding_bound(k, 0x1p-53);
}
