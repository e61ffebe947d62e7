#include "gate/wire/message_words.h"

#include <math.h>

static void put_axis(struct bg_json_writer *writer, const struct bg_axis_info *axis)
{
	bg_json_open(writer, NULL, '{');
	bg_json_put_text(writer, "name", axis->name);
	bg_json_put_text(writer, "kind", bg_axis_kind_words[axis->kind]);
	bg_json_put_text(writer, "summary", axis->summary);
	bg_json_put_text(writer, "default", axis->fallback);
	if (axis->kind == BG_AXIS_WORD) {
		bg_json_open(writer, "words", '[');
		for (size_t i = 0; i < axis->word_count; i++)
			bg_json_put_text(writer, NULL, axis->words[i]);
		bg_json_close(writer, ']');
	} else {
		bg_json_put_number(writer, "min", axis->min);
		bg_json_put_number(writer, "max", axis->max);
	}
	bg_json_close(writer, '}');
}

static void put_list(struct bg_json_writer *writer, const struct bg_reply *reply)
{
	bg_json_open(writer, "workloads", '[');
	for (size_t i = 0; i < reply->workload_count; i++) {
		const struct bg_workload_info *workload = &reply->workloads[i];
		bg_json_open(writer, NULL, '{');
		bg_json_put_text(writer, "name", workload->name);
		bg_json_put_text(writer, "engine", workload->engine);
		bg_json_put_text(writer, "module", workload->module);
		bg_json_put_text(writer, "summary", workload->summary);
		bg_json_open(writer, "axes", '[');
		for (size_t j = 0; j < workload->axis_count; j++)
			put_axis(writer, &workload->axes[j]);
		bg_json_close(writer, ']');
		bg_json_close(writer, '}');
	}
	bg_json_close(writer, ']');
	bg_json_open(writer, "missing", '[');
	for (size_t i = 0; i < reply->missing_count; i++) {
		bg_json_open(writer, NULL, '{');
		bg_json_put_text(writer, "module", reply->missing[i].module);
		bg_json_put_text(writer, "reason", reply->missing[i].reason);
		bg_json_close(writer, '}');
	}
	bg_json_close(writer, ']');
}

static void put_known(struct bg_json_writer *writer, const char *key, double number)
{
	if (isfinite(number))
		bg_json_put_number(writer, key, number);
}

static void put_prepare(struct bg_json_writer *writer, const struct bg_reply *reply)
{
	bg_json_put_text(writer, "state", bg_prepared_words[reply->prepared]);
	if (reply->prepared != BG_PREPARED_READY)
		bg_json_put_text(writer, "reason", reply->reason);
	bg_json_put_number(writer, "call_s", reply->call_s);
	bg_json_put_number(writer, "items", reply->items);
	bg_json_put_number(writer, "flops", reply->flops);
	bg_json_put_number(writer, "bytes", reply->bytes);
	put_known(writer, "error", reply->error);
	put_known(writer, "tolerance", reply->tolerance);
	if (reply->virtual_clock)
		bg_json_put_bool(writer, "virtual_clock", true);
	if (reply->kernel)
		bg_json_put_text(writer, "kernel", reply->kernel);
}

static void put_finish(struct bg_json_writer *writer, const struct bg_reply *reply)
{
	bg_json_open(writer, "metrics", '{');
	for (enum bg_metric metric = 0; metric < BG_METRIC_COUNT; metric++)
		put_known(writer, bg_metric_info(metric)->name, reply->metric[metric]);
	bg_json_close(writer, '}');
	if (reply->digest)
		bg_json_put_text(writer, "digest", reply->digest);
}

static void put_fields(struct bg_json_writer *writer, const struct bg_reply *reply)
{
	switch (reply->op) {
	case BG_OP_HELLO:
		bg_json_put_u64(writer, "protocol", reply->protocol);
		bg_json_put_text(writer, "program", reply->program);
		if (reply->boot_id)
			bg_json_put_text(writer, "boot_id", reply->boot_id);
		break;
	case BG_OP_LIST:
		put_list(writer, reply);
		break;
	case BG_OP_PIN:
		bg_message_put_cpus(writer, reply->cpu_count, reply->cpus);
		break;
	case BG_OP_PREPARE:
		put_prepare(writer, reply);
		break;
	case BG_OP_STEP:
		bg_json_open(writer, "elapsed_ns", '[');
		for (size_t i = 0; i < reply->step_count; i++)
			bg_json_put_number(writer, NULL, reply->elapsed_ns[i]);
		bg_json_close(writer, ']');
		break;
	case BG_OP_FINISH:
		put_finish(writer, reply);
		break;
	case BG_OP_BYE:
		break;
	}
}

void bg_reply_write(struct bg_buffer *out, const struct bg_reply *reply)
{
	struct bg_json_writer writer;
	bg_json_start(&writer, out, false);
	bg_json_open(&writer, NULL, '{');
	bg_json_put_text(&writer, "op", bg_op_words[reply->op]);
	bg_json_put_bool(&writer, "ok", reply->ok);
	if (reply->ok)
		put_fields(&writer, reply);
	else
		bg_json_put_text(&writer, "reason", reply->reason);
	bg_json_close(&writer, '}');
	bg_buffer_add(out, "\n", 1);
}
