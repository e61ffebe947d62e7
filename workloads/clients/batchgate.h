#ifndef BATCHGATE_CLIENT_H
#define BATCHGATE_CLIENT_H
/*
 * batchgate's step protocol for benchmarks in C and C++: this file and batchgate.c, without
 * dependencies. Copy both beside your benchmark and compile them with it.
 *
 *	static int prepare(struct batchgate_case *of)
 *	{
 *		of->state = make_table(batchgate_integer(of, "rows"), of->seed);
 *		return of->state ? BATCHGATE_READY : BATCHGATE_OUT_OF_MEMORY;
 *	}
 *	static int step(void *state)
 *	{
 *		return look_up(state) == 0 ? BATCHGATE_READY : BATCHGATE_FAILED;
 *	}
 *	static const struct batchgate_axis axes[] = {
 *		{ "rows", BATCHGATE_INTEGER, "1024", 1, 1 << 20, NULL },
 *	};
 *	static const struct batchgate_workload workloads[] = {
 *		{ "lookup", axes, 1, prepare, step, free },
 *	};
 *	int main(void)
 *	{
 *		return batchgate_run("bench-lookup", workloads, 1);
 *	}
 *
 * docs/clients.md explains all of it.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BATCHGATE_AXES_MAX 32

enum batchgate_state {
	BATCHGATE_READY,
	BATCHGATE_UNSUPPORTED, /* this machine or these values cannot do it */
	BATCHGATE_OUT_OF_MEMORY,
	BATCHGATE_INCORRECT, /* the result is wrong */
	BATCHGATE_FAILED,
};

enum batchgate_kind { BATCHGATE_INTEGER, BATCHGATE_NUMBER, BATCHGATE_WORD };

struct batchgate_axis {
	const char *name; /* a letter, then letters, digits and . _ - */
	enum batchgate_kind kind;
	const char *fallback;	  /* the default, as a suite would write it */
	double min, max;	  /* integer, number: both inclusive */
	const char *const *words; /* word: those allowed, then NULL; NULL: any text */
};

struct batchgate_value {
	const char *name, *text;
};

/* What is asked for, and what prepare says of it. */
struct batchgate_case {
	size_t axis_count;
	struct batchgate_value axes[BATCHGATE_AXES_MAX]; /* valid until prepare returns */
	uint64_t seed;					 /* what is random must come from it */
	void *state;		    /* for step and release; NULL to begin with */
	double items, flops, bytes; /* of one call of step; items is 1 unless set */
	double error, tolerance;    /* of the result; negative, as they are at first: unknown */
	char reason[256];	    /* one line where the answer is not BATCHGATE_READY */
};

struct batchgate_workload {
	const char *name;
	const struct batchgate_axis *axes; /* in this order they stand in the names of cases */
	size_t axis_count;
	int (*prepare)(struct batchgate_case *of); /* an enum batchgate_state */
	int (*step)(void *state);		   /* BATCHGATE_READY, or the case ends there */
	void (*release)(void *state); /* MAY be NULL; gets whatever prepare left, NULL too */
};

/* The value of an axis that the workload declares; NULL and 0 for another's. Valid in prepare. */
const char *batchgate_text(const struct batchgate_case *of, const char *axis);
double batchgate_number(const struct batchgate_case *of, const char *axis);
long long batchgate_integer(const struct batchgate_case *of, const char *axis);

/*
 * Serves the gate on standard input and output until it goes; both are led elsewhere first, so that
 * what reads or prints meets no protocol. Once a process.
 * returns 0, or 1 where they are not open: main's value
 */
int batchgate_run(const char *program, const struct batchgate_workload *workloads, size_t count);

#ifdef __cplusplus
}
#endif
#endif
