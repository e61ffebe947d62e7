"""gate --stored: head alone, held to sessions recorded for the base commit."""
import json
import subprocess
import unittest

from scratch_repository import BATCHGATE, ScratchRepository

SUITE = """suite: smoke
workloads:
  - use: exec
    name: work
    run: ["true"]
"""


class GateStored(ScratchRepository):
    def setUp(self):
        super().setUp()
        self.write(".gitignore", "batchgate-out/\n")
        self.write("batchgate.yml", SUITE)
        self.commit("first")

    def command(self, *words):
        return subprocess.run([BATCHGATE, *words], cwd=self.repository, env=self.environment,
                              capture_output=True, text=True, check=False)

    def record(self, sessions):
        for seed in range(sessions):
            done = self.command("run", "--quiet", "--launches", "2", "--seed", str(seed))
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.command("record")
            self.assertEqual(done.returncode, 0, done.stderr)

    def judge(self, *words):
        status, report, said = self.gate("--stored", "--launches-max", "2", *words)
        self.assertTrue(report, said)
        return status, report

    def cell(self, report, case="work"):
        return next(cell for cell in report["cells"] if cell["case"] == case)

    def notes(self, report):
        return "\n".join(report["conditions"])

    def test_without_a_record_nothing_is_judged_and_nothing_passes(self):
        self.commit("second")
        status, report = self.judge()
        self.assertEqual(status, 3)
        self.assertEqual(self.cell(report)["verdict"], "NO_BASELINE")

    def test_fewer_than_five_sessions_give_an_effect_and_no_verdict(self):
        self.record(2)
        self.commit("second")
        status, report = self.judge()
        self.assertEqual(status, 3)
        cell = self.cell(report)
        self.assertEqual(cell["verdict"], "NO_BASELINE")
        self.assertIsNotNone(cell["effect"])
        self.assertIn("before 5 of them are recorded", cell["reason"])
        self.assertIn("2 stored sessions, recorded for", self.notes(report))

    def test_five_sessions_judge_and_the_result_decides_again(self):
        self.record(5)
        self.commit("second")
        _, report = self.judge()
        cell = self.cell(report)
        self.assertNotIn(cell["verdict"], ("NO_BASELINE", "NEW"))
        self.assertIsNotNone(cell["mde"])
        self.command("report", "batchgate-out/result.json", "--out", "again")
        self.assertEqual(json.loads((self.repository / "again/report.json").read_text()), report)

    def test_a_squashed_commit_is_found_by_its_tree(self):
        self.git("checkout", "-q", "-b", "topic")
        self.write("file", "work\n")
        self.commit("on a branch")
        self.record(1)
        self.git("checkout", "-q", "-")
        self.git("merge", "-q", "--squash", "topic")
        self.commit("squashed")
        self.commit("third")
        _, report = self.judge()
        self.assertIn("same tree as", self.notes(report))

    def test_the_nearest_ancestor_with_a_record_is_named(self):
        self.record(1)
        for text in ("a", "b", "c"):
            self.write("file", text)
            self.commit(text)
        _, report = self.judge()
        self.assertIn("nearest ancestor with a record", self.notes(report))
        self.assertIn("2 commits back", self.notes(report))

    def test_a_renamed_case_is_held_to_its_old_name(self):
        self.record(1)
        self.write("batchgate.yml", SUITE.replace("name: work", "name: labour") +
                   "aliases: {labour: work}\n")
        self.commit("renamed")
        _, report = self.judge()
        self.assertEqual(self.cell(report, "labour")["verdict"], "NO_BASELINE")
        self.assertIsNotNone(self.cell(report, "labour")["effect"])

    def test_another_definition_is_not_compared(self):
        self.record(1)
        self.write("batchgate.yml", SUITE.replace('["true"]', '["true", "more"]'))
        self.commit("another command")
        _, report = self.judge()
        cell = self.cell(report)
        self.assertEqual(cell["verdict"], "NO_BASELINE")
        self.assertIsNone(cell["effect"])
        self.assertIn("defines this case otherwise", cell["reason"])

    def test_a_case_that_the_sessions_lack_is_new_and_one_that_head_dropped_missing(self):
        self.record(1)
        self.write("batchgate.yml", SUITE.replace("name: work", "name: other"))
        self.commit("another case")
        status, report = self.judge()
        self.assertEqual(status, 1)
        self.assertEqual(self.cell(report, "other")["verdict"], "NEW")
        self.assertEqual(self.cell(report, "work")["verdict"], "MISSING")

    def test_a_record_that_cannot_be_read_is_said_and_nothing_is_judged(self):
        self.record(1)
        spool, = (self.repository / ".git/batchgate/spool").glob("*.json")
        self.git("remote", "add", "origin", ".")
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.repository, check=True,
                                env=self.environment, capture_output=True, text=True).stdout.strip()
        line = spool.read_text()
        runner_class = json.loads(line)["runner_class"]
        spool.unlink()
        mirror = f"refs/batchgate/mirror/origin/{runner_class}"
        for text in (line[:-20],):
            self.git("-c", "core.notesRef=refs/notes/x", "notes", "add", "-m", text, commit)
            self.git("update-ref", mirror, "refs/notes/x")
        self.commit("second")
        done = self.command("gate", "--stored", "--quiet", "--no-fetch", "--launches-max", "2")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_options_that_need_a_base_arm_are_refused(self):
        for words in (("--stored", "--aa"), ("--stored", "--base-worker", "x"), ("--remote", "origin")):
            done = self.command("gate", *words)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
