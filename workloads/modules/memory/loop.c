#include "workloads/modules/memory/loop.h"

/*
 * Not inlined, so that nobody sees that the results are the same at each call. Multiplied and added
 * as two operations (-ffp-contract=off, and AVX2 does not imply FMA), so that every processor
 * writes the same bits.
 */
#define TRIAD(name, type, instructions)                                                            \
	__attribute__((noinline)) instructions static void name(                                   \
		type *restrict a, const type *restrict b, const type *restrict c, size_t count)    \
	{                                                                                          \
		for (size_t i = 0; i < count; i++)                                                 \
			a[i] = b[i] + (type)BG_TRIAD_SCALAR * c[i];                                \
	}

TRIAD(triad_f32, float, )
TRIAD(triad_f64, double, )

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
TRIAD(triad_f32_avx2, float, AVX2)
TRIAD(triad_f64_avx2, double, AVX2)
#endif

const struct bg_triad_loop *bg_triad_loop(void)
{
	static const struct bg_triad_loop baseline = { "baseline", triad_f32, triad_f64 };
#if defined(__x86_64__)
	static const struct bg_triad_loop avx2 = { "avx2", triad_f32_avx2, triad_f64_avx2 };
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2"))
		return &avx2;
#endif
	return &baseline;
}
