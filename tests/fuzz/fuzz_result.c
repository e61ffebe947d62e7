/* A result.json from anywhere: refused with one line, or good enough to decide and report. */
#include "gate/verdict/decide.h"
#include "gate/wire/result_file.h"
#include "reporters/reporter.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(const struct bg_result *result, struct bg_arena *arena)
{
	struct bg_report decided;
	bg_decide(&decided, result, false, arena);
	struct bg_report_view view = { .report = &decided, .exit_code = decided.exit_code };
	for (size_t i = 0; i < bg_reporter_count; i++) {
		BG_AUTO(bg_buffer_release) struct bg_buffer out;
		bg_buffer_init(&out, (size_t)1 << 28);
		struct bg_error err = BG_ERROR_INIT;
		assert(bg_reporters[i]->write(&out, &view, &err) == BG_OK);
		assert(out.size == 0 || !memchr(out.bytes, '\x1b', out.size));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	BG_AUTO(bg_arena_release) struct bg_arena arena = BG_ARENA_INIT;
	struct bg_error err = BG_ERROR_INIT;
	struct bg_result result;
	/* Its caller reads whole files, which end in NUL. */
	char *text = bg_arena_bytes(&arena, data, size);
	enum bg_status status = bg_result_parse(&result, text, size, "input", &arena, &err);
	assert((status == BG_OK) == (err.text[0] == '\0'));
	if (status == BG_OK)
		report(&result, &arena);
	return 0;
}
