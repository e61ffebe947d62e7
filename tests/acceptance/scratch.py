"""Scratch repositories with a small C program under `exec`, and gates run in them."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCHGATE = pathlib.Path(os.environ.get("BATCHGATE", ROOT / "build" / "batchgate"))

# A matrix product, split over threads by rows. REPS scales the work without changing its kind.
WORK_C = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 192, THREADS_MAX = 8 };
static double a[N * N], b[N * N], out[N * N];
static int threads, reps = REPS;

static void *rows(void *context)
{
	long first = (long)context;
	for (int r = 0; r < reps; r++)
		for (int i = (int)first; i < N; i += threads)
			for (int k = 0; k < N; k++)
				for (int j = 0; j < N; j++)
					out[i * N + j] += a[i * N + k] * b[k * N + j];
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	threads = argc > 1 ? atoi(argv[1]) : 1;
	for (int i = 0; i < N * N; i++) {
		a[i] = i % 7;
		b[i] = i % 5;
	}
	for (long t = 1; t < threads; t++)
		pthread_create(&thread[t], NULL, rows, (void *)t);
	rows((void *)0);
	for (long t = 1; t < threads; t++)
		pthread_join(thread[t], NULL);
	printf("%g\n", out[5]);
	return 0;
}
"""

SUITE = """\
suite: scratch
workloads:
  - use: exec
    name: work
    run: {command}
arms:
  build: [cc, -O2, -o, work, work.c, -lpthread]
"""


def git(repository, *words):
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    return subprocess.run(["git", *identity, *words], cwd=repository, env=environment, check=True,
                          capture_output=True, text=True).stdout.strip()


def commit(repository, files, message):
    for name, text in files.items():
        path = pathlib.Path(repository, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--allow-empty", "-m", message)
    return git(repository, "rev-parse", "HEAD")


def work_source(reps):
    return WORK_C.replace("REPS", str(reps))


def exec_repository(base_reps, head_reps, command="./work 1"):
    """A repository of two commits whose program does base_reps and head_reps rounds of work."""
    repository = tempfile.mkdtemp(prefix="batchgate-scratch-")
    git(repository, "init", "-q", "-b", "main")
    suite = SUITE.format(command=command)
    commit(repository, {"work.c": work_source(base_reps), "batchgate.yml": suite,
                        ".gitignore": "batchgate-out/\nwork\n"}, "base")
    commit(repository, {"work.c": work_source(head_reps)}, "head")
    return repository


def remove(repository):
    shutil.rmtree(repository, ignore_errors=True)


class Gate:
    """One run of `batchgate gate`: exit code, texts, report, seconds."""

    def __init__(self, repository, *options):
        start = time.monotonic()
        done = subprocess.run([str(BATCHGATE), "gate", "--quiet", *options], cwd=repository,
                              capture_output=True, text=True)
        self.seconds = time.monotonic() - start
        self.exit, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        report = pathlib.Path(repository, "batchgate-out", "report.json")
        self.report = json.loads(report.read_text()) if report.exists() else None
        junit = pathlib.Path(repository, "batchgate-out", "report.junit.xml")
        self.junit = junit.read_text() if junit.exists() else ""

    def verdicts(self):
        return {(c["case"], c["metric"]): c["verdict"] for c in self.report["cells"]}

    def cell(self, metric="time"):
        return next(c for c in self.report["cells"] if c["metric"] == metric)
