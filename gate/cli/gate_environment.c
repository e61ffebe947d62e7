#include "baselines/editable.h"
#include "gate/cli/gate_arms.h"
#include "gate/core/file.h"
#include "sweeps/environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PREFIXES_MAX 64

struct work {
	struct bg_gate *gate;
	size_t arm;
	struct bg_texts moved; /* search paths that were pointed at the arm's tree */
	size_t prefix_count;
	const char *prefixes[PREFIXES_MAX]; /* Python environments a suite's command may run in */
};

static bool is_any(const char *name, size_t size, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == size && strncmp(name, *words, size) == 0)
			return true;
	return false;
}

/* Where the user's own files are kept, wherever that is. */
static bool is_users_place(const char *name, size_t size)
{
	static const char *const words[] = { "HOME", "TMPDIR", "TMP", "TEMP", NULL };
	return is_any(name, size, words) || strncmp(name, "XDG_", 4) == 0;
}

/* Variables that decide which program, library or module is found. */
static bool is_search_path(const char *name, size_t size)
{
	static const char *const words[] = { "PATH",
					     "LD_LIBRARY_PATH",
					     "LD_PRELOAD",
					     "LIBRARY_PATH",
					     "CPATH",
					     "C_INCLUDE_PATH",
					     "CPLUS_INCLUDE_PATH",
					     "PKG_CONFIG_PATH",
					     "PYTHONPATH",
					     "NODE_PATH",
					     "PERL5LIB",
					     "RUBYLIB",
					     "CLASSPATH",
					     "CMAKE_PREFIX_PATH",
					     "LUA_PATH",
					     "JULIA_LOAD_PATH",
					     "CFLAGS",
					     "CXXFLAGS",
					     "CPPFLAGS",
					     "LDFLAGS",
					     "RUSTFLAGS",
					     "BATCHGATE_MODULE_PATH",
					     NULL };
	return is_any(name, size, words);
}

/* True where path is at or below one of the linked paths: it is the same in both trees. */
static bool is_linked(const struct bg_gate *gate, const char *path)
{
	const struct bg_arms *arms = &gate->head_suite.arms;
	for (size_t i = 0; i < arms->link_count; i++) {
		size_t size = strlen(arms->link[i]);
		while (size > 0 && arms->link[i][size - 1] == '/')
			size--;
		if (strncmp(path, arms->link[i], size) == 0 &&
		    (path[size] == '/' || path[size] == '\0'))
			return true;
	}
	return false;
}

static bool is_in_trees(const struct bg_gate *gate, const char *path)
{
	const char *trees[2] = { gate->trees.base, gate->trees.head };
	int size = (int)strcspn(path, "/");
	struct stat info;
	for (size_t i = 0; i < 2; i++)
		if (lstat(bg_arena_format(gate->arena, "%s/%.*s", trees[i], size, path), &info) ==
		    0)
			return true;
	return false;
}

/* Tools of the user's that lie in the work tree: an environment, not what the commits hold. */
static bool is_in_environment(const struct bg_gate *gate, const char *path)
{
	for (size_t size = strcspn(path, "/");; size += 1 + strcspn(path + size + 1, "/")) {
		const char *folder = bg_arena_format(gate->arena, "%s/%.*s", gate->repository.root,
						     (int)size, path);
		if (strcmp(strrchr(folder, '/'), "/node_modules") == 0 ||
		    bg_editable_is_environment(folder, gate->arena))
			return true;
		if (path[size] == '\0')
			return false;
	}
}

static void note_moved(struct work *work, const char *variable, size_t size)
{
	struct bg_texts *moved = &work->moved;
	const char *name = bg_arena_bytes(work->gate->arena, variable, size);
	for (size_t i = 0; i < moved->count; i++)
		if (strcmp(moved->values[i], name) == 0)
			return;
	moved->values = bg_arena_grow(work->gate->arena, moved->values, moved->count,
				      &moved->capacity, sizeof *moved->values);
	moved->values[moved->count++] = name;
}

/*
 * Both arms would use the user's own copy of what a variable names in the work tree. It is the
 * arm's tree that is meant where a commit holds it, or where it says what code is found; caches and
 * environments of the user's stay.
 */
static bool moves(void *context, const char *variable, size_t size, const char *below)
{
	struct work *work = context;
	const struct bg_gate *gate = work->gate;
	if (is_users_place(variable, size) || is_linked(gate, below))
		return false;
	bool searched = is_search_path(variable, size);
	bool moved = !below[0] || is_in_trees(gate, below) ||
		     (searched && !is_in_environment(gate, below));
	if (moved && searched)
		note_moved(work, variable, size);
	return moved;
}

static void add_prefix(struct work *work, const char *folder)
{
	struct bg_error ignored = BG_ERROR_INIT;
	char *path;
	if (!folder || folder[0] != '/' || work->prefix_count >= PREFIXES_MAX ||
	    bg_path_absolute(&path, folder, work->gate->arena, &ignored) != BG_OK)
		return;
	for (size_t i = 0; i < work->prefix_count; i++)
		if (strcmp(work->prefixes[i], path) == 0)
			return;
	work->prefixes[work->prefix_count++] = path;
}

