"""Scenarios of tests/SCENARIOS.md that have no better home, and that its map leads somewhere."""
import json
import pathlib
import re
import subprocess
import unittest
import xml.etree.ElementTree as ET

from scratch_repository import BATCHGATE, ROOT, ScratchRepository

SUITE = "suite: {name}\nworkloads:\n  - use: exec\n    name: work\n    run: [\"true\"]\n"
PROTOCOL_LIAR = """import sys, json
for line in sys.stdin:
    request = json.loads(line)
    reply = {"op": request["op"], "ok": True}
    if request["op"] == "hello":
        reply.update(protocol=1, program="bench")
    elif request["op"] == "list":
        reply.update(workloads=[{"name": "work", "axes": []}])
    elif request["op"] == "pin":
        reply.update(cpus=request["cpus"])
    elif request["op"] == "prepare":
        reply.update(STATE)
    elif request["op"] == "step":
        end = __import__("time").perf_counter_ns() + 2000000
        while __import__("time").perf_counter_ns() < end:
            pass
        reply.update(elapsed_ns=[2000000] * request["n"])
    elif request["op"] == "finish":
        reply.update(metrics={})
    print(json.dumps(reply), flush=True)
    if request["op"] == "bye":
        break
"""


class Scenarios(ScratchRepository):
    def setUp(self):
        super().setUp()
        self.write(".gitignore", "batchgate-out/\nout-*/\n")

    def command(self, *words):
        return subprocess.run([BATCHGATE, *words], cwd=self.repository, env=self.environment,
                              capture_output=True, text=True, check=False)

    def test_a_lucky_base_of_another_machine_is_not_compared(self):
        self.write("batchgate.yml", SUITE.format(name="smoke"))
        self.commit()
        for name in ("out-a", "out-b"):
            self.assertEqual(self.command("run", "--quiet", "--launches", "2", "--out", name).returncode, 0)
        path = self.repository / "out-a/result.json"
        result = json.loads(path.read_text())
        result["runner_class"] = "x86_64-64c-0123456789ab"
        for case in result["cases"]:
            for series in case["series"]:
                series["judge"]["head"] = [x / 2 for x in series["judge"]["head"]]
        path.write_text(json.dumps(result))
        done = self.command("compare", "out-a/result.json", "out-b/result.json", "--out", "out-c")
        self.assertEqual(done.returncode, 3, done.stdout)
        cell, = [c for c in json.loads((self.repository / "out-c/report.json").read_text())["cells"]
                 if c["metric"] == "time"]
        self.assertEqual(cell["verdict"], "NO_BASELINE")
        self.assertIn("another machine", cell["reason"])
        self.assertIsNone(cell["effect"])

    def test_another_kernel_of_a_library_is_not_compared(self):
        self.write("batchgate.yml", "suite: s\nworkloads:\n  - use: gemm\n    m: 64\n")
        self.commit()
        for name in ("out-a", "out-b"):
            done = self.command("run", "--quiet", "--launches", "2", "--out", name)
            if "SKIPPED" in done.stdout:
                self.skipTest("the openblas module is not built")
        path = self.repository / "out-a/result.json"
        path.write_text(re.sub(r'"kernel":"[^"]*"', '"kernel":"Prescott"', path.read_text()))
        done = self.command("compare", "out-a/result.json", "out-b/result.json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("kernel Prescott", done.stdout)

    def test_two_suites_of_one_repository_have_names_of_their_own(self):
        for name in ("left", "right"):
            self.write(f"{name}.yml", SUITE.format(name=name))
        self.commit()
        self.commit("second")
        names = []
        for name in ("left", "right"):
            self.command("gate", "--quiet", "--launches-max", "1", "--suite", f"{name}.yml", "--out",
                         f"out-{name}")
            report = json.loads((self.repository / f"out-{name}/report.json").read_text())
            self.assertEqual({cell["suite"] for cell in report["cells"]}, {name})
            root = ET.parse(self.repository / f"out-{name}/report.junit.xml").getroot()
            names.append({(s.get("name"), c.get("classname"), c.get("name"))
                          for s in root.iter("testsuite") for c in s.iter("testcase")})
            self.assertTrue(names[-1])
        self.assertEqual(names[0] & names[1], set())

    def test_a_result_that_is_wrong_fails_however_fast_it_came(self):
        ready = "{'state': 'ready', 'call_s': .002, 'items': 1, 'error': 1e-7, 'tolerance': 1e-6}"
        wrong = "{'state': 'incorrect', 'reason': 'off by a half', 'error': .5, 'tolerance': 1e-6}"
        self.write("batchgate.yml", "suite: s\nworkloads:\n  - use: program\n    name: work\n"
                                    "    run: python3 bench.py\n")
        for state in (ready, wrong):
            self.write("bench.py", PROTOCOL_LIAR.replace("STATE", state))
            self.commit(state)
        status, report, said = self.gate("--launches-max", "1")
        self.assertEqual(status, 1, said)
        self.assertEqual(report["cells"][0]["verdict"], "INCORRECT")
        self.assertIn("off by a half", report["cells"][0]["reason"])


class Map(unittest.TestCase):
    """Each place that the map names is there."""

    def test_every_test_it_names_exists(self):
        text = (ROOT / "tests/SCENARIOS.md").read_text(encoding="utf-8")
        places = re.findall(r"`((?:unit|golden|python|cross|acceptance)/[a-z_]+)(?::([a-z0-9_]+))?`",
                            text)
        self.assertGreater(len(places), 50)
        for place, name in places:
            kind, _, rest = place.partition("/")
            with self.subTest(place=place, name=name):
                if kind == "golden":
                    self.assertTrue((ROOT / "tests" / place.replace("_", "-") / "cmd").exists())
                    continue
                suffix = ".c" if kind == "unit" else ".py"
                prefix = "" if kind == "acceptance" else "test_"
                path = ROOT / "tests" / kind / f"{prefix}{rest}{suffix}"
                self.assertTrue(path.exists())
                if name:
                    self.assertRegex(path.read_text(encoding="utf-8"), rf"\b{name}\(")


if __name__ == "__main__":
    unittest.main()
