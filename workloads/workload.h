#ifndef BATCHGATE_WORKLOAD_H
#define BATCHGATE_WORKLOAD_H
/*
 * The interface between batchgate and a module: a shared library with work to measure. Plain C11,
 * also C++; needs no other header and no symbol of batchgate.
 *
 * A module NAME.so exports one function, bg_module_v1, which returns a constant table of its
 * operations. An operation is one kind of work ("gemm") done by one engine ("openblas") over axes
 * (m, n, k, batch, ...). It is loaded in worker processes only, and called from one thread.
 *
 * One case, in the order of the calls; "untimed" calls may take as long as they need:
 *
 *	usable                            untimed, at least once before the first setup
 *	setup                             untimed
 *	costs                             untimed, once
 *	run, finish                       a first call, untimed
 *	verify                            untimed, once, before the steps
 *	(run x inner, finish) x steps     timed
 *	teardown                          untimed, whatever setup answered
 *
 * At most one state is alive in a process at a time. MUST marks what an operation cannot lack, MAY
 * what may be NULL. Texts are UTF-8, one line, constant for the life of the process.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with each change of anything below; a new number comes with a new export. */
#define BG_MODULE_ABI 1
#define BG_WHY_SIZE 512

/* What a hook answers. Anything but BG_ANSWER_OK comes with a reason. */
enum bg_answer {
	BG_ANSWER_OK = 0,
	BG_ANSWER_UNSUPPORTED = 1, /* cannot be done here: a library, a type, a device is missing */
	BG_ANSWER_OUT_OF_MEMORY = 2, /* host's or device's */
	BG_ANSWER_INCORRECT = 3,     /* the result is wrong */
	BG_ANSWER_FAILED = 4	     /* anything else */
};

/* The reason: one line saying what and, where there is one, the cure. Empty and NUL-terminated when
 * handed over; longer text must be cut, as snprintf(why->text, sizeof why->text, ...) does. */
struct bg_why {
	char text[BG_WHY_SIZE];
};

enum bg_operation_axis_kind {
	BG_OPERATION_INTEGER = 0, /* decimal, -2^53 .. 2^53 */
	BG_OPERATION_NUMBER = 1,  /* finite */
	BG_OPERATION_WORD = 2
};

/*
 * Axes are declared in the order in which a case's name lists them. A name is a-z, then a-z, 0-9,
 * '_' or '-', at most 63 bytes; a word of an axis A-Z, a-z, 0-9, '.', '_', '+' or '-'. Names that a
 * suite file uses for itself are refused: use, path, engine, shape, timeout, turns, margins. Two
 * mean something to batchgate: "threads" is how many cores the case gets, "batch" the axis of the
 * batch curve.
 */
struct bg_operation_axis {
	const char *name;		  /* MUST */
	const char *summary;		  /* MUST: one line for the list of workloads */
	enum bg_operation_axis_kind kind; /* MUST */
	const char *fallback;		  /* MUST: the default, as it would stand in a suite file */
	double min, max;		  /* integer, number: both inclusive */
	const char *const *words;	  /* word: what is allowed; NULL with 0 allows any text */
	size_t word_count;
};

/* The value of one axis. */
struct bg_coordinate {
	const char *name; /* of the axis */
	const char *text; /* as in the case's name */
	int64_t integer;  /* kind integer; 0 otherwise */
	double number;	  /* kind integer and number; 0 otherwise */
};

/* coordinate[i] belongs to the operation's axes[i]: all of them, defaults filled in, each within
 * its axis' range or words. Valid only during setup. */
struct bg_point {
	size_t coordinate_count;
	const struct bg_coordinate *coordinates;
	uint64_t seed; /* for the inputs; the same on both sides of a comparison */
};

/* Of one call of run: finite, >= 0; 0 where it has no meaning. */
struct bg_costs {
	double flops; /* 2 m n k for a product, by the field's convention */
	double bytes; /* compulsory: each operand read or written once */
	double items; /* what throughput counts (images, rows, products); above 0 */
};

struct bg_operation {
	const char *name;    /* MUST: "gemm"; spelt like an axis */
	const char *engine;  /* MUST: "openblas"; (name, engine) is unique */
	const char *summary; /* MUST: one line for the list of workloads */
	size_t axis_count;   /* 0 .. 32 */
	const struct bg_operation_axis *axes;

	/* MAY, untimed: whether this machine can do it at all. Called before setup, and alone to
	 * list what there is: it should load its library, and touch no more. */
	enum bg_answer (*usable)(struct bg_why *why);
	/* MUST, untimed: allocates, fills and first touches the operands, starts threads, makes
	 * plans. *state is NULL on entry and goes to teardown even where the answer is not OK. The
	 * process has its final cores by then. */
	enum bg_answer (*setup)(void **state, const struct bg_point *point, struct bg_why *why);
	/* MUST, untimed: costs of one call of run. */
	void (*costs)(void *state, struct bg_costs *ret);
	/* MUST, timed: the work, once. No allocation, no output, the same work at every call. */
	enum bg_answer (*run)(void *state, struct bg_why *why);
	/* MAY, timed: waits for what run has only started (a device); once after the last run of a
	 * step. */
	enum bg_answer (*finish)(void *state, struct bg_why *why);
	/* MAY, untimed: compares the result of the last run with a reference. Sets both for OK and
	 * INCORRECT: *error is the largest found, relative as *tolerance is; INCORRECT where it is
	 * larger (or not a number). Should take under 50 ms. */
	enum bg_answer (*verify)(void *state, double *error, double *tolerance, struct bg_why *why);
	/* MUST, untimed: frees everything; accepts a half-built state and NULL. */
	void (*teardown)(void *state);
};

struct bg_module {
	uint32_t abi;			       /* MUST: BG_MODULE_ABI */
	uint32_t size;			       /* MUST: sizeof(struct bg_module) */
	uint32_t operation_size;	       /* MUST: sizeof(struct bg_operation) */
	uint32_t axis_size;		       /* MUST: sizeof(struct bg_operation_axis) */
	const char *name;		       /* MUST: the file's name without ".so" */
	const char *summary;		       /* MUST: one line */
	size_t operation_count;		       /* 1 .. 256 */
	const struct bg_operation *operations; /* MUST */
	/* MAY, untimed: the code path the library chose ("Cooperlake"), asked after setup; NULL
	 * where unknown. It is part of the record: two results of different kernels are not
	 * comparable. */
	const char *(*kernel)(void);
};

/* The first four members: static const struct bg_module module = { BG_MODULE_HEAD, "name", ... } */
#define BG_MODULE_HEAD                                                                             \
	BG_MODULE_ABI, (uint32_t)sizeof(struct bg_module), (uint32_t)sizeof(struct bg_operation),  \
		(uint32_t)sizeof(struct bg_operation_axis)

/* The one export. Never NULL, the same table at each call. */
__attribute__((visibility("default"))) const struct bg_module *bg_module_v1(void);

#ifdef __cplusplus
}
#endif
#endif
