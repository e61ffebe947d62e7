#!/usr/bin/env python3
"""Runs every test there is and ends with one line: N passed, N failed, N skipped.

usage: tests/run.py [--build DIR] [KIND ...]        KIND: unit golden fuzz python cross

All kinds are read as TAP: "ok [N] [-] NAME", "not ok ...", and "# SKIP REASON" after either. cmocka prints
a skipped test's reason on the line before it. A program that dies, exits otherwise than its lines
say, prints fewer lines than it planned, or skips without a reason counts as one failure more; so
does a kind without any test.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ["unit", "golden", "fuzz", "python", "cross"]
TAP = re.compile(r"(not ok|ok)\b\s*\d*\s*(?:-\s*)?(.*)")
SECONDS_MAX = 600  # of one test program; the slowest takes a fraction of it


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def total(self):
        return self.passed + self.failed + self.skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def read_tap(name, output):
    """Counts the lines of one program; prints what is not a pass, and all it said with a failure."""
    count, planned, before, said = Count(), None, "", []
    for line in output.splitlines():
        plan = re.fullmatch(r"1\.\.(\d+)", line)
        match = TAP.fullmatch(line)
        if plan:
            planned = (planned or 0) + int(plan.group(1))
        elif not match:
            if not re.match(r"# (not )?ok - ", line):  # cmocka's own sum
                said.append(f"  {line}")
        elif "# SKIP" in match.group(2):
            test, _, reason = match.group(2).partition("# SKIP")
            test, reason = test.strip(), reason.strip()
            if not test:  # cmocka: the name follows SKIP, the reason stands on the line before
                test, reason = reason, before.lstrip("# ")
            if reason:
                count.skipped += 1
                print(f"SKIP {name}: {test}: {reason}")
            else:
                count.failed += 1
                said.append(f"FAIL {name}: {test}: skipped without a reason")
        elif match.group(1) == "ok":
            count.passed += 1
        else:
            count.failed += 1
            said.append(f"FAIL {name}: {match.group(2)}")
        before = "" if match else line
    if planned is not None and count.total() < planned:
        missing = planned - count.total()
        count.failed += missing
        said.append(f"FAIL {name}: {missing} of {planned} tests never ran")
    return count, said


def run(name, command, environment):
    print(f"== {name}", flush=True)
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=SECONDS_MAX, check=False)
        output, status = done.stdout, done.returncode
        how = f"exit status {status}" if status >= 0 else f"died of signal {-status}"
    except subprocess.TimeoutExpired as late:
        output, status, how = late.stdout or b"", 1, f"ran longer than {SECONDS_MAX} s"
    except OSError as fault:
        output, status, how = b"", 1, str(fault)
    count, said = read_tap(name, output.decode(errors="replace"))
    if count.total() == 0 or (status != 0 and (count.failed == 0 or status < 0)):
        count.failed += 1
        said.append(f"FAIL {name}: {how}, {count.total() - 1} tests counted")
    if count.failed:
        print("\n".join(said))
    return count


class TapResult(unittest.TestResult):
    """Prints unittest's outcomes as TAP."""

    def say(self, line, test, comment=""):
        print(f"{line} - {test.id().removeprefix('__main__.')}{comment}", flush=True)

    def fail(self, test, trace):
        print("\n".join("# " + line for line in trace.splitlines()))
        self.say("not ok", test)

    def addSuccess(self, test):
        self.say("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("ok", test, f" # SKIP {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.fail(test, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self.fail(test, self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.fail(subtest, self._exc_info_to_string(err, test))


def run_unittest(path):
    """One file of unittest cases, in a process of its own."""
    sys.path.insert(0, str(pathlib.Path(path).parent))
    result = TapResult()
    unittest.defaultTestLoader.discover(str(pathlib.Path(path).parent),
                                        pattern=pathlib.Path(path).name).run(result)
    return 0 if result.wasSuccessful() else 1


def commands_of(kind, build):
    """Name and command of each program of a kind."""
    if kind == "golden":
        return [("golden", ["sh", "tests/golden/run.sh", "--tap"])]
    if kind in ("python", "cross"):
        return [(f"{kind}/{path.name}", [sys.executable, __file__, "--unittest", str(path)])
                for path in sorted((ROOT / "tests" / kind).glob("test_*.py"))]
    prefix = {"unit": "test_", "fuzz": "fuzz_"}[kind]
    sources = sorted((ROOT / "tests" / kind).glob(prefix + "*.c"))
    return [(f"{kind}/{source.stem}", [str(build / "tests" / kind / source.stem)])
            for source in sources]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--unittest", metavar="FILE", help="run one Python file, as TAP")
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS])
    arguments = parser.parse_args()
    if arguments.unittest:
        return run_unittest(arguments.unittest)
    build = (ROOT / arguments.build).resolve()
    environment = {**os.environ, "CMOCKA_MESSAGE_OUTPUT": "TAP", "LC_ALL": "C.UTF-8",
                   "BUILD": str(build), "BATCHGATE": str(build / "batchgate"),
                   "PYTHONDONTWRITEBYTECODE": "1"}
    environment.setdefault("BATCHGATE_TEST_DATA", str(ROOT.parent / "shared" / "data"))
    total = Count()
    for kind in arguments.kinds or KINDS:
        count = Count()
        for name, command in commands_of(kind, build):
            count.add(run(name, command, environment))
        if count.total() == 0:
            count.failed += 1
            print(f"FAIL {kind}: there is no test of this kind")
        total.add(count)
    print(total, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
