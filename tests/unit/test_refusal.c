#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "baselines/refusal.h"

#include <string.h>

#define REF "refs/notes/batchgate/v1/c1"
#define OID "0123456789abcdef0123456789abcdef01234567"
#define LINE(flag, text) flag "\t" OID ":" REF "\t" text "\n"

static bool is_final(const char *output)
{
	struct bg_arena arena = BG_ARENA_INIT;
	bool final = bg_refusal_is_final(output, &arena);
	bg_arena_release(&arena);
	return final;
}

/* The answer; *reason is compared where it is rejected. */
static enum bg_push_answer answer(const char *output, const char *expected)
{
	struct bg_arena arena = BG_ARENA_INIT;
	const char *reason = NULL;
	enum bg_push_answer found = bg_push_answer_read(&reason, output, REF, &arena);
	if (found == BG_PUSH_REJECTED)
		assert_string_equal(reason, expected);
	bg_arena_release(&arena);
	return found;
}

/* As git 2.39 and servers were seen to say them when others push too. */
static const char *const conflicts[] = {
	"[rejected] (stale info)",
	"[rejected] (fetch first)",
	"[rejected] (non-fast-forward)",
	"[remote rejected] (failed to update ref)",
	"[remote rejected] (cannot lock ref 'refs/notes/x': is at 1 but expected 2)",
	"[remote rejected] (incorrect old value provided)",
	"[remote rejected] (reference already exists)",
	"[remote rejected] (cannot lock ref 'refs/denied': '/protected/x.lock': File exists.)",
	"[remote failure] (remote failed to report status)",
};

static const char *const refusals[] = {
	"[remote rejected] (pre-receive hook declined)",
	"[remote rejected] (hook declined)",
	"[remote rejected] (deny updating a hidden ref)",
	"[remote rejected] (protected branch hook declined)",
	"[remote rejected] (permission denied)",
	"[remote rejected] (push to this reference is not allowed)",
};

static void conflicts_are_tried_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
		if (is_final(conflicts[i]))
			fail_msg("final: %s", conflicts[i]);
}

static void refusals_end_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (!is_final(refusals[i]))
			fail_msg("not final: %s", refusals[i]);
	static const char *const outputs[] = {
		"fatal: unable to access 'https://h/r.git/': The requested URL returned error: 403",
		"remote: Permission to o/r.git denied to github-actions[bot].\nfatal: x\n",
		"git@h: Permission denied (publickey).\r\nfatal: Could not read from remote\n",
		"fatal: Authentication failed for 'https://h/r.git/'",
		"fatal: could not read Username for 'https://h': terminal prompts disabled",
		"remote: GitLab: You are not allowed to push code to this project.\n",
	};
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		if (!is_final(outputs[i]))
			fail_msg("not final: %s", outputs[i]);
}

static void names_that_people_chose_decide_nothing(void **state)
{
	(void)state;
	static const char *const outputs[] = {
		"To file:///srv/denied/protected.git\n",
		"fatal: unable to access 'https://h/denied/forbidden.git/': Could not resolve host",
		"fatal: https://h/denied/x.git: the remote end hung up\n",
		LINE("!", "[rejected] (stale info)"),
		"!\tHEAD:refs/notes/batchgate/v1/protected\t[rejected] (stale info)\n",
		"error: failed to push some refs to 'file:///srv/hidden/denied.git'\n",
		"",
	};
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		if (is_final(outputs[i]))
			fail_msg("final: %s", outputs[i]);
	assert_false(is_final(NULL));
}

static void only_our_references_line_is_an_answer(void **state)
{
	(void)state;
	assert_int_equal(answer("To x\n" LINE("*", "[new reference]") "Done\n", ""), BG_PUSH_TAKEN);
	assert_int_equal(answer(LINE(" ", "1..2"), ""), BG_PUSH_TAKEN);
	assert_int_equal(answer(LINE("=", "[up to date]"), ""), BG_PUSH_TAKEN);
	assert_int_equal(answer(LINE("+", "1...2 (forced update)"), ""), BG_PUSH_TAKEN);
	assert_int_equal(answer("remote: noise\n" LINE("!", "[rejected] (stale info)") "Done\n",
				"[rejected] (stale info)"),
			 BG_PUSH_REJECTED);
	static const char *const others[] = {
		"Done\n",
		"*\t" OID ":" REF "x\t[new reference]\n",
		"*\t" OID ":refs/heads/main\t[new branch]\n",
		"remote: *\t" OID ":" REF "\t[new reference]\n",
		"-\t:" REF "\t[deleted]\n",
		"*\t" OID ":" REF,
		"*\n\t:" REF "\t\n",
		"",
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (answer(others[i], "") != BG_PUSH_NO_ANSWER)
			fail_msg("an answer: %s", others[i]);
	assert_int_equal(answer(NULL, ""), BG_PUSH_NO_ANSWER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conflicts_are_tried_again),
		cmocka_unit_test(refusals_end_it),
		cmocka_unit_test(names_that_people_chose_decide_nothing),
		cmocka_unit_test(only_our_references_line_is_an_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
