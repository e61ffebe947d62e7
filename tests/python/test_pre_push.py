"""The pre-push hook in real pushes to a bare repository, with the gate on a virtual clock."""
import os
import shutil
import subprocess
import unittest

from scratch_repository import BATCHGATE, ROOT, ScratchRepository

HOOK = ROOT / "packaging" / "hooks" / "pre-push"
SUITE = "suite: noise\nworkloads:\n  - use: replay\n    slowdown: [%s]\n"


class PrePush(ScratchRepository):
    def setUp(self):
        super().setUp()
        self.git("checkout", "-qb", "main")
        self.remote = self.root / "remote.git"
        subprocess.run(["git", "init", "-q", "--bare", str(self.remote)], env=self.environment,
                       check=True)
        self.git("remote", "add", "origin", str(self.remote))
        shutil.copy(HOOK, self.repository / ".git" / "hooks" / "pre-push")
        # Tells what it was asked to judge, then judges.
        program = self.root / "batchgate"
        program.write_text(f'#!/bin/sh\necho "$*" >>"{self.root}/asked"\nenv >"{self.root}/seen"\n'
                           f'exec "{BATCHGATE}" "$@" --quiet\n', encoding="utf-8")
        program.chmod(0o755)
        self.environment["BATCHGATE"] = str(program)
        self.put_suite("0")
        self.commit("first")

    def put_suite(self, slowdown):
        self.write("batchgate.yml", SUITE % slowdown)

    def push(self, *words, **more):
        done = subprocess.run(["git", "push", "-q", *words], cwd=self.repository,
                              env={**self.environment, **more}, capture_output=True, text=True,
                              check=False)
        self.said = done.stderr
        return done.returncode

    def asked(self):
        """Base and head of each gate so far."""
        path = self.root / "asked"
        lines = path.read_text().splitlines() if path.exists() else []
        words = [line.split() for line in lines]
        return [(line[line.index("--base") + 1], line[line.index("--head") + 1]) for line in words]

    def id_of(self, revision):
        return subprocess.run(["git", "rev-parse", revision], cwd=self.repository, check=True,
                              env=self.environment, capture_output=True,
                              text=True).stdout.strip()

    def has(self, branch):
        return subprocess.run(["git", "-C", str(self.remote), "rev-parse", "-q", "--verify",
                               f"refs/heads/{branch}"], env=self.environment, check=False,
                              capture_output=True, text=True).stdout.strip()

    def test_the_first_push_of_all_has_nothing_to_compare_with(self):
        self.assertEqual(self.push("origin", "main"), 0, self.said)
        self.assertIn("the remote has nothing to compare with", self.said)
        self.assertEqual(self.asked(), [])

    def test_a_push_is_judged_against_what_the_remote_has(self):
        self.push("origin", "main")
        before = self.id_of("HEAD")
        for name in ("a", "b"):
            self.write(name, name)
            self.commit(name)
        self.assertEqual(self.push("origin", "main"), 0, self.said)
        self.assertEqual(self.asked(), [(before, self.id_of("HEAD"))])
        self.assertEqual(self.has("main"), self.id_of("HEAD"))

    def test_a_regression_stops_the_push(self):
        self.put_suite("0, 0.06")
        self.commit("a case that is always slower")
        self.push("origin", "main")
        self.write("a", "a")
        self.commit("slower")
        self.git("branch", "old")
        self.assertEqual(self.push("origin", "old"), 1)
        self.assertIn("REGRESSED", self.said)
        self.assertIn("not pushed (batchgate exit 1)", self.said)
        self.assertEqual(self.has("old"), "")
        self.assertEqual(self.push("origin", "old", BATCHGATE_SKIP="1"), 0, self.said)
        self.assertEqual(self.has("old"), self.id_of("old"))

    def test_a_new_branch_is_judged_from_where_it_left(self):
        self.push("origin", "main")
        start = self.id_of("HEAD")
        self.git("checkout", "-qb", "topic")
        for name in ("a", "b"):
            self.write(name, name)
            self.commit(name)
        self.assertEqual(self.push("origin", "topic"), 0, self.said)
        self.assertEqual(self.asked(), [(start, self.id_of("HEAD"))])

    def test_a_branch_that_the_remote_knows_under_another_name_is_not_judged(self):
        self.push("origin", "main")
        self.assertEqual(self.push("origin", "main:copy"), 0, self.said)
        self.assertEqual(self.asked(), [])

    def test_tags_notes_and_deletions_are_not_judged(self):
        self.push("origin", "main")
        self.push("origin", "main:gone")
        self.write("a", "a")
        self.commit("a")
        self.git("tag", "v1")
        self.git("notes", "add", "-m", "x")
        self.assertEqual(self.push("origin", "v1", "refs/notes/commits", ":gone"), 0, self.said)
        self.assertEqual(self.asked(), [])
        self.assertEqual(self.has("gone"), "")

    def test_each_branch_is_judged_and_one_regression_stops_all(self):
        self.put_suite("0, 0.06")
        self.commit("a case that is always slower")
        self.push("origin", "main")
        start = self.id_of("HEAD")
        self.git("checkout", "-qb", "a-slow")
        self.write("a", "b")
        self.commit("slower")
        self.git("checkout", "-qb", "fine", "main~1")
        self.write("a", "a")
        self.commit("a")
        self.assertEqual(self.push("origin", "a-slow", "fine"), 1)
        self.assertEqual({base for base, _ in self.asked()}, {start, self.id_of("main~1")})
        self.assertEqual(self.has("fine"), "")

    def test_what_could_not_be_judged_is_told_and_pushed(self):
        self.push("origin", "main")
        self.write("batchgate.yml", "suite: x\nworkloads:\n  - use: exec\n    name: a\n"
                                    "    run: [sh, -c, 'exit 3']\n")
        self.commit("broken")
        self.push("origin", "main", BATCHGATE_SKIP="1")
        self.write("a", "a")
        self.commit("a")
        self.assertEqual(self.push("origin", "main"), 0, self.said)
        self.assertIn("could not be judged, pushed all the same", self.said)
        self.assertEqual(self.has("main"), self.id_of("HEAD"))

    def test_a_gate_that_cannot_run_stops_the_push(self):
        self.push("origin", "main")
        self.write("batchgate.yml", "suite: [")
        self.commit("no suite any more")
        self.assertEqual(self.push("origin", "main"), 1)
        self.assertIn("batchgate exit 2", self.said)
        self.put_suite("0")
        self.commit("again")
        self.write("a", "a")
        self.commit("a")
        self.assertEqual(self.push("origin", "main", BATCHGATE="/absent/batchgate"), 1)
        self.assertIn("batchgate exit 127", self.said)

    def test_a_repository_without_a_suite_is_left_alone(self):
        self.push("origin", "main")
        self.git("rm", "-q", "batchgate.yml")
        self.commit("gone")
        self.assertEqual(self.push("origin", "main"), 0, self.said)
        self.assertIn("has no batchgate.yml", self.said)

    def test_a_push_to_an_address_compares_with_what_any_remote_has(self):
        self.push("origin", "main")
        start = self.id_of("HEAD")
        self.write("a", "a")
        self.commit("a")
        self.assertEqual(self.push(str(self.remote), "main:other"), 0, self.said)
        self.assertEqual(self.asked(), [(start, self.id_of("HEAD"))])

    def test_a_commit_that_only_the_remote_has_is_not_needed(self):
        self.push("origin", "main")
        start = self.id_of("HEAD")
        other = self.root / "other"
        subprocess.run(["git", "clone", "-q", str(self.remote), str(other), "-b", "main"],
                       env=self.environment, check=True)
        for words in (["commit", "-qm", "theirs", "--allow-empty"], ["push", "-q"]):
            subprocess.run(["git", *words], cwd=other, env=self.environment, check=True)
        self.write("a", "a")
        self.commit("mine")
        self.assertEqual(self.push("--force", "origin", "main"), 0, self.said)
        self.assertEqual(self.asked(), [(start, self.id_of("HEAD"))])

    def test_gits_own_variables_do_not_reach_the_gate(self):
        self.push("origin", "main")
        self.write("a", "a")
        self.commit("a")
        self.git("worktree", "add", "-q", "-b", "beside", str(self.root / "beside"))
        done = subprocess.run(["git", "push", "-q", "origin", "beside"], cwd=self.root / "beside",
                              env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.asked()), 1)
        for line in (self.root / "seen").read_text().splitlines():
            self.assertFalse(line.startswith(("GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=")),
                             line)

    def test_pre_commit_tells_what_is_pushed_in_variables(self):
        self.push("origin", "main")
        start = self.id_of("HEAD")
        self.write("a", "a")
        self.commit("a")
        for more, expected in [({"PRE_COMMIT_FROM_REF": start, "PRE_COMMIT_TO_REF": "HEAD",
                                 "PRE_COMMIT_REMOTE_NAME": "origin"}, 1), ({}, 2)]:
            done = subprocess.run([str(HOOK)], cwd=self.repository, stdin=subprocess.DEVNULL,
                                  env={**self.environment, "PRE_COMMIT": "1", **more},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.asked(), [(start, self.id_of("HEAD"))] * expected)


if __name__ == "__main__":
    os.environ.pop("PRE_COMMIT", None)
    unittest.main()
