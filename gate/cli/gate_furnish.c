#include "baselines/carry.h"
#include "gate/cli/gate_arms.h"

#include <string.h>

#define LISTED_SIZE 200 /* of a condition's line, for paths */

/* "bench/, batchgate.yml", cut where it gets long. */
static const char *list_paths(const char **paths, size_t count, struct bg_arena *arena)
{
	struct bg_buffer text;
	bg_buffer_init(&text, 65536);
	for (size_t i = 0; i < count; i++) {
		if (text.size > LISTED_SIZE) {
			bg_buffer_format(&text, " and %zu more", count - i);
			break;
		}
		bg_buffer_format(&text, "%s%s", i > 0 ? ", " : "", paths[i]);
	}
	const char *list = bg_arena_text(arena, text.bytes);
	bg_buffer_release(&text);
	return list;
}

/* Puts the place in the suite file in front of a fault. */
static enum bg_status fail_at(struct bg_error *err, const struct bg_gate *gate, const char *key,
			      struct bg_mark mark)
{
	return bg_within(err, "%s:%u:%u: arms.%s", gate->suite_shown, mark.line, mark.column, key);
}

/* Without a base arm only head's tree is used. */
static size_t first_arm(const struct bg_gate *gate)
{
	return gate->comparison == BG_COMPARISON_ARMS ? 0 : 1;
}

static enum bg_status link_all(struct bg_gate *gate, struct bg_error *err)
{
	const struct bg_arms *arms = &gate->head_suite.arms;
	const struct bg_link_place places[2] = { { gate->trees.base, "base" },
						 { gate->trees.head, "head" } };
	for (size_t i = 0; i < arms->link_count; i++)
		for (size_t arm = first_arm(gate); arm < 2; arm++)
			if (bg_link_in(&places[arm], gate->repository.root, arms->link[i], err) !=
			    BG_OK)
				return fail_at(err, gate, "link", arms->link_marks[i]);
	if (arms->link_count > 0)
		bg_gate_remark(gate, "%s your own %s (arms.link)",
			       first_arm(gate) == 0 ? "both arms use" : "head uses",
			       list_paths(arms->link, arms->link_count, gate->arena));
	return BG_OK;
}

/* The next part of a path that names something; its size, 0 at the end. */
static size_t next_part(const char **path)
{
	for (;;) {
		*path += strspn(*path, "/");
		size_t size = strcspn(*path, "/");
		if (size != 1 || **path != '.')
			return size;
		*path += size;
	}
}

/* True where path is the suite file or a folder that holds it, however it is written. */
static bool holds_suite(const char *path, const char *suite)
{
	size_t size;
	while (suite && (size = next_part(&path)) > 0) {
		if (next_part(&suite) != size || memcmp(path, suite, size) != 0)
			return false;
		path += size;
		suite += size;
	}
	return suite != NULL;
}

static enum bg_status carry_all(struct bg_gate *gate, struct bg_error *err)
{
	const struct bg_arms *arms = &gate->head_suite.arms;
	if (gate->comparison != BG_COMPARISON_ARMS)
		return BG_OK;
	bool same = !gate->from_worktree && strcmp(gate->base.commit, gate->head.commit) == 0;
	for (size_t i = 0; i < arms->carry_count; i++) {
		if (bg_carry(gate->trees.base, gate->trees.head, arms->carry[i], err) != BG_OK)
			return fail_at(err, gate, "carry", arms->carry_marks[i]);
		gate->suite_carried |= holds_suite(arms->carry[i], gate->suite_path);
	}
	if (arms->carry_count > 0 && !same)
		bg_gate_remark(gate, "base was given head's %s (arms.carry)",
			       list_paths(arms->carry, arms->carry_count, gate->arena));
	return BG_OK;
}

enum bg_status bg_gate_furnish(struct bg_gate *gate, struct bg_error *err)
{
	/* Links first: to them what the commits track is all that is there. */
	enum bg_status status = link_all(gate, err);
	if (status == BG_OK)
		status = carry_all(gate, err);
	if (status == BG_OK)
		bg_gate_environment(gate);
	if (status != BG_OK || !gate->suite_carried || gate->have_base_suite)
		return status;
	/* Base has no policy of its own that head could loosen. */
	gate->base_suite = gate->head_suite;
	gate->have_base_suite = true;
	return BG_OK;
}
