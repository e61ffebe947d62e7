"""A repository whose suite has a program or plugin, and what its gates find out."""
import json
import subprocess

from scratch_repository import BATCHGATE, ROOT, ScratchRepository

CLIENTS = ROOT / "workloads" / "clients"


class ProgramRepository(ScratchRepository):
    def setUp(self):
        super().setUp()
        self.write(".gitignore", "batchgate-out/\n__pycache__/\n")

    def run_batchgate(self, *words):
        return subprocess.run([BATCHGATE, *words], cwd=self.repository, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, check=False)

    def measure(self, *words, launches=1):
        """
        One gate of few launches; how it ended, and the cases of result.json by name. A machine that
        is busy with other things may spoil every launch of a case: then once more, a few times.
        """
        for _ in range(5):
            done, cases = self.measure_once(*words, launches=launches)
            if all(case["state"] != "unmeasured" for case in cases.values()):
                break
        return done, cases

    def measure_once(self, *words, launches):
        done = self.run_batchgate("gate", "--quiet", "--launches-max", str(launches), *words)
        result = self.repository / "batchgate-out" / "result.json"
        cases = json.loads(result.read_text(encoding="utf-8"))["cases"] if result.exists() else []
        return done, {case["name"]: case for case in cases}

    def assert_state(self, case, state, *parts):
        self.assertEqual(case["state"], state, case)
        for part in parts:
            self.assertIn(part, case["reason"])
        self.assertNotIn("\n", case["reason"])

    def assert_ran(self, case):
        """It was prepared and stepped; whether a busy machine left its pairs whole is no matter."""
        if case["state"] == "unmeasured":
            self.assertIn("every launch was spoiled", case["reason"])
        else:
            self.assertEqual(case["state"], "measured", case["reason"])

    def log(self, arm):
        path = self.repository / "batchgate-out" / f"worker-{arm}.log"
        return path.read_text(encoding="utf-8", errors="replace")
