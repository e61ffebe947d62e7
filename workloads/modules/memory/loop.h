#ifndef BG_MEMORY_LOOP_H
#define BG_MEMORY_LOOP_H
/* The loops that are timed, vectorised by the compiler for what the processor has. */
#include <stddef.h>

#define BG_TRIAD_SCALAR 3 /* STREAM's */

/* a = b + 3 c over count elements; the three do not overlap. */
struct bg_triad_loop {
	const char *name; /* of the instructions */
	void (*f32)(float *a, const float *b, const float *c, size_t count);
	void (*f64)(double *a, const double *b, const double *c, size_t count);
};

/* Always the same on one machine. */
const struct bg_triad_loop *bg_triad_loop(void);
#endif
