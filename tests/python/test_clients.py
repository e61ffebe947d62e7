"""The clients as docs/clients.md tells to use them, the plugin's header as installed, and a third client."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from program_repository import CLIENTS, ROOT, ProgramRepository


def examples(heading):
    """The code blocks of one section of docs/clients.md, by language."""
    text = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)
    return dict(re.findall(r"^```(\w+)\n(.*?)^```$", section, re.M | re.S))


class Clients(ProgramRepository):
    def assert_measured(self, *names):
        self.commit()
        done, cases = self.measure("--aa")
        self.assertEqual(set(cases), set(names), done.stderr)
        for case in cases.values():
            self.assert_ran(case)
            self.assertEqual(len(case["cpus"].split(",")), 1)
        return cases

    def test_the_example_in_python_is_measured(self):
        shutil.copy(CLIENTS / "batchgate.py", self.repository)
        example = examples("Python")
        self.write("bench_search.py", example["python"])
        self.write("batchgate.yml", example["yaml"])
        cases = self.assert_measured("search", "search/batch=1024")
        self.assertEqual(cases["search/batch=1024"]["items_per_step"], 1024)

    def test_the_example_in_c_is_measured(self):
        for name in ("batchgate.h", "batchgate.c"):
            shutil.copy(CLIENTS / name, self.repository)
        example = examples("C and C++")
        self.write("bench_search.c", example["c"])
        self.write("batchgate.yml", example["yaml"])
        cases = self.assert_measured("search/count=1000", "search/count=100000")
        self.assertEqual(cases["search/count=1000"]["items_per_step"], 64)

    def test_a_client_written_from_the_protocols_text_is_measured(self):
        if subprocess.run(["perl", "-MJSON::PP", "-e1"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0 or not shutil.which("taskset"):
            self.skipTest("no perl with JSON::PP, or no taskset")
        shutil.copy(ROOT / "tests" / "python" / "client.pl", self.repository)
        self.write("batchgate.yml", "suite: s\nworkloads:\n  - use: program\n    name: perl\n"
                                    "    run: perl client.pl\n    count: [5000, 20000]\n")
        self.assert_measured("perl", "perl/count=20000")
        self.assertIn("preparing 20000", self.log("base"))
        self.assertNotIn("other cores", self.log("head"))


class Plugin(ProgramRepository):
    """make install into a folder, and nothing but that folder's header for the compiler."""

    def setUp(self):
        super().setUp()
        build = os.environ.get("BUILD", str(ROOT / "build"))
        subprocess.run(["make", "-s", f"BUILD={build}", f"DESTDIR={self.root}", "PREFIX=/usr",
                        "install"], cwd=ROOT, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)
        self.installed = self.root / "usr"
        shutil.copy(self.installed / "share" / "batchgate" / "clients" / "example_plugin.c",
                    self.repository / "squares.c")
        self.suite = examples("A plugin")["yaml"]

    def gate_with(self, compiler):
        self.write("batchgate.yml",
                   self.suite.replace("cc -O2", f"{compiler} -I{self.installed}/include"))
        self.commit()
        done, cases = self.measure("--aa")
        self.assertEqual(set(cases), {"squares/count=1000", "squares/count=100000"}, done.stderr)
        for case in cases.values():
            self.assert_ran(case)
            self.assertEqual(case["error"], 0)
        self.assertEqual(cases["squares/count=1000"]["items_per_step"], 1000)

    def test_the_example_compiles_as_c_and_is_measured(self):
        self.gate_with("cc -std=c11 -Wall -Wextra -Wconversion -Werror -O2")

    def test_the_example_compiles_as_cxx_and_is_measured(self):
        if not shutil.which("g++"):
            self.skipTest("no g++")
        self.gate_with("g++ -x c++ -Wall -Wextra -Wno-missing-field-initializers -Werror -O2")

    def test_everything_of_the_clients_is_installed(self):
        there = {path.name for path in
                 (self.installed / "share" / "batchgate" / "clients").iterdir()}
        self.assertEqual(there, {"batchgate.py", "batchgate.h", "batchgate.c",
                                 "example_plugin.c"})
        self.assertTrue((self.installed / "include" / "batchgate" / "workload.h").exists())
        self.assertTrue(pathlib.Path(self.installed / "share/doc/batchgate/clients.md").exists())


if __name__ == "__main__":
    unittest.main()
