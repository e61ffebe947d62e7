#include "baselines/store.h"

#include "tests/unit/record_result.h"
#include "tests/unit/repository_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)
#define ELSEWHERE "1111111111111111111111111111111111111111"
#define MIRROR "refs/batchgate/mirror/origin/" RECORD_CLASS

/* "work": commits 0 to 5 on main, each with a file of its own number. */
static struct bg_repository history(struct scratch *s)
{
	scratch_run(s, "git init -q -b main work; cd work; for i in 0 1 2 3 4 5; do echo $i >f;"
		       "git add f; git commit -qm $i; done");
	return opened(s, scratch_path(s, "work"));
}

static const char *id(struct scratch *s, const char *rev)
{
	return scratch_run(s, bg_arena_format(&s->arena, "cd work; git rev-parse '%s'", rev));
}

struct spooled {
	const char *commit, *tree, *suite;
	bool dirty;
};

/* Keeps a record in the spool of the repository; returns its run id. */
static const char *keep(struct scratch *s, const struct bg_repository *repository,
			struct spooled what)
{
	struct bg_result result = record_result(1, 6, &s->arena);
	struct bg_record record;
	const char *path;
	char run[BG_RECORD_RUN_SIZE];
	result.head.commit = what.commit;
	result.head.tree = what.tree;
	result.head.dirty = what.dirty;
	if (what.suite)
		result.suite = what.suite;
	if (bg_run_id_make(run, &s->err) != BG_OK ||
	    bg_record_from_result(&record, &result, run, &s->arena, &s->err) != BG_OK ||
	    bg_spool_write(&path, repository->common_dir, &record, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return record.run;
}

static const char *keep_of(struct scratch *s, const struct bg_repository *repository,
			   const char *rev)
{
	return keep(
		s, repository,
		(struct spooled){ .commit = id(s, rev),
				  .tree = id(s, bg_arena_format(&s->arena, "%s^{tree}", rev)) });
}

static struct bg_store store_of(struct scratch *s, const struct bg_repository *repository)
{
	struct bg_store_name name = { "origin", RECORD_CLASS };
	struct bg_store store;
	if (bg_store_open(&store, repository, &name, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return store;
}

static struct bg_store_query query_of(struct scratch *s, const char *rev)
{
	return (struct bg_store_query){ id(s, rev),
					id(s, bg_arena_format(&s->arena, "%s^{tree}", rev)),
					"smoke" };
}

static struct bg_store_found find_for(struct scratch *s, const struct bg_repository *repository,
				      const char *rev)
{
	struct bg_store store = store_of(s, repository);
	struct bg_store_query query = query_of(s, rev);
	struct bg_store_found found;
	if (bg_store_find(&found, &store, &query, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	return found;
}

static void says(struct scratch *s, const struct bg_store_found *found, const char *format,
		 const char *commit)
{
	assert_string_equal(found->how, bg_arena_format(&s->arena, "%s%.12s", format, commit));
}

static void the_commit_itself_comes_first(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	const char *head = id(s, "HEAD");
	keep_of(s, &repository, "HEAD~1");
	const char *a = keep_of(s, &repository, "HEAD"), *b = keep_of(s, &repository, "HEAD");
	struct bg_store_found found = find_for(s, &repository, "HEAD");
	assert_int_equal(found.way, BG_STORE_EXACT);
	assert_int_equal(found.count, 2);
	assert_string_equal(found.commit, head);
	assert_string_equal(found.records[0].run, strcmp(a, b) < 0 ? a : b);
	says(s, &found, "recorded for ", head);
	bg_repository_close(&repository);
}

static void the_same_tree_is_the_same_code(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	const char *tree = id(s, "HEAD^{tree}");
	keep_of(s, &repository, "HEAD~1");
	/* Of a commit that is not here, as after a squash. */
	keep(s, &repository, (struct spooled){ .commit = ELSEWHERE, .tree = tree });
	struct bg_store_found found = find_for(s, &repository, "HEAD");
	assert_int_equal(found.way, BG_STORE_TREE);
	assert_int_equal(found.count, 1);
	says(s, &found, "same tree as ", ELSEWHERE);
	/* And of one that is. */
	scratch_run(s, "cd work; git commit -q --amend -m again; git branch other HEAD@{1}");
	keep_of(s, &repository, "other");
	found = find_for(s, &repository, "HEAD");
	assert_int_equal(found.way, BG_STORE_TREE);
	assert_int_equal(found.count, 2);
	assert_non_null(strstr(found.how, " and 1 more"));
	bg_repository_close(&repository);
}

static void the_nearest_first_parent_is_next(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	keep_of(s, &repository, "HEAD~5");
	const char *run = keep_of(s, &repository, "HEAD~3");
	struct bg_store_found found = find_for(s, &repository, "HEAD");
	assert_int_equal(found.way, BG_STORE_ANCESTOR);
	assert_int_equal(found.distance, 3);
	assert_string_equal(found.records[0].run, run);
	assert_non_null(strstr(found.how, "nearest ancestor with a record, "));
	assert_non_null(strstr(found.how, ", 3 commits back"));
	assert_non_null(strstr(find_for(s, &repository, "HEAD~2").how, ", 1 commit back"));
	bg_repository_close(&repository);
}

static void second_parents_do_not_count(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	scratch_run(s, "cd work; git checkout -q -b side HEAD~1; echo x >g; git add g;"
		       "git commit -qm side; git checkout -q main;"
		       "git merge -q --no-ff -m merge side");
	keep_of(s, &repository, "side");
	keep_of(s, &repository, "HEAD~4");
	struct bg_store_found found = find_for(s, &repository, "HEAD");
	assert_int_equal(found.distance, 4);
	bg_repository_close(&repository);
}

static void other_suites_and_dirty_heads_do_not_serve(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	const char *head = id(s, "HEAD"), *tree = id(s, "HEAD^{tree}");
	keep(s, &repository, (struct spooled){ .commit = head, .tree = tree, .suite = "other" });
	keep(s, &repository, (struct spooled){ .commit = head, .tree = tree, .dirty = true });
	struct bg_store_found found = find_for(s, &repository, "HEAD");
	assert_int_equal(found.way, BG_STORE_NONE);
	assert_int_equal(found.count, 0);
	assert_false(found.cut);
	assert_non_null(strstr(found.how, "no record of suite smoke and class " RECORD_CLASS));
	assert_non_null(strstr(found.how, "5 first parents of it; batchgate baseline fetch"));
	bg_repository_close(&repository);
}

static void fifty_commits_back_is_the_end(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	scratch_run(s, "cd work; for i in $(seq 50); do git commit -q --allow-empty -m $i; done");
	/* An empty commit has its parent's tree: the walk alone is asked for. */
	struct bg_store_query query = { .commit = id(s, "HEAD"), .suite = "smoke" };
	struct bg_store_found found;
	keep_of(s, &repository, "HEAD~51");
	struct bg_store store = store_of(s, &repository);
	assert_int_equal(bg_store_find(&found, &store, &query, &s->arena, &s->err), BG_OK);
	assert_int_equal(found.way, BG_STORE_NONE);
	keep_of(s, &repository, "HEAD~50");
	store = store_of(s, &repository);
	assert_int_equal(bg_store_find(&found, &store, &query, &s->arena, &s->err), BG_OK);
	assert_int_equal(found.distance, 50);
	bg_repository_close(&repository);
}

static void the_end_of_a_shallow_clone_is_not_the_end_of_history(void **state)
{
	struct scratch *s = *state;
	struct bg_repository full = history(s);
	const char *old = id(s, "HEAD~4"), *old_tree = id(s, "HEAD~4^{tree}");
	scratch_run(s, "mv work full; git clone -q --depth 3 file://$PWD/full work");
	bg_repository_close(&full);
	struct bg_repository repository = opened(s, scratch_path(s, "work"));
	keep(s, &repository, (struct spooled){ .commit = old, .tree = old_tree });
	struct bg_store_found found = find_for(s, &repository, "HEAD");
	assert_int_equal(found.way, BG_STORE_NONE);
	assert_true(found.cut);
	assert_non_null(strstr(found.how, "2 first parents of it"));
	assert_non_null(strstr(found.how, "git fetch --deepen=50"));
	/* A commit that is not here, as a CI system may name, needs no history. */
	struct bg_store store = store_of(s, &repository);
	struct bg_store_query query = { .commit = old, .suite = "smoke" };
	assert_int_equal(bg_store_find(&found, &store, &query, &s->arena, &s->err), BG_OK);
	assert_int_equal(found.way, BG_STORE_EXACT);
	query.commit = ELSEWHERE;
	assert_int_equal(bg_store_find(&found, &store, &query, &s->arena, &s->err), BG_OK);
	assert_true(found.cut);
	bg_repository_close(&repository);
}

/* The spooled records of a commit as a note of the mirror, with more text in it. */
static void publish(struct scratch *s, const char *rev, const char *more)
{
	scratch_run(s, bg_arena_format(&s->arena,
				       "cd work; cat .git/batchgate/spool/*.json >note;"
				       "printf '%%s\\n' '%s' >>note; rm .git/batchgate/spool/*;"
				       "git notes --ref=x add -f -F note %s; rm note;"
				       "git update-ref " MIRROR " refs/notes/x",
				       more, rev));
}

static void a_note_with_a_bad_record_is_no_baseline(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	struct bg_store_found found = { .how = "untouched" };
	keep_of(s, &repository, "HEAD~1");
	publish(s, "HEAD~1", "{\"schema\":\"batchgate.record/1\"");
	struct bg_store store = store_of(s, &repository);
	struct bg_store_query query = query_of(s, "HEAD");
	expect_part(s, bg_store_find(&found, &store, &query, &s->arena, &s->err), BG_E_UNJUDGED,
		    "has 1 record that cannot be read");
	assert_string_equal(found.how, "untouched");
	/* What somebody else wrote there is no harm. */
	keep_of(s, &repository, "HEAD~1");
	publish(s, "HEAD~1", "seen by somebody");
	assert_int_equal(find_for(s, &repository, "HEAD").way, BG_STORE_ANCESTOR);
	bg_repository_close(&repository);
}

static void mirror_and_spool_are_read_together_and_each_run_once(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	const char *a = keep_of(s, &repository, "HEAD"), *spool = "work/.git/batchgate/spool";
	scratch_run(s, bg_arena_format(&s->arena, "cp -r %s kept", spool));
	publish(s, "HEAD", "");
	scratch_run(s, bg_arena_format(&s->arena, "cp kept/* %s", spool));
	const char *b = keep_of(s, &repository, "HEAD");
	struct bg_store store = store_of(s, &repository);
	struct bg_store_sessions sessions;
	assert_int_equal(store.commit_count, 1);
	assert_int_equal(bg_store_read(&sessions, &store, id(s, "HEAD"), &s->arena, &s->err),
			 BG_OK);
	assert_int_equal(sessions.count, 2);
	size_t waiting = strcmp(a, b) < 0;
	assert_string_equal(sessions.records[waiting].run, b);
	assert_true(sessions.waiting[waiting]);
	assert_false(sessions.waiting[1 - waiting]);
	bg_repository_close(&repository);
}

static void history_is_in_first_parent_order_whatever_the_clock_said(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = history(s);
	const char *runs[3];
	runs[2] = keep_of(s, &repository, "HEAD~4");
	runs[0] = keep_of(s, &repository, "HEAD");
	runs[1] = keep_of(s, &repository, "HEAD~1");
	keep(s, &repository,
	     (struct spooled){
		     .commit = id(s, "HEAD"), .tree = id(s, "HEAD^{tree}"), .suite = "other" });
	struct bg_store store = store_of(s, &repository);
	struct bg_store_query query = query_of(s, "HEAD");
	struct bg_store_history read;
	assert_int_equal(bg_store_history_read(&read, &store, &query, 100, &s->arena, &s->err),
			 BG_OK);
	assert_int_equal(read.count, 3);
	assert_false(read.cut);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(read.records[i].run, runs[i]);
	assert_int_equal(bg_store_history_read(&read, &store, &query, 2, &s->arena, &s->err),
			 BG_OK);
	assert_int_equal(read.count, 2);
	bg_repository_close(&repository);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_commit_itself_comes_first),
		TEST(the_same_tree_is_the_same_code),
		TEST(the_nearest_first_parent_is_next),
		TEST(second_parents_do_not_count),
		TEST(other_suites_and_dirty_heads_do_not_serve),
		TEST(fifty_commits_back_is_the_end),
		TEST(the_end_of_a_shallow_clone_is_not_the_end_of_history),
		TEST(a_note_with_a_bad_record_is_no_baseline),
		TEST(mirror_and_spool_are_read_together_and_each_run_once),
		TEST(history_is_in_first_parent_order_whatever_the_clock_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
