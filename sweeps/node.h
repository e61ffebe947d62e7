#ifndef BG_SWEEPS_NODE_H
#define BG_SWEEPS_NODE_H
/*
 * The tree of a suite file: scalars, lists and maps with the place where each begins. Scalars are
 * text; what a text means is settled by the key it stands under. All of it is owned by the arena
 * of its source.
 */
#include "sweeps/suite.h"

#define BG_MAP_KEYS_MAX 1000
#define BG_NAME_LENGTH_MAX 64

/* Where a tree comes from; lives as long as its nodes. */
struct bg_source {
	const char *shown; /* the file's name in messages */
	struct bg_arena *arena;
};

enum bg_node_kind { BG_NODE_SCALAR, BG_NODE_LIST, BG_NODE_MAP };

struct bg_node {
	const struct bg_source *source;
	struct bg_mark mark;
	enum bg_node_kind kind;
	bool plain;	       /* scalar: written without quotes */
	const char *text;      /* scalar: valid UTF-8 without NUL; never NULL */
	size_t count;	       /* list: items; map: members */
	struct bg_node *items; /* list: the items; map: the values */
	struct bg_node *keys;  /* map: distinct scalars, one for each value */
};

/* A key of a map and what reads its value into target. */
struct bg_key {
	const char *name;
	enum bg_status (*read)(void *target, const struct bg_node *value, struct bg_error *err);
};

/* bg_fail(BG_E_INPUT) with "file:line:column: " of the node in front. */
enum bg_status bg_node_fail(struct bg_error *err, const struct bg_node *node, const char *format,
			    ...) BG_PRINTF(3, 4);
/* Puts "file:line:column: " in front of a fault met by something that knows no places. */
enum bg_status bg_node_within(struct bg_error *err, const struct bg_node *node);

/* The scalar's text; what names the key in messages. An absent or empty value is an error. */
BG_MUST_CHECK enum bg_status bg_node_text(const char **ret, const struct bg_node *node,
					  const char *what, struct bg_error *err);
/* Checks for a list of one item or more. */
BG_MUST_CHECK enum bg_status bg_node_list(const struct bg_node *node, const char *what,
					  struct bg_error *err);
/* A text of 1 .. BG_NAME_LENGTH_MAX characters [A-Za-z0-9._+-]: what can stand in a case's name. */
BG_MUST_CHECK enum bg_status bg_node_name(const char **ret, const struct bg_node *node,
					  const char *what, struct bg_error *err);
/*
 * Reads a map of one member or more through a table of keys that ends with a NULL name; unknown
 * keys are errors that list the known ones. what names the map ("the suite", "arms").
 */
BG_MUST_CHECK enum bg_status bg_node_read(void *target, const struct bg_node *node,
					  const struct bg_key *keys, const char *what,
					  struct bg_error *err);

/* The value of a map's key, or NULL. */
const struct bg_node *bg_node_get(const struct bg_node *map, const char *key);
#endif
