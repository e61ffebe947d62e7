/*
 * Runs a fuzz target over its committed corpus without libFuzzer, so that any compiler can.
 * usage: fuzz_NAME [FILE ...]    default: tests/fuzz/corpus/NAME/ and the empty input
 * Each input has a process of its own; one TAP line an input.
 */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define INPUT_SIZE_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_input(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(INPUT_SIZE_MAX);
	if (!file || !bytes)
		return 1;
	size_t size = fread(bytes, 1, INPUT_SIZE_MAX, file);
	fclose(file);
	/* A block of the input's own size lets a sanitizer see a read past its end. */
	uint8_t *exact = malloc(size > 0 ? size : 1);
	if (!exact)
		return 1;
	memcpy(exact, bytes, size);
	free(bytes);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

static int replay(const char *path)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		exit(run_input(path));
	int status = 1;
	if (child < 0 || waitpid(child, &status, 0) != child)
		status = 1;
	printf("%s - %s\n", status == 0 ? "ok" : "not ok", path);
	return status != 0;
}

static int replay_folder(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort), failed = 0;
	if (count < 0) {
		printf("not ok - %s: cannot read it\n", folder);
		return 1;
	}
	for (int i = 0; i < count; i++) {
		char *path;
		if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
			return failed + 1;
		if (entries[i]->d_name[0] != '.')
			failed += replay(path);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;
	for (int i = 1; i < argc; i++)
		failed += replay(argv[i]);
	if (argc == 1) {
		const char *name = strrchr(argv[0], '/');
		char folder[PATH_MAX];
		name = name ? name + 1 : argv[0];
		if (strncmp(name, "fuzz_", 5) == 0)
			name += 5;
		snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name);
		failed = replay("/dev/null") + replay_folder(folder);
	}
	return failed > 0;
}