/* DIR of DIR/bin, or of DIR/bin/python; only where it is an environment. */
static void add_prefix_of(struct work *work, const char *path, size_t size)
{
	char *folder = bg_arena_bytes(work->gate->arena, path, size);
	char *slash = strrchr(folder, '/');
	if (slash && strcmp(slash, "/bin") != 0) {
		*slash = '\0';
		slash = strrchr(folder, '/');
	}
	if (!slash || slash == folder)
		return;
	*slash = '\0';
	if (bg_editable_is_environment(folder, work->gate->arena))
		add_prefix(work, folder);
}

static void list_prefixes(struct work *work)
{
	struct bg_gate *gate = work->gate;
	const struct bg_suite *suite = &gate->head_suite;
	const char *home = getenv("HOME"), *path = getenv("PATH");
	for (size_t i = 0; i < suite->arms.link_count; i++)
		add_prefix(work, bg_arena_format(gate->arena, "%s/%s", gate->repository.root,
						 suite->arms.link[i]));
	add_prefix(work, getenv("VIRTUAL_ENV"));
	add_prefix(work, getenv("CONDA_PREFIX"));
	if (home)
		add_prefix(work, bg_arena_format(gate->arena, "%s/.local", home));
	for (size_t i = 0; i < suite->workload_count; i++)
		if (suite->workloads[i].command)
			add_prefix_of(work, suite->workloads[i].command[0],
				      strlen(suite->workloads[i].command[0]));
	for (const char *at = path; at && *at;) {
		size_t size = strcspn(at, ":");
		add_prefix_of(work, at, size);
		at += size + (at[size] == ':');
	}
}

static void tell_place(struct work *work, const char *prefix, const struct bg_editable *found)
{
	struct bg_gate *gate = work->gate;
	const char *trees[2] = { gate->trees.base, gate->trees.head };
	struct stat info;
	if (!found->place) {
		bg_gate_remark(gate,
			       "%s/%s was installed from your work tree: what imports it runs "
			       "the same code in both arms; install it in arms.build",
			       prefix, found->file);
		return;
	}
	const char *shown = found->place[0] ? found->place : ".";
	bg_gate_remark(gate,
		       "%s/%s leads into your work tree: each arm's own %s comes first on "
		       "PYTHONPATH",
		       prefix, found->file, shown);
	for (size_t arm = 0; arm < 2; arm++)
		if (stat(bg_arena_format(gate->arena, "%s/%s", trees[arm], shown), &info) != 0)
			bg_gate_remark(gate,
				       "%s has no %s: what it imports from there is your work "
				       "tree's",
				       bg_arm_name[arm], shown);
}

/* The places of every environment, each once, as a path for one arm; NULL where there are none. */
static const char *python_path(struct work *work, const char *tree, bool tell)
{
	struct bg_arena *arena = work->gate->arena;
	const char *path = NULL;
	for (size_t i = 0; i < work->prefix_count; i++) {
		const struct bg_editable *found;
		size_t count = bg_editable_find(&found, work->prefixes[i],
						work->gate->repository.root, arena);
		for (size_t j = 0; j < count; j++) {
			if (tell)
				tell_place(work, work->prefixes[i], &found[j]);
			if (!found[j].place || is_linked(work->gate, found[j].place))
				continue;
			path = bg_arena_format(arena, "%s%s%s%s%s", path ? path : "",
					       path ? ":" : "", tree, found[j].place[0] ? "/" : "",
					       found[j].place);
		}
	}
	return path;
}

/* The folder we were started in may go by another name than the one without links. */
static const char *other_root(const struct bg_gate *gate)
{
	const char *root = gate->repository.root, *logical = getenv("PWD");
	struct bg_error ignored = BG_ERROR_INIT;
	char *real;
	if (!logical || logical[0] != '/' ||
	    bg_path_absolute(&real, logical, gate->arena, &ignored) != BG_OK)
		return NULL;
	size_t size = strlen(root), below = strlen(real) - (strlen(real) < size ? 0 : size);
	size_t whole = strlen(logical);
	if (strncmp(real, root, size) != 0 || whole <= below ||
	    strcmp(logical + whole - below, real + size) != 0)
		return NULL;
	const char *other = bg_arena_bytes(gate->arena, logical, whole - below);
	return strcmp(other, root) == 0 || strlen(other) < 2 ? NULL : other;
}

static const char *const *arm_environment(struct work *work, const char *const *clean)
{
	struct bg_gate *gate = work->gate;
	const char *tree = work->arm == 0 ? gate->trees.base : gate->trees.head;
	struct bg_environment_move move = {
		.from = gate->repository.root, .to = tree, .moves = moves, .context = work
	};
	const char *const *environment = clean;
	if (strlen(move.from) > 1)
		environment = bg_environment_move(environment, &move, gate->arena);
	move.from = other_root(gate);
	if (move.from)
		environment = bg_environment_move(environment, &move, gate->arena);
	const char *path = python_path(work, tree, work->arm == 0);
	if (path)
		environment = bg_environment_prepend(environment, "PYTHONPATH", path, gate->arena);
	return environment;
}

void bg_gate_environment(struct bg_gate *gate)
{
	extern char **environ;
	struct work work = { .gate = gate };
	const char *const *clean = bg_environment_clean((const char *const *)environ, gate->arena);
	list_prefixes(&work);
	for (; work.arm < 2; work.arm++)
		gate->environment[work.arm] = arm_environment(&work, clean);
	for (size_t i = 0; i < work.moved.count; i++)
		bg_gate_remark(gate,
			       "%s names your work tree: each arm was given its own tree there",
			       work.moved.values[i]);
}
