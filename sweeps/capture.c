#include "sweeps/turn.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void keep_tail(struct bg_capture *capture, const char *bytes, size_t size)
{
	if (size >= BG_TAIL_SIZE) {
		memcpy(capture->tail, bytes + size - BG_TAIL_SIZE, BG_TAIL_SIZE);
		capture->tail_size = BG_TAIL_SIZE;
		return;
	}
	size_t kept = capture->tail_size;
	if (kept + size > BG_TAIL_SIZE) {
		size_t dropped = kept + size - BG_TAIL_SIZE;
		memmove(capture->tail, capture->tail + dropped, kept - dropped);
		kept -= dropped;
	}
	memcpy(capture->tail + kept, bytes, size);
	capture->tail_size = kept + size;
}

void bg_capture_read(struct bg_capture *capture)
{
	char chunk[65536];
	while (capture->fd >= 0) {
		ssize_t got = read(capture->fd, chunk, sizeof chunk);
		if (got > 0) {
			capture->hash = bg_hash(capture->hash, chunk, (size_t)got);
			capture->size += (uint64_t)got;
			keep_tail(capture, chunk, (size_t)got);
		} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
			close(capture->fd);
			capture->fd = -1;
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

void bg_capture_last_line(char *text, size_t size, const struct bg_capture *capture)
{
	size_t end = capture->tail_size;
	while (end > 0 && (unsigned char)capture->tail[end - 1] <= ' ')
		end--;
	size_t start = end;
	while (start > 0 && capture->tail[start - 1] != '\n')
		start--;
	size_t length = end - start < size - 1 ? end - start : size - 1;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)capture->tail[start + i];
		text[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	text[length] = '\0';
}
