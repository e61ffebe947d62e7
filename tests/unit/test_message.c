#include "gate/wire/message.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct bg_arena arena;
static struct bg_buffer out;

static int set_up(void **state)
{
	(void)state;
	bg_buffer_init(&out, (size_t)1 << 24);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	bg_buffer_release(&out);
	bg_arena_release(&arena);
	return 0;
}

/* Writes, checks that it is one line, and reads it back. */
static struct bg_request request_and_back(const struct bg_request *request)
{
	struct bg_request back;
	struct bg_error err = BG_ERROR_INIT;
	bg_buffer_clear(&out);
	bg_request_write(&out, request);
	assert_ptr_equal(strchr(out.bytes, '\n'), out.bytes + out.size - 1);
	assert_int_equal(bg_request_read(&back, out.bytes, out.size - 1, &arena, &err), BG_OK);
	assert_int_equal(back.op, request->op);
	return back;
}

static struct bg_reply reply_and_back(const struct bg_reply *reply)
{
	struct bg_reply back;
	struct bg_error err = BG_ERROR_INIT;
	bg_buffer_clear(&out);
	bg_reply_write(&out, reply);
	assert_ptr_equal(strchr(out.bytes, '\n'), out.bytes + out.size - 1);
	enum bg_status status = bg_reply_read(&back, out.bytes, out.size - 1, &arena, &err);
	assert_string_equal(err.text, "");
	assert_int_equal(status, BG_OK);
	assert_int_equal(back.op, reply->op);
	assert_int_equal(back.ok, reply->ok);
	return back;
}

static void requests_come_back_as_they_went(void **state)
{
	(void)state;
	unsigned cpus[] = { 0, 5 };
	struct bg_axis_text axes[] = { { "m", "512" }, { "odd \"name\"\n", "\x01\xc3\xa9" } };
	struct bg_request back = request_and_back(
		&(struct bg_request){ .op = BG_OP_HELLO, .protocol_min = 1, .protocol_max = 3 });
	assert_int_equal(back.protocol_min, 1);
	assert_int_equal(back.protocol_max, 3);
	back = request_and_back(
		&(struct bg_request){ .op = BG_OP_PIN, .cpu_count = 2, .cpus = cpus });
	assert_int_equal(back.cpu_count, 2);
	assert_int_equal(back.cpus[1], 5);
	back = request_and_back(&(struct bg_request){ .op = BG_OP_PREPARE,
						      .workload = "gemm",
						      .engine = "openblas",
						      .axes = axes,
						      .axis_count = 2,
						      .seed = UINT64_MAX,
						      .head = true,
						      .launch = 33 });
	assert_string_equal(back.workload, "gemm");
	assert_string_equal(back.engine, "openblas");
	assert_int_equal(back.axis_count, 2);
	assert_string_equal(back.axes[1].name, axes[1].name);
	assert_string_equal(back.axes[1].value, axes[1].value);
	assert_true(back.seed == UINT64_MAX);
	assert_true(back.head);
	assert_int_equal(back.launch, 33);
	back = request_and_back(
		&(struct bg_request){ .op = BG_OP_STEP, .steps = 7, .inner = 1000000007 });
	assert_int_equal(back.steps, 7);
	assert_int_equal(back.inner, 1000000007);
	request_and_back(&(struct bg_request){ .op = BG_OP_LIST });
	request_and_back(&(struct bg_request){ .op = BG_OP_FINISH });
	request_and_back(&(struct bg_request){ .op = BG_OP_BYE });
}

static void replies_come_back_as_they_went(void **state)
{
	(void)state;
	static const char *const words[] = { "f32", "f64" };
	struct bg_axis_info axes[] = {
		{ "m", "rows", "512", BG_AXIS_INTEGER, 1, 65536, 0, NULL },
		{ "dtype", "type", "f32", BG_AXIS_WORD, 0, 0, 2, words },
	};
	struct bg_workload_info gemm = { "gemm", "openblas", "openblas", "product", 2, axes };
	struct bg_missing_module missing = { "onednn", "not built" };
	struct bg_reply back = reply_and_back(&(struct bg_reply){ .op = BG_OP_LIST,
								  .ok = true,
								  .workloads = &gemm,
								  .workload_count = 1,
								  .missing = &missing,
								  .missing_count = 1 });
	assert_string_equal(back.workloads[0].axes[1].words[1], "f64");
	assert_true(back.workloads[0].axes[0].max == 65536);
	assert_string_equal(back.missing[0].reason, "not built");
	back = reply_and_back(&(struct bg_reply){ .op = BG_OP_PREPARE,
						  .ok = true,
						  .prepared = BG_PREPARED_INCORRECT,
						  .reason = "off by .1",
						  .call_s = .1 + .2,
						  .error = 1e-7,
						  .tolerance = NAN,
						  .kernel = "SkylakeX" });
	assert_true(back.call_s == .1 + .2);
	assert_true(isnan(back.tolerance));
	assert_int_equal(back.prepared, BG_PREPARED_INCORRECT);
	assert_string_equal(back.kernel, "SkylakeX");
	double times[] = { 1, 2.5 };
	back = reply_and_back(&(struct bg_reply){
		.op = BG_OP_STEP, .ok = true, .step_count = 2, .elapsed_ns = times });
	assert_true(back.elapsed_ns[1] == 2.5);
	struct bg_reply finish = { .op = BG_OP_FINISH, .ok = true, .digest = "abc" };
	for (enum bg_metric m = 0; m < BG_METRIC_COUNT; m++)
		finish.metric[m] = NAN;
	finish.metric[BG_METRIC_HOST_PEAK] = 4096;
	back = reply_and_back(&finish);
	assert_true(back.metric[BG_METRIC_HOST_PEAK] == 4096);
	assert_true(isnan(back.metric[BG_METRIC_SETUP]));
	back = reply_and_back(
		&(struct bg_reply){ .op = BG_OP_STEP, .ok = false, .reason = "no \xff case" });
	assert_string_equal(back.reason, "no \xef\xbf\xbd case");
}

