#include "workloads/worker.h"

#include "gate/core/file.h"
#include "gate/core/host.h"
#include "workloads/offer.h"
#include "workloads/pin.h"
#include "workloads/served.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_LINE_MAX 128

struct worker {
	int out_fd;
	struct bg_buffer in, out;
	size_t in_used;
	struct bg_arena arena;	       /* of the request being served */
	struct bg_arena modules_arena; /* of what was loaded */
	struct bg_modules modules;
	const char *plugin;	  /* path of the one library to serve; NULL: all modules */
	const char *plugin_fault; /* why it cannot be served */
	bool loaded, leaving;
	struct bg_served served;
	/* The last step request and what it means: the same line comes a thousand times. */
	char step_line[STEP_LINE_MAX];
	size_t step_size;
	struct bg_request step;
};

static bool write_out(struct worker *worker, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t put = write(worker->out_fd, bytes, size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		bytes += put;
		size -= (size_t)put;
	}
	return true;
}

static bool send(struct worker *worker, const struct bg_reply *reply)
{
	bg_buffer_clear(&worker->out);
	bg_reply_write(&worker->out, reply);
	return write_out(worker, worker->out.bytes, worker->out.size);
}

static bool refuse(struct worker *worker, enum bg_op op, const char *reason)
{
	struct bg_reply reply = { .op = op, .ok = false, .reason = reason };
	return send(worker, &reply);
}

