#ifndef BG_BASELINES_EDITABLE_H
#define BG_BASELINES_EDITABLE_H
/*
 * Python packages that an environment does not hold itself but takes from the user's work tree
 * ("editable" or "development" installs). Both arms would import the same code through one, and
 * would be found equal.
 *
 * What is read: lib/python3.x/site-packages of the environment; there the files *.pth and
 * *.egg-link (a line with a path), the finders that setuptools and others write (__editable__*.py),
 * and direct_url.json of each package (PEP 610).
 */
#include "gate/core/arena.h"

#include <stdbool.h>

#define BG_EDITABLE_MAX 64

struct bg_editable {
	const char *file; /* that names the work tree, as a path: "lib/python3.11/.../x.pth" */
	const char
		*place; /* below the work tree, "" itself: what Python must look in; NULL unknown */
};

/*
 * Packages in the environment at prefix that name the work tree at root, each place once, at most
 * BG_EDITABLE_MAX; sorted by place. What cannot be read names nothing. root: absolute, links
 * resolved, no slash at its end; "/" names nothing.
 */
size_t bg_editable_find(const struct bg_editable **ret, const char *prefix, const char *root,
			struct bg_arena *arena);

/* True where folder is the top of a Python or conda environment. */
bool bg_editable_is_environment(const char *folder, struct bg_arena *arena);
#endif
