"""What goes wrong around a gate: each has its exit code, one line, and leaves no report of before."""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

from scratch_repository import BATCHGATE, ScratchRepository

EXEC = """suite: smoke
workloads:
  - use: exec
    name: work
    run: {run}
{more}"""


def is_root():
    return os.geteuid() == 0


class BadInput(ScratchRepository):
    def setUp(self):
        super().setUp()
        self.write(".gitignore", "batchgate-out/\n")

    def suite(self, run='["true"]', more="", twice=True):
        self.write("batchgate.yml", EXEC.format(run=run, more=more))
        self.commit("first")
        if twice:
            self.commit("second")

    def script(self, name, text):
        path = self.write(name, "#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def judge(self, *words):
        return self.gate("--launches-max", "1", "--timeout", "5s", *words)

    def refused(self, code, *parts, words=()):
        """The gate ends with this code and one line that holds all parts."""
        status, _, said = self.judge(*words)
        self.assertEqual(status, code, said)
        self.assertEqual(said.count("\n"), 1, said)
        for part in parts:
            self.assertIn(part, said)

    def cell_of(self, *words):
        status, report, said = self.judge(*words)
        self.assertTrue(report and report["cells"], said)
        return status, report["cells"][0]


class Programs(BadInput):
    def test_one_that_is_missing_in_both_commits(self):
        self.suite("./nowhere")
        status, cell = self.cell_of()
        self.assertEqual((status, cell["verdict"]), (3, "BROKEN"))
        self.assertIn("nowhere", cell["reason"])

    def test_one_that_head_breaks(self):
        self.script("work", "exit 0\n")
        self.suite("./work", twice=False)
        self.script("work", "echo out of luck >&2\nexit 3\n")
        self.commit("second")
        status, cell = self.cell_of()
        self.assertEqual((status, cell["verdict"]), (1, "FAILED"))
        self.assertIn("exit status 3: out of luck", cell["reason"])

    def test_one_that_hangs_is_ended_and_named(self):
        self.script("work", "exit 0\n")
        self.suite("./work", twice=False)
        self.script("work", "trap '' TERM INT HUP\nsleep 1000\n")
        self.commit("second")
        status, cell = self.cell_of("--timeout", "1s")
        self.assertEqual((status, cell["verdict"]), (1, "FAILED"))
        self.assertIn("timeout", cell["reason"])

    def test_one_that_prints_without_end_costs_no_memory_and_no_log(self):
        self.suite("[sh, -c, 'head -c 300000000 /dev/zero; true']")
        status, _, _ = self.judge("--timeout", "30s")
        self.assertIn(status, (0, 3))
        size = sum(p.stat().st_size for p in (self.repository / "batchgate-out").iterdir())
        self.assertLess(size, 1 << 20)

    def test_one_that_leaves_a_daemon_leaves_nothing(self):
        mark = f"{time.time_ns() % 10**9 + 10**6}"
        self.suite(f"[sh, -c, 'setsid sleep {mark} & exit 0']")
        status, report, _ = self.judge()
        self.assertIn("killed", " ".join(report["conditions"]))
        self.assertIn(status, (0, 3))
        left = subprocess.run(["pgrep", "-f", f"sleep {mark}"], capture_output=True, check=False)
        self.assertEqual(left.stdout, b"")


class Workers(BadInput):
    """A worker given on the command line that answers as none should."""

    def setUp(self):
        super().setUp()
        self.write("batchgate.yml", "suite: s\nworkloads:\n  - use: gemm\n    m: 64\n")
        self.commit("first")
        self.commit("second")
        self.worker = self.root / "worker"

    def put(self, text):
        self.worker.write_text(f"#!{sys.executable}\nimport os, sys\n" + text)
        self.worker.chmod(0o755)

    def test_garbage_nothing_and_a_line_without_end(self):
        for text, part in (("print('{garbage', flush=True)\nsys.stdin.read()", "worker of head"),
                           ("sys.exit(0)", "worker of head"),
                           ("while True: os.write(1, b'x' * 65536)", "worker of head"),
                           ("os.write(1, b'{' + b'1' * (1 << 22))\nsys.stdin.read()", "worker of head")):
            self.put(text)
            self.refused(2, part, words=("--head-worker", str(self.worker)))

    def relay(self, change):
        """A worker of ours with the replies to step changed by an expression of `line`."""
        self.put("import json, subprocess\n"
                 f"child = subprocess.Popen([{str(BATCHGATE)!r}, 'worker'], stdin=subprocess.PIPE,"
                 " stdout=subprocess.PIPE)\n"
                 "for request in sys.stdin.buffer:\n"
                 "    child.stdin.write(request); child.stdin.flush()\n"
                 "    line = child.stdout.readline()\n"
                 f"    if json.loads(request)['op'] == 'step': line = {change}\n"
                 "    sys.stdout.buffer.write(line); sys.stdout.buffer.flush()\n")

    def test_times_that_are_no_times(self):
        for value in ("NaN", "-5", "1e999", "0", "null", "\"x\"", "[]"):
            self.relay("b'{\"op\": \"step\", \"ok\": true, \"elapsed_ns\": [%s]}\\n'" % value)
            status, cell = self.cell_of("--head-worker", str(self.worker))
            self.assertIn((status, cell["verdict"]), ((1, "FAILED"), (3, "MISTRUSTED")), value)

    def test_times_that_the_wall_does_not_bear_out(self):
        self.relay("b'{\"op\": \"step\", \"ok\": true, \"elapsed_ns\": [3600000000000]}\\n'")
        status, cell = self.cell_of("--head-worker", str(self.worker))
        self.assertEqual((status, cell["verdict"]), (3, "MISTRUSTED"))


class Builds(BadInput):
    def build(self, base, head):
        for text in (base, head):
            self.script("make-it", text)
            self.write("batchgate.yml", EXEC.format(run='["true"]', more="arms:\n  build: ./make-it\n"))
            self.commit(text)
        return self.cell_of("--no-cache")

    def test_each_arm_that_does_not_build(self):
        bad, good = "echo no compiler >&2; exit 2\n", "exit 0\n"
        for base, head, want in ((bad, good, (0, "NEW")), (good, bad, (1, "FAILED")),
                                 (bad, bad, (3, "BROKEN"))):
            status, cell = self.build(base + "#1\n", head + "#2\n")
            self.assertEqual((status, cell["verdict"]), want)
            self.assertIn("no compiler", cell["reason"])


class Repositories(BadInput):
    def test_a_bare_one(self):
        self.suite()
        bare = self.root / "bare.git"
        self.git("clone", "-q", "--bare", ".", str(bare))
        self.repository = bare
        self.refused(4, "bare", "work tree")

    def test_a_shallow_one_without_its_parent(self):
        self.suite()
        clone = self.root / "shallow"
        self.git("clone", "-q", "--depth=1", f"file://{self.repository}", str(clone))
        self.repository = clone
        self.refused(3, "git fetch --unshallow", words=("--no-fetch",))

    def test_a_dirty_one_is_judged_by_its_commits_and_says_so(self):
        self.suite()
        self.write("batchgate.yml", EXEC.format(run='["false"]', more=""))
        _, report, _ = self.judge()
        self.assertNotIn(report["cells"][0]["verdict"], ("FAILED", "BROKEN"))
        self.assertIn("changes that are not committed", " ".join(report["conditions"]))

    def test_names_that_shells_and_formats_would_trip_over(self):
        self.repository = self.repository.rename(self.root / "a 'b' \"c\" $(d) ::error::x")
        self.git("checkout", "-q", "-b", "x]]><img>\";$(y)'")
        self.write("batchgate.yml", EXEC.format(run='["true", "{x}"]',
                                                more='    x: ["]]><img src=x>", "::error::y", "a|b`c"]\n'))
        self.commit("]]> <b>&amp; ::error::z \x01")
        self.commit("second")
        status, report, said = self.judge("--report", "junit", "--report", "markdown=x.md",
                                          "--report", "github=x.txt")
        self.assertIn(status, (0, 3), said)
        self.assertEqual(len({cell["case"] for cell in report["cells"]}), 3)
        text = (self.repository / "x.md").read_text()
        live = [line for line in text.splitlines() if not line.startswith("    ")]
        self.assertFalse(re.search(r"<img|<b>", "\n".join(live)))

    def test_two_gates_at_once_do_not_meet(self):
        self.suite()
        words = [BATCHGATE, "gate", "--quiet", "--launches-max", "1", "--out"]
        gates = [subprocess.Popen([*words, f"out{i}"], cwd=self.repository, env=self.environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i in range(2)]
        for number, process in enumerate(gates):
            _, said = process.communicate(timeout=120)
            self.assertIn(process.returncode, (0, 3), said)
            self.assertTrue((self.repository / f"out{number}/report.json").exists())

    @unittest.skipUnless(is_root(), "needs root to become somebody else")
    def test_one_that_cannot_be_written(self):
        self.suite()
        shutil.copy(BATCHGATE, self.root / "batchgate")
        for path in [self.root, *self.root.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() else path.stat().st_mode | 0o444)
        self.environment["XDG_CACHE_HOME"] = self.environment["TMPDIR"] = "/tmp"
        done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", "--",
                               str(self.root / "batchgate"), "gate", "--quiet", "--out", "/tmp/nobody-out"],
                              cwd=self.repository, env=self.environment, capture_output=True, text=True,
                              check=False)
        shutil.rmtree("/tmp/nobody-out", ignore_errors=True)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Disks(BadInput):
    def setUp(self):
        super().setUp()
        self.suite()

    def test_an_out_folder_that_cannot_be(self):
        self.write("in-the-way", "a file\n")
        for out in ("in-the-way", "in-the-way/below", "/proc/nowhere"):
            self.refused(4, out.split("/")[0], words=("--out", out))

    def full(self):
        """A file system of 64 KiB."""
        disk = self.root / "disk"
        disk.mkdir(exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)],
                              capture_output=True, check=False)
        if done.returncode != 0:
            self.skipTest("no file system of its own can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=False)
        return disk

    def test_reports_on_a_full_disk_are_told_and_the_verdict_stands(self):
        disk = self.full()
        (disk / "filler").write_bytes(b"x" * (60 << 10))
        status, _, said = self.judge("--out", str(disk / "out"))
        self.assertEqual(status, 4, said)
        for line in said.splitlines():
            self.assertRegex(line, "^batchgate: .*/disk/out/.*: No space left")
        for path in disk.glob("out/*.json"):  # what is there is whole
            json.loads(path.read_text())

    def test_work_trees_on_a_full_disk_leave_nothing(self):
        disk = self.full()
        self.write("large", "x" * (1 << 20))
        self.commit("third")
        self.commit("fourth")
        self.environment.update(XDG_CACHE_HOME=str(disk), HOME=str(disk), TMPDIR=str(disk))
        status, _, said = self.judge()
        self.assertEqual(status, 4, said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertEqual(list(disk.glob("batchgate/trees/*")), [])
        self.assertEqual(list((self.repository / ".git").glob("worktrees/*")), [])

    def test_an_old_report_is_gone_when_a_gate_cannot_judge(self):
        self.judge()
        out = self.repository / "batchgate-out"
        self.assertTrue((out / "report.json").exists())
        self.write("batchgate.yml", "suite: [\n")
        self.commit("broken")
        status, report, said = self.judge()
        self.assertEqual(status, 2)
        self.assertEqual(said.count("\n"), 1)
        self.assertEqual(report["verdict"], "error")
        self.assertEqual(report["cells"], [])


class Suites(BadInput):
    def test_more_than_a_hundred_thousand_cases(self):
        self.write("batchgate.yml", "suite: s\nworkloads:\n  - use: gemm\n    m: 1..10000 +1\n"
                                    "    n: 1..11 +1\n")
        self.commit("first")
        self.refused(2, "batchgate.yml:3:5", "more than 100000 cases", words=("--aa",))

    def test_sizes_that_are_no_sizes(self):
        for value in ("0", "-1", "1.5", "99999999999999999999", "x", "1e3", "''", "[]", "8..1 x2", "1..9 x1"):
            self.write("batchgate.yml", f"suite: s\nworkloads:\n  - use: gemm\n    m: {value}\n")
            self.commit(value)
            self.refused(2, "batchgate.yml:4:", words=("--aa",))


if __name__ == "__main__":
    unittest.main()
