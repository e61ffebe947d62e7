#ifndef BG_WIRE_MESSAGE_H
#define BG_WIRE_MESSAGE_H
/*
 * The step protocol's messages (workloads/PROTOCOL.md), both directions: one JSON object a line.
 * Reading trusts nothing: every size, count and number is bounded, times are finite and >= 0.
 */
#include "gate/core/arena.h"
#include "gate/core/buffer.h"
#include "gate/verdict/metric.h"
#include "gate/verdict/result.h" /* bg_axis_text */

#include <stdint.h>

#define BG_PROTOCOL_MIN 1
#define BG_PROTOCOL_MAX 1
#define BG_LINE_MAX ((size_t)1 << 20) /* bytes of one line, LF not counted */
#define BG_STEPS_MAX 4096	      /* steps asked for in one request */
#define BG_AXES_MAX 32
#define BG_WORKLOADS_MAX 1024
#define BG_CPUS_MAX 1024

enum bg_op {
	BG_OP_HELLO,
	BG_OP_LIST,
	BG_OP_PIN,
	BG_OP_PREPARE,
	BG_OP_STEP,
	BG_OP_FINISH,
	BG_OP_BYE
};

struct bg_request {
	enum bg_op op;
	/* hello: the range of versions the parent speaks */
	unsigned protocol_min, protocol_max;
	/* pin */
	size_t cpu_count;
	const unsigned *cpus;
	/* prepare */
	const char *workload, *engine; /* engine NULL: whichever has the workload */
	size_t axis_count;
	const struct bg_axis_text *axes;
	uint64_t seed;	 /* the same for both arms of a launch */
	bool head;	 /* which arm asks; only replay reads it */
	unsigned launch; /* running number over the whole session; only replay reads it */
	/* step */
	unsigned steps; /* 1 .. BG_STEPS_MAX */
	uint64_t inner; /* calls a step, >= 1; the same for both arms */
};

enum bg_prepared {
	BG_PREPARED_READY,
	BG_PREPARED_UNSUPPORTED,
	BG_PREPARED_OUT_OF_MEMORY,
	BG_PREPARED_INCORRECT,
	BG_PREPARED_FAILED
};

enum bg_axis_kind { BG_AXIS_INTEGER, BG_AXIS_NUMBER, BG_AXIS_WORD };

struct bg_axis_info {
	const char *name, *summary, *fallback; /* fallback: the default's text */
	enum bg_axis_kind kind;
	double min, max;   /* integer and number */
	size_t word_count; /* word: 0 allows any text */
	const char *const *words;
};

struct bg_workload_info {
	const char *name, *engine, *module, *summary;
	size_t axis_count;
	const struct bg_axis_info *axes; /* in declared order: the order of a case's name */
};

struct bg_missing_module {
	const char *module, *reason;
};

struct bg_reply {
	enum bg_op op;
	bool ok;
	const char *reason; /* not ok, or prepared other than ready */
	/* hello */
	unsigned protocol;
	const char *program, *boot_id;
	/* list */
	size_t workload_count, missing_count;
	const struct bg_workload_info *workloads;
	const struct bg_missing_module *missing;
	/* pin: the set really in force */
	size_t cpu_count;
	const unsigned *cpus;
	/* prepare */
	enum bg_prepared prepared;
	double call_s;		    /* estimate of one call; 0 unknown */
	double items, flops, bytes; /* per call */
	double error, tolerance;    /* NaN unknown */
	bool virtual_clock;
	const char *kernel; /* NULL unknown */
	/* step: elapsed_ns[step_count] for inner calls each */
	size_t step_count;
	const double *elapsed_ns;
	/* finish: NaN where not given */
	double metric[BG_METRIC_COUNT];
	const char *digest;
};

/* Appends one line with its LF. */
void bg_request_write(struct bg_buffer *out, const struct bg_request *request);
void bg_reply_write(struct bg_buffer *out, const struct bg_reply *reply);

/* line: size bytes without the LF; strings and arrays are owned by the arena. BG_E_INPUT. */
BG_MUST_CHECK enum bg_status bg_request_read(struct bg_request *ret, const char *line, size_t size,
					     struct bg_arena *arena, struct bg_error *err);
BG_MUST_CHECK enum bg_status bg_reply_read(struct bg_reply *ret, const char *line, size_t size,
					   struct bg_arena *arena, struct bg_error *err);

/*
 * The hot path: the reply to a step of n = 1, parsed without allocation. Accepts exactly what
 * bg_reply_write makes; false for anything else, which then takes bg_reply_read.
 */
bool bg_reply_read_step(double *elapsed_ns, const char *line, size_t size);
#endif
