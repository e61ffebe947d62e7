/* The step protocol (workloads/PROTOCOL.md) as batchgate.h offers it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "batchgate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_SIZE (1 << 20) /* the protocol's bound */
#define DEPTH_MAX 32

struct client {
	const char *program;
	const struct batchgate_workload *workloads, *prepared;
	size_t workload_count;
	void *state;
	int in, out;
	size_t in_size, out_size;
	char in_bytes[LINE_MAX_SIZE + 1], out_bytes[LINE_MAX_SIZE];
};

const char *batchgate_text(const struct batchgate_case *of, const char *axis)
{
	for (size_t i = 0; i < of->axis_count; i++)
		if (strcmp(of->axes[i].name, axis) == 0)
			return of->axes[i].text;
	return NULL;
}

double batchgate_number(const struct batchgate_case *of, const char *axis)
{
	const char *text = batchgate_text(of, axis);
	return text ? strtod(text, NULL) : 0;
}

long long batchgate_integer(const struct batchgate_case *of, const char *axis)
{
	const char *text = batchgate_text(of, axis);
	return text ? strtoll(text, NULL, 10) : 0;
}

/* ---- JSON: values are found in the line by skipping over others; NULL is "not there" ---- */

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* Behind the string that begins at the quote. */
static const char *skip_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && *++at == '\0')
			return NULL;
	return *at ? at + 1 : NULL;
}

/* Behind the value, nested ones counted by their brackets. */
static const char *skip_value(const char *at)
{
	unsigned depth = 0;
	do {
		at = skip_space(at);
		if (*at == '"') {
			at = skip_string(at);
		} else if (*at == '{' || *at == '[') {
			at = ++depth <= DEPTH_MAX ? at + 1 : NULL;
		} else if (depth > 0 && (*at == '}' || *at == ']')) {
			depth--;
			at++;
		} else if (depth > 0 && (*at == ',' || *at == ':')) {
			at++;
		} else {
			size_t size = strcspn(at, ",:]} \t\r\n\"");
			at = size > 0 ? at + size : NULL;
		}
	} while (at && depth > 0);
	return at;
}

/* The next member of an object: *key at its quote, *value; at begins at '{' or behind a value. */
static const char *next_member(const char *at, const char **key, const char **value)
{
	at = skip_space(at);
	if (*at != '{' && *at != ',')
		return NULL;
	*key = skip_space(at + 1);
	at = **key == '"' ? skip_string(*key) : NULL;
	at = at ? skip_space(at) : NULL;
	if (!at || *at != ':')
		return NULL;
	*value = skip_space(at + 1);
	return skip_value(*value);
}

static const char *find_member(const char *object, const char *name)
{
	size_t size = strlen(name);
	const char *key, *value, *at = object;
	while (at && (at = next_member(at, &key, &value)) != NULL)
		if (strncmp(key + 1, name, size) == 0 && key[1 + size] == '"')
			return value;
	return NULL;
}

/* A number without fraction and exponent, as all of the protocol's requests are; else fallback. */
static uint64_t whole_number(const char *at, uint64_t fallback)
{
	uint64_t number = 0;
	if (!at || *at < '0' || *at > '9')
		return fallback;
	for (; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number;
}

static unsigned hex4(const char *at)
{
	unsigned code = 0;
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *digit = at[i] ? strchr(digits, at[i]) : NULL;
		code = code * 16 + (digit ? (unsigned)(digit - digits) % 16 : 0);
		if (!at[i])
			break;
	}
	return code;
}

static size_t put_utf8(char *out, unsigned code)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (size_t i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(lead[size > 1 ? size : 0] | code);
	return size;
}

/* Decodes a string where it stands, which its text is never longer than; NULL where it is none. */
static char *decode_text(const char *at)
{
	const char *from = at + 1, *plain = "\"\\/bfnrt", *meant = "\"\\/\b\f\n\r\t";
	if (*at != '"')
		return NULL;
	char *start = (char *)(uintptr_t)from, *to = start; /* the line is ours to change */
	while (*from && *from != '"') {
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		const char *escape = from[1] ? strchr(plain, from[1]) : NULL;
		if (escape) {
			*to++ = meant[escape - plain];
			from += 2;
			continue;
		}
		if (from[1] != 'u' || strnlen(from, 6) < 6)
			return NULL;
		unsigned code = hex4(from + 2);
		from += 6;
		if (code >= 0xd800 && code < 0xdc00 && from[0] == '\\' && from[1] == 'u' &&
		    strnlen(from, 6) == 6) {
			code = 0x10000 + ((code - 0xd800) << 10) +
			       ((hex4(from + 2) - 0xdc00) & 0x3ff);
			from += 6;
		}
		to += put_utf8(to, code);
	}
	*to = '\0';
	return start;
}

