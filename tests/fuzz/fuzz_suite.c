#include "sweeps/alias.h"
#include "sweeps/removal.h"
#include "tests/unit/suite_catalogue.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bg_arena arena = BG_ARENA_INIT;
	struct bg_error err = BG_ERROR_INIT;
	struct bg_suite suite;
	struct bg_case_list cases;
	const struct bg_filter none = { 0 };
	if (bg_suite_parse(&suite, (const char *)data, size, "fuzz.yml", &arena, &err) != BG_OK ||
	    bg_cases_expand(&cases, &suite, &suite_catalogue, &none, &arena, &err) != BG_OK ||
	    bg_aliases_check(&suite, &cases.names, &arena, &err) != BG_OK ||
	    bg_removed_check(&suite, &cases.names, &arena, &err) != BG_OK)
		bg_error_clear(&err);
	bg_arena_release(&arena);
	return 0;
}
