#ifndef BG_WORKLOADS_MODULES_H
#define BG_WORKLOADS_MODULES_H
/*
 * The modules that a worker can use: found, loaded and checked. Only workers load them.
 *
 * Searched, in this order: the folders of a path list (BATCHGATE_MODULE_PATH), modules/ beside the
 * executable, and ../lib/batchgate/modules from there; never the current folder. The first folder
 * that has NAME.so settles that name, good or bad. Whatever cannot be used is listed as missing,
 * with the reason. Nothing is unloaded, refused or not: what it started may live on.
 */
#include "gate/wire/message.h"
#include "workloads/workload.h"

#define BG_MODULES_MAX 256	     /* files tried */
#define BG_MODULE_OPERATIONS_MAX 256 /* of one module */

struct bg_loaded_operation {
	const struct bg_module *module;
	const struct bg_operation *operation;
	const char *path; /* of the file, absolute */
};

struct bg_modules {
	size_t operation_count; /* at most BG_WORKLOADS_MAX */
	struct bg_loaded_operation *operations;
	size_t missing_count;
	struct bg_missing_module *missing;
};

/*
 * Runs the constructors and bg_module_v1 of every module found, and no hook. There is no failure:
 * what does not load is in ret->missing.
 *
 * executable_dir  absolute, or NULL to search path_variable only
 * path_variable   absolute folders with ':' between them, or NULL
 * cost            a dlopen each; libraries are loaded later, by usable and setup
 */
void bg_modules_load(struct bg_modules *ret, const char *executable_dir, const char *path_variable,
		     struct bg_arena *arena);

/*
 * The same for one library that the user names: its constructors and bg_module_v1 are run.
 * path     relative to the current folder, or absolute
 * returns  why it cannot be used, in one line that begins with the path; NULL where it can
 */
const char *bg_plugin_load(struct bg_modules *ret, const char *path, struct bg_arena *arena);

/* By name and engine; engine NULL takes the first of that name. NULL where there is none. */
const struct bg_loaded_operation *bg_modules_find(const struct bg_modules *modules,
						  const char *name, const char *engine);

/*
 * What is wrong with a module's table, in one line; NULL where it can be used. Looks no further
 * than the sizes until those are right.
 * stem  the file's name without ".so"
 */
const char *bg_module_fault(const struct bg_module *module, const char *stem,
			    struct bg_arena *arena);
#endif
