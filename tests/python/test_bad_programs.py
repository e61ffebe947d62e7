"""Programs that break the step protocol: what the report says, what it costs, and what is left."""
import pathlib
import shutil
import unittest

from program_repository import ROOT, ProgramRepository

SUITE = """\
suite: scratch
workloads:
  - use: program
    name: work
    run: python3 misbehaving.py {fault}
    kind: [bad, good]
    timeout: 500ms
"""
# The fault, the state of the bad case where base is sound, and what the reason says.
IN_A_CASE = [
    ("closes-stdout", "failed", "work of head closed its output without a reply"),
    ("closes-stdin", "failed", "work of head closed its input without a reply"),
    ("dies", "failed", "work of head was killed by signal 11 (Segmentation fault)"),
    ("exits", "failed", "work of head ended with exit status 7 before it replied: Traceback: out "
                        "of cheese"),
    ("dies-before-its-children", "failed", "work of head ended with exit status 9"),
    ("late", "failed", "work of head did not reply in time"),
    ("refuses", "failed", "work of head: step failed: no more cheese"),
    ("prints", "failed", "work of head: reply:1:1: not valid JSON"),
    ("answers-twice", "failed", "work of head printed more than its one reply"),
    ("claims-more", "mistrusted", "reports a step longer than the wait for its reply"),
    ("claims-less", "mistrusted", "reports steps shorter than half of the wait"),
    ("claims-nothing", "mistrusted", "reports a step that took no time"),
]
AT_THE_START = [
    ("too-new", "work of head speaks step protocol 2, wanted 1..1"),
    ("too-old", "work of head speaks step protocol 0, wanted 1..1"),
    ("refuses-hello", "work of head refused hello: speaks protocol 7 only"),
    ("lists-rubbish", "work of head: list: workload 'a/b': name and engine must be letters"),
]


def commands_with(word):
    """Command lines of processes that have the word among their arguments."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in words:
            found.append(words)
    return found


class BadPrograms(ProgramRepository):
    def make(self, fault):
        shutil.copy(ROOT / "tests" / "python" / "misbehaving.py", self.repository)
        self.write("batchgate.yml", SUITE.replace("{fault}", "none"))
        self.commit()
        # The command is head's in both arms: what differs must be in the program.
        program = self.repository / "misbehaving.py"
        program.write_text(program.read_text(encoding="utf-8").replace(
            "FAULT = sys.argv[1]", f"FAULT = {fault!r}"), encoding="utf-8")
        self.commit()

    def test_a_fault_in_a_case_costs_that_case(self):
        for fault, state, reason in IN_A_CASE:
            with self.subTest(fault):
                self.setUp()
                self.make(fault)
                done, cases = self.measure()
                self.assertEqual(set(cases), {"work", "work/kind=bad"}, done.stderr)
                self.assert_state(cases["work/kind=bad"], state, reason)
                self.assert_ran(cases["work"])
                self.assertEqual(done.returncode, 1 if state == "failed" else 3, done.stdout)

    def test_a_fault_at_the_start_costs_the_program(self):
        for fault, reason in AT_THE_START:
            with self.subTest(fault):
                self.setUp()
                self.make(fault)
                done, cases = self.measure()
                self.assertEqual(set(cases), {"work", "work/kind=bad"}, done.stderr)
                for case in cases.values():
                    self.assert_state(case, "failed", reason)
                self.assertEqual(done.returncode, 1)

    def test_a_greeting_before_hello_is_no_fault(self):
        self.make("greets")
        done, cases = self.measure()
        self.assertEqual(len(cases), 2, done.stdout)
        for case in cases.values():
            self.assert_ran(case)
        self.assertIn("Welcome to this machine", self.log("head"))

    def test_children_that_a_program_leaves_do_not_outlive_the_gate(self):
        self.make("forks")
        done, cases = self.measure()
        self.assertEqual(len(cases), 2, done.stdout)
        for case in cases.values():
            self.assert_ran(case)
        self.assertEqual(commands_with("98765"), [])


if __name__ == "__main__":
    unittest.main()
