"""Annotations, outputs and summary of GitHub Actions, read back as its runner reads them."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import runner_commands

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build"))
RESULT = BUILD / "tests" / "bench" / "result"
BATCHGATE = pathlib.Path(os.environ.get("BATCHGATE", BUILD / "batchgate"))
HOSTILE = ["a,b:c::d", "50%0A%25", "::set-output name=verdict::pass", "verdict=pass", "a\nb\r\n::x::y",
           "\x1b[31m::error::x", "EOF", "a<<EOF", "\u00a0::error::y", "\u2028::error::z", "]]>",
           "x" * 10000, "##[error]x", "\u202e"]


class Annotations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "result.json"
        self.write(60)

    def write(self, cases, seed=1):
        subprocess.run([RESULT, "write", self.path, str(cases), "24", "2", str(seed)], check=True)

    def change(self, change):
        content = json.loads(self.path.read_text(encoding="utf-8"))
        change(content)
        self.path.write_text(json.dumps(content), encoding="utf-8")

    def make_worse(self, names, **more):
        """Cases of these names failed, for a reason that is hostile too."""
        def change(content):
            for case, name in zip(content["cases"], names):
                case.update(name=name, state="failed", series=[], reason=name, **more)
        self.change(change)

    def report(self, *words, **environment):
        """Exit code and standard output of `batchgate report`."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
        done = subprocess.run([BATCHGATE, "report", self.path, *words], cwd=self.folder,
                              env={**clean, **environment}, capture_output=True, check=False)
        self.stderr = done.stderr.decode()
        return done.returncode, done.stdout.decode()

    def test_annotations_read_back_to_what_was_meant(self):
        self.make_worse(HOSTILE, file="src/a,b:c%.cu", line=10)
        _, output = self.report("--report", "github=annotations")
        lines = (self.folder / "annotations").read_text(encoding="utf-8")
        commands = runner_commands.commands_of(lines)
        self.assertEqual(len(commands), lines.count("\n"))
        self.assertEqual([command.name for command in commands], ["error"] * 10)
        for command in commands[:-1]:
            self.assertEqual(command.properties["file"], "src/a,b:c%.cu")
            self.assertEqual(command.properties["line"], "10")
            self.assertEqual(set(command.properties), {"file", "line", "title"})
            self.assertTrue(command.properties["title"].startswith("batchgate: "))
            self.assertTrue(command.data.startswith("FAILED: "))
            self.assertIn("\nrepeat: batchgate gate --only '", command.data)
            self.assertLessEqual(len(command.data.encode("utf-16-le")) // 2, 4096)
        self.assertRegex(commands[-1].data, r"\Aand \d+ more: see the summary\Z")
        self.assertEqual(runner_commands.commands_of(output), [])

    def test_names_come_back_from_titles(self):
        for name in ["a,b:c::d", "50%0A%25", "%3A%2C", "=,="]:
            self.write(1)
            self.make_worse([name])
            _, output = self.report("--report", "github")
            command, = runner_commands.commands_of(output)
            self.assertEqual(command.properties["title"], f"batchgate: {name} {self.metric()}")

    def metric(self):
        _, output = self.report("--report", "json")
        return json.loads(output)["cells"][0]["metric"]

    def test_text_comes_before_the_annotations(self):
        self.make_worse(["a"])
        _, output = self.report("--report", "github")
        self.assertLess(output.index("cells judged"), output.index("::error "))
        code, both = self.report("--report", "github", "--report", "text")
        self.assertEqual((code, both), (1, output))

    def test_nothing_else_that_is_printed_is_a_command(self):
        self.make_worse(HOSTILE, file="::error::file")

        def change(content):
            content["command"] = "::error::command"
            content["machine"] = "::error::machine"
            content["conditions"] = HOSTILE
            content["policy_changes"] = HOSTILE
            content["head"]["subject"] = "::error::subject"
            for case, name in zip(content["cases"][20:], HOSTILE):
                case.update(state="skipped", series=[], reason=name)
            for case in content["cases"][40:]:
                case["workload"] = "::error::workload"
                case["name"] = case["name"].replace("gemm/", "::error::workload/")
        self.change(change)
        for form in ["text", "json", "junit", "markdown"]:
            for colour in ["never", "always"]:
                _, output = self.report("--report", form, "--color", colour)
                self.assertEqual(runner_commands.commands_of(output), [], form)
                self.assertFalse("##[" in output, form)

    def test_an_error_message_is_no_command(self):
        for name in ["::error::x", "\n::error::x", "\r::error::x", "##[error]x"]:
            done = subprocess.run([BATCHGATE, "report", self.folder / name], capture_output=True,
                                  check=False)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(runner_commands.commands_of(done.stderr.decode()), [])
            done = subprocess.run([BATCHGATE, name], capture_output=True, check=False)
            self.assertEqual(runner_commands.commands_of(done.stderr.decode()), [])

    def outputs(self, *words):
        path = self.folder / "outputs"
        code, _ = self.report("--report", "github", *words, GITHUB_OUTPUT=str(path))
        return code, runner_commands.outputs_of(path.read_text(encoding="utf-8"))

    def test_outputs_say_what_the_exit_code_says(self):
        self.make_worse(HOSTILE)
        code, outputs = self.outputs("--out", "out")
        self.assertEqual(code, 1)
        self.assertEqual(outputs["verdict"], "regression")
        self.assertEqual(outputs["exit_code"], "1")
        self.assertEqual(int(outputs["judged"]) + int(outputs["not_judged"]), 60)
        self.assertEqual(outputs["report_json"], str((self.folder / "out/report.json").resolve()))
        self.assertEqual(set(outputs), {"verdict", "exit_code", "judged", "not_judged",
                                        "report_json", "report_junit"})

    def test_no_path_can_forge_an_output(self):
        self.make_worse(["a"])
        out = "x\nbg_00000000000000000000000000000000\nverdict=pass\nverdict<<EOF\npass\nEOF"
        code, outputs = self.outputs("--out", out)
        self.assertEqual((code, outputs["verdict"]), (1, "regression"))
        self.assertTrue(outputs["report_json"].endswith(out + "/report.json"))

    def test_delimiters_are_never_used_twice(self):
        words = set()
        for _ in range(3):
            path = self.folder / "outputs"
            self.report("--report", "github", GITHUB_OUTPUT=str(path))
            found = [line.split("<<")[1] for line in path.read_text().split("\n") if "<<" in line]
            self.assertEqual(len(set(found)), len(found))
            self.assertFalse(words & set(found) and len(found) == 6)
            words |= set(found)
        self.assertEqual(len(words), 18)

    def test_a_summary_is_added_to_what_is_there(self):
        path = self.folder / "summary"
        path.write_text("# Mine", encoding="utf-8")
        self.make_worse(["a"])
        self.report("--report", "github", GITHUB_STEP_SUMMARY=str(path))
        text = path.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("# Mine\n\n<!-- batchgate:synthetic -->\n\n## "))

    def test_a_file_that_cannot_be_written_is_exit_4_unless_1(self):
        def untouched(content):
            content["cases"] = [case for case in content["cases"] if not case["series"][0]["confirm"]["x"]]
        self.change(untouched)
        self.assertEqual(self.report("--report", "github")[0], 0, self.stderr)
        for name in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"]:
            code, _ = self.report("--report", "github", **{name: "/proc/absent/file"})
            self.assertEqual(code, 4)
            self.assertIn(f"batchgate: {name}: /proc/absent/file: cannot write", self.stderr)
        self.make_worse(["a"])
        self.assertEqual(self.report("--report", "github", GITHUB_OUTPUT="/proc/absent/file")[0], 1)

    def test_no_service_changes_the_verdict_or_the_text(self):
        self.make_worse(["a"])
        expected = self.report()
        for environment in [{"GITHUB_ACTIONS": "true", "CI": "true"}, {"GITLAB_CI": "true"},
                            {"CI": "false"}, {"JENKINS_URL": "http://x"}]:
            self.assertEqual(self.report(**environment), expected)


if __name__ == "__main__":
    unittest.main()
