/* OpenBLAS and BLIS in one: each module finds the functions it asks for. */
#include "tests/fakes/fake.h"

#include <stddef.h>
#include <stdint.h>

void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
		 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
		 const double *a, int lda, const double *b, int ldb, double beta, double *c,
		 int ldc);
void openblas_set_num_threads(int count);
int openblas_get_num_threads(void);
const char *openblas_get_corename(void);
const char *openblas_get_config(void);
void bli_init(void);
void bli_thread_set_num_threads(int64_t count);
int64_t bli_thread_get_num_threads(void);
const char *bli_info_get_int_type_size_str(void);
int64_t bli_info_get_blas_int_type_size(void);
int64_t bli_info_get_enable_threading(void);
int bli_arch_query_id(void);
const char *bli_arch_string(int id);

extern const char *fake_kernel, *fake_config, *fake_int_size;
extern int64_t fake_blas_int_size, fake_threading;

int fake_mode, fake_threads_max = 64, fake_calls;
const void *fake_a, *fake_b;
const char *fake_kernel = "Fake", *fake_config = "OpenBLAS 9", *fake_int_size = "64";
int64_t fake_blas_int_size = 32, fake_threading = 1;
static int threads = 1;

static double sum_of(double s)
{
	return fake_mode == FAKE_ROUGH ? s * (1 + 1e-3) : fake_mode == FAKE_ALL_ZERO ? 0 : s;
}

#define GEMM(name, type)                                                                           \
	void name(int order, int trans_a, int trans_b, int m, int n, int k, type alpha,            \
		  const type *a, int lda, const type *b, int ldb, type beta, type *c, int ldc)     \
	{                                                                                          \
		ptrdiff_t last = (ptrdiff_t)(m - 1) * ldc + n - 1;                                 \
		fake_calls++;                                                                      \
		fake_a = a;                                                                        \
		fake_b = b;                                                                        \
		if (order != 101 || trans_a != 111 || trans_b != 111 || alpha != 1 || beta != 0 || \
		    fake_mode == FAKE_UNWRITTEN)                                                   \
			return;                                                                    \
		for (ptrdiff_t i = 0; i < m; i++)                                                  \
			for (ptrdiff_t j = 0; j < n; j++) {                                        \
				double s = 0;                                                      \
				for (ptrdiff_t l = 0; l < k; l++)                                  \
					s += (double)a[i * lda + l] *                              \
					     (double)b[fake_mode == FAKE_TRANSPOSED                \
							       ? j * k + l                         \
							       : l * ldb + j];                     \
				c[i * ldc + j] = (type)sum_of(s);                                  \
			}                                                                          \
		if (fake_mode == FAKE_FIRST_WRONG)                                                 \
			c[0] = -c[0];                                                              \
		if (fake_mode == FAKE_LAST_WRONG)                                                  \
			c[last] = -c[last];                                                        \
	}

GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)

void openblas_set_num_threads(int count)
{
	threads = count < fake_threads_max ? count : fake_threads_max;
}

int openblas_get_num_threads(void)
{
	return threads;
}

const char *openblas_get_corename(void)
{
	return fake_kernel;
}

const char *openblas_get_config(void)
{
	return fake_config;
}

void bli_init(void)
{
}

void bli_thread_set_num_threads(int64_t count)
{
	openblas_set_num_threads((int)count);
}

int64_t bli_thread_get_num_threads(void)
{
	return threads;
}

const char *bli_info_get_int_type_size_str(void)
{
	return fake_int_size;
}

int64_t bli_info_get_blas_int_type_size(void)
{
	return fake_blas_int_size;
}

int64_t bli_info_get_enable_threading(void)
{
	return fake_threading;
}

int bli_arch_query_id(void)
{
	return 7;
}

const char *bli_arch_string(int id)
{
	return id == 7 ? fake_kernel : "?";
}
