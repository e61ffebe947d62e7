#include "baselines/editable.h"

#include "tests/unit/git_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)
#define PACKAGES "lib/python3.11/site-packages"

/* An environment "v" of the work tree "/repo w", whose packages a script makes. */
static size_t found_in(struct scratch *s, const struct bg_editable **ret, const char *script)
{
	scratch_run(s, bg_arena_format(&s->arena,
				       "rm -rf v; mkdir -p v/" PACKAGES "; cd v/" PACKAGES "; %s",
				       script));
	return bg_editable_find(ret, scratch_path(s, "v"), "/repo w", &s->arena);
}

static void is_found(struct scratch *s, const char *script, const char *file, const char *place)
{
	const struct bg_editable *found;
	if (found_in(s, &found, script) != 1)
		fail_msg("not one: %s", script);
	assert_string_equal(found[0].file, bg_arena_format(&s->arena, PACKAGES "/%s", file));
	if (place)
		assert_string_equal(found[0].place, place);
	else
		assert_null(found[0].place);
}

static void nothing_is_found(struct scratch *s, const char *script)
{
	const struct bg_editable *found;
	if (found_in(s, &found, script) != 0)
		fail_msg("found %s: %s", found[0].file, script);
}

static void paths_are_found(void **state)
{
	struct scratch *s = *state;
	is_found(s, "echo '/repo w/src' >a.pth", "a.pth", "src");
	is_found(s, "printf '/usr\\r\\n/repo w/\\r\\n' >a.pth", "a.pth", "");
	is_found(s, "printf '/repo w' >a.egg-link", "a.egg-link", "");
	is_found(s, "echo \"import sys; sys.path.insert(0, '/repo w/a/b/')\" >a.pth", "a.pth",
		 "a/b");
}

static void finders_are_found(void **state)
{
	struct scratch *s = *state;
	is_found(s, "echo \"MAPPING = {'p': '/repo w/src/p'}\" >__editable___p_finder.py",
		 "__editable___p_finder.py", "src");
	is_found(s, "echo \"MAPPING = {'p': '/repo w/p.py'}\" >__editable___p_finder.py",
		 "__editable___p_finder.py", "");
	is_found(s, "echo \"MAPPING = {'p': '/repo w'}\" >__editable___p_finder.py",
		 "__editable___p_finder.py", NULL);
}

static void origins_are_found(void **state)
{
	struct scratch *s = *state;
#define ORIGIN(name, text)                                                                         \
	"mkdir " name ".dist-info; echo '{\"url\": \"file:///repo%20w\", \"dir_info\": {" text     \
	"}}' >" name ".dist-info/direct_url.json;"
	is_found(s, ORIGIN("p-1", ""), "p-1.dist-info", NULL);
	is_found(s, ORIGIN("p-1", "\"editable\": true"), "p-1.dist-info", NULL);
	is_found(s, ORIGIN("p-1", "\"editable\": true") "echo '/repo w/src' >p.pth", "p.pth",
		 "src");
	const struct bg_editable *found;
	assert_int_equal(found_in(s, &found, ORIGIN("p-1", "") "echo '/repo w/src' >p.pth"), 2);
	assert_null(found[0].place);
	assert_string_equal(found[1].place, "src");
}

static void other_places_are_no_matter(void **state)
{
	struct scratch *s = *state;
	nothing_is_found(s, "echo '/repo wide/src' >a.pth; echo '/x/repo w' >b.pth");
	nothing_is_found(s, "echo '/repo w/src' >a.txt; echo \"'/repo w/p'\" >module.py");
	nothing_is_found(s, "mkdir a.pth; mkfifo b.pth; printf 'a\\0/repo w' >c.pth");
	nothing_is_found(s, "mkdir p-1.dist-info; echo '{\"url\": \"file:///repo%20wide\"}'"
			    " >p-1.dist-info/direct_url.json");
	const struct bg_editable *found;
	assert_int_equal(bg_editable_find(&found, "/nowhere", "/repo w", &s->arena), 0);
	scratch_run(s, "echo / >v/" PACKAGES "/a.pth");
	assert_int_equal(bg_editable_find(&found, scratch_path(s, "v"), "/", &s->arena), 0);
}

static void each_place_is_told_once_in_order(void **state)
{
	struct scratch *s = *state;
	const struct bg_editable *found;
	assert_int_equal(
		found_in(s, &found,
			 "for f in c b; do printf '/repo w/z\\n/repo w/y\\n' >$f.pth; done"),
		2);
	assert_string_equal(found[0].place, "y");
	assert_string_equal(found[1].place, "z");
	assert_string_equal(found[0].file, PACKAGES "/b.pth");
	assert_int_equal(found_in(s, &found, "seq -f '/repo w/%g' 1000 >a.pth"), BG_EDITABLE_MAX);
}

static void an_environment_is_known_by_its_top(void **state)
{
	struct scratch *s = *state;
	scratch_run(s, "mkdir v c c/conda-meta n; touch v/pyvenv.cfg");
	assert_true(bg_editable_is_environment(scratch_path(s, "v"), &s->arena));
	assert_true(bg_editable_is_environment(scratch_path(s, "c"), &s->arena));
	assert_false(bg_editable_is_environment(scratch_path(s, "n"), &s->arena));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths_are_found),
		TEST(finders_are_found),
		TEST(origins_are_found),
		TEST(other_places_are_no_matter),
		TEST(each_place_is_told_once_in_order),
		TEST(an_environment_is_known_by_its_top),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
