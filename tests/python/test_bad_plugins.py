"""Plugins that cannot be loaded or crash: what the report says, and what it costs."""
import os
import shutil
import unittest

from program_repository import ROOT, ProgramRepository

SUITE = """\
suite: scratch
workloads:
  - use: plugin
    path: build/kernels.so
    kind: [bad, good]
arms:
  build: [sh, build.sh]
"""
COMPILE = "mkdir -p build\ncc -O1 -shared -fPIC -I. {flags} -o build/kernels.so kernels.c\n"
# How head builds it, and what is said of all its cases where base is sound.
NOT_LOADED = [
    ("-DABI=2", "build/kernels.so: made for version 2 of workload.h, this is 1"),
    ("-DSIZE=8", "build/kernels.so: has structs of 8, "),
    ("-DENTRY=other", "build/kernels.so: exports no bg_module_v1: is it a module?"),
    ("-DNOWHERE", "build/kernels.so: undefined symbol: nowhere"),
    ('-DDEFAULT=\'"ugly"\'', "operation work, engine none: axis kind: its default is none of its "
                             "words"),
    ('-DCRASH=\'"constructor"\'', "work of head was killed by signal 6 (Aborted)"),
    ('-DCRASH=\'"bg_module_v1"\'', "work of head was killed by signal 6 (Aborted)"),
]
NO_LIBRARY = [
    ("mkdir build\necho text >build/kernels.so\n", "build/kernels.so: file too short"),
    ("mkdir -p build/kernels.so\n", "build/kernels.so: not a regular file"),
    ("mkdir build\nmkfifo build/kernels.so\n", "build/kernels.so: not a regular file"),
    ("mkdir build\n", "build/kernels.so: No such file or directory"),
]
HOOKS = ["setup", "costs", "run", "finish", "verify", "teardown"]


class BadPlugins(ProgramRepository):
    def make(self, build):
        (self.repository / "batchgate").mkdir(exist_ok=True)
        shutil.copy(ROOT / "workloads" / "workload.h", self.repository / "batchgate")
        shutil.copy(ROOT / "tests" / "python" / "misbehaving_plugin.c",
                    self.repository / "kernels.c")
        self.write("batchgate.yml", SUITE)
        self.write("build.sh", COMPILE.format(flags=""))
        self.commit()
        self.write("build.sh", build)
        self.commit()

    def test_a_library_that_cannot_be_loaded_fails_its_cases(self):
        builds = [(COMPILE.format(flags=flags), reason) for flags, reason in NOT_LOADED]
        for build, reason in builds + NO_LIBRARY:
            with self.subTest(reason):
                self.setUp()
                self.make(build)
                done, cases = self.measure()
                self.assertEqual(set(cases), {"work", "work/kind=bad"}, done.stderr)
                for case in cases.values():
                    self.assert_state(case, "failed", reason.replace("work of", "kernels of"))
                self.assertEqual(done.returncode, 1)

    def test_a_crash_in_a_hook_costs_the_case(self):
        for hook in HOOKS:
            with self.subTest(hook):
                self.setUp()
                self.make(COMPILE.format(flags=f"-DCRASH='\"{hook}\"'"))
                done, cases = self.measure()
                self.assertEqual(set(cases), {"work", "work/kind=bad"}, done.stderr)
                self.assert_state(cases["work/kind=bad"], "failed",
                                  "work of head was killed by signal 6 (Aborted)")
                self.assert_ran(cases["work"])
                self.assertEqual(done.returncode, 1)

    def test_a_crash_in_usable_costs_all_cases(self):
        self.make(COMPILE.format(flags="-DCRASH='\"usable\"'"))
        done, cases = self.measure()
        self.assertEqual(set(cases), {"work", "work/kind=bad"}, done.stderr)
        for case in cases.values():
            self.assert_state(case, "failed", "was killed by signal 6 (Aborted)")

    def test_a_step_that_fails_without_a_reason_says_so(self):
        self.make(COMPILE.format(flags="-DANSWER=BG_ANSWER_FAILED"))
        _, cases = self.measure()
        self.assert_state(cases["work/kind=bad"], "failed", "head: no reason given")

    def test_a_library_is_not_looked_for_elsewhere(self):
        """The loader's own paths, and the user's folder, would have it."""
        self.make("mkdir build\n")
        self.write("batchgate.yml", SUITE.replace("build/kernels.so", "kernels.so"))
        self.commit()
        elsewhere = self.root / "elsewhere"
        elsewhere.mkdir()
        os.symlink(self.repository / "batchgate.yml", elsewhere / "kernels.so")
        self.environment["LD_LIBRARY_PATH"] = str(elsewhere)
        (self.repository / "kernels.so").write_text("", encoding="utf-8")
        self.write(".gitignore", "batchgate-out/\nkernels.so\n")
        self.commit()
        _, cases = self.measure("--aa")
        for case in cases.values():
            self.assert_state(case, "broken", "kernels.so: No such file or directory")


if __name__ == "__main__":
    unittest.main()
