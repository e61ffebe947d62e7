#ifndef BG_TESTS_WORKTREE_SCRATCH_H
#define BG_TESTS_WORKTREE_SCRATCH_H
/* A repository with two commits, opened, and what is left of work trees outside and inside it. */
#include "baselines/worktree.h"
#include "tests/unit/repository_scratch.h"

#include <dirent.h>

struct trees_fixture {
	struct scratch *s;
	struct bg_repository repository;
	struct bg_revision base, head;
};

static inline struct trees_fixture trees_fixture_of(struct scratch *s, const char *dir)
{
	struct trees_fixture f = { .s = s };
	f.repository = opened(s, dir);
	f.base = found(s, &f.repository, "HEAD~1");
	f.head = found(s, &f.repository, "HEAD");
	return f;
}

static inline struct trees_fixture trees_fixture_make(struct scratch *s)
{
	return trees_fixture_of(s, scratch_repository(s));
}

static inline struct bg_worktrees trees_make(struct trees_fixture *f)
{
	struct bg_worktrees trees;
	if (bg_worktrees_make(&trees, &f->repository, f->base.commit, f->head.commit, &f->s->arena,
			      &f->s->err) != BG_OK)
		fail_msg("%s", f->s->err.text);
	return trees;
}

static inline void trees_remove(struct trees_fixture *f, struct bg_worktrees *trees)
{
	if (bg_worktrees_remove(trees, &f->s->err) != BG_OK)
		fail_msg("%s", f->s->err.text);
	assert_null(trees->dir);
}

/* Entries of a folder; 0 where it is absent. */
static inline size_t entry_count(const char *folder)
{
	size_t count = 0;
	DIR *entries = opendir(folder);
	for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (entries)
		closedir(entries);
	return count;
}

static inline size_t registered_count(struct trees_fixture *f)
{
	return entry_count(bg_arena_format(&f->s->arena, "%s/worktrees", f->repository.common_dir));
}

static inline size_t run_count(struct trees_fixture *f)
{
	return entry_count(f->s->cache);
}

/* No run's folder, no registration, and git agrees. */
static inline void nothing_is_left(struct trees_fixture *f)
{
	assert_int_equal(run_count(f), 0);
	assert_int_equal(registered_count(f), 0);
	setenv("WHERE", f->repository.root, 1);
	assert_string_equal(
		scratch_run(f->s,
			    "git -C \"$WHERE\" worktree list --porcelain -z | tr '\\0' '\\n' |"
			    "grep -c '^worktree '"),
		"1");
}

/* The dead's own programs may hold their lock for a moment longer: asks until all is swept. */
static inline void sweep_all(struct trees_fixture *f)
{
	for (int i = 0; i < 1000 && run_count(f) > 0; i++) {
		bg_worktrees_sweep(&f->repository, &f->s->arena);
		if (run_count(f) > 0)
			usleep(10000);
	}
	bg_worktrees_sweep(&f->repository, &f->s->arena);
}

/* What a file holds, without the last line's end. */
static inline const char *file_text(struct scratch *s, const char *folder, const char *name)
{
	struct bg_error err = BG_ERROR_INIT;
	char *text;
	size_t size;
	if (bg_file_read(&text, &size, bg_arena_format(&s->arena, "%s/%s", folder, name), 4096,
			 &s->arena, &err) != BG_OK)
		return NULL;
	return bg_arena_bytes(&s->arena, text, size > 0 ? size - 1 : 0);
}
#endif
