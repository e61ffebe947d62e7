#include "sweeps/link.h"

#include "gate/core/descriptor.h"
#include "gate/core/clock.h"
#include "gate/core/interrupt.h"
#include "gate/core/process.h"
#include "sweeps/turn.h" /* bg_capture */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BANNER_MAX ((size_t)64 * 1024)
#define WORDS_SIZE 200
#define BYE_LIMIT_NS (500 * BG_NS_PER_MS)

/* What the worker said last on its stderr, after ": "; nothing where the log cannot be read. */
static void last_words(struct bg_link *link, char *text, size_t size)
{
	struct bg_capture log = { .fd = -1 };
	struct stat status;
	text[0] = '\0';
	if (link->log_fd < 0 || fstat(link->log_fd, &status) != 0 || !S_ISREG(status.st_mode))
		return;
	off_t from = status.st_size - (off_t)sizeof log.tail;
	if (from < link->log_from)
		from = link->log_from;
	ssize_t got = pread(link->log_fd, log.tail, sizeof log.tail, from);
	if (got <= 0)
		return;
	log.tail_size = (size_t)got;
	text[0] = ':';
	text[1] = ' ';
	bg_capture_last_line(text + 2, size - 2, &log);
	if (!text[2])
		text[0] = '\0';
}

/* Says how a worker that closed its end came to it; which: "output". */
static enum bg_status fail_gone(struct bg_link *link, const char *which, struct bg_error *err)
{
	int status = 0;
	uint64_t deadline_ns = bg_clock_ns() + BYE_LIMIT_NS;
	pid_t got;
	while ((got = waitpid(link->pid, &status, WNOHANG)) == 0 && bg_clock_ns() < deadline_ns)
		usleep(1000);
	if (got == link->pid) {
		link->tree.root = 0;
		link->pid = 0;
	}
	char said[WORDS_SIZE];
	last_words(link, said, sizeof said);
	if (got == 0)
		return bg_fail(err, BG_E_INPUT, "%s closed its %s without a reply%s", link->name,
			       which, said);
	if (got > 0 && WIFSIGNALED(status))
		return bg_fail(err, BG_E_INPUT, "%s was killed by signal %d (%s)%s", link->name,
			       WTERMSIG(status), strsignal(WTERMSIG(status)), said);
	return bg_fail(err, BG_E_INPUT, "%s ended with exit status %d before it replied%s",
		       link->name, got > 0 ? WEXITSTATUS(status) : -1, said);
}

/* Whether something was printed since the last reply; what comes with hello may be a greeting. */
static bool has_spoken(const struct bg_link *link)
{
	int waiting = 0;
	if (link->banner_left > 0)
		return false;
	return link->in.size > link->in_used ||
	       (ioctl(link->from_fd, FIONREAD, &waiting) == 0 && waiting > 0);
}

static enum bg_status write_line(struct bg_link *link, const char *line, size_t size,
				 struct bg_error *err)
{
	/* Taken for the next reply, it would be one to a step that was not made. */
	if (has_spoken(link))
		return bg_fail(err, BG_E_INPUT, "%s printed more than its one reply", link->name);
	while (size > 0) {
		ssize_t put = write(link->to_fd, line, size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EPIPE)
			return fail_gone(link, "input", err);
		if (put < 0)
			return bg_fail(err, BG_E_SYSTEM, "%s: cannot write: %s", link->name,
				       strerror(errno));
		line += put;
		size -= (size_t)put;
	}
	return BG_OK;
}

static bool can_read(const struct bg_link *link)
{
	struct pollfd from = { .fd = link->from_fd, .events = POLLIN };
	return poll(&from, 1, 0) > 0;
}

/* A worker that died may have left children that hold its output open. */
static enum bg_status wait_readable(struct bg_link *link, uint64_t deadline_ns,
				    struct bg_error *err)
{
	for (;;) {
		uint64_t now_ns = bg_clock_ns();
		uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
		struct timespec left = { (time_t)(left_ns / BG_NS_PER_S),
					 (long)(left_ns % BG_NS_PER_S) };
		struct pollfd fds[] = { { .fd = link->from_fd, .events = POLLIN },
					{ .fd = link->exit_fd, .events = POLLIN } };
		int ready = ppoll(fds, 2, &left, bg_interrupt_mask());
		if (bg_interrupt_pending())
			return bg_fail(err, BG_E_INTERRUPTED, "interrupted");
		if (ready > 0 && (fds[0].revents || can_read(link)))
			return BG_OK;
		if (ready > 0)
			return fail_gone(link, "output", err);
		if (ready == 0)
			return bg_fail(err, BG_E_INPUT, "%s did not reply in time", link->name);
	}
}

