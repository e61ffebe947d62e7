#include "baselines/editable.h"

#include "gate/core/file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_SIZE_MAX ((size_t)1 << 20)

struct search {
	const char *root;
	size_t root_size;
	struct bg_editable *found;
	size_t count;
	const char *origin; /* a package that says it is an editable install; NULL */
	struct bg_arena *arena;
};

static void entries_drop(DIR **entries)
{
	if (*entries)
		closedir(*entries);
}

static bool has_end(const char *name, const char *end)
{
	size_t size = strlen(name), tail = strlen(end);
	return size >= tail && strcmp(name + size - tail, end) == 0;
}

/* Of two files that name the same place the first by name is kept, whatever the folder's order. */
static void add(struct search *search, const char *file, const char *place)
{
	for (size_t i = 0; i < search->count; i++) {
		struct bg_editable *known = &search->found[i];
		bool same = place && known->place ? strcmp(place, known->place) == 0
						  : place == known->place;
		if (!same)
			continue;
		if (strcmp(file, known->file) < 0)
			known->file = file;
		return;
	}
	if (search->count < BG_EDITABLE_MAX)
		search->found[search->count++] = (struct bg_editable){ file, place };
}

/* Where text, from `from` on, names root or a path below it, as a word of its own; or NULL. */
static const char *next_mention(const struct search *search, const char *text, const char *from)
{
	for (const char *at = from; (at = strstr(at, search->root)) != NULL; at++) {
		char after = at[search->root_size];
		if ((at == text || strchr("\"'=([, \t\n", at[-1])) &&
		    (after == '\0' || strchr("/\"'\r\n", after)))
			return at;
	}
	return NULL;
}

/* What follows root in a path that ends at a quote or a line's end, without outer slashes. */
static char *place_of(const struct search *search, const char *mention)
{
	const char *start = mention + search->root_size;
	start += strspn(start, "/");
	size_t size = strcspn(start, "\"'\r\n");
	while (size > 0 && start[size - 1] == '/')
		size--;
	return bg_arena_bytes(search->arena, start, size);
}

/* A finder maps a package to its folder: what Python must look in is the folder around it. */
static const char *around(char *place)
{
	char *slash = strrchr(place, '/');
	if (!place[0])
		return NULL; /* outside the work tree */
	if (!slash)
		return "";
	*slash = '\0';
	return place;
}

static char *read_text(const struct search *search, const char *path)
{
	struct bg_error ignored = BG_ERROR_INIT;
	char *text;
	size_t size;
	bool read =
		bg_file_read(&text, &size, path, FILE_SIZE_MAX, search->arena, &ignored) == BG_OK;
	return read && strlen(text) == size ? text : NULL;
}

static void search_paths(struct search *search, const char *path, const char *file, bool finder)
{
	const char *text = read_text(search, path);
	for (const char *at = text; at && (at = next_mention(search, text, at)) != NULL;
	     at += search->root_size) {
		char *place = place_of(search, at);
		add(search, file, finder ? around(place) : place);
	}
}

static int hex_value(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;
	return at ? (int)(at - digits) : -1;
}

static void decode_percent(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++) {
		int high = *from == '%' ? hex_value(from[1]) : -1;
		int low = high >= 0 ? hex_value(from[2]) : -1;
		*to++ = low >= 0 ? (char)(high * 16 + low) : *from;
		from += low >= 0 ? 2 : 0;
	}
	*to = '\0';
}

/* {"url": "file:///repo", "dir_info": {"editable": true}}: installed from there, however. */
static void search_origin(struct search *search, const char *path, const char *file)
{
	static const char scheme[] = "file://";
	char *text = read_text(search, path);
	if (!text)
		return;
	decode_percent(text);
	for (const char *at = text; (at = strstr(at, scheme)) != NULL; at++) {
		const char *named = at + sizeof scheme - 1;
		if (strncmp(named, search->root, search->root_size) != 0 ||
		    !strchr("/\"", named[search->root_size]))
			continue;
		if (!strstr(text, "\"editable\": true") && !strstr(text, "\"editable\":true"))
			add(search, file, NULL);
		else if (!search->origin || strcmp(file, search->origin) < 0)
			search->origin = file;
	}
}

static void search_entry(struct search *search, const char *packages, const char *shown,
			 const char *name)
{
	const char *path = bg_arena_format(search->arena, "%s/%s", packages, name);
	const char *file = bg_arena_format(search->arena, "%s/%s", shown, name);
	if (has_end(name, ".pth") || has_end(name, ".egg-link"))
		search_paths(search, path, file, false);
	else if (has_end(name, ".py") && strstr(name, "editable"))
		search_paths(search, path, file, true);
	else if (has_end(name, ".dist-info"))
		search_origin(search, bg_arena_format(search->arena, "%s/direct_url.json", path),
			      file);
}

static void search_packages(struct search *search, const char *prefix, const char *shown)
{
	const char *packages = bg_arena_format(search->arena, "%s/%s", prefix, shown);
	BG_AUTO(entries_drop) DIR *entries = opendir(packages);
	for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;)
		search_entry(search, packages, shown, entry->d_name);
}

static int compare_places(const void *a, const void *b)
{
	const struct bg_editable *x = a, *y = b;
	if (!x->place || !y->place)
		return (x->place != NULL) - (y->place != NULL);
	return strcmp(x->place, y->place);
}

size_t bg_editable_find(const struct bg_editable **ret, const char *prefix, const char *root,
			struct bg_arena *arena)
{
	struct search search = { .root = root, .root_size = strlen(root), .arena = arena };
	search.found = bg_arena_array(arena, BG_EDITABLE_MAX, sizeof *search.found);
	*ret = search.found;
	if (search.root_size < 2)
		return 0;
	BG_AUTO(entries_drop) DIR *entries = opendir(bg_arena_format(arena, "%s/lib", prefix));
	for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;)
		if (strncmp(entry->d_name, "python3", 7) == 0)
			search_packages(
				&search, prefix,
				bg_arena_format(arena, "lib/%s/site-packages", entry->d_name));
	/* Where a file says which place it is, its package's origin says nothing more. */
	if (search.origin && search.count == 0)
		add(&search, search.origin, NULL);
	qsort(search.found, search.count, sizeof *search.found, compare_places);
	return search.count;
}

bool bg_editable_is_environment(const char *folder, struct bg_arena *arena)
{
	return access(bg_arena_format(arena, "%s/pyvenv.cfg", folder), F_OK) == 0 ||
	       access(bg_arena_format(arena, "%s/conda-meta", folder), F_OK) == 0;
}
