"""The steps of the action and of the GitLab job, run here with what those systems set."""
import json
import os
import subprocess
import unittest
import xml.etree.ElementTree

import yaml

import ci_steps
import runner_commands
from scratch_repository import BATCHGATE, ROOT, ScratchRepository

ZEROS = "0" * 40
SUITE = """suite: noise
workloads:
  - use: replay
    slowdown: [%s]
"""


class DryRun(ScratchRepository):
    """A repository of a user, and a batchgate whose build only links the program under test."""

    def setUp(self):
        super().setUp()
        self.git("checkout", "-qb", "main")
        for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
            del self.environment[name]
        self.environment["GIT_CONFIG_NOSYSTEM"] = "1"
        self.tool = self.root / "tool"
        self.tool.mkdir()
        bootstrap = self.tool / "bootstrap"
        bootstrap.write_text(f"""#!/bin/sh
set -eu
test -z "$CI"
echo "$1 $2" >"{self.root}/built"
prefix=${{3#PREFIX=}}
mkdir -p "$prefix/bin"
ln -sf "{BATCHGATE}" "$prefix/bin/batchgate"
""", encoding="utf-8")
        bootstrap.chmod(0o755)

    def put_suite(self, slowdown):
        self.write("batchgate.yml", SUITE % slowdown)

    def id_of(self, revision):
        return subprocess.run(["git", "rev-parse", revision], cwd=self.repository,
                              env=self.environment, check=True, capture_output=True,
                              text=True).stdout.strip()

    def make_merge_request(self, slowdown="0"):
        """A branch, a main that moved on, and the merge of both checked out."""
        self.put_suite(slowdown)
        self.commit("first")
        self.git("checkout", "-qb", "topic")
        self.commit("topic")
        self.git("checkout", "-q", "main")
        self.commit("moved on")
        self.git("checkout", "-q", "--detach")
        self.git("merge", "-q", "--no-ff", "-m", "merge", "topic")

    def report(self):
        path = self.repository / "batchgate-out" / "report.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def junit(self):
        return xml.etree.ElementTree.parse(self.repository / "batchgate-out" / "report.junit.xml")


