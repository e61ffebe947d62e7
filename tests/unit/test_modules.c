#include "gate/core/file.h"
#include "gate/core/process.h"
#include "workloads/modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define OURS 4 /* modules of this version */

static struct bg_arena arena;
static const char *folder; /* of the test that runs, absolute */

/* A module of one operation, which does nothing; each flag breaks it in one place. */
static const char module_source[] =
	"#include \"workloads/workload.h\"\n"
	"#ifndef ABI\n#define ABI BG_MODULE_ABI\n#endif\n"
	"#ifndef SIZE\n#define SIZE sizeof(struct bg_module)\n#endif\n"
	"#ifndef ENGINE\n#define ENGINE \"none\"\n#endif\n"
	"#ifndef SETUP\n#define SETUP setup\n#endif\n"
	"#ifndef ENTRY\n#define ENTRY bg_module_v1\n#endif\n"
	"extern int nowhere(void);\n"
	"enum bg_answer setup(void **s, const struct bg_point *p, struct bg_why *w)\n"
	"{ (void)s; (void)p; (void)w; return BG_ANSWER_OK; }\n"
	"static void costs(void *s, struct bg_costs *c) { (void)s; c->items = 1; }\n"
	"static enum bg_answer run(void *s, struct bg_why *w)\n"
	"{ (void)s; (void)w;\n"
	"#ifdef NOWHERE\n return nowhere();\n#endif\n"
	" return BG_ANSWER_OK; }\n"
	"static void teardown(void *s) { (void)s; }\n"
	"static const struct bg_operation operation = { .name = \"nothing\", .engine = ENGINE,\n"
	" .summary = \"Does nothing\", .setup = SETUP, .costs = costs, .run = run,\n"
	" .teardown = teardown };\n"
	"static const struct bg_module module = { ABI, SIZE, sizeof operation,\n"
	" sizeof(struct bg_operation_axis), NAME, SUMMARY, 1, &operation, 0 };\n"
	"const struct bg_module *ENTRY(void);\n"
	"const struct bg_module *ENTRY(void) { return &module; }\n";

static int make_folder(void **state)
{
	(void)state;
	char template[] = "/tmp/batchgate-modules-XXXXXX";
	folder = bg_arena_text(&arena, mkdtemp(template));
	return folder ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	struct bg_error err = BG_ERROR_INIT;
	return bg_tree_remove(folder, &err) == BG_OK ? 0 : -1;
}

static int release_arena(void **state)
{
	(void)state;
	bg_arena_release(&arena);
	return 0;
}