/* ---- replies ---- */

__attribute__((format(printf, 2, 3))) static void add(struct client *client, const char *format,
						      ...)
{
	va_list arguments;
	size_t room = sizeof client->out_bytes - client->out_size;
	va_start(arguments, format);
	int size = vsnprintf(client->out_bytes + client->out_size, room, format, arguments);
	va_end(arguments);
	client->out_size += size > 0 && (size_t)size < room ? (size_t)size : 0;
}

/* In quotes, what JSON wants escaped escaped. */
static void add_text(struct client *client, const char *text)
{
	add(client, "\"");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 0x20 || c == '"' || c == '\\')
			add(client, "\\u%04x", c);
		else
			add(client, "%c", c);
	}
	add(client, "\"");
}

static void refuse(struct client *client, const char *op, const char *reason)
{
	client->out_size = 0;
	add(client, "{\"op\":\"%s\",\"ok\":false,\"reason\":", op);
	add_text(client, reason);
	add(client, "}");
}

static void serve_list(struct client *client)
{
	static const char *const kinds[] = { "integer", "number", "word" };
	add(client, "{\"op\":\"list\",\"ok\":true,\"workloads\":[");
	for (size_t i = 0; i < client->workload_count; i++) {
		const struct batchgate_workload *workload = &client->workloads[i];
		add(client, "%s{\"name\":", i > 0 ? "," : "");
		add_text(client, workload->name);
		add(client, ",\"axes\":[");
		for (size_t j = 0; j < workload->axis_count; j++) {
			const struct batchgate_axis *axis = &workload->axes[j];
			add(client, "%s{\"name\":", j > 0 ? "," : "");
			add_text(client, axis->name);
			add(client, ",\"kind\":\"%s\",\"default\":", kinds[axis->kind]);
			add_text(client, axis->fallback);
			if (axis->kind != BATCHGATE_WORD)
				add(client, ",\"min\":%.17g,\"max\":%.17g", axis->min, axis->max);
			add(client, ",\"words\":[");
			for (size_t k = 0; axis->words && axis->words[k]; k++) {
				add(client, "%s", k > 0 ? "," : "");
				add_text(client, axis->words[k]);
			}
			add(client, "]}");
		}
		add(client, "]}");
	}
	add(client, "]}");
}

/* Threads of libraries too; the reply tells the set that is in force. */
static void serve_pin(struct client *client, const char *request)
{
	cpu_set_t set;
	const char *at = find_member(request, "cpus");
	CPU_ZERO(&set);
	while (at && (*at == '[' || *at == ',')) {
		uint64_t cpu = whole_number(skip_space(at + 1), CPU_SETSIZE);
		if (cpu < CPU_SETSIZE)
			CPU_SET((size_t)cpu, &set);
		at = skip_value(at + 1);
		at = at ? skip_space(at) : NULL;
	}
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;)
		if (task->d_name[0] != '.' &&
		    sched_setaffinity((pid_t)strtol(task->d_name, NULL, 10), sizeof set, &set) !=
			    0 &&
		    errno != ESRCH)
			refuse(client, "pin", strerror(errno));
	if (tasks)
		closedir(tasks);
	if (client->out_size == 0 && sched_getaffinity(0, sizeof set, &set) != 0)
		refuse(client, "pin", strerror(errno));
	if (client->out_size > 0)
		return;
	const char *comma = "";
	add(client, "{\"op\":\"pin\",\"ok\":true,\"cpus\":[");
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set)) {
			add(client, "%s%zu", comma, cpu);
			comma = ",";
		}
	add(client, "]}");
}

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Nanoseconds of so many calls; negative where one failed. */
static double time_calls(struct client *client, uint64_t calls)
{
	int answer = BATCHGATE_READY;
	double start_ns = now_ns();
	for (uint64_t i = 0; i < calls && answer == BATCHGATE_READY; i++)
		answer = client->prepared->step(client->state);
	double elapsed_ns = now_ns() - start_ns;
	return answer == BATCHGATE_READY ? elapsed_ns : -1;
}