class GitHub(DryRun):
    def runner(self, event, **more):
        path = self.root / "event.json"
        path.write_text(json.dumps(event), encoding="utf-8")
        temp = self.root / "runner_temp"
        temp.mkdir(exist_ok=True)
        return ci_steps.Runner(self.repository, temp, {
            **self.environment, "CI": "true", "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.repository), "GITHUB_EVENT_PATH": str(path),
            "GITHUB_ACTION_PATH": str(self.tool), "RUNNER_TEMP": str(temp),
            "GITHUB_SHA": self.id_of("HEAD"), **more})

    def pull_request(self, fork=False):
        owner = "someone" if fork else "owner"
        event = {"number": 7, "pull_request": {
            "head": {"sha": self.id_of("topic"), "repo": {"fork": fork,
                                                          "full_name": f"{owner}/r"}},
            "base": {"sha": self.id_of("main~1"), "ref": "main"}},
            "repository": {"default_branch": "main"}}
        return self.runner(event, GITHUB_EVENT_NAME="pull_request", GITHUB_REF="refs/pull/7/merge",
                           GITHUB_HEAD_REF="$(touch pwned)", GITHUB_BASE_REF="main")

    def judge(self, runner, **inputs):
        action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        outputs = runner.run_action(action, {"args": "--quiet", **inputs})
        return runner.done[-1], outputs

    def test_a_pull_request_that_changes_nothing_passes(self):
        self.make_merge_request()
        step, outputs = self.judge(self.pull_request())
        self.assertEqual((self.root / "built").read_text(), "build install\n")
        self.assertEqual(step.exit_code, 0, step.printed)
        self.assertEqual((outputs["verdict"], outputs["exit-code"]), ("pass", "0"))
        self.assertEqual(self.report()["base"]["commit"], self.id_of("HEAD^1"))
        self.assertTrue(step.summary.startswith("<!-- batchgate:noise -->\n"))
        self.assertEqual([found for found in step.annotations() if found.name == "error"], [])
        self.assertEqual(len(self.junit().findall(".//testcase")), int(outputs["judged"]))
        self.assertEqual(outputs["report-json"],
                         str(self.repository / "batchgate-out" / "report.json"))

    def test_a_fork_that_made_it_slower_fails_without_any_token(self):
        self.make_merge_request("0, 0.06")
        step, outputs = self.judge(self.pull_request(fork=True))
        self.assertEqual(step.exit_code, 1, step.printed)
        self.assertEqual((outputs["verdict"], outputs["exit-code"]), ("regression", "1"))
        errors = [found for found in step.annotations() if found.name == "error"]
        self.assertGreaterEqual(len(errors), 1)
        for error in errors:
            self.assertEqual(error.properties["file"], "batchgate.yml")
            self.assertIn("slowdown=0.06", error.properties["title"])
        self.assertIn("**REGRESSED**", step.summary)
        self.assertEqual(len(self.junit().findall(".//failure")), len(errors))
        self.assertFalse((self.repository / "pwned").exists())

    def test_a_push_is_judged_against_what_was_there_before(self):
        self.put_suite("0")
        for message in ("first", "second", "third"):
            self.commit(message)
        event = {"before": self.id_of("HEAD~2"), "forced": False,
                 "repository": {"default_branch": "main"}}
        step, outputs = self.judge(self.runner(event, GITHUB_EVENT_NAME="push",
                                               GITHUB_REF="refs/heads/main",
                                               GITHUB_REF_NAME="main", GITHUB_REF_TYPE="branch"))
        self.assertEqual(step.exit_code, 0, step.printed)
        self.assertEqual(outputs["verdict"], "pass")
        self.assertEqual(self.report()["base"]["commit"], event["before"])

    def test_a_gate_that_cannot_start_is_no_pass(self):
        self.put_suite("many")
        self.commit("first")
        self.commit("second")
        step, outputs = self.judge(self.runner({}, GITHUB_EVENT_NAME="schedule"))
        self.assertEqual(step.exit_code, 2, step.printed)
        self.assertEqual((outputs["verdict"], outputs["exit-code"]), ("error", "2"))

    def test_what_a_benchmark_or_a_build_prints_is_no_command(self):
        shout = "echo ::error::fake; echo '::set-output name=verdict::pass' >&2; "
        self.write("batchgate.yml", f"""suite: loud
workloads:
  - use: exec
    name: loud
    run: [sh, -c, "{shout} echo ::error::last >&2; exit $(cat code)"]
arms:
  build: [sh, -c, "{shout} exit $(cat build-code)"]
""")
        # A benchmark's exit status and that of the build, in base and in head; what that gives.
        for base, head, expected in [("00", "30", 1), ("30", "30", 3), ("00", "01", 1)]:
            for message, codes in (("base", base), ("head", head)):
                self.write("code", codes[0])
                self.write("build-code", codes[1])
                self.commit(message)
            runner = self.runner({"repository": {"default_branch": "main"}},
                                 GITHUB_EVENT_NAME="schedule", GITHUB_REF="refs/heads/main")
            step, outputs = self.judge(runner, budget="20s", args="--launches-max=6")
            self.assertEqual(step.exit_code, expected, step.printed)
            self.assertIn("::", step.printed.replace("::error file", ""))
            for command in step.annotations():
                self.assertIn(command.name, ("error", "warning", "notice"))
                self.assertTrue(command.properties["title"].startswith("batchgate"), command)
            self.assertEqual(outputs["exit-code"], str(expected))
            self.assertNotEqual(outputs["verdict"], "pass")

    def test_inputs_are_words_and_nothing_more(self):
        self.make_merge_request()
        for name, value in [("suite", '"; touch pwned; "'), ("base", "$(touch pwned)"),
                            ("head", "`touch pwned`"), ("budget", "1m; touch pwned"),
                            ("out", "$(touch pwned)"), ("args", "--only\n$(touch pwned)\n;touch pwned"),
                            ("strict", "true; touch pwned"), ("base", "--aa")]:
            self.judge(self.pull_request(), **{name: value})
            self.assertEqual(list(self.repository.rglob("pwned")), [], name)

    def test_arguments_are_one_a_line(self):
        self.make_merge_request("0, 0.06")
        step, _ = self.judge(self.pull_request(), args="--quiet\n\n--only\n*slowdown=0.06\n--seed\n5",
                             strict="true")
        self.assertEqual(step.exit_code, 1, step.printed)
        self.assertEqual({cell["case"] for cell in self.report()["cells"]},
                         {"replay/slowdown=0.06"})
        self.assertEqual(self.report()["seed"], 5)
        self.assertTrue(self.report()["strict"])


