#ifndef BG_REPORTERS_FORMAT_H
#define BG_REPORTERS_FORMAT_H
/*
 * Numbers for people: as many digits as the measurement carries, the unit beside them, never a
 * locale's comma. What is not finite prints as "?".
 */
#include "gate/core/buffer.h"
#include "gate/verdict/report.h"

/* A ratio as a change: "+6.1 %", "-0.4 %", "0.0 %", "+212 %". */
void bg_format_change(struct bg_buffer *out, double ratio);
/* A ratio as a limit, digits that say nothing left out: "2 %", "0.25 %". */
void bg_format_limit(struct bg_buffer *out, double ratio);
/* A ratio without a sign: "1.1 %". */
void bg_format_magnitude(struct bg_buffer *out, double ratio);
/* "+6.1 % (+4.9..+7.3)"; "+6.1 % (exact)" where the interval is a point. */
void bg_format_effect(struct bg_buffer *out, const struct bg_cell *cell);
/* A level with a fitting unit, four digits: "101.2 ms", "4.000 MiB"; unit as in bg_metric_info. */
void bg_format_level(struct bg_buffer *out, double level, const char *unit);
/* Two levels in one unit: "101.2 -> 107.4 ms". */
void bg_format_levels(struct bg_buffer *out, const struct bg_cell *cell);
/* "158 items/s", "12.3 M items/s" */
void bg_format_rate(struct bg_buffer *out, double items_per_s);
/* "131 GFLOP/s", "12.3 GB/s": decimal prefixes, three digits. */
void bg_format_quantity_rate(struct bg_buffer *out, double per_s, const char *unit);
/* A time of a whole run: "84.2 s", "12 min 4 s". */
void bg_format_duration(struct bg_buffer *out, double seconds);
#endif
