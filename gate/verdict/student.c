#include "gate/verdict/student.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#define LN_SQRT_PI 0.57236494292470008707 /* ln gamma(1/2) */
#define STEPS_MAX 500

static double ln_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign); /* lgamma writes a global */
}

/* One factor of Lentz's product, kept from zero; see Press et al., Numerical Recipes, 5.2. */
static double apart_from_zero(double value)
{
	return fabs(value) < DBL_MIN ? DBL_MIN : value;
}

/*
 * The continued fraction of I_x(a, b), by the modified method of Lentz. Converges quickly where
 * x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
	double c = 1;
	double d = 1 / apart_from_zero(1 - (a + b) * x / (a + 1));
	double product = d;
	for (int m = 1; m <= STEPS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 / apart_from_zero(1 + even * d);
		c = apart_from_zero(1 + even / c);
		product *= c * d;
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / apart_from_zero(1 + odd * d);
		c = apart_from_zero(1 + odd / c);
		double factor = c * d;
		product *= factor;
		if (fabs(factor - 1) < 4 * DBL_EPSILON)
			break;
	}
	return product;
}

double bg_student_tail(double t, double df)
{
	assert(df >= 0.5 && df <= 1000);
	if (t < 0)
		return 1 - bg_student_tail(-t, df);
	if (t == 0)
		return 0.5;
	double ratio = t / df * t;
	if (isinf(ratio))
		return 0;
	double half = df / 2, x = 1 / (1 + ratio), y = ratio / (1 + ratio);
	double ln_front = ln_gamma(half + 0.5) - ln_gamma(half) - LN_SQRT_PI - half * log1p(ratio) +
			  0.5 * log(y);
	if (x < (half + 1) / (half + 2.5))
		return 0.5 * exp(ln_front) * beta_fraction(x, half, 0.5) / half;
	return 0.5 - exp(ln_front) * beta_fraction(y, 0.5, half);
}

static double density(double t, double df)
{
	return exp(ln_gamma(df / 2 + 0.5) - ln_gamma(df / 2) - LN_SQRT_PI - 0.5 * log(df) -
		   (df + 1) / 2 * log1p(t / df * t));
}

/*
 * Newton's method, safe without a bracket: in the centre the tail is convex in t, so that steps
 * from 0 rise to the root; beyond it the logarithm of the tail is concave in ln t, so that steps
 * rise at most once beyond the root and then fall to it. No step more than doubles t, or a large
 * df would throw the first one to where the tail underflows.
 */
double bg_student_quantile(double tail, double df)
{
	assert(tail >= 1e-12 && tail <= 1 - 1e-12 && df >= 1 && df <= 1000);
	if (tail > 0.5)
		return -bg_student_quantile(1 - tail, df);
	bool central = tail > 0.1;
	double t = central ? 0 : 1.3; /* 10 % lies at 1.28 for any df or beyond */
	for (int i = 0; i < STEPS_MAX; i++) {
		double at = bg_student_tail(t, df), slope = density(t, df);
		double next = central ? t + (at - tail) / slope
				      : t * exp(fmin(M_LN2, at * log(at / tail) / (slope * t)));
		if (fabs(next - t) <= 4 * DBL_EPSILON * fabs(next))
			return next;
		t = next;
	}
	return t;
}

/* Both series hold to 1e-16 from here on: their first term left out is below 1e-17. */
#define ASYMPTOTIC_FROM 15

double bg_digamma(double x)
{
	assert(x > 0);
	double before = 0;
	for (; x < ASYMPTOTIC_FROM; x++)
		before += 1 / x;
	double z = 1 / (x * x);
	double series = z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z / 132))));
	return log(x) - 0.5 / x - series - before;
}

double bg_trigamma(double x)
{
	assert(x > 0);
	double before = 0;
	for (; x < ASYMPTOTIC_FROM; x++)
		before += 1 / (x * x);
	double z = 1 / (x * x);
	double series = z * (1. / 6 - z * (1. / 30 - z * (1. / 42 - z * (1. / 30 - z * 5. / 66))));
	return (1 + 0.5 / x + series) / x + before;
}
