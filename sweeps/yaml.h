#ifndef BG_SWEEPS_YAML_H
#define BG_SWEEPS_YAML_H
/* YAML into nodes, the one place that knows libyaml. */
#include "sweeps/node.h"

/*
 * Reads one document of size bytes.
 * ret      the root, owned by the source's arena
 * returns  BG_E_INPUT with file:line:column for: larger than BG_SUITE_SIZE_MAX, bad UTF-8, NUL,
 *          not YAML, nothing in it, a second document, anchors, aliases, tags, merge keys,
 *          duplicate keys, keys that are no scalars, more than BG_MAP_KEYS_MAX keys in one map,
 *          deeper than BG_SUITE_DEPTH_MAX; columns count characters
 */
BG_MUST_CHECK enum bg_status bg_yaml_read(struct bg_node *ret, const char *text, size_t size,
					  const struct bg_source *source, struct bg_error *err);
#endif
