#include "sweeps/tree_path.h"

#include <stdbool.h>
#include <string.h>

const char *bg_tree_path_problem(const char *path)
{
	bool names_something = false;
	if (path[0] == '/')
		return "is absolute";
	for (const char *part = path; *part;) {
		size_t size = strcspn(part, "/");
		if (size == 2 && memcmp(part, "..", 2) == 0)
			return "leaves the tree";
		if (size == 4 && memcmp(part, ".git", 4) == 0)
			return "is git's own";
		names_something |= size > 0 && !(size == 1 && part[0] == '.');
		part += size;
		part += *part == '/';
	}
	return names_something ? NULL : "is the whole tree";
}