/* Modules lie beside the executable, wherever we were started from. */
static void load_modules(struct worker *worker)
{
	char path[PATH_MAX];
	if (worker->loaded)
		return;
	worker->loaded = true;
	/* A user's module may bring an OpenMP, whose idle threads must not spin on the cores where
	 * the other arm's worker runs by then. */
	setenv("OMP_WAIT_POLICY", "passive", 0);
	if (worker->plugin) {
		worker->plugin_fault =
			bg_plugin_load(&worker->modules, worker->plugin, &worker->modules_arena);
		return;
	}
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	path[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	bg_modules_load(&worker->modules, path, getenv("BATCHGATE_MODULE_PATH"),
			&worker->modules_arena);
}

static bool serve_hello(struct worker *worker, const struct bg_request *request)
{
	if (request->protocol_max < BG_PROTOCOL_MIN || request->protocol_min > BG_PROTOCOL_MAX)
		return refuse(worker, BG_OP_HELLO,
			      bg_arena_format(&worker->arena,
					      "this worker speaks protocol %d to %d, asked for %u "
					      "to %u",
					      BG_PROTOCOL_MIN, BG_PROTOCOL_MAX,
					      request->protocol_min, request->protocol_max));
	if (worker->plugin)
		load_modules(worker);
	if (worker->plugin_fault)
		return refuse(worker, BG_OP_HELLO, worker->plugin_fault);
	unsigned version =
		request->protocol_max < BG_PROTOCOL_MAX ? request->protocol_max : BG_PROTOCOL_MAX;
	char boot_id[BG_BOOT_ID_SIZE];
	bg_boot_id_read(boot_id);
	struct bg_reply reply = { .op = BG_OP_HELLO,
				  .ok = true,
				  .protocol = version,
				  .program = "batchgate " BG_VERSION,
				  .boot_id = boot_id[0] ? boot_id : NULL };
	return send(worker, &reply);
}

static bool serve_list(struct worker *worker)
{
	load_modules(worker);
	struct bg_reply reply = { .op = BG_OP_LIST, .ok = true };
	if (worker->plugin)
		bg_offer_plugin(&reply, &worker->modules, &worker->arena);
	else
		bg_offer_fill(&reply, &worker->modules, &worker->arena);
	return send(worker, &reply);
}

static bool serve_pin(struct worker *worker, const struct bg_request *request)
{
	struct bg_reply reply = { .op = BG_OP_PIN, .ok = true };
	struct bg_error err = BG_ERROR_INIT;
	if (bg_pin_process(&reply.cpu_count, &reply.cpus, request, &worker->arena, &err) != BG_OK)
		return refuse(worker, BG_OP_PIN, err.text);
	return send(worker, &reply);
}

static bool serve_prepare(struct worker *worker, const struct bg_request *request)
{
	struct bg_reply reply = { .op = BG_OP_PREPARE, .ok = true };
	if (strcmp(request->workload, bg_replay_info.name) != 0)
		load_modules(worker);
	bg_served_prepare(&worker->served, &worker->modules, request, &reply, &worker->arena);
	return send(worker, &reply);
}

/* One step is the hot path: its reply is formatted by hand, in the form the parent reads fast. */
static bool serve_one_step(struct worker *worker, uint64_t inner)
{
	char line[96];
	double elapsed_ns = bg_served_step(&worker->served, inner);
	if (elapsed_ns < 0)
		return refuse(worker, BG_OP_STEP, worker->served.why.text);
	int size =
		snprintf(line, sizeof line, "{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[%llu]}\n",
			 (unsigned long long)elapsed_ns);
	return write_out(worker, line, (size_t)size);
}

static bool serve_step(struct worker *worker, const struct bg_request *request)
{
	if (worker->served.kind == BG_SERVED_NONE)
		return refuse(worker, BG_OP_STEP, "no case is prepared");
	if (request->steps == 1)
		return serve_one_step(worker, request->inner);
	double *elapsed_ns = bg_arena_array(&worker->arena, request->steps, sizeof *elapsed_ns);
	for (unsigned i = 0; i < request->steps; i++) {
		elapsed_ns[i] = bg_served_step(&worker->served, request->inner);
		if (elapsed_ns[i] < 0)
			return refuse(worker, BG_OP_STEP, worker->served.why.text);
	}
	struct bg_reply reply = {
		.op = BG_OP_STEP, .ok = true, .step_count = request->steps, .elapsed_ns = elapsed_ns
	};
	return send(worker, &reply);
}

static bool serve_finish(struct worker *worker)
{
	struct bg_reply reply = { .op = BG_OP_FINISH, .ok = true };
	if (worker->served.kind == BG_SERVED_NONE)
		return refuse(worker, BG_OP_FINISH, "no case is prepared");
	bg_served_finish(&worker->served, &reply);
	return send(worker, &reply);
}

static bool serve(struct worker *worker, const struct bg_request *request)
{
	switch (request->op) {
	case BG_OP_HELLO:
		return serve_hello(worker, request);
	case BG_OP_LIST:
		return serve_list(worker);
	case BG_OP_PIN:
		return serve_pin(worker, request);
	case BG_OP_PREPARE:
		return serve_prepare(worker, request);
	case BG_OP_STEP:
		return serve_step(worker, request);
	case BG_OP_FINISH:
		return serve_finish(worker);
	case BG_OP_BYE:
		worker->leaving = true;
		return send(worker, &(struct bg_reply){ .op = BG_OP_BYE, .ok = true });
	}
	return false;
}

static bool serve_line(struct worker *worker, const char *line, size_t size)
{
	if (size == worker->step_size && size > 0 && memcmp(line, worker->step_line, size) == 0)
		return serve_step(worker, &worker->step);
	struct bg_request request;
	struct bg_error err = BG_ERROR_INIT;
	bg_arena_release(&worker->arena);
	/* Which request a bad line was is unknown; the parent told hello from the rest by order. */
	if (bg_request_read(&request, line, size, &worker->arena, &err) != BG_OK)
		return refuse(worker, BG_OP_HELLO, err.text);
	if (request.op == BG_OP_STEP && request.steps == 1 && size < sizeof worker->step_line) {
		memcpy(worker->step_line, line, size);
		worker->step_size = size;
		worker->step = request;
	}
	return serve(worker, &request);
}

/* Serves every whole line in the buffer; false where the parent has gone. */
static bool serve_buffered(struct worker *worker)
{
	for (;;) {
		const char *start = worker->in.bytes + worker->in_used;
		const char *end = memchr(start, '\n', worker->in.size - worker->in_used);
		if (!end)
			break;
		worker->in_used += (size_t)(end - start) + 1;
		if (!serve_line(worker, start, (size_t)(end - start)) || worker->leaving)
			return false;
	}
	size_t kept = worker->in.size - worker->in_used;
	memmove(worker->in.bytes, worker->in.bytes + worker->in_used, kept);
	worker->in.size = kept;
	worker->in_used = 0;
	return true;
}

static enum bg_status serve_all(struct worker *worker, struct bg_error *err)
{
	char chunk[65536];
	for (;;) {
		ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return BG_OK;
		bg_buffer_add(&worker->in, chunk, (size_t)got);
		if (!serve_buffered(worker))
			return BG_OK;
		if (worker->in.size > BG_LINE_MAX)
			return bg_fail(err, BG_E_INPUT,
				       "a request of more than %zu bytes: this is no step protocol",
				       BG_LINE_MAX);
	}
}

enum bg_status bg_worker_run(const struct bg_worker_options *options, struct bg_error *err)
{
	struct worker worker = { .plugin = options->plugin,
				 .served = { .inject = options->inject } };
	worker.out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (worker.out_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return bg_fail(err, BG_E_SYSTEM, "standard output and error must both be open: %s",
			       strerror(errno));
	bg_buffer_init(&worker.in, BG_LINE_MAX + 2 * sizeof(char[65536]));
	bg_buffer_init(&worker.out, (size_t)64 << 20);
	enum bg_status status = serve_all(&worker, err);
	struct bg_reply unused = { .op = BG_OP_FINISH };
	bg_served_finish(&worker.served, &unused);
	bg_buffer_release(&worker.in);
	bg_buffer_release(&worker.out);
	bg_arena_release(&worker.arena);
	bg_arena_release(&worker.modules_arena);
	return status;
}