static void release(struct client *client)
{
	if (client->prepared && client->prepared->release)
		client->prepared->release(client->state);
	client->prepared = NULL;
	client->state = NULL;
}

static int has_axis(const struct batchgate_workload *workload, const char *name)
{
	for (size_t i = 0; i < workload->axis_count; i++)
		if (strcmp(workload->axes[i].name, name) == 0)
			return 1;
	return 0;
}

/* The request's axes, decoded: the last thing that is read of it. */
static int read_axes(struct batchgate_case *of, const char *object,
		     const struct batchgate_workload *workload)
{
	const char *key, *value, *at = object;
	while (at && (at = next_member(at, &key, &value)) != NULL) {
		struct batchgate_value axis = { decode_text(key), decode_text(value) };
		if (!axis.name || !axis.text || !has_axis(workload, axis.name) ||
		    of->axis_count == BATCHGATE_AXES_MAX)
			return 0;
		of->axes[of->axis_count++] = axis;
	}
	return 1;
}

static const struct batchgate_workload *choose(struct client *client, const char *name)
{
	for (size_t i = 0; name && i < client->workload_count; i++)
		if (strcmp(client->workloads[i].name, name) == 0)
			return &client->workloads[i];
	return NULL;
}

/* Sets the case up, makes a first call and estimates one by doubling until it lasts 5 ms. */
static int set_up(struct client *client, struct batchgate_case *of, double *call_s)
{
	int answer = client->prepared->prepare(of);
	double elapsed_ns = 0;
	client->state = of->state;
	if (answer == BATCHGATE_READY && of->tolerance >= 0 && !(of->error <= of->tolerance)) {
		answer = BATCHGATE_INCORRECT;
		snprintf(of->reason, sizeof of->reason, "the error is %.3g, allowed is %.3g",
			 of->error, of->tolerance);
	}
	if (answer == BATCHGATE_READY)
		elapsed_ns = time_calls(client, 1);
	for (uint64_t calls = 1; answer == BATCHGATE_READY && elapsed_ns >= 0; calls *= 2) {
		elapsed_ns = time_calls(client, calls);
		*call_s = elapsed_ns * 1e-9 / (double)calls;
		if (elapsed_ns >= 5e6)
			return answer;
	}
	if (!of->reason[0])
		snprintf(of->reason, sizeof of->reason,
			 answer == BATCHGATE_READY ? "the first step failed" : "no reason given");
	return answer == BATCHGATE_READY ? BATCHGATE_FAILED : answer;
}

static void serve_prepare(struct client *client, const char *request)
{
	static const char *const states[] = { "ready", "unsupported", "out_of_memory", "incorrect",
					      "failed" };
	struct batchgate_case of;
	double call_s = 0;
	memset(&of, 0, sizeof of);
	of.items = 1;
	of.error = of.tolerance = -1;
	/* All is found before anything is decoded, which shortens the line's strings. */
	const char *seed = find_member(request, "seed");
	const char *axes = find_member(request, "axes");
	const char *name = find_member(request, "workload");
	of.seed = seed && *seed == '"' ? whole_number(seed + 1, 0) : 0;
	release(client);
	int answer = BATCHGATE_UNSUPPORTED;
	client->prepared = choose(client, name ? decode_text(name) : NULL);
	if (client->prepared && read_axes(&of, axes, client->prepared))
		answer = set_up(client, &of, &call_s);
	else
		snprintf(of.reason, sizeof of.reason, "no such workload or axis");
	add(client, "{\"op\":\"prepare\",\"ok\":true,\"state\":\"%s\"", states[answer]);
	if (answer != BATCHGATE_READY) {
		add(client, ",\"reason\":");
		add_text(client, of.reason);
		release(client);
	}
	add(client, ",\"call_s\":%.9g,\"items\":%.17g,\"flops\":%.17g,\"bytes\":%.17g", call_s,
	    of.items, of.flops, of.bytes);
	if (of.error >= 0 && of.tolerance >= 0)
		add(client, ",\"error\":%.9g,\"tolerance\":%.9g", of.error, of.tolerance);
	add(client, "}");
}

