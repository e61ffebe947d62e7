#include "gate/wire/message.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_error err = BG_ERROR_INIT;
	struct bg_reply reply;
	struct bg_request request;
	struct bg_buffer out;
	double elapsed_ns;
	bg_buffer_init(&out, (size_t)1 << 24);
	(void)bg_reply_read_step(&elapsed_ns, (const char *)data, size);
	if (bg_reply_read(&reply, (const char *)data, size, &arena, &err) == BG_OK)
		bg_reply_write(&out, &reply);
	err = (struct bg_error)BG_ERROR_INIT;
	if (bg_request_read(&request, (const char *)data, size, &arena, &err) == BG_OK)
		bg_request_write(&out, &request);
	bg_buffer_release(&out);
	bg_arena_release(&arena);
	return 0;
}
