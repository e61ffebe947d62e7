#include "gate/wire/message_words.h"

#include <math.h>
#include <string.h>

#define WORDS_MAX 256
#define MISSING_MAX 64
/* A worker that claims more than 2^53 items or flops a call claims nonsense. */
#define COUNT_MAX 9.0e15
#define CALL_MAX_S 1e6

struct reading {
	struct bg_reply *ret;
	struct bg_arena *arena;
	struct bg_error *err;
};

/* A finite number within 0..max, or fallback where the member is absent; false otherwise. */
static bool take_number(double *ret, const struct bg_json *object, const char *key, double max,
			double fallback)
{
	const struct bg_json *value = bg_json_get(object, key);
	double number = bg_json_number(value);
	if (!value || bg_json_is_null(value)) {
		*ret = fallback;
		return true;
	}
	if (!isfinite(number) || number < 0 || number > max)
		return false;
	*ret = number;
	return true;
}

static enum bg_status bad_number(struct reading *r, const char *op, const char *key)
{
	return bg_fail(r->err, BG_E_INPUT, "reply to %s: \"%s\" must be a finite number, 0 or more",
		       op, key);
}

static enum bg_status read_hello(struct reading *r, const struct bg_json *root)
{
	uint64_t protocol;
	if (!bg_json_u64(&protocol, bg_json_get(root, "protocol")) || protocol > UINT32_MAX)
		return bg_fail(r->err, BG_E_INPUT, "reply to hello: \"protocol\" must be a number");
	r->ret->protocol = (unsigned)protocol;
	r->ret->program = bg_message_text(bg_json_get(root, "program"), r->arena);
	r->ret->boot_id = bg_message_text(bg_json_get(root, "boot_id"), r->arena);
	return BG_OK;
}

static enum bg_status read_axis(struct reading *r, struct bg_axis_info *axis,
				const struct bg_json *value)
{
	const struct bg_json *words = bg_json_get(value, "words");
	double min = bg_json_number(bg_json_get(value, "min"));
	double max = bg_json_number(bg_json_get(value, "max"));
	size_t kind =
		bg_word_find(bg_json_get(value, "kind"), bg_axis_kind_words, BG_AXIS_WORD + 1);
	axis->name = bg_message_text(bg_json_get(value, "name"), r->arena);
	axis->summary = bg_message_text(bg_json_get(value, "summary"), r->arena);
	axis->fallback = bg_message_text(bg_json_get(value, "default"), r->arena);
	size_t count = bg_json_count(words);
	if (!axis->name || !axis->fallback || kind > BG_AXIS_WORD || count > WORDS_MAX)
		return bg_fail(r->err, BG_E_INPUT,
			       "reply to list: an axis needs name, kind (integer, number, word), "
			       "default and at most %d words",
			       WORDS_MAX);
	axis->kind = (enum bg_axis_kind)kind;
	axis->min = isfinite(min) ? min : -INFINITY;
	axis->max = isfinite(max) ? max : INFINITY;
	const char **copies = bg_arena_array(r->arena, count, sizeof *copies);
	for (size_t i = 0; i < count; i++) {
		copies[i] = bg_message_text(bg_json_at(words, i), r->arena);
		if (!copies[i])
			return bg_fail(r->err, BG_E_INPUT,
				       "reply to list: axis %s: words must be "
				       "texts",
				       axis->name);
	}
	axis->word_count = count;
	axis->words = copies;
	return BG_OK;
}

static enum bg_status read_workload(struct reading *r, struct bg_workload_info *workload,
				    const struct bg_json *value)
{
	const struct bg_json *axes = bg_json_get(value, "axes");
	size_t count = bg_json_count(axes);
	workload->name = bg_message_text(bg_json_get(value, "name"), r->arena);
	workload->engine = bg_message_text(bg_json_get(value, "engine"), r->arena);
	workload->module = bg_message_text(bg_json_get(value, "module"), r->arena);
	workload->summary = bg_message_text(bg_json_get(value, "summary"), r->arena);
	if (!workload->name || count > BG_AXES_MAX)
		return bg_fail(r->err, BG_E_INPUT,
			       "reply to list: a workload needs a name and at most %d axes",
			       BG_AXES_MAX);
	struct bg_axis_info *infos = bg_arena_array(r->arena, count, sizeof *infos);
	for (size_t i = 0; i < count; i++) {
		enum bg_status status = read_axis(r, &infos[i], bg_json_at(axes, i));
		if (status != BG_OK)
			return status;
	}
	workload->axis_count = count;
	workload->axes = infos;
	return BG_OK;
}