class GitLab(DryRun):
    def setUp(self):
        super().setUp()
        for words in (["init", "-q"], ["add", "bootstrap"], ["commit", "-qm", "tool"]):
            subprocess.run(["git", *words], cwd=self.tool, env=self.environment, check=True)
        self.commit_of_tool = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=self.tool, env=self.environment, check=True,
            capture_output=True, text=True).stdout.strip()

    def job(self, **more):
        path = ROOT / "packaging" / "gitlab" / "batchgate.gitlab-ci.yml"
        job = yaml.safe_load(path.read_text(encoding="utf-8"))[".batchgate"]
        script = "\n".join(job["before_script"] + job["script"])
        environment = {**self.environment, **job["variables"], "CI": "true", "GITLAB_CI": "true",
                       "CI_PROJECT_DIR": str(self.repository), "CI_DEFAULT_BRANCH": "main",
                       "CI_COMMIT_SHA": self.id_of("HEAD"), "CI_COMMIT_BEFORE_SHA": ZEROS,
                       "BATCHGATE_REPOSITORY": self.tool.as_uri(),
                       "BATCHGATE_COMMIT": self.commit_of_tool, **more}
        done = subprocess.run(["sh", "-e", "-c", script], cwd=self.repository, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
        self.printed = done.stdout
        return done.returncode

    def merge_request(self, **more):
        return self.job(CI_PIPELINE_SOURCE="merge_request_event", CI_MERGE_REQUEST_IID="7",
                        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main",
                        CI_MERGE_REQUEST_DIFF_BASE_SHA=self.id_of("main~1"), **more)

    def test_a_merge_request_that_made_it_slower_fails_with_its_reports(self):
        self.make_merge_request("0, 0.06")
        self.git("checkout", "-q", "topic")
        self.assertEqual(self.merge_request(), 1, self.printed)
        self.assertEqual(self.report()["base"]["commit"], self.id_of("main~1"))
        self.assertGreaterEqual(len(self.junit().findall(".//failure")), 1)
        self.assertEqual(runner_commands.commands_of(self.printed), [])

    def test_a_merge_request_that_changes_nothing_passes(self):
        self.make_merge_request()
        self.git("checkout", "-q", "topic")
        self.assertEqual(self.merge_request(BATCHGATE_STRICT="true"), 0, self.printed)
        self.assertTrue(self.report()["strict"])

    def test_the_build_is_kept_for_the_next_job(self):
        self.make_merge_request()
        self.git("checkout", "-q", "topic")
        self.assertEqual(self.merge_request(), 0, self.printed)
        os.rename(self.tool, self.root / "gone")
        self.assertEqual(self.merge_request(), 0, self.printed)

    def test_a_commit_of_the_tool_that_is_not_there_fails(self):
        self.make_merge_request()
        self.assertNotEqual(self.merge_request(BATCHGATE_COMMIT="1" * 40), 0)
        self.assertFalse((self.repository / "batchgate-out").exists())


if __name__ == "__main__":
    unittest.main()
