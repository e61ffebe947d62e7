#include "gate/core/text.h"
#include "gate/wire/message_words.h"

#include <inttypes.h>
#include <stdio.h>

static void put_prepare(struct bg_json_writer *writer, const struct bg_request *request)
{
	char seed[24];
	bg_json_put_text(writer, "workload", request->workload);
	if (request->engine)
		bg_json_put_text(writer, "engine", request->engine);
	bg_json_open(writer, "axes", '{');
	for (size_t i = 0; i < request->axis_count; i++)
		bg_json_put_text(writer, request->axes[i].name, request->axes[i].value);
	bg_json_close(writer, '}');
	/* As text: JSON numbers lose bits past 2^53 in many languages. */
	snprintf(seed, sizeof seed, "%" PRIu64, request->seed);
	bg_json_put_text(writer, "seed", seed);
	bg_json_put_text(writer, "arm", request->head ? "head" : "base");
	bg_json_put_u64(writer, "launch", request->launch);
}

void bg_request_write(struct bg_buffer *out, const struct bg_request *request)
{
	struct bg_json_writer writer;
	bg_json_start(&writer, out, false);
	bg_json_open(&writer, NULL, '{');
	bg_json_put_text(&writer, "op", bg_op_words[request->op]);
	switch (request->op) {
	case BG_OP_HELLO:
		bg_json_open(&writer, "protocol", '[');
		bg_json_put_u64(&writer, NULL, request->protocol_min);
		bg_json_put_u64(&writer, NULL, request->protocol_max);
		bg_json_close(&writer, ']');
		break;
	case BG_OP_PIN:
		bg_message_put_cpus(&writer, request->cpu_count, request->cpus);
		break;
	case BG_OP_PREPARE:
		put_prepare(&writer, request);
		break;
	case BG_OP_STEP:
		bg_json_put_u64(&writer, "n", request->steps);
		bg_json_put_u64(&writer, "inner", request->inner);
		break;
	case BG_OP_LIST:
	case BG_OP_FINISH:
	case BG_OP_BYE:
		break;
	}
	bg_json_close(&writer, '}');
	bg_buffer_add(out, "\n", 1);
}

static enum bg_status read_hello(struct bg_request *ret, const struct bg_json *root,
				 struct bg_error *err)
{
	const struct bg_json *range = bg_json_get(root, "protocol");
	uint64_t min, max;
	if (bg_json_count(range) != 2 || !bg_json_u64(&min, bg_json_at(range, 0)) ||
	    !bg_json_u64(&max, bg_json_at(range, 1)) || min > max || max > UINT32_MAX)
		return bg_fail(err, BG_E_INPUT, "hello: \"protocol\" must be [lowest, highest]");
	ret->protocol_min = (unsigned)min;
	ret->protocol_max = (unsigned)max;
	return BG_OK;
}

struct axis_list {
	struct bg_request *request;
	struct bg_axis_text *axes;
	struct bg_arena *arena;
	const char *bad;
};

static void take_axis(const char *key, const struct bg_json *value, void *context)
{
	struct axis_list *list = context;
	const char *text = bg_message_text(value, list->arena);
	if (!text || list->request->axis_count >= BG_AXES_MAX) {
		list->bad = list->bad ? list->bad : bg_arena_text(list->arena, key);
		return;
	}
	list->axes[list->request->axis_count++] =
		(struct bg_axis_text){ bg_arena_text(list->arena, key), text };
}

static enum bg_status read_prepare(struct bg_request *ret, const struct bg_json *root,
				   struct bg_arena *arena, struct bg_error *err)
{
	const struct bg_json *axes = bg_json_get(root, "axes");
	const char *seed = bg_json_text(bg_json_get(root, "seed"));
	const char *arm = bg_json_text(bg_json_get(root, "arm"));
	uint64_t launch = 0;
	ret->workload = bg_message_text(bg_json_get(root, "workload"), arena);
	ret->engine = bg_message_text(bg_json_get(root, "engine"), arena);
	if (!ret->workload)
		return bg_fail(err, BG_E_INPUT, "prepare: \"workload\" is missing");
	if (axes && !bg_json_is_object(axes))
		return bg_fail(err, BG_E_INPUT, "prepare: \"axes\" must be an object of texts");
	struct axis_list list = { .request = ret,
				  .axes = bg_arena_array(arena, BG_AXES_MAX, sizeof *list.axes),
				  .arena = arena };
	bg_json_each(axes, take_axis, &list);
	if (list.bad)
		return bg_fail(err, BG_E_INPUT,
			       "prepare: axis \"%.64s\": a text wanted, at most %d", list.bad,
			       BG_AXES_MAX);
	ret->axes = list.axes;
	if (seed && !bg_text_to_u64(&ret->seed, seed, 0, UINT64_MAX))
		return bg_fail(err, BG_E_INPUT, "prepare: \"seed\" must be digits in quotes");
	ret->head = arm && arm[0] == 'h';
	if (bg_json_u64(&launch, bg_json_get(root, "launch")) && launch <= UINT32_MAX)
		ret->launch = (unsigned)launch;
	return BG_OK;
}

static enum bg_status read_step(struct bg_request *ret, const struct bg_json *root,
				struct bg_error *err)
{
	uint64_t steps, inner = 1;
	if (!bg_json_u64(&steps, bg_json_get(root, "n")) || steps < 1 || steps > BG_STEPS_MAX)
		return bg_fail(err, BG_E_INPUT, "step: \"n\" must be 1..%d", BG_STEPS_MAX);
	if (bg_json_get(root, "inner") &&
	    (!bg_json_u64(&inner, bg_json_get(root, "inner")) || inner < 1))
		return bg_fail(err, BG_E_INPUT, "step: \"inner\" must be 1 or more");
	ret->steps = (unsigned)steps;
	ret->inner = inner;
	return BG_OK;
}

static enum bg_status read_fields(struct bg_request *ret, const struct bg_json *root,
				  struct bg_arena *arena, struct bg_error *err)
{
	size_t op = bg_word_find(bg_json_get(root, "op"), bg_op_words, BG_OP_BYE + 1);
	if (op > BG_OP_BYE)
		return bg_fail(err, BG_E_INPUT,
			       "unknown request: \"op\" must be one of hello, "
			       "list, pin, prepare, step, finish, bye");
	ret->op = (enum bg_op)op;
	switch (ret->op) {
	case BG_OP_HELLO:
		return read_hello(ret, root, err);
	case BG_OP_PIN:
		return bg_message_cpus(&ret->cpu_count, &ret->cpus, bg_json_get(root, "cpus"),
				       arena, err);
	case BG_OP_PREPARE:
		return read_prepare(ret, root, arena, err);
	case BG_OP_STEP:
		return read_step(ret, root, err);
	case BG_OP_LIST:
	case BG_OP_FINISH:
	case BG_OP_BYE:
		break;
	}
	return BG_OK;
}

enum bg_status bg_request_read(struct bg_request *ret, const char *line, size_t size,
			       struct bg_arena *arena, struct bg_error *err)
{
	struct bg_json_document document;
	struct bg_request request = { .op = BG_OP_HELLO };
	enum bg_status status = bg_json_read(&document, line, size, "request", err);
	if (status != BG_OK)
		return status;
	status = read_fields(&request, document.root, arena, err);
	bg_json_release(&document);
	if (status == BG_OK)
		*ret = request;
	return status;
}
