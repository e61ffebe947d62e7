#ifndef BG_TESTS_REPOSITORY_SCRATCH_H
#define BG_TESTS_REPOSITORY_SCRATCH_H
/* What the tests of repositories and of revisions both ask. */
#include "baselines/repository.h"
#include "tests/unit/git_scratch.h"

static inline struct bg_repository opened(struct scratch *s, const char *dir)
{
	struct bg_repository repository;
	if (bg_repository_open(&repository, dir, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return repository;
}

static inline void expect_text(struct scratch *s, enum bg_status got, enum bg_status expected,
			       const char *text)
{
	assert_int_equal(got, expected);
	assert_int_equal(s->err.status, expected);
	assert_string_equal(s->err.text, text);
	bg_error_clear(&s->err);
}

static inline void expect_part(struct scratch *s, enum bg_status got, enum bg_status expected,
			       const char *part)
{
	assert_int_equal(got, expected);
	if (!strstr(s->err.text, part))
		fail_msg("\"%s\" does not say \"%s\"", s->err.text, part);
	bg_error_clear(&s->err);
}

static inline struct bg_revision found(struct scratch *s, const struct bg_repository *repository,
				       const char *rev)
{
	struct bg_revision revision;
	if (bg_revision_find(&revision, repository, rev, &s->arena, &s->err) != BG_OK)
		fail_msg("%s: %s", rev, s->err.text);
	return revision;
}

static inline enum bg_status find(struct scratch *s, const struct bg_repository *repository,
				  const char *rev)
{
	struct bg_revision revision = { .commit = "untouched" };
	enum bg_status status = bg_revision_find(&revision, repository, rev, &s->arena, &s->err);
	assert_string_equal(revision.commit, "untouched");
	return status;
}
#endif
