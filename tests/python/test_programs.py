"""Gates of programs that speak the step protocol: the Python client, and what goes wrong with it."""
import shutil
import unittest

from program_repository import CLIENTS, ProgramRepository

BENCH = """\
import batchgate

@batchgate.workload(batch=(1, 1, 64), kind=["plain", "square"])
def attention(batch, kind):
    data = list(range(2000 * batch))
    print("prepared", batch, kind, batchgate.seed)
    if kind == "square":
        return lambda: sum(x * x for x in data)
    return (lambda: sum(data)), {"items": batch}

batchgate.run()
"""
SUITE = """\
suite: scratch
workloads:
  - use: program
    name: attention
    run: python3 bench.py
    batch: [1, 4]
"""
# Hashing a large block lets go of the interpreter's lock: two threads use two cores.
THREADS = """\
    if batch == 4:
        import hashlib, threading
        def step():
            other = threading.Thread(target=hashlib.sha256, args=(block,))
            other.start()
            hashlib.sha256(block)
            other.join()
        block = bytes(4000000)
        return step
"""
REPLAY = "  - use: replay\n    step: 0.01\n"


class Programs(ProgramRepository):
    def setUp(self):
        super().setUp()
        shutil.copy(CLIENTS / "batchgate.py", self.repository)
        self.write("bench.py", BENCH)
        self.write("batchgate.yml", SUITE)

    def test_both_commits_are_measured(self):
        self.commit()
        done, cases = self.measure("--aa")
        self.assertEqual(set(cases), {"attention", "attention/batch=4"}, done.stderr)
        case = cases["attention/batch=4"]
        self.assert_ran(case)
        self.assertEqual(case["items_per_step"], 4)
        self.assertEqual([axis["value"] for axis in case["axes"]], ["4", "plain"])
        time = case["series"][0]["judge"]
        self.assertGreater(min(time["base"] + time["head"]), 0)
        self.assertIn("prepared 4 plain", self.log("head"))

    def test_what_does_twice_the_work_is_slower(self):
        self.commit()
        self.write("bench.py", BENCH.replace("sum(data)", "sum(data) + sum(data)"))
        self.commit()
        done, cases = self.measure(launches=6)
        # 3 where the machine is too busy to confirm it; never a pass.
        self.assertIn(done.returncode, [1, 3], done.stdout)
        for case in cases.values():
            self.assertGreater(min([1, *case["series"][0]["judge"]["x"]]), .1)

    def test_one_that_uses_several_cores_gets_them(self):
        """Where there are several; the other case of the same program gets one."""
        self.write("bench.py", BENCH.replace("    data", THREADS + "    data", 1))
        self.commit()
        _, cases = self.measure("--aa")
        one, several = cases["attention"], cases["attention/batch=4"]
        self.assertEqual(len(one["cpus"].split(",")), 1, one)
        if one["cpus_why"] == "one core a thread":
            self.skipTest("one core only")
        self.assertEqual(one["cpus_why"], "never used more than one core at once")
        self.assertEqual(several["cpus_why"], "used more than one core at once")
        self.assertNotEqual(several["cpus"], one["cpus"])

    def test_threads_in_the_suite_settle_the_cores(self):
        self.write("batchgate.yml", SUITE + "    threads: 1\n")
        self.commit()
        _, cases = self.measure("--aa")
        for case in cases.values():
            self.assertEqual(case["cpus_why"], "threads: in the suite")
            self.assertTrue(case["cpus"].isdigit(), case["cpus"])

    def test_a_wrong_value_is_an_error_at_its_place(self):
        self.write("batchgate.yml", SUITE.replace("[1, 4]", "[1, 65]"))
        self.commit()
        done, cases = self.measure("--aa")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "batchgate: batchgate.yml:6:16: batch is '65'; allowed: "
                                      "whole numbers from 1 to 64\n")
        self.assertEqual(cases, {})

    def test_a_dry_run_starts_no_program(self):
        self.write("bench.py", f"open({str(self.root / 'started')!r}, 'w')\n")
        self.commit()
        done = self.run_batchgate("gate", "--aa", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("attention/batch=4  -- not checked: attention was not started", done.stdout)
        self.assertFalse((self.root / "started").exists())

    def test_a_base_without_the_program_makes_its_cases_new(self):
        self.write("bench.py", "")
        (self.repository / "bench.py").unlink()
        self.commit()
        self.write("bench.py", BENCH)
        self.commit()
        done, cases = self.measure()
        self.assertEqual(done.returncode, 0, done.stdout)
        for case in cases.values():
            self.assert_state(case, "new", "nothing to compare with: base has no bench.py")
            self.assertGreater(case["series"][0]["judge"]["head"][0], 0)

    def test_a_base_whose_workload_has_no_such_axis_makes_its_cases_new(self):
        self.write("bench.py", BENCH.replace(', kind=["plain", "square"]', "").replace(
            "(batch, kind)", "(batch, kind='plain')"))
        self.commit()
        self.write("bench.py", BENCH)
        self.commit()
        done, cases = self.measure()
        self.assertEqual(done.returncode, 0, done.stdout)
        for case in cases.values():
            self.assert_state(case, "new", "base cannot run it", "no such workload or axis")

    def test_a_head_that_does_not_start_fails_where_base_runs(self):
        self.commit()
        self.write("bench.py", "import nothing_of_this_name\n")
        self.commit()
        done, cases = self.measure()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(set(cases), {"attention", "attention/batch=4"})  # as base declares them
        for case in cases.values():
            self.assert_state(case, "failed", "attention of head ended with exit status 1",
                              "nothing_of_this_name")

    def test_what_starts_in_neither_commit_is_broken(self):
        self.write("bench.py", "raise SystemExit(3)\n")
        self.write("batchgate.yml", SUITE + REPLAY)
        self.commit()
        done, cases = self.measure("--aa")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assert_state(cases["attention/batch=4"], "broken",
                          "attention of head ended with exit status 3")
        self.assertEqual(cases["replay/step=0.01"]["state"], "measured")

    def test_an_axis_that_head_dropped_is_missing(self):
        self.commit()
        self.write("bench.py", BENCH.replace("batch=(1, 1, 64), ", "").replace(
            "(batch, kind)", "(kind, batch=1)"))
        self.write("batchgate.yml", SUITE.replace("    batch: [1, 4]\n", ""))
        self.commit()
        done, cases = self.measure()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(cases["attention/batch=4"]["state"], "missing")

    def test_a_program_that_fails_while_preparing_costs_only_its_case(self):
        self.write("bench.py", BENCH.replace("    data", "    1 / (batch - 4)\n    data"))
        self.commit()
        done, cases = self.measure("--aa")
        self.assert_state(cases["attention/batch=4"], "broken", "ZeroDivisionError")
        self.assert_ran(cases["attention"])


if __name__ == "__main__":
    unittest.main()