static enum bg_status read_list(struct reading *r, const struct bg_json *root)
{
	const struct bg_json *workloads = bg_json_get(root, "workloads");
	const struct bg_json *missing = bg_json_get(root, "missing");
	size_t count = bg_json_count(workloads), missing_count = bg_json_count(missing);
	if (!bg_json_is_array(workloads) || count > BG_WORKLOADS_MAX || missing_count > MISSING_MAX)
		return bg_fail(r->err, BG_E_INPUT,
			       "reply to list: \"workloads\" must be a list of at most %d",
			       BG_WORKLOADS_MAX);
	struct bg_workload_info *infos = bg_arena_array(r->arena, count, sizeof *infos);
	for (size_t i = 0; i < count; i++) {
		enum bg_status status = read_workload(r, &infos[i], bg_json_at(workloads, i));
		if (status != BG_OK)
			return status;
	}
	struct bg_missing_module *gone = bg_arena_array(r->arena, missing_count, sizeof *gone);
	for (size_t i = 0; i < missing_count; i++) {
		const struct bg_json *value = bg_json_at(missing, i);
		gone[i].module = bg_message_text(bg_json_get(value, "module"), r->arena);
		gone[i].reason = bg_message_text(bg_json_get(value, "reason"), r->arena);
		if (!gone[i].module || !gone[i].reason)
			return bg_fail(r->err, BG_E_INPUT,
				       "reply to list: \"missing\" needs module and reason");
	}
	r->ret->workload_count = count;
	r->ret->workloads = infos;
	r->ret->missing_count = missing_count;
	r->ret->missing = gone;
	return BG_OK;
}

static enum bg_status read_prepare(struct reading *r, const struct bg_json *root)
{
	struct bg_reply *ret = r->ret;
	size_t state =
		bg_word_find(bg_json_get(root, "state"), bg_prepared_words, BG_PREPARED_FAILED + 1);
	if (state > BG_PREPARED_FAILED)
		return bg_fail(r->err, BG_E_INPUT,
			       "reply to prepare: \"state\" must be ready, unsupported, "
			       "out_of_memory, incorrect or failed");
	ret->prepared = (enum bg_prepared)state;
	ret->reason = bg_message_text(bg_json_get(root, "reason"), r->arena);
	ret->kernel = bg_message_text(bg_json_get(root, "kernel"), r->arena);
	ret->virtual_clock = bg_json_bool(bg_json_get(root, "virtual_clock"), false);
	if (!take_number(&ret->call_s, root, "call_s", CALL_MAX_S, 0))
		return bad_number(r, "prepare", "call_s");
	if (!take_number(&ret->items, root, "items", COUNT_MAX, 0))
		return bad_number(r, "prepare", "items");
	if (!take_number(&ret->flops, root, "flops", 1e30, 0))
		return bad_number(r, "prepare", "flops");
	if (!take_number(&ret->bytes, root, "bytes", 1e30, 0))
		return bad_number(r, "prepare", "bytes");
	if (!take_number(&ret->error, root, "error", 1e300, NAN))
		return bad_number(r, "prepare", "error");
	if (!take_number(&ret->tolerance, root, "tolerance", 1e300, NAN))
		return bad_number(r, "prepare", "tolerance");
	return BG_OK;
}

