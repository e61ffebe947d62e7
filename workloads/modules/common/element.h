#ifndef BG_MODULES_ELEMENT_H
#define BG_MODULES_ELEMENT_H
/* The types of an operand's elements: their sizes, values to compute with, values to compare. */
#include <stddef.h>
#include <stdint.h>

enum bg_element {
	BG_ELEMENT_F32,
	BG_ELEMENT_F64,
	BG_ELEMENT_BF16, /* the upper half of an f32 */
	BG_ELEMENT_S8,
	BG_ELEMENT_U8,
	BG_ELEMENT_S32
};

/* Bytes. */
size_t bg_element_size(enum bg_element element);

/* splitmix64 (Steele, Lea & Flood 2014): the next of the sequence. */
uint64_t bg_element_random(uint64_t *state);

/*
 * Fills count elements from the state's sequence, evenly: floating-point ones with odd multiples of
 * 2^-23 (f32), 2^-52 (f64) or 2^-8 (bf16) within -1 .. 1, integers with odd numbers of `bits` bits
 * besides the sign. So neither they nor the product of two are zero or denormal. Not for s32.
 * bits  1 .. 7; for u8 the bit of the sign is one of value
 */
void bg_element_fill(void *operand, size_t count, enum bg_element element, unsigned bits,
		     uint64_t *state);

/* Fills size bytes with what no result can be: NaN, for s32 a number of -2^31 + 2^23 about. */
void bg_element_spoil(void *operand, size_t size, enum bg_element element);

/* The element with this index; exact. */
double bg_element_value(const void *operand, size_t index, enum bg_element element);
#endif
