#include "reporters/format.h"

#include "gate/core/text.h"

#include <math.h>
#include <string.h>

static void add_fixed(struct bg_buffer *out, double value, int decimals)
{
	char text[BG_FIXED_SIZE];
	bg_buffer_text(out, bg_text_fixed(text, value, decimals));
}

/* With its sign; a value that rounds to zero has none. */
static void add_signed(struct bg_buffer *out, double percent)
{
	char text[BG_FIXED_SIZE];
	if (isfinite(percent) && percent >= 100 * BG_RATIO_MAX) {
		bg_buffer_text(out, "+inf");
		return;
	}
	bg_text_fixed(text, percent, fabs(percent) < 99.95 ? 1 : 0);
	if (percent > 0 && strcspn(text, "123456789") < strlen(text))
		bg_buffer_text(out, "+");
	bg_buffer_text(out, text);
}

void bg_format_change(struct bg_buffer *out, double ratio)
{
	add_signed(out, 100 * ratio);
	bg_buffer_text(out, " %");
}

void bg_format_magnitude(struct bg_buffer *out, double ratio)
{
	add_fixed(out, 100 * ratio, fabs(ratio) < .9995 ? 1 : 0);
	bg_buffer_text(out, " %");
}

void bg_format_limit(struct bg_buffer *out, double ratio)
{
	char text[BG_FIXED_SIZE];
	bg_text_fixed(text, 100 * ratio, 2);
	size_t size = strlen(text);
	while (strchr(text, '.') && strchr("0.", text[size - 1])) {
		bool point = text[size - 1] == '.';
		text[--size] = '\0';
		if (point)
			break;
	}
	bg_buffer_format(out, "%s %%", text);
}

void bg_format_effect(struct bg_buffer *out, const struct bg_cell *cell)
{
	bg_format_change(out, cell->effect);
	if (cell->low == cell->high) {
		bg_buffer_text(out, " (exact)");
		return;
	}
	if (cell->low <= -1 && cell->high >= BG_RATIO_MAX) {
		bg_buffer_text(out, " (unbounded)");
		return;
	}
	bg_buffer_text(out, " (");
	add_signed(out, 100 * cell->low);
	bg_buffer_text(out, "..");
	add_signed(out, 100 * cell->high);
	bg_buffer_text(out, ")");
}

struct scale {
	double factor;
	const char *name;
};

/* The largest unit that leaves at least 1 before the point; the smallest one for less. */
static struct scale scale_of(double level, const char *unit)
{
	static const struct scale seconds[] = {
		{ 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" }, { 0, NULL }
	};
	static const struct scale bytes[] = { { 0x1p40, "TiB" }, { 0x1p30, "GiB" },
					      { 0x1p20, "MiB" }, { 0x1p10, "KiB" },
					      { 1, "B" },	 { 0, NULL } };
	static const struct scale joules[] = {
		{ 1e3, "kJ" }, { 1, "J" }, { 1e-3, "mJ" }, { 1e-6, "uJ" }, { 0, NULL }
	};
	static const struct scale watts[] = {
		{ 1e3, "kW" }, { 1, "W" }, { 1e-3, "mW" }, { 0, NULL }
	};
	const struct scale *scales = strcmp(unit, "s") == 0	  ? seconds
				     : strcmp(unit, "bytes") == 0 ? bytes
				     : strcmp(unit, "J") == 0	  ? joules
				     : strcmp(unit, "W") == 0	  ? watts
								  : NULL;
	if (!scales)
		return (struct scale){ 1, unit };
	while (scales[1].name && !(fabs(level) >= scales->factor))
		scales++;
	return *scales;
}

/* Decimals that give a value four digits in all. */
static int decimals_of(double value, const struct scale *scale)
{
	if (strcmp(scale->name, "B") == 0)
		return 0;
	double size = fabs(value);
	return size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0;
}

void bg_format_level(struct bg_buffer *out, double level, const char *unit)
{
	struct scale scale = scale_of(level, unit);
	add_fixed(out, level / scale.factor,
		  level == 0 ? 0 : decimals_of(level / scale.factor, &scale));
	bg_buffer_format(out, " %s", scale.name);
}

void bg_format_levels(struct bg_buffer *out, const struct bg_cell *cell)
{
	double larger = fmax(cell->base, cell->head), smaller = fmin(cell->base, cell->head);
	struct scale scale = scale_of(larger, bg_metric_info(cell->metric)->unit);
	/* The larger one sets the digits, unless that would leave the smaller one hardly any. */
	double guide = smaller > 0 && larger > 10 * smaller ? smaller : larger;
	int decimals = decimals_of(guide / scale.factor, &scale);
	add_fixed(out, cell->base / scale.factor, cell->base == 0 ? 0 : decimals);
	bg_buffer_text(out, " -> ");
	add_fixed(out, cell->head / scale.factor, cell->head == 0 ? 0 : decimals);
	bg_buffer_format(out, " %s", scale.name);
}

void bg_format_rate(struct bg_buffer *out, double items_per_s)
{
	static const struct scale scales[] = {
		{ 1e9, "G " }, { 1e6, "M " }, { 1e3, "k " }, { 1, "" }
	};
	const struct scale *scale = scales;
	while (scale->factor > 1 && !(items_per_s >= 10 * scale->factor))
		scale++;
	double value = items_per_s / scale->factor;
	add_fixed(out, value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
	bg_buffer_format(out, " %sitems/s", scale->name);
}

void bg_format_quantity_rate(struct bg_buffer *out, double per_s, const char *unit)
{
	static const struct scale scales[] = {
		{ 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" }
	};
	const struct scale *scale = scales;
	while (scale->factor > 1 && !(per_s >= scale->factor))
		scale++;
	double value = per_s / scale->factor;
	add_fixed(out, value, value < 10 ? 2 : value < 100 ? 1 : 0);
	bg_buffer_format(out, " %s%s", scale->name, unit);
}

void bg_format_duration(struct bg_buffer *out, double seconds)
{
	if (!(seconds >= 60 && seconds < 1e9)) {
		add_fixed(out, seconds, 1);
		bg_buffer_text(out, " s");
		return;
	}
	unsigned long long whole = (unsigned long long)(seconds + .5);
	unsigned long long large = whole < 3600 ? 60 : 3600, small = large / 60;
	bg_buffer_format(out, "%llu %s", whole / large, large == 60 ? "min" : "h");
	if (whole % large / small > 0)
		bg_buffer_format(out, " %llu %s", whole % large / small, large == 60 ? "s" : "min");
}