/* Reads more into `in`, dropping what was used; grows to at most one line. */
static enum bg_status read_more(struct bg_link *link, uint64_t deadline_ns, struct bg_error *err)
{
	if (link->in_used > 0) {
		assert(link->in.bytes);
		size_t kept = link->in.size - link->in_used;
		memmove(link->in.bytes, link->in.bytes + link->in_used, kept);
		link->in.size = kept;
		link->in_used = 0;
	}
	if (link->in.size > BG_LINE_MAX)
		return bg_fail(err, BG_E_INPUT, "%s printed a line of more than %zu bytes",
			       link->name, BG_LINE_MAX);
	enum bg_status status = wait_readable(link, deadline_ns, err);
	if (status != BG_OK)
		return status;
	char chunk[16384];
	ssize_t got = read(link->from_fd, chunk, sizeof chunk);
	if (got > 0)
		bg_buffer_add(&link->in, chunk, (size_t)got);
	else if (got == 0 || errno != EINTR)
		return fail_gone(link, "output", err);
	return BG_OK;
}

/* The next whole line, borrowed from the buffer until the next read. */
static enum bg_status next_line(struct bg_link *link, uint64_t deadline_ns, const char **line,
				size_t *size, struct bg_error *err)
{
	size_t searched = link->in_used;
	for (;;) {
		const char *start = link->in.bytes ? link->in.bytes + link->in_used : NULL;
		const char *end = NULL;
		if (start && searched < link->in.size)
			end = memchr(link->in.bytes + searched, '\n', link->in.size - searched);
		if (end) {
			*line = start;
			*size = (size_t)(end - start);
			link->in_used += *size + 1;
			return BG_OK;
		}
		searched = link->in.size - link->in_used;
		enum bg_status status = read_more(link, deadline_ns, err);
		if (status != BG_OK)
			return status;
	}
}

/* ssh and login shells greet before the worker speaks: logged, up to a bound. */
static bool is_banner(struct bg_link *link, const char *line, size_t size)
{
	if (link->banner_left == 0 || (size > 0 && line[0] == '{'))
		return false;
	link->banner_left -= size + 1 < link->banner_left ? size + 1 : link->banner_left;
	if (link->log_fd >= 0 && write(link->log_fd, line, size + 1) < 0)
		return true; /* a log that cannot be written must not fail a measurement */
	return true;
}

static uint64_t deadline_after(double timeout_s)
{
	return bg_clock_ns() + (uint64_t)(timeout_s * 1e9);
}

enum bg_status bg_link_send(struct bg_link *link, const struct bg_request *request,
			    struct bg_error *err)
{
	bg_buffer_clear(&link->out);
	bg_request_write(&link->out, request);
	return write_line(link, link->out.bytes, link->out.size, err);
}

enum bg_status bg_link_receive(struct bg_link *link, enum bg_op op, double timeout_s,
			       struct bg_reply *ret, struct bg_arena *arena, struct bg_error *err)
{
	uint64_t deadline_ns = deadline_after(timeout_s);
	const char *line;
	size_t size;
	do {
		enum bg_status status = next_line(link, deadline_ns, &line, &size, err);
		if (status != BG_OK)
			return status;
	} while (is_banner(link, line, size));
	link->banner_left = 0;
	struct bg_reply reply;
	if (bg_reply_read(&reply, line, size, arena, err) != BG_OK)
		return bg_within(err, "%s", link->name);
	if (reply.op != op && !reply.ok)
		return bg_fail(err, BG_E_INPUT, "%s refused a request: %s", link->name,
			       reply.reason);
	if (reply.op != op)
		return bg_fail(err, BG_E_INPUT, "%s replied to another request than was sent",
			       link->name);
	*ret = reply;
	return BG_OK;
}

enum bg_status bg_link_call(struct bg_link *link, const struct bg_request *request,
			    double timeout_s, struct bg_reply *ret, struct bg_arena *arena,
			    struct bg_error *err)
{
	uint64_t start_ns = bg_clock_ns();
	enum bg_status status = bg_link_send(link, request, err);
	if (status == BG_OK)
		status = bg_link_receive(link, request->op, timeout_s, ret, arena, err);
	link->exchange_ns = bg_clock_ns() - start_ns;
	return status;
}

enum bg_status bg_link_step(struct bg_link *link, const char *line, size_t size, double timeout_s,
			    double *elapsed_ns, struct bg_error *err)
{
	uint64_t start_ns = bg_clock_ns();
	enum bg_status status = write_line(link, line, size, err);
	if (status != BG_OK)
		return status;
	const char *answer;
	size_t answer_size;
	status =
		next_line(link, start_ns + (uint64_t)(timeout_s * 1e9), &answer, &answer_size, err);
	link->exchange_ns = bg_clock_ns() - start_ns;
	if (status != BG_OK)
		return status;
	if (bg_reply_read_step(elapsed_ns, answer, answer_size))
		return BG_OK;
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_reply reply;
	status = bg_reply_read(&reply, answer, answer_size, &arena, err);
	if (status != BG_OK)
		bg_within(err, "%s", link->name);
	else if (reply.op != BG_OP_STEP || (reply.ok && reply.step_count != 1))
		status = bg_fail(err, BG_E_INPUT, "%s did not answer the one step it was asked for",
				 link->name);
	else if (!reply.ok)
		status = bg_fail(err, BG_E_INPUT, "%s: step failed: %s", link->name, reply.reason);
	else
		*elapsed_ns = reply.elapsed_ns[0];
	bg_arena_release(&arena);
	return status;
}

