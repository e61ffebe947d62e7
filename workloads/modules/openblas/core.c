#include "workloads/modules/openblas/core.h"

#include <stddef.h>
#include <strings.h>

#if defined(__x86_64__)
static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

/* Cooperlake, not SapphireRapids, which 0.3.21 does not have: in f32 and f64 they hardly differ. */
const char *bg_openblas_core(void)
{
	__builtin_cpu_init();
	if (has_avx512())
		return __builtin_cpu_supports("avx512bf16") ? "Cooperlake" : "SkylakeX";
	if (!has_avx2())
		return NULL;
	return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
}
#else
const char *bg_openblas_core(void)
{
	return NULL;
}
#endif

bool bg_openblas_core_is_too_old(const char *core)
{
	/* x86 cores of OpenBLAS without AVX2. */
	static const char *const old[] = {
		"generic",     "katmai",       "coppermine", "northwood",    "prescott",
		"banias",      "atom",	       "core2",	     "penryn",	     "dunnington",
		"nehalem",     "athlon",       "opteron",    "opteron_sse3", "barcelona",
		"nano",	       "bobcat",       "bulldozer",  "piledriver",   "steamroller",
		"sandybridge", "sandy_bridge",
	};
	if (!bg_openblas_core())
		return false;
	for (size_t i = 0; i < sizeof old / sizeof *old; i++)
		if (strcasecmp(core, old[i]) == 0)
			return true;
	return false;
}
