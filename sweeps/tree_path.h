#ifndef BG_SWEEPS_TREE_PATH_H
#define BG_SWEEPS_TREE_PATH_H

/*
 * What keeps a path of the suite file from being one inside an arm's tree ("is absolute", "leaves
 * the tree"), or NULL. Looks at the text only.
 */
const char *bg_tree_path_problem(const char *path);
#endif
