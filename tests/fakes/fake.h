#ifndef BG_TESTS_FAKE_H
#define BG_TESTS_FAKE_H
/*
 * Libraries that err on purpose: each is compiled by a test under a real one's name and loaded
 * first, so that a module's own dlopen of that name gives it. The test sets these variables.
 */
enum fake_mode {
	FAKE_RIGHT,
	FAKE_FIRST_WRONG,
	FAKE_LAST_WRONG,
	FAKE_UNWRITTEN,
	FAKE_TRANSPOSED,
	FAKE_ROUGH, /* off by a thousandth */
	FAKE_ALL_ZERO
};

extern int fake_mode, fake_threads_max, fake_calls;
extern const void *fake_a, *fake_b; /* operands of the last call */
#endif