static enum bg_status start_process(struct bg_link *link, const struct bg_link_start *start,
				    struct bg_error *err)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 };
	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
		bg_descriptor_drop(&to[0]);
		bg_descriptor_drop(&to[1]);
		return bg_fail(err, BG_E_SYSTEM, "%s: cannot make a pipe: %s", link->name,
			       strerror(errno));
	}
	struct bg_spawn spawn = {
		.argv = start->argv,
		.envp = start->envp,
		.dir = start->dir,
		.stdin_fd = to[0],
		.stdout_fd = from[1],
		.stderr_fd = start->log_fd,
		.cpus = start->cpus,
	};
	enum bg_status status = bg_spawn(&link->pid, &spawn, err);
	bg_descriptor_drop(&to[0]);
	bg_descriptor_drop(&from[1]);
	link->to_fd = to[1];
	link->from_fd = from[0];
	if (status != BG_OK) {
		link->pid = 0;
		return bg_within(err, "%s", link->name);
	}
	bg_tree_join(&link->tree, link->pid, start->forest);
	/* Where there is none (before Linux 5.3), poll passes over it. */
	link->exit_fd = (int)syscall(SYS_pidfd_open, link->pid, 0);
	return BG_OK;
}

enum bg_status bg_link_open(struct bg_link *ret, const struct bg_link_start *start,
			    struct bg_arena *arena, struct bg_error *err)
{
	*ret = (struct bg_link){ .name = start->name,
				 .to_fd = -1,
				 .from_fd = -1,
				 .exit_fd = -1,
				 .log_fd = start->log_fd,
				 .banner_left = BANNER_MAX };
	struct stat log;
	if (start->log_fd >= 0 && fstat(start->log_fd, &log) == 0)
		ret->log_from = log.st_size;
	bg_buffer_init(&ret->out, BG_LINE_MAX);
	bg_buffer_init(&ret->in, BG_LINE_MAX + 65536);
	enum bg_status status = start_process(ret, start, err);
	struct bg_request hello = { .op = BG_OP_HELLO,
				    .protocol_min = BG_PROTOCOL_MIN,
				    .protocol_max = BG_PROTOCOL_MAX };
	if (status == BG_OK)
		status = bg_link_call(ret, &hello, start->timeout_s, &ret->hello, arena, err);
	if (status == BG_OK && !ret->hello.ok)
		status = bg_fail(err, BG_E_INPUT, "%s refused hello: %s", ret->name,
				 ret->hello.reason);
	if (status == BG_OK &&
	    (ret->hello.protocol < BG_PROTOCOL_MIN || ret->hello.protocol > BG_PROTOCOL_MAX))
		status = bg_fail(err, BG_E_INPUT, "%s speaks step protocol %u, wanted %d..%d",
				 ret->name, ret->hello.protocol, BG_PROTOCOL_MIN, BG_PROTOCOL_MAX);
	if (status != BG_OK)
		bg_link_close(ret);
	return status;
}

/* A worker that was asked to leave does so at once; one that does not is killed. */
static void wait_for_exit(struct bg_link *link)
{
	uint64_t deadline_ns = bg_clock_ns() + BYE_LIMIT_NS;
	while (link->pid && bg_clock_ns() < deadline_ns) {
		siginfo_t info = { 0 };
		if (waitid(P_PID, (id_t)link->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		    info.si_pid != 0)
			break;
		usleep(200);
	}
}

void bg_link_close(struct bg_link *link)
{
	if (link->pid && !bg_interrupt_pending() && link->to_fd >= 0) {
		struct bg_error ignored = BG_ERROR_INIT;
		struct bg_request bye = { .op = BG_OP_BYE };
		bool sent = bg_link_send(link, &bye, &ignored) == BG_OK;
		bg_descriptor_drop(&link->to_fd);
		if (sent)
			wait_for_exit(link);
	}
	bg_descriptor_drop(&link->to_fd);
	bg_descriptor_drop(&link->from_fd);
	bg_descriptor_drop(&link->exit_fd);
	(void)bg_tree_kill(&link->tree);
	bg_buffer_release(&link->out);
	bg_buffer_release(&link->in);
	*link = (struct bg_link){ .to_fd = -1, .from_fd = -1, .exit_fd = -1, .log_fd = -1 };
}
