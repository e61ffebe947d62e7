#include "baselines/remote.h"

#include "tests/unit/repository_scratch.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, remote_make, scratch_remove)

static int remote_make(void **state)
{
	static const char *const gone[] = { "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS" };
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		unsetenv(gone[i]);
	return scratch_make(state);
}

static struct bg_repository made(struct scratch *s, const char *settings)
{
	scratch_run(s,
		    bg_arena_format(&s->arena, "git init -q -b main work; cd work; %s", settings));
	return opened(s, scratch_path(s, "work"));
}

static void chooses(struct scratch *s, const char *settings, const char *given,
		    const char *expected)
{
	struct bg_repository repository = made(s, settings);
	struct bg_remote remote;
	if (bg_remote_find(&remote, &repository, given, &s->arena, &s->err) != BG_OK)
		fail_msg("%s: %s", settings, s->err.text);
	assert_string_equal(remote.name, expected);
	bg_repository_close(&repository);
	scratch_run(s, "rm -rf work");
}

static void refuses(struct scratch *s, const char *settings, const char *given,
		    enum bg_status status, const char *part)
{
	struct bg_repository repository = made(s, settings);
	struct bg_remote remote = { .name = "untouched" };
	expect_part(s, bg_remote_find(&remote, &repository, given, &s->arena, &s->err), status,
		    part);
	assert_string_equal(remote.name, "untouched");
	bg_repository_close(&repository);
	scratch_run(s, "rm -rf work");
}

#define TWO "git remote add up file:///up; git remote add fork file:///fork; "

static void the_branchs_remote_then_origin_then_the_only_one(void **state)
{
	struct scratch *s = *state;
	chooses(s, "git remote add up file:///up", NULL, "up");
	chooses(s, TWO "git remote add origin file:///o", NULL, "origin");
	chooses(s, TWO "git remote add origin file:///o; git config branch.main.remote up", NULL,
		"up");
	chooses(s, TWO "git config branch.other.remote fork; git config branch.main.remote up",
		NULL, "up");
	/* One that has gone, or is the repository itself, is none. */
	chooses(s, TWO "git remote add origin file:///o; git config branch.main.remote gone", NULL,
		"origin");
	chooses(s, TWO "git remote add origin file:///o; git config branch.main.remote .", NULL,
		"origin");
	chooses(s, TWO "git remote add a.b/c file:///o", "a.b/c", "a.b/c");
}

static void nothing_is_guessed_and_no_address_is_taken(void **state)
{
	struct scratch *s = *state;
	refuses(s, ":", NULL, BG_E_SYSTEM, "git remote add origin URL");
	refuses(s, TWO, NULL, BG_E_SYSTEM, "none of 2 remotes");
	refuses(s, TWO, "file:///fork", BG_E_USAGE, "no remote 'file:///fork' is configured here");
	refuses(s, TWO, "frok", BG_E_USAGE, "did you mean 'fork'?");
	refuses(s, TWO, "--upload-pack=x", BG_E_USAGE, "no remote");
	refuses(s, "git config remote.--upload-pack=x.url file:///x", NULL, BG_E_SYSTEM,
		"git remote rename");
}

static const char *variable(const struct bg_remote *remote, const char *name)
{
	for (size_t i = 0; remote->env[i]; i++)
		if (strncmp(remote->env[i], name, strlen(name)) == 0)
			return remote->env[i] + strlen(name);
	return NULL;
}

static const char *ssh_command(struct scratch *s, const char *settings)
{
	struct bg_repository repository =
		made(s, bg_arena_format(&s->arena, "git remote add o x:y; %s", settings));
	struct bg_remote remote;
	if (bg_remote_find(&remote, &repository, NULL, &s->arena, &s->err) != BG_OK)
		fail_msg("%s", s->err.text);
	bg_repository_close(&repository);
	scratch_run(s, "rm -rf work");
	return variable(&remote, "GIT_SSH_COMMAND=");
}

static void ssh_asks_nobody_and_stays_the_users(void **state)
{
	struct scratch *s = *state;
	assert_string_equal(ssh_command(s, ":"), "ssh -o BatchMode=yes");
	assert_string_equal(ssh_command(s, "git config core.sshCommand '/usr/bin/ssh -i k'"),
			    "/usr/bin/ssh -i k -o BatchMode=yes");
	assert_null(ssh_command(s, "git config core.sshCommand 'plink -x'"));
	setenv("GIT_SSH_COMMAND", "ssh -F f", 1);
	assert_string_equal(ssh_command(s, "git config core.sshCommand 'ssh -i k'"),
			    "ssh -F f -o BatchMode=yes");
	unsetenv("GIT_SSH_COMMAND");
	setenv("GIT_SSH", "/opt/wrapper", 1);
	assert_null(ssh_command(s, ":"));
	unsetenv("GIT_SSH");
}

static void who_writes_notes_can_be_chosen(void **state)
{
	struct scratch *s = *state;
	struct bg_repository repository = made(
		s, "git remote add o x:y; git config user.name me; git config batchgate.notes.name "
		   "'The Bot'; git config batchgate.notes.email bot@example.org");
	struct bg_remote remote;
	setenv("GIT_ASKPASS", "/helper", 1);
	assert_int_equal(bg_remote_find(&remote, &repository, NULL, &s->arena, &s->err), BG_OK);
	unsetenv("GIT_ASKPASS");
	assert_string_equal(remote.author, "The Bot");
	assert_string_equal(remote.email, "bot@example.org");
	assert_string_equal(variable(&remote, "GIT_ASKPASS="), "/helper");
	bg_repository_close(&repository);
}

static void references_of_two_remotes_are_never_in_each_others_way(void **state)
{
	struct scratch *s = *state;
	struct bg_remote_refs refs = bg_remote_refs_of("a/b", "c", &s->arena);
	assert_string_equal(refs.remote, "refs/notes/batchgate/v1/c");
	assert_string_equal(refs.mirror, "refs/batchgate/mirror/a%2Fb/c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_branchs_remote_then_origin_then_the_only_one),
		TEST(nothing_is_guessed_and_no_address_is_taken),
		TEST(ssh_asks_nobody_and_stays_the_users),
		TEST(who_writes_notes_can_be_chosen),
		TEST(references_of_two_remotes_are_never_in_each_others_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
