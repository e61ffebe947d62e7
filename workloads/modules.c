#include "workloads/modules.h"
#include "gate/core/text.h"

#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".so"

/* The modules of this version, and why the build may have left one out. The Makefile's LIBRARIES
 * and whether each was built (BG_HAVE_NAME) belong to them. */
static const struct {
	const char *name;
	bool built;
	const char *left_out;
} known[] = {
	{ "blis", BG_HAVE_blis, "HAVE_blis=0" },
	{ "memory", BG_HAVE_memory, "HAVE_memory=0" },
	{ "onednn", BG_HAVE_onednn,
	  "no oneapi/dnnl/dnnl.h (install libdnnl-dev), or HAVE_onednn=0" },
	{ "openblas", BG_HAVE_openblas, "HAVE_openblas=0" },
};

struct search {
	struct bg_arena *arena;
	struct bg_modules *found;
	size_t operation_capacity, missing_capacity;
	size_t tried_count;
	const char *tried[BG_MODULES_MAX];
};

/* The loader's messages hold file names, which hold any byte: one line of UTF-8 remains. */
static const char *one_line(struct bg_arena *arena, const char *text)
{
	char *line = bg_arena_text(arena, text);
	bool is_utf8 = bg_text_is_utf8(line, strlen(line));
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f || (!is_utf8 && (*c & 0x80)))
			*c = '?';
	return line;
}

static void add_missing(struct search *search, const char *module, const char *reason)
{
	struct bg_modules *found = search->found;
	found->missing = bg_arena_grow(search->arena, found->missing, found->missing_count,
				       &search->missing_capacity, sizeof *found->missing);
	found->missing[found->missing_count++] = (struct bg_missing_module){
		.module = one_line(search->arena, module),
		.reason = one_line(search->arena, reason),
	};
}

static bool was_tried(const struct search *search, const char *stem)
{
	for (size_t i = 0; i < search->tried_count; i++)
		if (strcmp(search->tried[i], stem) == 0)
			return true;
	return false;
}

/* What stands in the way of adding a sound module to those already there. */
static const char *clash(const struct search *search, const struct bg_module *module)
{
	const struct bg_modules *found = search->found;
	if (found->operation_count + module->operation_count > BG_WORKLOADS_MAX)
		return bg_arena_format(search->arena, "would make more than %d operations",
				       BG_WORKLOADS_MAX);
	for (size_t i = 0; i < module->operation_count; i++) {
		const struct bg_operation *operation = &module->operations[i];
		const struct bg_loaded_operation *first =
			bg_modules_find(found, operation->name, operation->engine);
		if (first)
			return bg_arena_format(search->arena,
					       "operation %s of engine %s is already in %s",
					       operation->name, operation->engine, first->path);
	}
	return NULL;
}

static void add_operations(struct search *search, const struct bg_module *module, const char *path)
{
	struct bg_modules *found = search->found;
	for (size_t i = 0; i < module->operation_count; i++) {
		found->operations =
			bg_arena_grow(search->arena, found->operations, found->operation_count,
				      &search->operation_capacity, sizeof *found->operations);
		found->operations[found->operation_count++] = (struct bg_loaded_operation){
			.module = module,
			.operation = &module->operations[i],
			.path = path,
		};
	}
}

/* Why a file gives no entry, or NULL. */
static const char *open_fault(void **entry, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return strerror(errno);
	/* dlopen would wait for a writer of a FIFO. */
	if (!S_ISREG(status.st_mode))
		return "not a regular file";
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return dlerror();
	*entry = dlsym(handle, "bg_module_v1");
	return *entry ? NULL : "exports no bg_module_v1: is it a module?";
}

/* The module's table, or NULL with the reason. */
static const struct bg_module *open_module(const char **reason, const char *path)
{
	void *entry = NULL;
	const struct bg_module *(*call)(void);
	*reason = open_fault(&entry, path);
	if (*reason)
		return NULL;
	memcpy(&call, &entry, sizeof call);
	return call();
}

static void try_module(struct search *search, const char *dir, const char *stem)
{
	const char *path = bg_arena_format(search->arena, "%s/%s" SUFFIX, dir, stem);
	const char *reason = NULL;
	search->tried[search->tried_count++] = stem;
	const struct bg_module *module = open_module(&reason, path);
	if (!reason)
		reason = bg_module_fault(module, stem, search->arena);
	if (!reason)
		reason = clash(search, module);
	if (!reason) {
		add_operations(search, module, path);
		return;
	}
	/* dlerror names the file where it can. */
	if (strncmp(reason, path, strlen(path)) != 0)
		reason = bg_arena_format(search->arena, "%s: %s", path, reason);
	add_missing(search, stem, reason);
}

static int is_module_file(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name), suffix = strlen(SUFFIX);
	return entry->d_name[0] != '.' && size > suffix &&
	       strcmp(entry->d_name + size - suffix, SUFFIX) == 0;
}

