"""The reports as other people's readers see them: PyPI's junitparser and jsonschema.

Needs build/tests/bench/result, which draws results from a seed and reports them.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

try:
    import junitparser
except ImportError:
    junitparser = None
try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULT = pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "tests" / "bench" / "result"
HOSTILE = ["a\x1b[31mred", "\x01", "\uffff", "\"<>&'", "a\nb\r\tc", "::error::x", "]]>",
           "[[ATTACHMENT|/etc/passwd]]", "caf\u00e9 \U0001f600", "x" * 10000, "a\\x01"]


def run(*words):
    return subprocess.run([str(RESULT), *map(str, words)], check=True, capture_output=True).stdout


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name, "result.json")
        run("write", self.path, 60, 24, 2)

    def change(self, change):
        """Applies a function to the result file's content."""
        content = json.loads(self.path.read_text(encoding="utf-8"))
        change(content)
        self.path.write_text(json.dumps(content), encoding="utf-8")

    def report(self):
        return json.loads(run("report", "json", self.path))

    def make_hostile(self):
        def change(content):
            for case, name in zip(content["cases"], HOSTILE):
                case["name"] = name
            for case, state in zip(content["cases"][20:],
                                   ["identical", "new", "removed", "missing", "skipped", "failed",
                                    "incorrect", "broken", "no_baseline", "mistrusted",
                                    "unmeasured"]):
                case.update(state=state, series=[], reason="because \x1b[1m]]> \u202e")
        self.change(change)

    def test_deciding_again_gives_the_same_bytes(self):
        for form in ["text", "json", "junit", "junit-strict"]:
            self.assertEqual(run("report", form, self.path), run("report", form, self.path))

    def test_json_is_strict_json_with_finite_numbers(self):
        def refuse(word):
            raise AssertionError(word)
        report = json.loads(run("report", "json", self.path), parse_constant=refuse)
        self.assertEqual(report["schema"], "batchgate.report/1")
        self.assertEqual(len(report["cells"]), 60)

    def test_json_counts_match_its_cells(self):
        self.make_hostile()
        report = self.report()
        self.assertEqual(report["judged"] + report["not_judged"], len(report["cells"]))
        counted = {}
        for cell in report["cells"]:
            counted[cell["verdict"]] = counted.get(cell["verdict"], 0) + 1
        self.assertEqual(report["verdicts"], counted)
        self.assertEqual(sum(report["not_judged_by"].values()), report["not_judged"])

    @unittest.skipUnless(jsonschema, "jsonschema is not installed (pip install jsonschema)")
    def test_json_is_valid_under_the_published_schema(self):
        schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        validator.validate(self.report())
        self.make_hostile()
        report = self.report()
        validator.validate(report)
        report["cells"][0]["effect"] = "much"
        self.assertFalse(validator.is_valid(report))

    def test_every_member_of_json_is_in_the_schema(self):
        schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
        report = self.report()
        self.assertEqual(set(report), set(schema["properties"]))
        self.assertEqual(set(report["cells"][0]), set(schema["$defs"]["cell"]["properties"]))
        self.assertEqual(set(report["base"]), set(schema["$defs"]["arm"]["properties"]))

    def junit(self, form):
        path = pathlib.Path(self.folder.name, "report.xml")
        path.write_bytes(run("report", form, self.path))
        return junitparser.JUnitXml.fromfile(str(path))

    @unittest.skipUnless(junitparser, "junitparser is not installed (pip install junitparser)")
    def test_junit_reads_back_with_what_the_json_says(self):
        self.make_hostile()
        report = self.report()
        kinds = {"failure": junitparser.Failure, "error": junitparser.Error,
                 "skipped": junitparser.Skipped}
        for form in ["junit", "junit-strict"]:
            suites = list(self.junit(form))
            self.assertEqual([suite.name for suite in suites], ["synthetic"])
            cases = list(suites[0])
            self.assertEqual(len(cases), len(report["cells"]))
            self.assertEqual(suites[0].tests, len(cases))
            for case, cell in zip(cases, report["cells"]):
                self.assertEqual(case.classname, "synthetic.gemm")
                found = [kind for kind in kinds.values()
                         if any(isinstance(entry, kind) for entry in case.result)]
                expected = [kinds[cell["outcome"]]] if cell["outcome"] in kinds else []
                self.assertEqual(found, expected, cell)
                if expected and cell["outcome"] != "skipped":
                    entry = case.result[0]
                    self.assertTrue(entry.text.startswith(entry.message + "\n"))

    @unittest.skipUnless(junitparser, "junitparser is not installed (pip install junitparser)")
    def test_a_policy_change_is_a_passing_case_whose_name_holds_no_value(self):
        line = "margins.time: %s -> 50 %% (base's %s was used)"
        names = []
        for value in ["3 %", "4 %"]:
            self.change(lambda content, text=line % (value, value):
                        content.update(policy_changes=[text]))
            for form in ["junit", "junit-strict"]:
                suite = list(self.junit(form))[0]
                cases = [case for case in suite if case.classname == "synthetic.policy"]
                self.assertEqual([case.result for case in cases], [[]])
                self.assertEqual(cases[0].system_out if form == "junit" else None,
                                 line % (value, value) if form == "junit" else None)
                self.assertIn(line % (value, value), suite._elem.findtext("system-out"))
                names += [case.name for case in cases]
        self.assertEqual(set(names), {"policy margins.time"})

    @unittest.skipUnless(junitparser, "junitparser is not installed (pip install junitparser)")
    def test_junit_names_stay_unique_and_visible(self):
        self.make_hostile()
        names = [case.name for suite in self.junit("junit") for case in suite]
        self.assertEqual(len(set(names)), len(names))
        self.assertTrue(all(name.isprintable() for name in names))
        self.assertIn("a\\x1B[31mred time", names)
        self.assertIn("a\\\\x01 time", names)

    def test_text_has_no_control_characters(self):
        self.make_hostile()
        text = run("report", "text", self.path).decode()
        self.assertFalse([c for c in text if c != "\n" and (ord(c) < 32 or ord(c) == 127)])
        self.assertNotIn("\u202e", text)


if __name__ == "__main__":
    unittest.main()
