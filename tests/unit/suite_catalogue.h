#ifndef BG_TESTS_SUITE_CATALOGUE_H
#define BG_TESTS_SUITE_CATALOGUE_H
/* What imagined workers offer: gemm by two engines, a third one missing. */
#include "sweeps/case.h"

static const char *const openblas_types[] = { "f32", "f64" };
static const char *const onednn_types[] = { "f32", "bf16" };

#define SIZE_AXIS(name)                                                                            \
	{                                                                                          \
		name, "size", "512", BG_AXIS_INTEGER, 1, 65536, 0, NULL                            \
	}
#define GEMM_AXES(types)                                                                           \
	{                                                                                          \
		SIZE_AXIS("m"), SIZE_AXIS("n"), SIZE_AXIS("k"),                                    \
			{ "batch", "products", "1", BG_AXIS_INTEGER, 1, 4096, 0, NULL },           \
		{                                                                                  \
			"dtype", "type", "f32", BG_AXIS_WORD, 0, 0, 2, types                       \
		}                                                                                  \
	}

static const struct bg_axis_info openblas_axes[] = GEMM_AXES(openblas_types);
static const struct bg_axis_info onednn_axes[] = GEMM_AXES(onednn_types);
static const struct bg_workload_info gemms[] = {
	{ "gemm", "openblas", "openblas", "product", 5, openblas_axes },
	{ "gemm", "onednn", "onednn", "product", 5, onednn_axes },
};
static const struct bg_missing_module blis = { "blis", "not built" };
static const struct bg_catalogue suite_catalogue = {
	.workload_count = 2, .missing_count = 1, .workloads = gemms, .missing = &blis
};
#endif