/* By bytes: alphasort would follow the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Tries every module of a folder; false with errno where it cannot be read. */
static bool search_dir(struct search *search, const char *dir)
{
	struct dirent **entries;
	int count = scandir(dir, &entries, is_module_file, by_name);
	if (count < 0)
		return false;
	for (int i = 0; i < count; i++) {
		size_t size = strlen(entries[i]->d_name) - strlen(SUFFIX);
		const char *stem = bg_arena_bytes(search->arena, entries[i]->d_name, size);
		free(entries[i]);
		if (was_tried(search, stem))
			continue;
		if (search->tried_count < BG_MODULES_MAX)
			try_module(search, dir, stem);
		else
			add_missing(search, stem, "not tried: too many modules");
	}
	free(entries);
	return true;
}

static void search_path(struct search *search, const char *list)
{
	while (*list) {
		size_t size = strcspn(list, ":");
		const char *dir = bg_arena_bytes(search->arena, list, size);
		list += size + (list[size] == ':');
		if (size == 0)
			continue; /* a stray ':', never the current folder */
		const char *fault = *dir != '/' ? "relative paths are not searched; write it whole"
				    : !search_dir(search, dir) ? strerror(errno)
							       : NULL;
		if (fault)
			add_missing(search, "BATCHGATE_MODULE_PATH",
				    bg_arena_format(search->arena, "%s: %s", dir, fault));
	}
}

static void search_default(struct search *search, const char *executable_dir, const char *below)
{
	const char *dir = bg_arena_format(search->arena, "%s/%s", executable_dir, below);
	/* Most installations have one of the two folders. */
	if (!search_dir(search, dir) && errno != ENOENT && errno != ENOTDIR)
		add_missing(search, below,
			    bg_arena_format(search->arena, "%s: %s", dir, strerror(errno)));
}

/* Modules of ours that are nowhere. */
static void add_absent(struct search *search)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const char *name = known[i].name;
		if (was_tried(search, name))
			continue;
		add_missing(search, name,
			    known[i].built ? bg_arena_format(search->arena,
							     "no %s" SUFFIX " where modules are "
							     "looked for; batchgate help list says "
							     "where",
							     name)
					   : bg_arena_format(search->arena, "not built: %s",
							     known[i].left_out));
	}
}

void bg_modules_load(struct bg_modules *ret, const char *executable_dir, const char *path_variable,
		     struct bg_arena *arena)
{
	assert(!executable_dir || *executable_dir == '/');
	*ret = (struct bg_modules){ 0 };
	struct search *search = bg_arena_alloc(arena, sizeof *search);
	search->arena = arena;
	search->found = ret;
	search_path(search, path_variable ? path_variable : "");
	if (executable_dir) {
		search_default(search, executable_dir, "modules");
		search_default(search, executable_dir, "../lib/batchgate/modules");
	}
	add_absent(search);
}

/* "build/kernels.so" -> "kernels" */
static const char *stem_of(const char *path, struct bg_arena *arena)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	size_t size = strlen(file), suffix = strlen(SUFFIX);
	bool has_suffix = size > suffix && strcmp(file + size - suffix, SUFFIX) == 0;
	return bg_arena_bytes(arena, file, has_suffix ? size - suffix : size);
}

const char *bg_plugin_load(struct bg_modules *ret, const char *path, struct bg_arena *arena)
{
	struct search *search = bg_arena_alloc(arena, sizeof *search);
	*ret = (struct bg_modules){ 0 };
	search->arena = arena;
	search->found = ret;
	/* A name without a slash would be looked for where the loader likes. */
	char *whole = realpath(path, NULL);
	const char *reason = whole ? NULL : strerror(errno);
	const char *absolute = whole ? bg_arena_text(arena, whole) : path;
	free(whole);
	const struct bg_module *module = reason ? NULL : open_module(&reason, absolute);
	if (!reason)
		reason = bg_module_fault(module, stem_of(path, arena), arena);
	if (!reason) {
		add_operations(search, module, absolute);
		return NULL;
	}
	/* dlerror names the file where it can, by the path it was given. */
	size_t size = strlen(absolute);
	if (strncmp(reason, absolute, size) == 0 && strncmp(reason + size, ": ", 2) == 0)
		reason += size + 2;
	return one_line(arena, bg_arena_format(arena, "%s: %s", path, reason));
}

const struct bg_loaded_operation *bg_modules_find(const struct bg_modules *modules,
						  const char *name, const char *engine)
{
	for (size_t i = 0; i < modules->operation_count; i++) {
		const struct bg_operation *operation = modules->operations[i].operation;
		if (strcmp(operation->name, name) == 0 &&
		    (!engine || strcmp(operation->engine, engine) == 0))
			return &modules->operations[i];
	}
	return NULL;
}
