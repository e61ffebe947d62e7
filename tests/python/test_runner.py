"""How tests/run.py counts: nothing that went wrong may look like a pass."""
import contextlib
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import unittest

PATH = pathlib.Path(__file__).resolve().parent.parent / "run.py"
SPEC = importlib.util.spec_from_file_location("bg_run", PATH)
RUN = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(RUN)


class Runner(unittest.TestCase):
    def count(self, script):
        """Counts of a shell script that plays a test program, and what is printed."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            count = RUN.run("it", ["sh", "-c", script], dict(os.environ))
        return (count.passed, count.failed, count.skipped), output.getvalue()

    def test_lines_are_counted(self):
        counts, _ = self.count("echo 1..3; echo ok 1 - a; echo ok 2 - b; echo ok - c")
        self.assertEqual(counts, (3, 0, 0))

    def test_a_failure_is_named(self):
        counts, output = self.count("echo ok 1 - a; echo not ok 2 - b; exit 1")
        self.assertEqual(counts, (1, 1, 0))
        self.assertIn("FAIL it: b", output)

    def test_a_skip_keeps_its_reason(self):
        counts, output = self.count("echo ok - a '# SKIP no such library'")
        self.assertEqual(counts, (0, 0, 1))
        self.assertIn("SKIP it: a: no such library", output)

    def test_cmockas_skip_has_its_reason_on_the_line_before(self):
        counts, output = self.count("echo needs a GPU; echo 'not ok 1 # SKIP a'")
        self.assertEqual(counts, (0, 0, 1))
        self.assertIn("SKIP it: a: needs a GPU", output)

    def test_a_skip_without_a_reason_fails(self):
        self.assertEqual(self.count("echo ok 1 - b; echo 'not ok 2 # SKIP a'")[0], (1, 1, 0))
        self.assertEqual(self.count("echo ok - a '# SKIP'")[0], (0, 1, 0))

    def test_a_program_that_dies_fails(self):
        counts, output = self.count("echo ok 1 - a; kill -9 $$")
        self.assertEqual(counts, (1, 1, 0))
        self.assertIn("died of signal 9", output)

    def test_an_exit_status_outranks_the_lines(self):
        self.assertEqual(self.count("echo ok 1 - a; exit 3")[0], (1, 1, 0))

    def test_tests_that_were_planned_and_never_ran_fail(self):
        self.assertEqual(self.count("echo 1..3; echo ok 1 - a")[0], (1, 2, 0))

    def test_a_program_without_tests_fails(self):
        self.assertEqual(self.count("true")[0], (0, 1, 0))

    def test_a_program_that_is_missing_fails(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            count = RUN.run("it", ["/nonexistent/program"], dict(os.environ))
        self.assertEqual((count.passed, count.failed, count.skipped), (0, 1, 0))

    def test_unittests_come_out_as_tap(self):
        source = ("import unittest\nclass T(unittest.TestCase):\n"
                  "    def test_a(self): pass\n"
                  "    def test_b(self): self.fail()\n"
                  "    def test_c(self): self.skipTest('why not')\n"
                  "    def test_d(self):\n        with self.subTest(1): self.fail()\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "test_it.py")
            path.write_text(source, encoding="utf-8")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                count = RUN.run("it", [sys.executable, str(PATH), "--unittest", str(path)],
                                dict(os.environ))
        self.assertEqual((count.passed, count.failed, count.skipped), (1, 2, 1), output.getvalue())


if __name__ == "__main__":
    unittest.main()
