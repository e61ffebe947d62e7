/* Matrix products by oneDNN. */
#include "workloads/modules/common/gemm.h"
#include "workloads/modules/onednn/matmul.h"

#include <stdio.h>
#include <stdlib.h>

struct gemm {
	struct bg_product product;
	struct bg_onednn_matmul *matmul;
};

/* The module's hook kernel is asked without a state; of states there is at most one. */
static const struct bg_onednn_matmul *current;

static enum bg_answer gemm_setup(void **state, const struct bg_point *point, struct bg_why *why)
{
	struct gemm *gemm = calloc(1, sizeof *gemm);
	*state = gemm;
	if (!gemm) {
		snprintf(why->text, sizeof why->text, "no memory for the state");
		return BG_ANSWER_OUT_OF_MEMORY;
	}
	enum bg_answer answer = bg_gemm_fill(&gemm->product, point, why);
	if (answer == BG_ANSWER_OK)
		answer =
			bg_onednn_matmul_new(&gemm->matmul, &gemm->product,
					     (int)point->coordinates[BG_GEMM_THREADS].integer, why);
	current = gemm->matmul;
	return answer;
}

static void gemm_costs(void *state, struct bg_costs *ret)
{
	bg_gemm_costs(&((const struct gemm *)state)->product, ret);
}

static enum bg_answer gemm_run(void *state, struct bg_why *why)
{
	return bg_onednn_matmul_run(((const struct gemm *)state)->matmul, why);
}

static enum bg_answer gemm_verify(void *state, double *error, double *tolerance, struct bg_why *why)
{
	return bg_gemm_verify(&((const struct gemm *)state)->product, error, tolerance, why);
}

static void gemm_teardown(void *state)
{
	struct gemm *gemm = state;
	if (!gemm)
		return;
	current = NULL;
	bg_onednn_matmul_free(gemm->matmul);
	bg_product_release(&gemm->product);
	free(gemm);
}

static const char *kernel(void)
{
	return current ? bg_onednn_matmul_kernel(current) : NULL;
}

static const char *const dtypes[] = { "f32", "bf16", "s8", "u8" };
static const struct bg_operation_axis axes[] = BG_GEMM_AXES(dtypes, "oneDNN");

static const struct bg_operation operations[] = {
	{
		.name = "gemm",
		.engine = "onednn",
		.summary = BG_GEMM_SUMMARY "; of s8, and of u8 by s8, in s32",
		.axis_count = BG_GEMM_AXIS_COUNT,
		.axes = axes,
		.usable = bg_onednn_open,
		.setup = gemm_setup,
		.costs = gemm_costs,
		.run = gemm_run,
		.verify = gemm_verify,
		.teardown = gemm_teardown,
	},
};

static const struct bg_module module = {
	BG_MODULE_HEAD,
	.name = "onednn",
	.summary = "oneDNN, Intel's primitives for deep learning",
	.operation_count = sizeof operations / sizeof *operations,
	.operations = operations,
	.kernel = kernel,
};

const struct bg_module *bg_module_v1(void)
{
	return &module;
}
