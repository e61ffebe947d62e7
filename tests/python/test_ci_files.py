"""What is handed to CI services: valid under their schemas, pinned, with no more rights than it
needs, and without a place where a branch's name would be run."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BATCHGATE = os.environ.get("BATCHGATE", str(ROOT / "build" / "batchgate"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"
GITLAB = ROOT / "packaging" / "gitlab" / "batchgate.gitlab-ci.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
CHECKER = shutil.which("check-jsonschema", path=f"{ROOT}/build/tools/bin:{os.environ['PATH']}")
USES = re.compile(r"uses: *(\S+?)@(\S+)(?: +# (\S+))?$", re.M)


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def jobs_of(path):
    return load(path)["jobs"].items()


def run_steps():
    """Name, script and shell of everything that a service would run."""
    for path in WORKFLOWS:
        for name, job in jobs_of(path):
            for number, step in enumerate(job["steps"]):
                if "run" in step:
                    yield f"{path.name}: {name}: step {number}", step["run"], "bash"
    for number, step in enumerate(load(ACTION)["runs"]["steps"]):
        yield f"action.yml: step {number}", step["run"], step["shell"]
    job = load(GITLAB)[".batchgate"]
    for key in ("before_script", "script"):
        yield f"gitlab: {key}", "\n".join(job[key]), "sh"


class CiFiles(unittest.TestCase):
    @unittest.skipUnless(CHECKER, "check-jsonschema is not installed (./bootstrap test gets it from PyPI)")
    def test_each_file_is_valid_under_its_services_schema(self):
        for schema, paths in [("github-workflows", WORKFLOWS), ("github-actions", [ACTION]),
                              ("gitlab-ci", [GITLAB])]:
            done = subprocess.run([CHECKER, "--builtin-schema", f"vendor.{schema}", *paths],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(CHECKER, "check-jsonschema is not installed (./bootstrap test gets it from PyPI)")
    def test_the_schemas_refuse_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "action.yml")
            text = ACTION.read_text(encoding="utf-8")
            path.write_text(text.replace("using: composite", "using: compost"), encoding="utf-8")
            done = subprocess.run([CHECKER, "--builtin-schema", "vendor.github-actions", path],
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 1)

    def test_no_expression_is_run(self):
        found = [name for name, script, _ in run_steps() if "${{" in script]
        self.assertEqual(found, [])
        self.assertGreater(len(list(run_steps())), 10)

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_every_script_passes_shellcheck(self):
        for name, script, shell in run_steps():
            done = subprocess.run(["shellcheck", "-s", shell, "-"], input=script, text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, name + "\n" + done.stdout)

    def test_foreign_actions_are_pinned_and_say_which_version(self):
        known = {}
        texts = [path.read_text(encoding="utf-8") for path in
                 [*WORKFLOWS, ACTION, ROOT / "README.md", *(ROOT / "docs").glob("*.md")]]
        for action, pin, version in [found for text in texts for found in USES.findall(text)]:
            if action == "OWNER/batchgate":
                continue
            self.assertRegex(pin, r"\A[0-9a-f]{40}\Z", action)
            self.assertRegex(version, r"\Av\d+\.\d+\.\d+\Z", action)
            self.assertEqual(known.setdefault(action, (pin, version)), (pin, version), action)
        self.assertIn("actions/checkout", known)

    def test_only_the_job_that_pushes_baselines_may_write(self):
        for path in WORKFLOWS:
            workflow = load(path)
            self.assertEqual(workflow["permissions"], {"contents": "read"}, path.name)
            self.assertNotIn("pull_request_target", workflow[True])  # YAML's "on"
            for name, job in workflow["jobs"].items():
                writes = (path.name, name) == ("nightly.yml", "record")
                self.assertEqual(job.get("permissions"),
                                 {"contents": "write"} if writes else None, name)
                for step in job["steps"]:
                    if step.get("uses", "").startswith("actions/checkout@"):
                        kept = step.get("with", {}).get("persist-credentials", True)
                        self.assertEqual(kept, writes, f"{path.name}: {name}")

    def test_the_job_that_may_write_runs_no_benchmark(self):
        steps = load(ROOT / ".github/workflows/nightly.yml")["jobs"]["record"]["steps"]
        for step in steps:
            self.assertNotRegex(step.get("run", ""), r"batchgate (run|gate)\b")

    def test_a_pull_request_is_judged_with_its_history_and_one_run_at_a_time(self):
        workflow = load(ROOT / ".github/workflows/perf-gate.yml")
        self.assertEqual(list(workflow[True]), ["pull_request"])
        self.assertTrue(workflow["concurrency"]["cancel-in-progress"])
        self.assertIn("pull_request.number", workflow["concurrency"]["group"])
        steps = workflow["jobs"]["gate"]["steps"]
        self.assertEqual(steps[0]["with"]["fetch-depth"], 0)
        self.assertIn("always()", steps[-1]["if"])
        self.assertIn("report.junit.xml", steps[-1]["with"]["path"])

    def test_no_run_on_main_can_drop_another(self):
        self.assertNotIn("concurrency", load(ROOT / ".github/workflows/nightly.yml"))

    def test_a_runner_of_ones_own_never_sees_a_pull_request(self):
        for path in WORKFLOWS:
            for name, job in jobs_of(path):
                if "self-hosted" in job["runs-on"]:
                    self.assertIn("github.event_name == 'schedule'", job["if"], name)
                    self.assertNotIn("pull_request", load(path)[True])

    def test_the_actions_inputs_and_outputs_fit_together(self):
        action = load(ACTION)
        for name, about in action["inputs"].items():
            self.assertIsInstance(about["default"], str, name)
        for step in action["runs"]["steps"]:
            self.assertIn("shell", step)
        used = set(re.findall(r"inputs\.([\w-]+)", ACTION.read_text(encoding="utf-8")))
        self.assertEqual(used, set(action["inputs"]))
        for path in WORKFLOWS:
            for name, job in jobs_of(path):
                for step in job["steps"]:
                    if step.get("uses") == "./":
                        self.assertLessEqual(set(step.get("with", {})), set(action["inputs"]))

    def test_commands_in_the_files_are_commands(self):
        listed = subprocess.run([BATCHGATE, "help"], capture_output=True, text=True,
                                check=True).stdout
        commands = set(re.findall(r"^  (\w+)", listed, re.M))  # the next to come
        for name, script, _ in run_steps():
            for command in re.findall(r"build/batchgate (\w+)", script):
                self.assertIn(command, commands, name)

    def test_gitlab_keeps_the_reports_of_a_failed_gate(self):
        job = load(GITLAB)[".batchgate"]
        self.assertEqual(job["artifacts"]["when"], "always")
        self.assertEqual(job["artifacts"]["reports"]["junit"], "batchgate-out/report.junit.xml")
        self.assertEqual(job["variables"]["GIT_DEPTH"], "0")
        for value in job["variables"].values():
            self.assertIsInstance(value, str)

    def test_the_pre_commit_hook_is_there_and_runs_at_push(self):
        hook, = load(HOOKS)
        self.assertEqual(hook["stages"], ["pre-push", "manual"])
        self.assertEqual((hook["pass_filenames"], hook["always_run"], hook["require_serial"]),
                         (False, True, True))
        self.assertTrue(os.access(ROOT / hook["entry"], os.X_OK))


if __name__ == "__main__":
    unittest.main()
