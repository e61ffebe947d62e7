/* Matrix products by OpenBLAS. */
#include "workloads/modules/openblas/library.h"

static enum bg_answer gemm_usable(struct bg_why *why)
{
	struct bg_openblas openblas;
	return bg_openblas_open(&openblas, why);
}

static enum bg_answer gemm_open(struct bg_cblas *ret, int threads, struct bg_why *why)
{
	struct bg_openblas openblas;
	enum bg_answer answer = bg_openblas_open(&openblas, why);
	if (answer == BG_ANSWER_OK)
		answer = bg_openblas_set_threads(&openblas, threads, why);
	if (answer == BG_ANSWER_OK)
		*ret = openblas.cblas;
	return answer;
}

static enum bg_answer gemm_setup(void **state, const struct bg_point *point, struct bg_why *why)
{
	return bg_cblas_setup(state, point, gemm_open, why);
}

static const char *const dtypes[] = { "f32", "f64" };
static const struct bg_operation_axis axes[] = BG_GEMM_AXES(dtypes, "OpenBLAS");

static const struct bg_operation operations[] = {
	{
		.name = "gemm",
		.engine = "openblas",
		.summary = BG_GEMM_SUMMARY,
		.axis_count = BG_GEMM_AXIS_COUNT,
		.axes = axes,
		.usable = gemm_usable,
		.setup = gemm_setup,
		.costs = bg_cblas_costs,
		.run = bg_cblas_run,
		.verify = bg_cblas_verify,
		.teardown = bg_cblas_teardown,
	},
};

static const struct bg_module module = {
	BG_MODULE_HEAD,
	.name = "openblas",
	.summary = "OpenBLAS, the BLAS for CPUs",
	.operation_count = sizeof operations / sizeof *operations,
	.operations = operations,
	.kernel = bg_openblas_kernel,
};

const struct bg_module *bg_module_v1(void)
{
	return &module;
}
