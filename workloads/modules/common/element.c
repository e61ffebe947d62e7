#include "workloads/modules/common/element.h"

#include <assert.h>
#include <string.h>

size_t bg_element_size(enum bg_element element)
{
	static const size_t sizes[] = {
		[BG_ELEMENT_F32] = 4, [BG_ELEMENT_F64] = 8, [BG_ELEMENT_BF16] = 2,
		[BG_ELEMENT_S8] = 1,  [BG_ELEMENT_U8] = 1,  [BG_ELEMENT_S32] = 4,
	};
	return sizes[element];
}

uint64_t bg_element_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* An odd number of at most `bits` bits besides its sign. */
static int64_t odd(uint64_t random, unsigned bits)
{
	return 2 * (int64_t)(random >> (64 - bits)) - ((INT64_C(1) << bits) - 1);
}

static uint16_t bf16_of(float exact)
{
	uint32_t bits;
	memcpy(&bits, &exact, sizeof bits);
	return (uint16_t)(bits >> 16);
}

static float f32_of(uint16_t bf16)
{
	uint32_t bits = (uint32_t)bf16 << 16;
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void fill_one(void *operand, size_t i, enum bg_element element, unsigned bits,
		     uint64_t random)
{
	switch (element) {
	case BG_ELEMENT_F32:
		((float *)operand)[i] = (float)odd(random, 23) * 0x1p-23f;
		break;
	case BG_ELEMENT_F64:
		((double *)operand)[i] = (double)odd(random, 52) * 0x1p-52;
		break;
	case BG_ELEMENT_BF16:
		((uint16_t *)operand)[i] = bf16_of((float)odd(random, 8) * 0x1p-8f);
		break;
	case BG_ELEMENT_S8:
		((int8_t *)operand)[i] = (int8_t)odd(random, bits);
		break;
	case BG_ELEMENT_U8:
		((uint8_t *)operand)[i] = (uint8_t)(random >> (63 - bits) | 1);
		break;
	case BG_ELEMENT_S32:
		break;
	}
}

void bg_element_fill(void *operand, size_t count, enum bg_element element, unsigned bits,
		     uint64_t *state)
{
	assert(bits >= 1 && bits <= 7 && element != BG_ELEMENT_S32);
	for (size_t i = 0; i < count; i++)
		fill_one(operand, i, element, bits, bg_element_random(state));
}

void bg_element_spoil(void *operand, size_t size, enum bg_element element)
{
	/* All bits set are a NaN in each floating-point type. */
	memset(operand, element == BG_ELEMENT_S32 ? 0x80 : 0xff, size);
}

double bg_element_value(const void *operand, size_t index, enum bg_element element)
{
	switch (element) {
	case BG_ELEMENT_F32:
		return (double)((const float *)operand)[index];
	case BG_ELEMENT_F64:
		return ((const double *)operand)[index];
	case BG_ELEMENT_BF16:
		return (double)f32_of(((const uint16_t *)operand)[index]);
	case BG_ELEMENT_S8:
		return ((const int8_t *)operand)[index];
	case BG_ELEMENT_U8:
		return ((const uint8_t *)operand)[index];
	case BG_ELEMENT_S32:
		return ((const int32_t *)operand)[index];
	}
	return 0;
}
