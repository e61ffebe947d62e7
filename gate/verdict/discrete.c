#include "gate/verdict/discrete.h"

#include <assert.h>
#include <math.h>

#define WALSH_MAX (BG_LAUNCHES_MAX * (BG_LAUNCHES_MAX + 1) / 2)

size_t bg_signed_rank_critical(size_t count, double error)
{
	assert(count >= 1 && count <= BG_LAUNCHES_MAX);
	/* probability[w]: that the ranks with a positive sign sum to w. */
	double probability[WALSH_MAX + 1] = { 1 };
	size_t top = 0;
	for (size_t rank = 1; rank <= count; rank++) {
		top += rank;
		for (size_t w = top + 1; w-- > 0;)
			probability[w] =
				(probability[w] + (w >= rank ? probability[w - rank] : 0)) / 2;
	}
	double sum = 0;
	size_t k = 0;
	while (k <= top && (sum += probability[k]) <= error)
		k++;
	return k;
}

bool bg_discrete_constant(const struct bg_datum *datum, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (datum[i].base != datum[0].base || datum[i].head != datum[0].head)
			return false;
	return true;
}

static void swap(double *a, double *b)
{
	double held = *a;
	*a = *b;
	*b = held;
}

/* Puts the index-th smallest (from 0) at its place and returns it: Hoare 1961, Wirth's form. */
static double select_at(double *value, ptrdiff_t count, ptrdiff_t index)
{
	ptrdiff_t low = 0, high = count - 1;
	while (low < high) {
		double pivot = value[index];
		ptrdiff_t i = low, j = high;
		while (i <= j) {
			while (value[i] < pivot)
				i++;
			while (pivot < value[j])
				j--;
			if (i <= j)
				swap(&value[i++], &value[j--]);
		}
		if (j < index)
			low = i;
		if (index < i)
			high = j;
	}
	return value[index];
}

static double standard_deviation(const double *x, size_t count)
{
	double middle = 0, square = 0;
	for (size_t i = 0; i < count; i++)
		middle += x[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		square += (x[i] - middle) * (x[i] - middle);
	return sqrt(square / (double)(count - 1));
}

double bg_discrete_interval(struct bg_interval *ret, const double *x, size_t count, double quantum,
			    const struct bg_discrete_rule *rule)
{
	assert(count >= 2 && count <= BG_LAUNCHES_MAX);
	double walsh[WALSH_MAX], lowest = x[0], highest = x[0];
	ptrdiff_t total = 0;
	for (size_t i = 0; i < count; i++) {
		lowest = fmin(lowest, x[i]);
		highest = fmax(highest, x[i]);
		for (size_t j = 0; j <= i; j++)
			walsh[total++] = (x[i] + x[j]) / 2;
	}
	ret->center =
		(select_at(walsh, total, (total - 1) / 2) + select_at(walsh, total, total / 2)) / 2;
	double spread = fmax(standard_deviation(x, count), quantum), root = sqrt((double)count);
	if (rule->rank_low > 0)
		lowest = select_at(walsh, total, (ptrdiff_t)rule->rank_low - 1);
	if (rule->rank_high > 0)
		highest = select_at(walsh, total, total - (ptrdiff_t)rule->rank_high);
	double error_low = (rule->rank_low > 0 ? quantum : spread) / root;
	double error_high = (rule->rank_high > 0 ? quantum : spread) / root;
	ret->low = fmin(lowest, ret->center - rule->t_low * error_low);
	ret->high = fmax(highest, ret->center + rule->t_high * error_high);
	return spread;
}

void bg_discrete_maxima(double *ret_base, double *ret_head, const struct bg_datum *datum,
			size_t count)
{
	*ret_base = datum[0].base;
	*ret_head = datum[0].head;
	for (size_t i = 1; i < count; i++) {
		*ret_base = fmax(*ret_base, datum[i].base);
		*ret_head = fmax(*ret_head, datum[i].head);
	}
}