static enum bg_status read_step(struct reading *r, const struct bg_json *root)
{
	const struct bg_json *elapsed = bg_json_get(root, "elapsed_ns");
	size_t count = bg_json_count(elapsed);
	if (count < 1 || count > BG_STEPS_MAX)
		return bg_fail(r->err, BG_E_INPUT,
			       "reply to step: \"elapsed_ns\" must be a list of 1 to %d numbers",
			       BG_STEPS_MAX);
	double *values = bg_arena_array(r->arena, count, sizeof *values);
	for (size_t i = 0; i < count; i++) {
		values[i] = bg_json_number(bg_json_at(elapsed, i));
		if (!isfinite(values[i]) || values[i] < 0)
			return bad_number(r, "step", "elapsed_ns");
	}
	r->ret->step_count = count;
	r->ret->elapsed_ns = values;
	return BG_OK;
}

static enum bg_status read_finish(struct reading *r, const struct bg_json *root)
{
	const struct bg_json *metrics = bg_json_get(root, "metrics");
	for (enum bg_metric metric = 0; metric < BG_METRIC_COUNT; metric++) {
		const char *name = bg_metric_info(metric)->name;
		if (!take_number(&r->ret->metric[metric], metrics, name, 1e300, NAN))
			return bad_number(r, "finish", name);
	}
	r->ret->digest = bg_message_text(bg_json_get(root, "digest"), r->arena);
	return BG_OK;
}

static enum bg_status read_fields(struct reading *r, const struct bg_json *root)
{
	struct bg_reply *ret = r->ret;
	size_t op = bg_word_find(bg_json_get(root, "op"), bg_op_words, BG_OP_BYE + 1);
	const struct bg_json *ok = bg_json_get(root, "ok");
	if (op > BG_OP_BYE || bg_json_bool(ok, false) != bg_json_bool(ok, true))
		return bg_fail(r->err, BG_E_INPUT,
			       "a reply needs \"op\" (the request's) and \"ok\" (true or false)");
	ret->op = (enum bg_op)op;
	ret->ok = bg_json_bool(ok, false);
	if (!ret->ok) {
		ret->reason = bg_message_text(bg_json_get(root, "reason"), r->arena);
		if (!ret->reason)
			ret->reason = "no reason given";
		return BG_OK;
	}
	switch (ret->op) {
	case BG_OP_HELLO:
		return read_hello(r, root);
	case BG_OP_LIST:
		return read_list(r, root);
	case BG_OP_PIN:
		return bg_message_cpus(&ret->cpu_count, &ret->cpus, bg_json_get(root, "cpus"),
				       r->arena, r->err);
	case BG_OP_PREPARE:
		return read_prepare(r, root);
	case BG_OP_STEP:
		return read_step(r, root);
	case BG_OP_FINISH:
		return read_finish(r, root);
	case BG_OP_BYE:
		break;
	}
	return BG_OK;
}

enum bg_status bg_reply_read(struct bg_reply *ret, const char *line, size_t size,
			     struct bg_arena *arena, struct bg_error *err)
{
	struct bg_json_document document;
	struct bg_reply reply = { .op = BG_OP_HELLO };
	struct reading reading = { .ret = &reply, .arena = arena, .err = err };
	enum bg_status status = bg_json_read(&document, line, size, "reply", err);
	if (status != BG_OK)
		return status;
	status = read_fields(&reading, document.root);
	bg_json_release(&document);
	if (status == BG_OK)
		*ret = reply;
	return status;
}

bool bg_reply_read_step(double *elapsed_ns, const char *line, size_t size)
{
	static const char head[] = "{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[";
	size_t head_size = sizeof head - 1;
	if (size < head_size + 3 || memcmp(line, head, head_size) != 0)
		return false;
	/* Whole nanoseconds below 10^15 (eleven days) are exact in a double. */
	double value = 0;
	size_t i = head_size, digits = 0;
	for (; i < size && line[i] >= '0' && line[i] <= '9'; i++, digits++)
		value = value * 10 + (line[i] - '0');
	if (digits < 1 || digits > 15 || size - i != 2 || line[i] != ']' || line[i + 1] != '}')
		return false;
	*elapsed_ns = value;
	return true;
}