static void a_reply_that_lies_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"op\":\"step\"}",
		"{\"op\":\"stop\",\"ok\":true}",
		"{\"op\":\"step\",\"ok\":1,\"elapsed_ns\":[1]}",
		"{\"op\":\"step\",\"ok\":true}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[-1]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[NaN]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[Infinity]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[1e400]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[\"1\"]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[null]}",
		"{\"op\":\"step\",\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[1]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[1]} extra",
		"{\"op\":\"hello\",\"ok\":true,\"protocol\":-1}",
		"{\"op\":\"pin\",\"ok\":true,\"cpus\":[5000]}",
		"{\"op\":\"pin\",\"ok\":true,\"cpus\":[]}",
		"{\"op\":\"prepare\",\"ok\":true,\"state\":\"perfect\"}",
		"{\"op\":\"prepare\",\"ok\":true,\"state\":\"ready\",\"call_s\":-1}",
		"{\"op\":\"prepare\",\"ok\":true,\"state\":\"ready\",\"items\":1e40}",
		"{\"op\":\"finish\",\"ok\":true,\"metrics\":{\"memory.host_peak\":-5}}",
		"{\"op\":\"list\",\"ok\":true}",
		"{\"op\":\"list\",\"ok\":true,\"workloads\":[{}]}",
		("{\"op\":\"list\",\"ok\":true,\"workloads\":[{\"name\":\"x\","
		 "\"axes\":[{\"name\":1}]}]}"),
		"\xff\xfe",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[1",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct bg_reply reply;
		struct bg_error err = BG_ERROR_INIT;
		double ns;
		assert_int_equal(bg_reply_read(&reply, bad[i], strlen(bad[i]), &arena, &err),
				 BG_E_INPUT);
		assert_null(strchr(err.text, '\n'));
		assert_false(bg_reply_read_step(&ns, bad[i], strlen(bad[i])));
	}
}

static void depth_and_counts_are_bounded(void **state)
{
	(void)state;
	char *deep = malloc(200002);
	struct bg_reply reply;
	struct bg_error err = BG_ERROR_INIT;
	memset(deep, '[', 100000);
	memset(deep + 100000, ']', 100000);
	assert_int_equal(bg_reply_read(&reply, deep, 200000, &arena, &err), BG_E_INPUT);
	assert_non_null(strstr(err.text, "nested deeper"));
	bg_buffer_clear(&out);
	bg_buffer_text(&out, "{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[1");
	for (int i = 1; i <= BG_STEPS_MAX; i++)
		bg_buffer_text(&out, ",1");
	bg_buffer_text(&out, "]}");
	err = (struct bg_error)BG_ERROR_INIT;
	assert_int_equal(bg_reply_read(&reply, out.bytes, out.size, &arena, &err), BG_E_INPUT);
	free(deep);
}

static void a_bad_request_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"{\"op\":\"step\"}",
		"{\"op\":\"step\",\"n\":0}",
		"{\"op\":\"step\",\"n\":1000000}",
		"{\"op\":\"step\",\"n\":1,\"inner\":0}",
		"{\"op\":\"step\",\"n\":1,\"inner\":-4}",
		"{\"op\":\"pin\"}",
		"{\"op\":\"prepare\"}",
		"{\"op\":\"prepare\",\"workload\":\"gemm\",\"axes\":[]}",
		"{\"op\":\"prepare\",\"workload\":\"gemm\",\"axes\":{\"m\":512}}",
		"{\"op\":\"prepare\",\"workload\":\"gemm\",\"seed\":\"-1\"}",
		"{\"op\":\"hello\",\"protocol\":1}",
		"{\"op\":\"hello\",\"protocol\":[3,1]}",
		"step",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct bg_request request;
		struct bg_error err = BG_ERROR_INIT;
		assert_int_equal(bg_request_read(&request, bad[i], strlen(bad[i]), &arena, &err),
				 BG_E_INPUT);
	}
}

static void the_fast_path_agrees_with_the_slow_one(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[0]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[1234567]}",
		"{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[999999999999999]}",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct bg_reply reply;
		struct bg_error err = BG_ERROR_INIT;
		double fast;
		assert_true(bg_reply_read_step(&fast, lines[i], strlen(lines[i])));
		assert_int_equal(bg_reply_read(&reply, lines[i], strlen(lines[i]), &arena, &err),
				 BG_OK);
		assert_true(fast == reply.elapsed_ns[0]);
	}
	double ns;
	const char *longer = "{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[1,2]}";
	assert_false(bg_reply_read_step(&ns, longer, strlen(longer)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_come_back_as_they_went),
		cmocka_unit_test(replies_come_back_as_they_went),
		cmocka_unit_test(a_reply_that_lies_is_refused),
		cmocka_unit_test(depth_and_counts_are_bounded),
		cmocka_unit_test(a_bad_request_is_refused),
		cmocka_unit_test(the_fast_path_agrees_with_the_slow_one),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