static void serve_step(struct client *client, const char *request)
{
	uint64_t steps = whole_number(find_member(request, "n"), 1);
	uint64_t inner = whole_number(find_member(request, "inner"), 1);
	if (!client->prepared) {
		refuse(client, "step", "no case is prepared");
		return;
	}
	add(client, "{\"op\":\"step\",\"ok\":true,\"elapsed_ns\":[");
	for (uint64_t i = 0; i < steps; i++) {
		double elapsed_ns = time_calls(client, inner);
		if (elapsed_ns < 0) {
			refuse(client, "step", "the step failed");
			return;
		}
		add(client, "%s%.0f", i > 0 ? "," : "", elapsed_ns);
	}
	add(client, "]}");
}

static void serve_hello(struct client *client, const char *request)
{
	const char *range = find_member(request, "protocol");
	const char *low = range && *range == '[' ? skip_space(range + 1) : NULL;
	const char *high = low ? skip_value(low) : NULL;
	high = high ? skip_space(high) : NULL;
	high = high && *high == ',' ? skip_space(high + 1) : NULL;
	if (whole_number(low, 0) > 1 || whole_number(high, 0) < 1) {
		refuse(client, "hello", "batchgate.h speaks step protocol 1 only");
		return;
	}
	add(client, "{\"op\":\"hello\",\"ok\":true,\"protocol\":1,\"program\":");
	add_text(client, client->program);
	add(client, "}");
}

/* Answers one request; 0 after the last. */
static int serve(struct client *client, const char *request)
{
	const char *op = find_member(request, "op");
	client->out_size = 0;
	if (op && strncmp(op, "\"step\"", 6) == 0) {
		serve_step(client, request);
	} else if (op && strncmp(op, "\"hello\"", 7) == 0) {
		serve_hello(client, request);
	} else if (op && strncmp(op, "\"list\"", 6) == 0) {
		serve_list(client);
	} else if (op && strncmp(op, "\"pin\"", 5) == 0) {
		serve_pin(client, request);
	} else if (op && strncmp(op, "\"prepare\"", 9) == 0) {
		serve_prepare(client, request);
	} else if (op && strncmp(op, "\"finish\"", 8) == 0) {
		release(client);
		add(client, "{\"op\":\"finish\",\"ok\":true,\"metrics\":{}}");
	} else if (op && strncmp(op, "\"bye\"", 5) == 0) {
		add(client, "{\"op\":\"bye\",\"ok\":true}");
	} else {
		refuse(client, "hello", "no request of step protocol 1");
	}
	add(client, "\n");
	for (size_t put = 0; put < client->out_size;) {
		ssize_t got = write(client->out, client->out_bytes + put, client->out_size - put);
		if (got < 0 && errno != EINTR)
			return 0;
		put += got > 0 ? (size_t)got : 0;
	}
	return !(op && strncmp(op, "\"bye\"", 5) == 0);
}

int batchgate_run(const char *program, const struct batchgate_workload *workloads, size_t count)
{
	static struct client client;
	client.program = program;
	client.workloads = workloads;
	client.workload_count = count;
	client.in = fcntl(0, F_DUPFD_CLOEXEC, 3);
	client.out = fcntl(1, F_DUPFD_CLOEXEC, 3);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (client.in < 0 || client.out < 0 || dup2(nothing, 0) < 0 || dup2(2, 1) < 0)
		return 1;
	for (int going = 1; going;) {
		char *end = (char *)memchr(client.in_bytes, '\n', client.in_size);
		if (end) {
			size_t used = (size_t)(end + 1 - client.in_bytes);
			*end = '\0';
			going = serve(&client, client.in_bytes);
			client.in_size -= used;
			memmove(client.in_bytes, end + 1, client.in_size);
			continue;
		}
		size_t room = LINE_MAX_SIZE - client.in_size;
		ssize_t got =
			room > 0 ? read(client.in, client.in_bytes + client.in_size, room) : 0;
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		client.in_size += got > 0 ? (size_t)got : 0;
	}
	release(&client);
	return 0;
}