/* The absolute path of a new folder in the test's. */
static const char *make_dir(const char *name)
{
	const char *path = bg_arena_format(&arena, "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
	return path;
}

static void write_file(const char *dir, const char *name, const char *text)
{
	FILE *file = fopen(bg_arena_format(&arena, "%s/%s", dir, name), "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Compiles DIR/STEM.so with one flag for the compiler; summary tells it from others. */
static void make_module(const char *dir, const char *stem, const char *flag, const char *summary)
{
	write_file(folder, "module.c", module_source);
	const char *cc = getenv("CC");
	const char *const argv[] = {
		cc ? cc : "cc",
		"-std=c11",
		"-shared",
		"-fPIC",
		"-I.",
		flag,
		bg_arena_format(&arena, "-DNAME=\"%s\"", stem),
		bg_arena_format(&arena, "-DSUMMARY=\"%s\"", summary),
		"-o",
		bg_arena_format(&arena, "%s/%s.so", dir, stem),
		bg_arena_format(&arena, "%s/module.c", folder),
		NULL,
	};
	struct bg_command command = { .argv = argv, .log_fd = STDERR_FILENO };
	struct bg_error err = BG_ERROR_INIT;
	int status = -1;
	assert_int_equal(bg_command_run(&status, NULL, &command, &err), BG_OK);
	assert_int_equal(status, 0);
}

static const char *reason_of(const struct bg_modules *modules, const char *module)
{
	for (size_t i = 0; i < modules->missing_count; i++)
		if (strcmp(modules->missing[i].module, module) == 0)
			return modules->missing[i].reason;
	return NULL;
}

static void assert_contains(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("\"%s\" does not contain \"%s\"", text ? text : "(none)", part);
}

static void a_sound_module_is_found_by_name_and_engine(void **state)
{
	(void)state;
	struct bg_modules modules;
	make_module(folder, "sound", "-DENGINE=\"one\"", "First");
	bg_modules_load(&modules, NULL, folder, &arena);
	assert_int_equal(modules.operation_count, 1);
	const struct bg_loaded_operation *loaded = bg_modules_find(&modules, "nothing", NULL);
	assert_ptr_equal(loaded, &modules.operations[0]);
	assert_string_equal(loaded->module->name, "sound");
	assert_string_equal(loaded->path, bg_arena_format(&arena, "%s/sound.so", folder));
	assert_ptr_equal(bg_modules_find(&modules, "nothing", "one"), loaded);
	assert_null(bg_modules_find(&modules, "nothing", "two"));
	assert_null(bg_modules_find(&modules, "sound", NULL));
	struct bg_why why = { "" };
	void *work = NULL;
	assert_int_equal(loaded->operation->run(work, &why), BG_ANSWER_OK);
}

static void a_broken_module_is_missing_with_its_reason(void **state)
{
	(void)state;
	static const struct {
		const char *stem, *flag, *reason;
	} broken[] = {
		{ "abi", "-DABI=7", "made for version 7 of workload.h" },
		{ "hook", "-DSETUP=0", "operation nothing, engine none: has no setup" },
		{ "size", "-DSIZE=8", "has structs of 8" },
		{ "symbol", "-DENTRY=bg_module_v0", "exports no bg_module_v1" },
		{ "undefined", "-DNOWHERE", "undefined symbol: nowhere" },
	};
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
		make_module(folder, broken[i].stem, broken[i].flag, "Broken");
	make_module(folder, "other", "-O0", "Sound");
	assert_int_equal(rename(bg_arena_format(&arena, "%s/other.so", folder),
				bg_arena_format(&arena, "%s/renamed.so", folder)),
			 0);
	make_module(folder, "sound", "-O0", "Sound");
	struct bg_modules modules;
	bg_modules_load(&modules, NULL, folder, &arena);
	assert_int_equal(modules.operation_count, 1);
	assert_contains(reason_of(&modules, "renamed"), "calls itself other, not renamed");
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		const char *reason = reason_of(&modules, broken[i].stem);
		assert_contains(reason, broken[i].reason);
		assert_contains(reason,
				bg_arena_format(&arena, "%s/%s.so", folder, broken[i].stem));
	}
}

static void what_is_no_shared_library_is_missing_with_its_reason(void **state)
{
	(void)state;
	write_file(folder, "text.so",
		   "this is text, and long enough to be looked at as a file "
		   "that might be a shared library\n");
	write_file(folder, "empty.so", "");
	write_file(folder, "module.txt", "ignored");
	write_file(folder, ".so", "ignored");
	write_file(folder, "two\nlines\xff.so", "");
	make_dir("dir.so");
	assert_int_equal(mkfifo(bg_arena_format(&arena, "%s/fifo.so", folder), 0600), 0);
	assert_int_equal(symlink("/nowhere", bg_arena_format(&arena, "%s/link.so", folder)), 0);
	struct bg_modules modules;
	bg_modules_load(&modules, NULL, folder, &arena);
	assert_int_equal(modules.operation_count, 0);
	assert_contains(reason_of(&modules, "text"), "invalid ELF header");
	assert_contains(reason_of(&modules, "empty"), "file too short");
	assert_contains(reason_of(&modules, "two?lines?"), "two?lines?.so: file too short");
	assert_contains(reason_of(&modules, "dir"), "not a regular file");
	assert_contains(reason_of(&modules, "fifo"), "not a regular file");
	assert_contains(reason_of(&modules, "link"), "No such file or directory");
	assert_int_equal(modules.missing_count, 6 + OURS);
}

static void the_first_folder_settles_a_name(void **state)
{
	(void)state;
	const char *first = make_dir("first"), *second = make_dir("second"), *bin = make_dir("bin");
	const char *beside = make_dir("bin/modules");
	make_module(first, "both", "-O0", "From the first");
	make_module(second, "both", "-DENGINE=\"other\"", "From the second");
	write_file(first, "spoilt.so", "");
	make_module(second, "spoilt", "-DENGINE=\"spoilt\"", "Sound, but second");
	make_module(beside, "beside", "-DENGINE=\"beside\"", "Beside the executable");
	const char *list = bg_arena_format(&arena, ":%s::%s:", first, second);
	struct bg_modules modules;
	bg_modules_load(&modules, bin, list, &arena);
	assert_int_equal(modules.operation_count, 2);
	assert_string_equal(modules.operations[0].module->summary, "From the first");
	assert_string_equal(modules.operations[1].module->summary, "Beside the executable");
	assert_contains(reason_of(&modules, "spoilt"), "first/spoilt.so: file too short");
	assert_null(reason_of(&modules, "BATCHGATE_MODULE_PATH"));
}

static void the_installed_folder_is_searched_last(void **state)
{
	(void)state;
	const char *bin = make_dir("bin");
	make_dir("lib");
	make_dir("lib/batchgate");
	make_module(make_dir("lib/batchgate/modules"), "installed", "-O0", "Installed");
	struct bg_modules modules;
	bg_modules_load(&modules, bin, NULL, &arena);
	assert_int_equal(modules.operation_count, 1);
	assert_string_equal(modules.operations[0].module->name, "installed");
	assert_null(reason_of(&modules, "modules"));
}

static void relative_and_unreadable_folders_are_named(void **state)
{
	(void)state;
	make_module(make_dir("here"), "here", "-O0", "Must not be found");
	char *before = getcwd(NULL, 0);
	assert_non_null(before);
	assert_int_equal(chdir(folder), 0);
	struct bg_modules modules;
	bg_modules_load(&modules, NULL, "here", &arena);
	assert_int_equal(modules.operation_count, 0);
	assert_contains(reason_of(&modules, "BATCHGATE_MODULE_PATH"), "here: relative paths");
	bg_modules_load(&modules, NULL, ":.:", &arena);
	assert_contains(reason_of(&modules, "BATCHGATE_MODULE_PATH"), ".: relative paths");
	bg_modules_load(&modules, NULL, "/nowhere/at/all", &arena);
	assert_string_equal(reason_of(&modules, "BATCHGATE_MODULE_PATH"),
			    "/nowhere/at/all: No such file or directory");
	assert_int_equal(chdir(before), 0);
	free(before);
}

static void an_operation_of_two_modules_stays_with_the_first(void **state)
{
	(void)state;
	make_module(folder, "a", "-O0", "First");
	make_module(folder, "b", "-O0", "Second");
	make_module(folder, "c", "-DENGINE=\"own\"", "Of another engine");
	struct bg_modules modules;
	bg_modules_load(&modules, NULL, folder, &arena);
	assert_int_equal(modules.operation_count, 2);
	assert_string_equal(modules.operations[0].module->name, "a");
	assert_string_equal(modules.operations[1].module->name, "c");
	assert_contains(reason_of(&modules, "b"),
			"b.so: operation nothing of engine none is already in");
}

/* This version's modules are each named, with why the build left them out or where they lie. */
static void modules_of_ours_that_are_nowhere_are_named(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool built;
	} ours[OURS] = {
		{ "blis", BG_HAVE_blis },
		{ "memory", BG_HAVE_memory },
		{ "onednn", BG_HAVE_onednn },
		{ "openblas", BG_HAVE_openblas },
	};
	struct bg_modules modules;
	bg_modules_load(&modules, folder, NULL, &arena);
	assert_int_equal(modules.operation_count, 0);
	assert_int_equal(modules.missing_count, OURS);
	for (size_t i = 0; i < OURS; i++) {
		const char *name = ours[i].name;
		assert_string_equal(modules.missing[i].module, name);
		assert_contains(modules.missing[i].reason,
				ours[i].built ? bg_arena_format(&arena, "no %s.so where", name)
					      : bg_arena_format(&arena, "HAVE_%s=0", name));
	}
}

static void more_modules_than_the_bound_are_named_not_tried(void **state)
{
	(void)state;
	for (int i = 0; i < BG_MODULES_MAX + 2; i++)
		write_file(folder, bg_arena_format(&arena, "m%03d.so", i), "");
	struct bg_modules modules;
	bg_modules_load(&modules, NULL, folder, &arena);
	assert_contains(reason_of(&modules, "m255"), "file too short");
	assert_string_equal(reason_of(&modules, "m256"), "not tried: too many modules");
	assert_int_equal(modules.missing_count, BG_MODULES_MAX + 2 + OURS);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_sound_module_is_found_by_name_and_engine),
		IN_FOLDER(a_broken_module_is_missing_with_its_reason),
		IN_FOLDER(what_is_no_shared_library_is_missing_with_its_reason),
		IN_FOLDER(the_first_folder_settles_a_name),
		IN_FOLDER(the_installed_folder_is_searched_last),
		IN_FOLDER(relative_and_unreadable_folders_are_named),
		IN_FOLDER(an_operation_of_two_modules_stays_with_the_first),
		IN_FOLDER(modules_of_ours_that_are_nowhere_are_named),
		IN_FOLDER(more_modules_than_the_bound_are_named_not_tried),
	};
	return cmocka_run_group_tests(tests, NULL, release_arena);
}
